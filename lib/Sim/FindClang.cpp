//===- lib/Sim/FindClang.cpp - The compiler of the simulator's kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/FindClang.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace cupola::sim {

std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? name : "";
  const char *path = std::getenv("PATH");
  const std::string folders = path ? path : "/usr/bin:/bin";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string candidate = folders.substr(begin, end - begin) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    begin = end + 1;
  }
  return "";
}

Result<std::string> findClang() {
  const char *wanted = std::getenv("CUPOLA_CLANG");
  std::vector<std::string> names = {"clang++-22", "clang++"};
  if (wanted && *wanted)
    names = {wanted};
  for (const std::string &name : names)
    if (std::string path = findProgram(name); !path.empty())
      return path;
  return Status::environment("the simulator compiles kernels with " + names[0] +
                             ", which was not found; install it (Debian: clang-22) or set CUPOLA_CLANG");
}

} // namespace cupola::sim
