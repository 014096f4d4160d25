//===- lib/Sim/Process.cpp - Another program: start, output, exit status ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Process.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace cupola::sim {

Process::~Process() {
  if (child > 0)
    (void)wait();
  if (file >= 0)
    close(file);
}

Status Process::start(const std::vector<std::string> &arguments, const std::string &folder) {
  name = arguments[0];
  file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0)
    return Status::environment("cannot make a file for the output of " + name + ": " + std::strerror(errno));
  std::vector<char *> argv;
  for (const std::string &a : arguments)
    argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, file, 1);
  posix_spawn_file_actions_adddup2(&actions, file, 2);
  if (!folder.empty())
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0)
    return {};
  child = -1;
  return Status::environment("cannot run " + name + ": " + std::strerror(error));
}

Status Process::wait() {
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  child = -1;
  text.clear();
  char buffer[4096];
  for (off_t at = 0;;) {
    const ssize_t count = pread(file, buffer, sizeof buffer, at);
    if (count <= 0)
      break;
    text.append(buffer, static_cast<size_t>(count));
    at += count;
  }
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
    return {};
  return Status::environment(name +
                             (WIFEXITED(state) ? " failed with exit status " + std::to_string(WEXITSTATUS(state))
                                               : " was killed by signal " + std::to_string(WTERMSIG(state))) +
                             (text.empty() ? "" : ":\n" + text));
}

} // namespace cupola::sim
