//===- dialects/Graph/Constants.cpp - constants by their content ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Constants.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace cupola::graph {

/// MLIR compares constants of this size by content, larger ones by their resource.
static constexpr size_t inlineBytes = 1024;

static DenseResourceElementsHandle resourceOf(MLIRContext *context, ArrayRef<char> bytes,
                                              std::shared_ptr<const void> owner) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(context);
  const ArrayRef<uint8_t> content(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  const std::string name = "weight_" + llvm::utohexstr(llvm::xxh3_64bits(content), /*LowerCase=*/true, /*Width=*/16);
  if (auto *entry = manager.getBlobManager().lookup(name); entry && entry->getBlob()->getData() == bytes)
    return {entry, cast<BuiltinDialect>(manager.getDialect())};
  AsmResourceBlob blob(
      bytes, /*dataAlignment=*/16, [owner = std::move(owner)](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  return manager.insert(name, std::move(blob));
}

ElementsAttr constantOf(RankedTensorType type, ArrayRef<char> bytes, std::shared_ptr<const void> owner) {
  if (bytes.size() > inlineBytes)
    return DenseResourceElementsAttr::get(type, resourceOf(type.getContext(), bytes, std::move(owner)));
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseElementsAttr::get(type, llvm::map_to_vector(bytes, [](char byte) { return byte != 0; }));
}

bool isSplat(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && dense.isSplat();
}

} // namespace cupola::graph
