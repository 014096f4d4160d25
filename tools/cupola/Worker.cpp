//===- tools/cupola/Worker.cpp - the compiler in a process of its own ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A model is data from a stranger: whatever it does to the compiler, the command ends
// with a message and a documented exit code.

#include "lib/Runtime/CurrentException.h"
#include "lib/Runtime/Tools/Errors.h"
#include "lib/Runtime/Tools/OutOfMemory.h"
#include "tools/cupola/Command.h"

#include "llvm/Support/ErrorHandling.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
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

int judge(const CompileFlags &flags, int state) {
  if (WIFEXITED(state))
    return WEXITSTATUS(state);
  const int signal = WTERMSIG(state);
  if (signal == SIGPIPE)
    return 128 + SIGPIPE; // whoever read our output had enough
  const std::string what =
      flags.model + ": the compiler was stopped by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  if (signal == SIGKILL)
    return finish(Status::environment(what + ", as the system does when memory is out"));
  return finish(Status::internal(what));
}

} // namespace

int runInWorker(const CompileFlags &flags, const std::function<int()> &action) {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM})
    sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &before);
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return finish(Status::environment(std::string("cannot start a process: ") + strerror(errno)));
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
    return finish(Status(Code::Cancelled, "cancelled"));
  return finish(Status::limit(flags.model + ": the compiler ran longer than " + std::to_string(flags.deadline) +
                              " s (raise it with --deadline)"));
}

} // namespace cupola::tool
