//===- lib/Import/Onnx/Ops/Ml/Classes.cpp - features and labels of ai.onnx.ml ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"

using namespace mlir;

namespace cupola::onnx_import::ml {

ClassLabels classLabels(OpBinder &op, StringRef name, StringRef strings) {
  const auto texts = op.stringsAttribute(strings);
  const auto labels = op.intsAttribute(name);
  if (texts && !texts->empty() && labels && !labels->empty())
    op.bad("attributes '" + name.str() + "' and '" + strings.str() + "' are given, expected one of them");
  if (texts && !texts->empty())
    return {numbersOf(op, *texts), /*areStrings=*/true};
  if (!labels || labels->empty())
    op.bad("attribute '" + name.str() + "' or '" + strings.str() + "' is missing");
  return {*labels, /*areStrings=*/false};
}

Ints numbersOf(OpBinder &op, ArrayRef<std::string> texts) {
  return llvm::map_to_vector<0>(texts, [&](const std::string &text) { return op.b.strings().of(text); });
}

Tensor labelsAt(OpBinder &op, const ClassLabels &labels, Value places) {
  Value found = op.b.gather(list(op, labels.numbers), places, 0);
  return labels.areStrings ? asStrings(op, found) : op.ofValue(found);
}

Value rowsOf(OpBinder &op) {
  op.requireNumber(0, "X");
  Value x = op.value(0, "X");
  Exprs shape = op.shape(0, "X");
  if (shape.size() != 1 && shape.size() != 2)
    op.bad("input 0 (X) has the shape " + shapeText(shape) + ", expected [rows, features] or [features]");
  if (shape.size() == 1)
    x = op.b.unsqueeze(x, {0});
  return op.b.element(x).isF64() ? x : op.b.cast(x, Float32Type::get(op.b.context()));
}

Value table(OpBinder &op, ArrayRef<double> values, ArrayRef<int64_t> shape, Type element) {
  const auto floats = llvm::cast<FloatType>(element);
  SmallVector<APFloat> elements;
  elements.reserve(values.size());
  for (double value : values) {
    bool inexact = false;
    elements.emplace_back(value);
    elements.back().convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  }
  return op.b.constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

} // namespace cupola::onnx_import::ml
