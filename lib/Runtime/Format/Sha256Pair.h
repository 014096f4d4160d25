//===- lib/Runtime/Format/Sha256Pair.h - SHA-256 of two texts at once ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_SHA256PAIR_H
#define CUPOLA_LIB_RUNTIME_FORMAT_SHA256PAIR_H

#include "lib/Runtime/Format/Sha256.h"

#include <array>
#include <string_view>

namespace cupola::format {

/// SHA-256 of `first`, then a[0], a[1], .., and of `first`, then b[0], b[1], ..; both have the same number of bytes.
/// Each step of one sum waits for the one before, so a processor with instructions for SHA-256 does the steps of two in
/// the time of one; without them the sums are made one after the other.
std::array<Digest, 2> sha256Pair(char first, std::string_view a, std::string_view b);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_SHA256PAIR_H
