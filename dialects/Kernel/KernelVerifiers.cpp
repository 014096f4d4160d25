//===- dialects/Kernel/KernelVerifiers.cpp - verifiers of the kernel dialect ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

/// The number of scalar parameters of the function around `op`.
static size_t scalarCount(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto scalars = op->getAttrOfType<ArrayAttr>("scalars"))
      return scalars.size();
  return 0;
}

/// Whether `symbol` is `letter` and a number below `end`.
static bool isNumbered(StringRef symbol, char letter, size_t end) {
  size_t number = 0;
  return symbol.front() == letter && !symbol.drop_front().getAsInteger(10, number) && number < end;
}

LogicalResult kernel::verifyPositions(Operation *op) {
  auto positions = dyn_cast<PositionInterface>(op);
  size_t indices = positions ? OperandRange(positions.getIndicesMutable()).size() : 0, scalars = scalarCount(op);
  LogicalResult result = success();
  const bool hasRow = isa<ForOp>(op);
  forEachExpr(op, [&](const Expr &expr) {
    for (const std::string &symbol : expr.symbols())
      if (succeeded(result) && !isNumbered(symbol, 'x', indices) && !isNumbered(symbol, 'n', scalars) &&
          !(hasRow && symbol == ForOp::rowSymbol))
        result = op->emitOpError() << "'" << expr.text() << "' uses '" << symbol
                                   << "', which is neither an operand nor "
                                   << "a scalar parameter";
  });
  return result;
}

LogicalResult kernel::verifyIndices(Operation *op, Region &region, size_t count) {
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (region.getNumArguments() == count && llvm::all_of(region.getArgumentTypes(), isIndex))
    return success();
  return op->emitOpError() << "has " << region.getNumArguments() << " arguments, not " << count << " indices";
}

namespace {

LogicalResult loop(Operation *op, ArrayAttr extents) { return verifyIndices(op, op->getRegion(0), extents.size()); }

LogicalResult yields(Operation *op, Region &region, TypeRange expected) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (yield && yield.getValues().getTypes() == expected)
    return success();
  return op->emitOpError("yields other types than it has results");
}

bool yieldsScalar(Region &region) {
  Block &body = region.front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  return yield && yield.getValues().size() == 1 && !isa<TileType>(yield.getValues().getTypes()[0]);
}

} // namespace

LogicalResult kernel::FuncOp::verify() {
  if (getBody().getNumArguments() < getGrid().size())
    return emitOpError() << "has no index for each of " << getGrid().size() << " extents of the grid";
  for (BlockArgument view : getViews())
    if (!isa<ViewType>(view.getType()))
      return emitOpError() << "parameter of type " << view.getType() << " is no view";
  for (BlockArgument index : getPoint())
    if (!index.getType().isIndex())
      return emitOpError() << "point of the grid of type " << index.getType() << " is no index";
  for (PackedAttr packed : getPackedOperands())
    for (unsigned parameter : packed.getParameters())
      if (parameter >= getViews().size())
        return emitOpError() << "packs parameter " << parameter << " of " << getViews().size();
  return success();
}

LogicalResult ForeachOp::verify() { return loop(*this, getExtents()); }

LogicalResult MapOp::verify() {
  SmallVector<Type> elements;
  for (Value tile : getTiles()) {
    auto type = cast<TileType>(tile.getType());
    elements.push_back(type.getElement());
    if (!llvm::equal(type.getExtents(), getExtents().getAsRange<graph::ExprAttr>()))
      return emitOpError() << "tile of type " << type << " has not the loop's extents";
  }
  if (failed(loop(*this, getExtents())))
    return failure();
  return yields(*this, getBody(), elements);
}

LogicalResult kernel::ReduceOp::verify() {
  if (getKinds().size() != getNumResults())
    return emitOpError() << getKinds().size() << " kinds for " << getNumResults() << " results";
  for (auto kind : getKinds().getAsRange<graph::ReduceKindAttr>())
    if (kind.getValue() == graph::ReduceKind::Mean)
      return emitOpError("mean is a sum and a division here");
  if (failed(loop(*this, getExtents())))
    return failure();
  return yields(*this, getBody(), getResultTypes());
}

LogicalResult kernel::ArgReduceOp::verify() {
  if (!getResult().getType().isInteger(64))
    return emitOpError("gives an i64");
  if (!yieldsScalar(getBody()))
    return emitOpError("region yields one scalar");
  return loop(*this, getExtents());
}

