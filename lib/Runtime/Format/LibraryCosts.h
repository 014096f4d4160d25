//===- lib/Runtime/Format/LibraryCosts.h - Which library calls gain, and where ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A launch with a description (LibraryCall.h) has two forms, and the runtime takes one when it
// loads the package: by this table, which was measured beforehand, never by a clock. Libraries
// and code of theirs that nobody measured are not taken.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCOSTS_H
#define CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCOSTS_H

#include "lib/Runtime/Format/LibraryCall.h"

#include <string>
#include <string_view>

namespace cupola::format {

struct LibraryVersion {
  int major = 0, minor = 0;
};

/// The version of oneDNN that most rows of the table are about.
inline constexpr LibraryVersion measuredOneDnn = {2, 6};

/// On how many threads at most `call` gains over the kernels for `arch` ("x86-64-v3"); 0: on none.
int64_t mostThreads(const LibraryCall &call, LibraryVersion version, std::string_view arch);

/// Why the kernel is taken on `threads` threads; empty: the library gains.
std::string cheaperByKernel(const LibraryCall &call, LibraryVersion version, std::string_view arch, unsigned threads);

/// Whether figures of the library's code `implementation` ("jit:avx2") are in the table.
bool isMeasured(LibraryVersion version, LibraryCallKind kind, std::string_view implementation);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCOSTS_H
