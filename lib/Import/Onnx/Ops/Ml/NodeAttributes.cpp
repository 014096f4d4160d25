//===- lib/Import/Onnx/Ops/Ml/NodeAttributes.cpp - lists of numbers in attributes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

template <class T> Reals copied(ArrayRef<char> bytes) {
  Reals values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

} // namespace

Reals realsOf(OpBinder &op, Tensor tensor, StringRef name) {
  const ElementsAttr constant = tensor->constant;
  const Type type = constant.getElementType();
  Reals values;
  if (const auto large = llvm::dyn_cast<DenseResourceElementsAttr>(constant)) {
    const ArrayRef<char> bytes = large.getRawHandle().getBlob()->getData();
    if (type.isF32())
      return copied<float>(bytes);
    if (type.isF64())
      return copied<double>(bytes);
    if (type.isInteger(8))
      return copied<uint8_t>(bytes);
    op.unsupported("attribute '" + name.str() + "' has elements of " + typeText(type) +
                   ", supported are float32, float64 and uint8");
  }
  const auto dense = llvm::cast<DenseElementsAttr>(constant);
  if (!llvm::isa<FloatType>(type)) {
    for (const APInt &value : dense.getValues<APInt>())
      values.push_back(static_cast<double>(value.getZExtValue()));
    return values;
  }
  for (APFloat value : dense.getValues<APFloat>()) {
    bool inexact = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    values.push_back(value.convertToDouble());
  }
  return values;
}

Reals realsAttribute(OpBinder &op, StringRef name, bool *isFloat64) {
  const std::string tensorName = name.str() + "_as_tensor";
  if (!op.hasAttribute(tensorName))
    return floatsOf(op, name);
  return requiredReals(op, tensorName, isFloat64);
}

Reals requiredReals(OpBinder &op, StringRef name, bool *isFloat64) {
  const Tensor tensor = op.tensorAttribute(name);
  if (!tensor)
    op.bad("attribute '" + name.str() + "' is missing");
  if (isFloat64)
    *isFloat64 = tensor->element.isF64();
  return realsOf(op, tensor, name);
}

Ints intsOf(OpBinder &op, StringRef name) { return op.intsAttribute(name).value_or(Ints()); }

Reals floatsOf(OpBinder &op, StringRef name) { return op.floatsAttribute(name).value_or(Reals()); }

void requireCounts(OpBinder &op, size_t expected, ArrayRef<std::pair<StringRef, size_t>> found) {
  for (const auto &[name, count] : found)
    requireCount(op, name, count, expected);
}

void requireCount(OpBinder &op, StringRef name, size_t found, size_t expected) {
  if (found != expected)
    op.bad("attribute '" + name.str() + "' has " + std::to_string(found) + " elements, expected " +
           std::to_string(expected));
}

void requireWithin(OpBinder &op, StringRef name, int64_t value, int64_t count) {
  if (value < 0 || value >= count)
    op.bad("attribute '" + name.str() + "' has " + std::to_string(value) + ", expected 0 to " +
           std::to_string(count - 1));
}

} // namespace cupola::onnx_import::ml
