//===- lib/Import/Onnx/Ops/Conv.h - what convolutions share ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX keeps channels before the spatial dimensions, and so does the imported graph: a
// pass chooses layouts (lib/Transforms/Layout).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_CONV_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_CONV_H

#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Window.h"

namespace cupola::onnx_import::conv {

/// Where a node has its operands.
struct Places {
  size_t input, weights, bias;
};

/// Operands and attributes after a look at their shapes. The elements may be replaced by others of these shapes.
struct Operands {
  Value input;   ///< [N, C, spatial..]
  Value weights; ///< [O, C / groups, window..]; ConvTranspose: [C, O / groups, window..]
  Value bias;    ///< [O] or null
  Exprs spatial;
  Ints sizes;                                    ///< of the window
  int64_t groups = 1, channels = 0, columns = 0; ///< columns: O
};

Operands read(OpBinder &op, const Places &places, bool transposed);
/// Of operands in another form, brought into this one.
Operands read(OpBinder &op, Value input, Value weights, const Places &places, bool transposed);

/// [N, C, spatial..] -> [N, spatial.., C] and back, for nodes that have the others' order.
Value channelsLast(OpBinder &op, Value value);
Value channelsFirst(OpBinder &op, Value value);
/// Zeros around the spatial dimensions of [N, C, spatial..]; negative amounts cut.
Value padSpatial(OpBinder &op, Value value, const Exprs &low, const Exprs &high);
Value addBias(OpBinder &op, Value value, Value bias); ///< along dimension 1; null: none

/// How windows lie in a padded input, by dimension; `places`: how many there are.
struct Steps {
  Ints strides, dilations;
  Exprs places;
};
/// [N, O, places..] of [N, C, spatial..] and [O, C / groups, window..].
Value product(OpBinder &op, Value input, Value weights, int64_t groups, const Steps &steps);

/// The convolution that the node's attributes describe, with its bias: [N, O, places..].
Value convolve(OpBinder &op, const Operands &c);

} // namespace cupola::onnx_import::conv

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_CONV_H
