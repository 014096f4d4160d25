//===- lib/Runtime/Format/Libraries.h - The libraries that may do steps in place of kernels ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiler, validator and reports read the same rows. A package describes steps to the libraries that
// were chosen when it was made; whether one of them does a step is up to the machine that loads it.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_LIBRARIES_H
#define CUPOLA_LIB_RUNTIME_FORMAT_LIBRARIES_H

#include "lib/Runtime/Format/LibraryCall.h"

#include <set>
#include <string>
#include <string_view>

namespace cupola::format {

struct Library {
  std::string_view name;   ///< as options have it
  std::string_view title;  ///< for people
  std::string_view target; ///< whose variants describe steps to it
  bool isMeasured;         ///< figures say where it gains, so that it is a candidate unless told otherwise
};

inline constexpr Library kLibraries[] = {
    {"onednn", "oneDNN", "cpu", true},
    {"cublaslt", "cuBLASLt", "cuda", false},
};

/// Null for a name that none has.
const Library *findLibrary(std::string_view name);

/// The one that calls of this kind, which is not None, are for.
const Library &libraryOf(LibraryCallKind kind);

/// What packages are made for. "auto": all that are measured; "none"; or names with commas between
/// them. Code::Usage for other texts.
Result<std::set<std::string>> chosenLibraries(std::string_view text);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_LIBRARIES_H
