//===- dialects/Kernel/KernelVerifiers.cpp - verifiers of level 1 ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::exprsOf;

LogicalResult kernel::inScope(Operation *op, ArrayRef<Expr> exprs, size_t indices) {
  Ranges scope = rangesAt(op);
  for (size_t i = 0; i < indices; ++i)
    scope["x" + std::to_string(i)] = {};
  for (const Expr &expr : exprs)
    for (const std::string &symbol : expr.symbols())
      if (!scope.count(symbol))
        return op->emitOpError() << "'" << expr.text() << "' uses '" << symbol << "', which is no variable here";
  return success();
}

namespace {

LogicalResult loop(Operation *op, ArrayAttr vars, ArrayAttr extents) {
  if (vars.size() != extents.size())
    return op->emitOpError() << vars.size() << " variables but " << extents.size() << " extents";
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (auto others = outer->getAttrOfType<ArrayAttr>("vars"))
      for (Attribute var : vars)
        if (llvm::is_contained(others, var))
          return op->emitOpError() << "variable " << var << " is already that of an outer loop";
  return inScope(op, exprsOf(extents));
}

LogicalResult yields(Operation *op, Region &region, TypeRange expected) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (yield && yield.getValues().getTypes() == expected)
    return success();
  return op->emitOpError("yields other types than it has results");
}

} // namespace

LogicalResult kernel::FuncOp::verify() {
  for (Type type : getBody().getArgumentTypes())
    if (!isa<ViewType>(type))
      return emitOpError() << "parameter of type " << type << " is no view";
  return inScope(*this, exprsOf(getGrid()));
}

LogicalResult ForeachOp::verify() { return loop(*this, getVars(), getExtents()); }

LogicalResult MapOp::verify() {
  SmallVector<Type> elements;
  for (Value tile : getTiles()) {
    auto type = cast<TileType>(tile.getType());
    elements.push_back(type.getElement());
    if (!llvm::equal(type.getExtents(), getExtents().getAsRange<graph::ExprAttr>()))
      return emitOpError() << "tile of type " << type << " has not the loop's extents";
  }
  if (failed(loop(*this, getVars(), getExtents())))
    return failure();
  return yields(*this, getBody(), elements);
}

LogicalResult kernel::ReduceOp::verify() {
  if (getKinds().size() != getNumResults())
    return emitOpError() << getKinds().size() << " kinds for " << getNumResults() << " results";
  for (auto kind : getKinds().getAsRange<graph::ReduceKindAttr>())
    if (kind.getValue() == graph::ReduceKind::Mean)
      return emitOpError("mean is a sum and a division here");
  if (failed(loop(*this, getVars(), getExtents())))
    return failure();
  return yields(*this, getBody(), getResultTypes());
}

LogicalResult kernel::ArgReduceOp::verify() {
  if (!getResult().getType().isInteger(64))
    return emitOpError("gives an i64");
  return loop(*this, getVars(), getExtents());
}

LogicalResult DotOp::verify() {
  if (getVars().size() != 3)
    return emitOpError("has the variables m, n and k");
  auto type = getTile().getType();
  if (type.getExtents().size() != 2 || type.getExtents()[0] != getExtents()[0] ||
      type.getExtents()[1] != getExtents()[1])
    return emitOpError() << "tile of type " << type << " is not m by n";
  for (Region *region : {&getLhs(), &getRhs()}) {
    auto yield = dyn_cast<YieldOp>(region->front().getTerminator());
    if (!yield || yield.getValues().size() != 1)
      return emitOpError("regions yield one scalar");
  }
  return loop(*this, getVars(), getExtents());
}

LogicalResult LoadOp::verify() {
  if (getView().getType().getElement() != getResult().getType())
    return emitOpError("loads another type than the view holds");
  if (getView().getType().getAccess() == Access::Write)
    return emitOpError("loads from a write-only view");
  if (getMask().empty() != !getOther())
    return emitOpError("needs a mask and a value for where it fails, or neither");
  graph::Exprs all = exprsOf(getMask());
  all.push_back(getPosition());
  return inScope(*this, all, getIndices().size());
}

LogicalResult StoreOp::verify() {
  if (getView().getType().getElement() != getValue().getType())
    return emitOpError("stores another type than the view holds");
  if (getView().getType().getAccess() == Access::Read)
    return emitOpError("stores to a read-only view");
  graph::Exprs all = exprsOf(getMask());
  all.push_back(getPosition());
  return inScope(*this, all, getIndices().size());
}

LogicalResult ExtractOp::verify() {
  auto type = getTile().getType();
  if (type.getElement() != getResult().getType())
    return emitOpError("extracts another type than the tile holds");
  if (type.getExtents().size() != getIndex().size())
    return emitOpError() << getIndex().size() << " indices for a tile of rank " << type.getExtents().size();
  return inScope(*this, exprsOf(getIndex()));
}

LogicalResult IndexOp::verify() { return inScope(*this, {getExpr()}, getIndices().size()); }

LogicalResult InRangeOp::verify() { return inScope(*this, exprsOf(getExprs()), getIndices().size()); }

LogicalResult CheckedIndexOp::verify() { return inScope(*this, {getExtent()}); }
