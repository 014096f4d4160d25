//===- dialects/Graph/Placement.cpp - where the elements of a value lie ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Placement.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace cupola::graph {

Expr Placement::positionOf(ArrayRef<Expr> index) const {
  Exprs at;
  for (auto [i, begin] : llvm::zip_equal(index, offset))
    at.push_back(i + begin);
  return linearize(at, storage);
}

JoinOp joinOf(Value value) {
  for (Operation *user : value.getUsers())
    if (auto join = dyn_cast<JoinOp>(user))
      return join;
  return nullptr;
}

bool sharesMemory(JoinOp join, BlockArgument argument) {
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function) // of a body within, whose results are others than its arguments
    return false;
  return llvm::any_of(join.getResult().getUses(), [&](OpOperand &use) {
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      return false;
    auto shared = function.getResultAttrOfType<IntegerAttr>(use.getOperandNumber(), aliasAttr);
    return shared && shared.getInt() == argument.getArgNumber();
  });
}

static Placement whole(ArrayRef<Expr> storage) { return {Exprs(storage), Exprs(storage.size(), Expr(0))}; }

/// `graph.storage` of the argument or result that `value` is; null where it has none.
static ArrayAttr declaredStorage(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function ? function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), storageAttr) : nullptr;
  }
  for (OpOperand &use : value.getUses())
    if (auto function = dyn_cast<FunctionOpInterface>(use.getOwner()->getParentOp());
        function && use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      if (auto storage = function.getResultAttrOfType<ArrayAttr>(use.getOperandNumber(), storageAttr))
        return storage;
  return nullptr;
}

Placement placementOf(Value value) {
  if (ArrayAttr storage = declaredStorage(value))
    return whole(exprsOf(storage));
  JoinOp join = joinOf(value);
  if (!join)
    return whole(shapeOf(value));
  Placement place = placementOf(join.getResult());
  Expr &begin = place.offset[join.getAxis()];
  int64_t fixed = 0; // of very many parts, most have
  for (Value part : join.getInputs()) {
    if (part == value)
      break;
    Expr extent = extentOf(part, join.getAxis());
    if (std::optional<int64_t> number = extent.constant())
      fixed += *number;
    else
      begin += extent;
  }
  begin += Expr(fixed);
  return place;
}

bool isDense(Value value) { return ArrayRef<Expr>(placementOf(value).storage) == ArrayRef<Expr>(shapeOf(value)); }

} // namespace cupola::graph
