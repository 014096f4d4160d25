//===- test/Runtime/Exports.h - What a shared library exports, what headers declare ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_EXPORTS_H
#define CUPOLA_TEST_RUNTIME_EXPORTS_H

#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace cupola::test {

/// The names in the dynamic symbol table, by the build's `nm`.
inline std::set<std::string> exportsOf(const std::string &library) {
  FILE *pipe = popen((CUPOLA_NM " -D --defined-only '" + library + "'").c_str(), "r");
  if (!pipe)
    throw std::runtime_error("nm does not start");
  std::string text;
  char buffer[4096];
  while (const size_t size = fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, size);
  if (pclose(pipe) != 0)
    throw std::runtime_error("nm fails");
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string address, kind, name; lines >> address >> kind >> name;)
    names.insert(name);
  return names;
}

/// The functions that a public header declares, by its path beneath include/.
inline std::set<std::string> declaredIn(const std::string &header) {
  std::ifstream file("include/" + header);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  static const std::regex declaration("\nCUPOLA_API [^(;]*\\b(cupola_\\w+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end; ++match)
    names.insert((*match)[1]);
  return names;
}

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_EXPORTS_H
