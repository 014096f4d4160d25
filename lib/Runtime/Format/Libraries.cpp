//===- lib/Runtime/Format/Libraries.cpp - The libraries that may do steps in place of kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Libraries.h"

namespace cupola::format {

const Library *findLibrary(std::string_view name) {
  for (const Library &row : kLibraries)
    if (row.name == name)
      return &row;
  return nullptr;
}

const Library &libraryOf(LibraryCallKind kind) { return kLibraries[kind == LibraryCallKind::StridedProduct ? 1 : 0]; }

Result<std::set<std::string>> chosenLibraries(std::string_view text) {
  std::set<std::string> names;
  if (text == "none")
    return names;
  if (text == "auto") {
    for (const Library &row : kLibraries)
      if (row.isMeasured)
        names.emplace(row.name);
    return names;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (!findLibrary(name)) {
      std::string known;
      for (const Library &row : kLibraries)
        known += (known.empty() ? "" : ",") + std::string(row.name);
      return Status::usage("libraries are '" + std::string(text) + "', expected auto, none, or some of " + known);
    }
    names.emplace(name);
    begin = end + 1;
  }
  return names;
}

} // namespace cupola::format
