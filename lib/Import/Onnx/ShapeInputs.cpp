//===- lib/Import/Onnx/ShapeInputs.cpp - inputs whose elements decide shapes ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ShapeInputs.h"

#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Runtime/Format/ShapeElements.h"

using namespace mlir;

namespace cupola::onnx_import {

bool hasFewElements(const TensorRecord &tensor) {
  const auto dims = constantDims(tensor.dims);
  const auto count = dims ? knownCount(*dims) : std::nullopt;
  return count && *count <= maxShapeElements;
}

bool canBeShapeInput(const TensorRecord &input) {
  return !isNarrow(input.element) && hasFewElements(input) &&
         format::symbolsPerElement(graph::dtypeOf(input.element)) != 0;
}

Exprs makeShapeInput(const std::string &name, TensorRecord &input, Symbols &symbols) {
  const Type type = input.element;
  const bool isFloat = isa<FloatType>(type);
  Known known{*constantDims(input.dims), {}};
  Exprs list;
  const auto add = [&](const std::string &origin, int64_t min) {
    list.push_back(symbols.createElement(name, origin, min));
    return list.back();
  };
  for (int64_t i = 0, count = *knownCount(known.dims); i < count; ++i) {
    const std::string origin = "element " + std::to_string(i) + " of input " + quoted(name);
    const Expr value =
        add(isFloat ? "numerator of " + origin : origin, type.isUnsignedInteger() ? 0 : graph::anyNumber);
    known.elements.push_back(isFloat ? Scalar::ratio(value, add("denominator of " + origin, 1))
                                     : Scalar::integer(value));
  }
  input.known = std::move(known);
  return list;
}

} // namespace cupola::onnx_import
