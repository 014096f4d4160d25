//===- lib/Import/Onnx/Ops/Ml/ZipMap.cpp - a map from labels to values for each row ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"

using namespace mlir;

namespace cupola::onnx_import::ml {

/// All maps have the same keys, in one order: they are the values as they come and the labels of the columns.
void importZipMap(OpBinder &op) {
  Value x = op.value(0, "X");
  if (!op.b.element(x).isF32())
    op.bad("input 0 (X) has elements of " + typeText(op.element(0, "X")) + ", expected float32");
  const Exprs shape = op.shape(0, "X");
  if (shape.size() != 1 && shape.size() != 2)
    op.bad("input 0 (X) has the shape " + shapeText(shape) + ", expected [rows, labels] or [labels]");
  if (shape.size() == 1)
    x = op.b.unsqueeze(x, {0});
  const ClassLabels labels = classLabels(op, "classlabels_int64s", "classlabels_strings");
  op.b.sameExtent(op.b.shape(x)[1], Expr(static_cast<int64_t>(labels.size())),
                  "the columns of input 0 (X) and the labels");
  Value names = list(op, labels.numbers);
  op.result(
      op.ofComposite({Composite::Maps, {op.ofValue(x), labels.areStrings ? asStrings(op, names) : op.ofValue(names)}},
                     op.b.element(x)));
}

} // namespace cupola::onnx_import::ml
