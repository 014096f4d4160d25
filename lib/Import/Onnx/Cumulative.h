//===- lib/Import/Onnx/Cumulative.h - sums of all elements up to one -------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_CUMULATIVE_H
#define CUPOLA_LIB_IMPORT_ONNX_CUMULATIVE_H

#include "lib/Import/Onnx/GraphBuilder.h"

namespace cupola::onnx_import {

/// Which elements count at a place of the axis: those up to it (`exclusive`: before it), or with `reverse` those from
/// it on (behind it). `isLong`: of an extent that is open, whether there may be thousands.
struct CumulativeOrder {
  bool exclusive = false, reverse = false, isLong = false;
};

/// Sums or products (`kind`) along one axis, with the shape of `value`. Few places take n steps for each, in one kernel
/// with what is around; many are taken block by block: 128 + n / 128 steps, and the results of blocks are stored.
Value cumulated(GraphBuilder &b, graph::ReduceKind kind, Value value, int64_t axis, CumulativeOrder order);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_CUMULATIVE_H
