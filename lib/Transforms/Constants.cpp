//===- lib/Transforms/Constants.cpp - constants that passes make ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Constants.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace cupola {

ArrayRef<char> bytesOf(ElementsAttr value) {
  if (value.getElementType().isInteger(1))
    return {};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && !dense.isSplat() ? dense.getRawData() : ArrayRef<char>();
}

ElementsAttr filledConstant(RankedTensorType type, llvm::function_ref<void(char *)> fill) {
  const auto size = static_cast<size_t>(type.getNumElements() * (type.getElementTypeBitWidth() / 8));
  const std::shared_ptr<char[]> bytes(new char[size]); // not written twice, and first by who fills it
  fill(bytes.get());
  return graph::constantOf(type, {bytes.get(), size}, bytes);
}

ElementsAttr joinColumns(int64_t rows, ArrayRef<ColumnPart> parts, Type element) {
  int64_t width = element.getIntOrFloatBitWidth() / 8, columns = 0;
  for (const ColumnPart &part : parts)
    columns += part.columns;
  std::vector<char> bytes(rows * columns * width);
  char *to = bytes.data();
  for (int64_t row = 0; row < rows; ++row)
    for (const ColumnPart &part : parts) {
      int64_t size = part.columns * width;
      if (!part.bytes.empty())
        std::memcpy(to, part.bytes.data() + row * size, size);
      to += size;
    }
  return constantOf(RankedTensorType::get({rows, columns}, element), std::move(bytes));
}

} // namespace cupola
