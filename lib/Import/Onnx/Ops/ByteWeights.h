//===- lib/Import/Onnx/Ops/ByteWeights.h - weights of a quantised recurrence ===//
// SPDX-License-Identifier: Apache-2.0
//
// W and R are bytes with a scale and a zero point for each direction, or for each column of each
// direction. What they are multiplied by is quantised when it is known: X once, a state in each
// step and each direction on its own.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_BYTEWEIGHTS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_BYTEWEIGHTS_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import {

/// Of a node of DynamicQuantizeLSTM.
class ByteWeights {
public:
  /// W is [directions, width, columns], R [directions, hidden, columns].
  ByteWeights(OpBinder &op, int64_t directions, const Expr &width, const Expr &hidden, const Expr &columns);

  /// [rows, width] -> [rows, directions, columns]
  Value ofInputs(Value x) const;
  /// [directions, batch, hidden] -> [directions, batch, columns], in a step.
  Value ofState(Value state) const;

private:
  /// In int16 without its zero points, and its scales, [directions, 1, columns or 1].
  struct Factor {
    Tensor integers, scale;
  };
  Factor read(size_t index, llvm::StringRef name, const Expr &rows, size_t scale) const;
  Value perColumn(size_t index, const std::string &name) const;
  Value times(Value integers, Value scale, const Factor &factor) const;

  OpBinder &op;
  const int64_t directions;
  const Expr columns;
  Factor inputs, states;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_BYTEWEIGHTS_H
