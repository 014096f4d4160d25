//===- lib/Runtime/Tools/Errors.cpp - How a command line tool fails ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Errors.h"

#include "lib/Runtime/Tools/Progress.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace cupola::runtime {

int printError(const Status &status) {
  const int code = static_cast<int>(status.code());
  clearProgress();
  if (status.message().empty()) // a success, or another process has said it
    return code;
  // A model may have several problems: each is a line, some with "error: " of their own.
  const std::string &all = status.message();
  for (size_t begin = 0; begin <= all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string line = all.substr(begin, end - begin);
    // What is indented belongs to the line before it.
    const bool isWhole = line.rfind("error: ", 0) == 0 || line.rfind("note: ", 0) == 0 || line.rfind(" ", 0) == 0;
    std::fprintf(stderr, "%s%s\n", isWhole ? "" : "error: ", line.c_str());
    begin = end + 1;
  }
  return code;
}

int flushOutput(int code) {
  clearProgress();
  const bool isWritten = std::fflush(stdout) == 0 && !std::ferror(stdout);
  if (isWritten || code != 0)
    return code;
  return printError(Status::io(std::string("the standard output cannot be written: ") + std::strerror(errno)));
}

} // namespace cupola::runtime
