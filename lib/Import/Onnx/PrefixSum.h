//===- lib/Import/Onnx/PrefixSum.h - sums of all elements before one -------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_PREFIXSUM_H
#define CUPOLA_LIB_IMPORT_ONNX_PREFIXSUM_H

#include "lib/Import/Onnx/GraphBuilder.h"

namespace cupola::onnx_import {

/// Which elements count at a place of the axis: those up to it (`exclusive`: before it), or with `reverse` those from
/// it on (behind it).
struct PrefixOrder {
  bool exclusive = false, reverse = false;
};

/// Sums along one axis, with the shape of `value`. Places are added up block by block: blockSize + n / blockSize
/// steps for each of n places, of which nothing but the sums of blocks is stored.
Value prefixSum(GraphBuilder &b, Value value, int64_t axis, PrefixOrder order);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_PREFIXSUM_H
