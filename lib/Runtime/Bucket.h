//===- lib/Runtime/Bucket.h - Shapes that share an arena's layout ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_BUCKET_H
#define CUPOLA_LIB_RUNTIME_BUCKET_H

#include "lib/Runtime/Grid.h"
#include "lib/Runtime/ParsedProgram.h"
#include "lib/Runtime/ShapeBinding.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cupola::runtime {

/// An interval of values per symbol, both ends inclusive.
struct SymbolInterval {
  int64_t low = 0, high = 0;
  friend bool operator==(const SymbolInterval &a, const SymbolInterval &b) {
    return a.low == b.low && a.high == b.high;
  }
};
using Bucket = std::map<std::string, SymbolInterval>;

/// The bucket that `values` lie in. Its intervals end a quarter of an octave apart
/// (.., 8, 10, 12, 14, 16, 20, ..) and at the package's bounds of the symbol.
Bucket bucketOf(const format::Package &package, const SymbolValues &values);
bool contains(const Bucket &bucket, const SymbolValues &values);
/// The same for bounds of expressions.
Ranges rangesOf(const Bucket &bucket);

/// What all shapes of a bucket share: where the arena's buffers lie, planned for the
/// largest size that each can have, and the largest size of each step. Immutable.
struct BucketPlan {
  Bucket bucket;
  uint64_t arenaBytes = 0;
  std::vector<uint64_t> offsets; ///< by buffer, of those in the arena
  std::vector<Grid> sizes;       ///< by step, as of BoundPlan, at most
  bool transfersVary = false;    ///< some transfer has other sizes in other shapes
};

/// Of the symbols that the body's sizes use. Where sizes have no bound in the bucket, the
/// plan is for `values` alone. Errors are those of bindBody.
Result<std::shared_ptr<const BucketPlan>> planBucket(const format::Package &package, const format::Body &body,
                                                     const ParsedBody &parsed, const SymbolValues &values);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BUCKET_H
