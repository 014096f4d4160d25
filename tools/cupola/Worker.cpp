//===- tools/cupola/Worker.cpp - the compiler in a process of its own ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A model is data from a stranger: whatever it does to the compiler, the command ends
// with a message and a documented exit code.

#include "lib/Runtime/CurrentException.h"
#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/Tools/Errors.h"
#include "lib/Runtime/Tools/OutOfMemory.h"
#include "tools/cupola/Command.h"

#include "llvm/Support/ErrorHandling.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cupola::tool {

namespace {

/// What LLVM has no way on from.
void failInLlvm(void *, const char *reason, bool) {
  finish(Status::internal(reason));
  _exit(static_cast<int>(Code::Internal));
}

/// MLIR does not look at what malloc gives it: a null pointer is met a moment later.
void answerFault(int signal, siginfo_t *info, void *) {
  constexpr uintptr_t firstPage = 4096;
  if (errno == ENOMEM && info->si_code > 0 && reinterpret_cast<uintptr_t>(info->si_addr) < firstPage)
    runtime::exitOutOfMemory(0);
  raise(signal); // whose action is the default again
}

void answerFailures(const CompileFlags &flags) {
  struct sigaction fault{};
  fault.sa_sigaction = answerFault;
  fault.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaction(SIGSEGV, &fault, nullptr);
  if (flags.memory > 0)
    runtime::answerOutOfMemory(Code::Limit, " by the compiler (see --memory)");
  llvm::install_fatal_error_handler(failInLlvm);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { runtime::exitOutOfMemory(0); });
}

[[noreturn]] void work(const CompileFlags &flags, const std::function<int()> &action) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a killed command leaves no compiler behind
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifndef CUPOLA_SANITIZED // AddressSanitizer reserves terabytes of addresses
  if (flags.memory > 0) {
    rlimit memory{flags.memory << 20, flags.memory << 20};
    setrlimit(RLIMIT_AS, &memory);
  }
#endif
  answerFailures(flags);
  int code;
  try {
    code = action();
  } catch (const runtime::OutOfMemory &error) {
    runtime::exitOutOfMemory(error.wanted);
  } catch (...) {
    code = finish(runtime::currentException());
  }
  runtime::clearProgress();
  _exit(runtime::flushOutput(code));
}

/// Waits for the child; false when the deadline passed.
bool waitFor(pid_t child, uint64_t seconds, const sigset_t &signals, int &state, int &caught) {
  timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += static_cast<time_t>(seconds);
  for (;;) {
    if (waitpid(child, &state, WNOHANG) == child)
      return true;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    timespec left{end.tv_sec - now.tv_sec, 0};
    if (left.tv_sec <= 0)
      return false;
    left.tv_sec = std::min<time_t>(left.tv_sec, 60);
    int signal = sigtimedwait(&signals, nullptr, &left);
    if (signal == SIGINT || signal == SIGTERM) {
      caught = signal;
      return false;
    }
  }
}

Result<int> judge(const CompileFlags &flags, int state) {
  if (WIFEXITED(state))
    return WEXITSTATUS(state);
  const int signal = WTERMSIG(state);
  if (signal == SIGPIPE)
    return 128 + SIGPIPE; // whoever read our output had enough
  const std::string what =
      flags.model + ": the compiler was stopped by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  if (signal == SIGKILL)
    return Status::environment(what + ", as the system does when memory is out");
  return Status::internal(what);
}

/// The exit code, or how the child ended without one.
Result<int> supervise(const CompileFlags &flags, const std::function<int()> &action) {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM})
    sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &before);
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return Status::environment(std::string("cannot start a process: ") + strerror(errno));
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    work(flags, action);
  }
  int state = 0, caught = 0;
  bool ended = waitFor(child, flags.deadline, signals, state, caught);
  if (!ended) {
    kill(child, SIGKILL);
    waitpid(child, &state, 0);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (ended)
    return judge(flags, state);
  runtime::clearProgress();
  if (caught)
    return Status(Code::Cancelled, "cancelled");
  return Status::limit(flags.model + ": the compiler ran longer than " + std::to_string(flags.deadline) +
                       " s (raise it with --deadline)");
}

/// From a worker to the caller.
Status handOver(const format::Descriptor &memory, const std::string &bytes) {
  CUPOLA_TRY(format::checkMemory("out of memory: a copy of the package", bytes.size()));
  return format::writeAll(memory.get(), bytes) ? Status::ok()
                                               : Status::environment("cannot hand the package over: out of memory");
}

Result<format::Descriptor> makeMemory() {
  format::Descriptor memory(memfd_create("cupola-worker", MFD_CLOEXEC));
  if (!memory)
    return Status::environment("cannot make a file in memory");
  return memory;
}

void silence() {
  const format::Descriptor nothing(open("/dev/null", O_WRONLY | O_CLOEXEC));
  dup2(nothing.get(), STDERR_FILENO);
}

} // namespace

int runInWorker(const CompileFlags &flags, const std::function<int()> &action) {
  Result<int> code = supervise(flags, action);
  return code.failed() ? finish(code.status()) : *code;
}

int collectFromWorker(const CompileFlags &flags, std::string &bytes, const std::function<Status(std::string &)> &work) {
  const Result<format::Descriptor> memory = makeMemory();
  if (memory.failed())
    return finish(memory.status());
  int code = runInWorker(flags, [&] {
    std::string out;
    Status status = work(out);
    return finish(status.failed() ? status : handOver(*memory, out));
  });
  bytes = format::contentsOf(memory->get());
  return code;
}

Result<std::string> tryInWorker(const CompileFlags &flags, const std::function<Result<std::string>()> &work) {
  CUPOLA_ASSIGN(const format::Descriptor memory, makeMemory());
  Result<int> code = supervise(flags, [&] {
    silence();
    Result<std::string> made = work();
    const Status status = handOver(memory, made.isOk() ? *made : made.status().message());
    return static_cast<int>(made.isOk() ? status.code() : made.status().code());
  });
  CUPOLA_TRY(code.status());
  std::string bytes = format::contentsOf(memory.get());
  if (*code != 0)
    return Status(static_cast<Code>(*code), bytes);
  return bytes;
}

} // namespace cupola::tool
