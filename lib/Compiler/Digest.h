//===- lib/Compiler/Digest.h - what tells models apart ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_DIGEST_H
#define CUPOLA_LIB_COMPILER_DIGEST_H

#include "lib/Runtime/Format/Sha256.h"

#include <optional>
#include <string>
#include <string_view>

namespace cupola::compiler {

/// BLAKE3 of the BLAKE3 digests of pieces, by several threads: a model that is compiled a second time costs little more
/// than this. Nobody can make two models of one digest.
format::Digest digestOf(std::string_view bytes, unsigned threads);
/// The same for a regular file, a piece at a time; nothing where it cannot be read.
std::optional<format::Digest> digestOfFile(const std::string &path, unsigned threads);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_DIGEST_H
