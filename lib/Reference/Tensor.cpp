//===- lib/Reference/Tensor.cpp - a tensor of the interpreter ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Tensor.h"

#include "dialects/Graph/ElementTypes.h"
#include "lib/Runtime/Format/MachineMemory.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <new>

using namespace mlir;

namespace cupola::reference {

std::string shapeText(const Shape &shape) {
  return "[" + llvm::join(llvm::map_range(shape, [](int64_t extent) { return std::to_string(extent); }), ", ") + "]";
}

int64_t countOf(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

Tensor Tensor::borrow(format::DType dtype, Shape shape, const void *data) {
  Tensor tensor;
  tensor.type = dtype;
  tensor.elements = countOf(shape);
  tensor.extents = std::move(shape);
  tensor.memory = static_cast<const char *>(data);
  return tensor;
}

Result<Tensor> Tensor::make(format::DType dtype, Shape shape) {
  int64_t bytes = format::byteSize(dtype);
  bool overflow = false;
  for (int64_t extent : shape)
    overflow |= extent < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes);
  if (overflow)
    return Status::limit("a tensor of shape " + shapeText(shape) + " is beyond 64 bits");
  Tensor tensor = borrow(dtype, std::move(shape), nullptr);
  CUPOLA_TRY(format::checkMemory("out of memory: a tensor of shape " + shapeText(tensor.extents), tensor.bytes()));
  tensor.owned.reset(new (std::nothrow) char[std::max<size_t>(tensor.bytes(), 1)]);
  tensor.memory = tensor.owned.get();
  if (!tensor.memory)
    return Status::environment("there is no memory for a tensor of shape " + shapeText(tensor.extents) + ", " +
                               std::to_string(tensor.bytes()) + " bytes");
  return tensor;
}

Result<Tensor> Tensor::of(ElementsAttr value) {
  auto shaped = cast<RankedTensorType>(value.getShapedType());
  const format::DType dtype = graph::dtypeOf(shaped.getElementType());
  const Shape shape = shaped.getShape().vec();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return borrow(dtype, shape, resource.getRawHandle().getBlob()->getData().data());
  auto dense = cast<DenseElementsAttr>(value);
  const bool isBool = dtype == format::DType::Bool;
  if (!isBool && !dense.isSplat())
    return borrow(dtype, shape, dense.getRawData().data());
  CUPOLA_ASSIGN(Tensor tensor, make(dtype, shape));
  char *to = tensor.mutableData();
  if (isBool)
    for (bool bit : dense.getValues<bool>())
      *to++ = bit;
  else
    for (int64_t i = 0; i < tensor.count(); ++i)
      std::memcpy(to + i * static_cast<int64_t>(tensor.elementBytes()), dense.getRawData().data(),
                  tensor.elementBytes());
  return tensor;
}

Tensor Tensor::reshaped(Shape shape) const {
  Tensor tensor = *this;
  tensor.extents = std::move(shape);
  return tensor;
}

} // namespace cupola::reference