LogicalResult ForOp::verify() {
  if (getVisible() && getVisible()->size() != 2)
    return emitOpError() << getVisible()->size() << " expressions say which steps are visible, not 2";
  TypeRange carried = getResultTypes();
  if (getInits().getTypes() != carried)
    return emitOpError("begins with other types than it has results");
  if (getBody().getNumArguments() != carried.size() + 1 || !getStep().getType().isIndex() ||
      ValueRange(getCarried()).getTypes() != carried)
    return emitOpError("has other arguments than its step and what it carries");
  LogicalResult ofSteps = yields(*this, getBody(), carried);
  if (failed(ofSteps) || getMeet().empty())
    return ofSteps;
  if (getMeet().getNumArguments() != 2 * carried.size() || ValueRange(getBefore()).getTypes() != carried ||
      ValueRange(getBehind()).getTypes() != carried)
    return emitOpError("meets other states than two of what it carries");
  return yields(*this, getMeet(), carried);
}

LogicalResult UnaryOp::verify() {
  if (getCoarse() && (getKind() != graph::UnaryKind::Exp || !getInput().getType().isF32()))
    return emitOpError("has no coarse function for it");
  return success();
}

LogicalResult BitcastOp::verify() {
  const Type from = getInput().getType(), to = getType();
  if (from.isInteger(1) || to.isInteger(1) || from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "cannot take the bits of " << from << " as " << to;
  return success();
}

LogicalResult kernel::CallOp::verify() {
  if (getInputs().size() == getSnippet().getParameters().size())
    return success();
  return emitOpError() << "has " << getInputs().size() << " inputs, the snippet " << getSnippet().getParameters().size()
                       << " parameters";
}

static Type typeYieldedBy(Region &region) { return region.front().getTerminator()->getOperand(0).getType(); }

static LogicalResult verifyBlocks(DotOp dot) {
  if (!dot.getBlock() || dot.getParts().size() != 3)
    return dot.emitOpError("has blocks with a start and two scales, or none of these");
  const Expr &depth = graph::exprOf(dot.getExtents()[2]);
  const auto block = static_cast<int64_t>(*dot.getBlock());
  if (block <= 0 || !divisible(depth, block, {}))
    return dot.emitOpError() << "blocks of " << block << " do not divide a depth of " << depth.text();
  if (!typeYieldedBy(dot.getLhs()).isSignlessInteger(8) || !typeYieldedBy(dot.getRhs()).isInteger(8) ||
      !typeYieldedBy(dot.getStart()).isSignlessInteger(32))
    return dot.emitOpError("blocks are of i8 by i8 or ui8, summed in i32, as the start is");
  if (!typeYieldedBy(dot.getLhsScale()).isF32() || !typeYieldedBy(dot.getRhsScale()).isF32() ||
      !dot.getTile().getType().getElement().isF32())
    return dot.emitOpError("scales of blocks and their tile are f32");
  return success();
}

LogicalResult DotOp::verify() {
  if (getExtents().size() != 3)
    return emitOpError("has the extents of m, n and k");
  if (getInit() && getInit().getType() != getTile().getType())
    return emitOpError() << "adds to a tile of type " << getInit().getType() << ", not " << getTile().getType();
  auto type = getTile().getType();
  if (type.getExtents().size() != 2 || type.getExtents()[0] != getExtents()[0] ||
      type.getExtents()[1] != getExtents()[1])
    return emitOpError() << "tile of type " << type << " is not m by n";
  for (Region &region : (*this)->getRegions()) {
    if (failed(verifyIndices(*this, region, 2)))
      return failure();
    if (!yieldsScalar(region))
      return emitOpError("regions yield one scalar");
    if (getTf32() && !typeYieldedBy(region).isF32())
      return emitOpError("multiplies what is not f32 as tf32");
  }
  return getBlock() || !getParts().empty() ? verifyBlocks(*this) : success();
}

LogicalResult LoadOp::verify() {
  if (getView().getType().getElement() != getResult().getType())
    return emitOpError("loads another type than the view holds");
  if (getView().getType().getAccess() == Access::Write)
    return emitOpError("loads from a write-only view");
  if (getMask().empty() != !getOther())
    return emitOpError("needs a mask and a value for where it fails, or neither");
  return success();
}

LogicalResult StoreOp::verify() {
  if (getView().getType().getElement() != getValue().getType())
    return emitOpError("stores another type than the view holds");
  if (getView().getType().getAccess() == Access::Read)
    return emitOpError("stores to a read-only view");
  return success();
}

LogicalResult ExtractOp::verify() {
  auto type = getTile().getType();
  if (type.getElement() != getResult().getType())
    return emitOpError("extracts another type than the tile holds");
  if (type.getExtents().size() != getPoint().size())
    return emitOpError() << getPoint().size() << " indices for a tile of rank " << type.getExtents().size();
  return success();
}
