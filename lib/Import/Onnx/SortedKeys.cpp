//===- lib/Import/Onnx/SortedKeys.cpp - integers found in a table -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/SortedKeys.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace cupola::onnx_import {

using graph::BinaryKind;

Value list(OpBinder &op, ArrayRef<int64_t> values) {
  const auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, op.b.int64());
  return op.b.constant(DenseElementsAttr::get(type, values));
}

/// The keys in their order, as many as a power of two, the last of them repeated.
Value placeAmong(OpBinder &op, ArrayRef<int64_t> keys, Value x) {
  Ints places = sequence(0, static_cast<int64_t>(keys.size())), sorted;
  llvm::sort(places, [&](int64_t a, int64_t b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
  places.erase(std::unique(places.begin(), places.end(), [&](int64_t a, int64_t b) { return keys[a] == keys[b]; }),
               places.end());
  places.resize(llvm::PowerOf2Ceil(places.size()), places.back());
  for (int64_t place : places)
    sorted.push_back(keys[place]);
  const Value inOrder = list(op, sorted);
  // The last key that is known not to be larger.
  Value at = op.b.broadcast(op.b.intScalar(0, op.b.int64()), op.b.shape(x));
  for (int64_t step = static_cast<int64_t>(places.size()) / 2; step > 0; step /= 2) {
    const Value next = op.b.binary(BinaryKind::Add, at, op.b.intScalar(step, op.b.int64()));
    const Value key = op.b.gather(inOrder, next, 0, /*batchDims=*/0, /*isInRange=*/true);
    at = op.b.select(op.b.binary(BinaryKind::LessEqual, key, x), next, at);
  }
  return op.b.gather(list(op, places), at, 0, /*batchDims=*/0, /*isInRange=*/true);
}

Value valueOf(OpBinder &op, const std::map<int64_t, int64_t> &values, int64_t otherwise, Value x) {
  Ints keys, found;
  for (const auto &[key, value] : values) {
    keys.push_back(key);
    found.push_back(value);
  }
  const Value place = placeAmong(op, keys, x);
  const auto at = [&](const Ints &entries) {
    return op.b.gather(list(op, entries), place, 0, /*batchDims=*/0, /*isInRange=*/true);
  };
  return op.b.select(op.b.binary(BinaryKind::Equal, at(keys), x), at(found), op.b.intScalar(otherwise, op.b.int64()));
}

} // namespace cupola::onnx_import
