//===- lib/Runtime/CUDA/CompileProcess.cpp - work that may have to be stopped ---===//
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC has no way to give up, and a thread inside it cannot be ended. The child writes into a file in memory: how it
// ended, the length of what it has to say, and that.
#include "lib/Runtime/CUDA/CompileProcess.h"

#include "lib/Runtime/Format/Descriptor.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cupola::runtime::cuda {

namespace {

/// The caller's program may have changed what these do.
void restoreSignals() {
  for (int number : {SIGALRM, SIGXCPU, SIGINT, SIGTERM, SIGPIPE})
    std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void workInChild(const std::function<Result<std::string>()> &work, unsigned seconds, int file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  restoreSignals();
  const rlimit none{0, 0}, time{seconds, seconds + 5};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &time);
  alarm(10 * seconds);
  const Result<std::string> result = work();
  const std::string &text = result.isOk() ? *result : result.status().message();
  const std::string head =
      std::to_string(static_cast<int>(result.status().code())) + " " + std::to_string(text.size()) + "\n";
  _exit(format::writeAll(file, head + text) ? 0 : 1);
}

/// Nothing: the child did not say all that it announced.
std::optional<Result<std::string>> parse(const std::string &bytes) {
  int code = 0;
  size_t length = 0;
  const size_t line = bytes.find('\n');
  if (line == std::string::npos || std::sscanf(bytes.c_str(), "%d %zu", &code, &length) != 2 ||
      bytes.size() - line - 1 != length)
    return std::nullopt;
  std::string text = bytes.substr(line + 1);
  if (code != 0)
    return Result<std::string>(Status(static_cast<Code>(code), std::move(text)));
  return Result<std::string>(std::move(text));
}

} // namespace

std::optional<Result<std::string>> runBounded(const std::function<Result<std::string>()> &work, unsigned seconds) {
  const format::Descriptor file(memfd_create("cupola-compile", MFD_CLOEXEC));
  const pid_t child = file ? fork() : -1;
  if (child < 0)
    return Result<std::string>(
        Status::environment(std::string("cannot start a process that compiles: ") + std::strerror(errno)));
  if (child == 0)
    workInChild(work, seconds, file.get());
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (std::optional<Result<std::string>> said = parse(format::contentsOf(file.get())))
    return said;
  const int signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  if (signal == SIGXCPU || signal == SIGALRM)
    return std::nullopt;
  return Result<std::string>(
      Status::environment("the process that compiles was stopped by signal " + std::to_string(signal)));
}

} // namespace cupola::runtime::cuda
