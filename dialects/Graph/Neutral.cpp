//===- dialects/Graph/Neutral.cpp - what a reduction begins with ---===//
// SPDX-License-Identifier: Apache-2.0
#include "dialects/Graph/Neutral.h"

using namespace mlir;

namespace cupola::graph {

TypedAttr neutralElement(ReduceKind kind, Type element) {
  const bool isMax = kind == ReduceKind::Max, isMin = kind == ReduceKind::Min;
  if (auto real = dyn_cast<FloatType>(element)) {
    if (isMax || isMin)
      return FloatAttr::get(element, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
    return FloatAttr::get(element, kind == ReduceKind::Prod ? 1.0 : 0.0);
  }
  const unsigned width = element.getIntOrFloatBitWidth();
  const bool isSigned = !element.isUnsignedInteger() && width > 1; // bools are 0 and 1
  APInt value(width, kind == ReduceKind::Prod ? 1 : 0);
  if (isMax)
    value = isSigned ? APInt::getSignedMinValue(width) : APInt::getMinValue(width);
  if (isMin)
    value = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  return IntegerAttr::get(element, value);
}

TypedAttr emptyReduction(ReduceKind kind, Type element) {
  auto real = dyn_cast<FloatType>(element);
  if (real && kind == ReduceKind::Mean)
    return FloatAttr::get(element, APFloat::getNaN(real.getFloatSemantics()));
  return neutralElement(kind, element);
}

} // namespace cupola::graph
