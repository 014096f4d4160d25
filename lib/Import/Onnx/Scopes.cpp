//===- lib/Import/Onnx/Scopes.cpp - the bodies that are being imported -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Scopes.h"

using namespace mlir;

namespace cupola::onnx_import {

Scope &Scopes::enter(Block *block) {
  Scope &inner = scopes.emplace_back();
  inner.outer = innermost;
  inner.block = block;
  innermost = &inner;
  pool.setScope(innermost);
  ops.setInsertionPointToEnd(block);
  return *innermost;
}

void Scopes::leave() {
  innermost = innermost->outer;
  pool.setScope(innermost);
  ops.setInsertionPointToEnd(innermost->block);
}

Exprs Scopes::iterations() const {
  Exprs list;
  for (const Scope *scope = innermost; scope; scope = scope->outer)
    if (scope->iteration)
      list.push_back(*scope->iteration);
  std::reverse(list.begin(), list.end());
  return list;
}

Tensor Scopes::in(Scope &scope, Tensor tensor) {
  if (tensor->scope == &scope || tensor->poisoned)
    return tensor;
  if (const Tensor copy = scope.copies.lookup(tensor))
    return copy;
  TensorRecord record = *tensor;
  record.scope = &scope;
  record.value = Value();
  if (tensor->composite) {
    for (Tensor &element : record.composite->elements)
      element = in(scope, element);
  } else if (!tensor->known && !tensor->constant) {
    const Value around = in(*scope.outer, tensor)->value;
    record.value =
        scope.block->insertArgument(static_cast<unsigned>(scope.captures.size()), around.getType(), around.getLoc());
    scope.captures.push_back(around);
  }
  return scope.copies[tensor] = pool.add(std::move(record));
}

} // namespace cupola::onnx_import
