//===- lib/Import/Onnx/TensorPool.cpp - the values of a model --------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OpBinder.h"

#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/StringTypes.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {

static Exprs exprsOfDims(const std::vector<int64_t> &dims) { return Exprs(dims.begin(), dims.end()); }

Tensor TensorPool::ofValue(Value value, Type element) {
  return add({builder.shape(value),
              element ? element : builder.element(value),
              value,
              {},
              {},
              builder.location(),
              false,
              false,
              scope});
}

Tensor TensorPool::ofKnown(Known known, Type element) {
  const Exprs dims = exprsOfDims(known.dims);
  return add({dims, element, {}, {}, std::move(known), builder.location(), false, false, scope});
}

Tensor TensorPool::ofConstant(const onnx::TensorProto &tensor, const BlobStore &blobs) {
  const bool areStrings = tensor.data_type() == onnx::TensorProto::STRING;
  TensorValue data = areStrings ? numbered(tensor, builder.strings()) : readTensor(tensor, blobs);
  const Type element = modelTypeOf(data.dataType, builder.context());
  if (!element)
    builder.fail("a constant has elements of " + elementTypeName(data.dataType) + ", which are not supported",
                 ErrorKind::Unsupported);
  const Exprs dims = exprsOfDims(data.dims);
  const Type held = heldIn(element);
  builder.type(dims, held);
  if (isNarrow(element))
    data = unpacked(data, element);
  return add({dims,
              element,
              {},
              constantAttr(data, held),
              areStrings ? std::nullopt : knownElements(data, held),
              builder.location(),
              false,
              false,
              scope});
}

Tensor TensorPool::ofComposite(Composite composite, Type element) {
  return add({{}, element, {}, {}, {}, builder.location(), false, false, scope, std::move(composite)});
}

Tensor TensorPool::poison() { return add({{}, {}, {}, {}, {}, builder.location(), /*poisoned=*/true}); }

/// Integers over symbols become graph.dims; fractions are divided in the IR.
Value TensorPool::materializeKnown(const TensorRecord &tensor) {
  const Known &known = *tensor.known;
  if (known.allConstant())
    return builder.constant(attributeOf(known, heldIn(tensor.element)));
  Exprs numerators, denominators;
  bool fraction = false;
  for (const Scalar &scalar : known.elements) {
    const bool real = scalar.kind == Scalar::Kind::Real;
    if (real && !(std::abs(scalar.real) < 1e15 && scalar.real == std::trunc(scalar.real)))
      builder.fail("a tensor mixes the constant " + std::to_string(scalar.real) +
                       " with values that follow from shapes, which is not supported",
                   ErrorKind::Unsupported);
    numerators.push_back(real ? Expr(static_cast<int64_t>(scalar.real)) : scalar.num);
    denominators.push_back(scalar.den);
    fraction |= !scalar.den.isConstant(1);
  }
  const Type index = IntegerType::get(builder.context(), 64);
  Value value = builder.cast(builder.dims(numerators, known.dims, index), tensor.element);
  if (fraction)
    value = builder.binary(graph::BinaryKind::Div, value,
                           builder.cast(builder.dims(denominators, known.dims, index), tensor.element));
  return value;
}

Value TensorPool::materialize(Tensor tensor) {
  if (tensor->composite)
    builder.fail("a sequence or an optional is where a tensor is expected");
  if (!tensor->value) {
    const Location user = builder.swapLocation(tensor->where);
    tensor->value = tensor->constant ? builder.constant(tensor->constant) : materializeKnown(*tensor);
    builder.swapLocation(user);
  }
  return tensor->value;
}

} // namespace cupola::onnx_import
