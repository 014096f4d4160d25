//===- lib/Sim/Process.h - Another program: start, output, exit status ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_PROCESS_H
#define CUPOLA_LIB_SIM_PROCESS_H

#include "lib/Runtime/Status.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace cupola::sim {

/// One run of a program, without a shell. Several may run at once.
class Process {
public:
  Process() = default;
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  ~Process();

  /// Starts arguments[0] (searched in PATH) in `folder` ("": here). Its standard output and error go into one unnamed
  /// file.
  Status start(const std::vector<std::string> &arguments, const std::string &folder);
  /// Waits for the end. An error unless it exits with 0.
  Status wait();
  /// What it wrote; after `wait`.
  const std::string &output() const { return text; }

private:
  pid_t child = -1;
  int file = -1;
  std::string name, text;
};

} // namespace cupola::sim

#endif
