//===- lib/Conversion/GraphToKernel/EmitElements.cpp - one element of a value ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/ChosenMatrices.h"
#include "lib/Conversion/GraphToKernel/Emitter.h"

using namespace mlir;
using namespace cupola;
using graph::Exprs;

static std::string textOf(Emitter::Index index) {
  std::string text;
  for (const Expr &i : index)
    text += i.text() + ';';
  return text;
}

Value Emitter::emit(Value value, Index index) {
  // The memo's key is where the element is and under which mask it is wanted.
  std::string at = textOf(index);
  for (const Expr &m : mask)
    at += '?' + m.text();
  auto [found, isNew] = memo.try_emplace(Key{value.getAsOpaquePointer(), at}, Value());
  if (!isNew && found->second)
    return found->second;
  Value result = emitUncached(value, index);
  return memo[Key{value.getAsOpaquePointer(), at}] = result;
}

Value Emitter::emitUncached(Value value, Index index) {
  if (auto known = elements.find(value); known != elements.end())
    return known->second(index);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return emitLoad(argument, index);
  if (forward.count(value))
    return emitChain(value);
  Operation *op = value.getDefiningOp();
  Type type = graph::accumulatorOf(graph::elementOf(value));
  if (auto iota = dyn_cast<graph::IotaOp>(op))
    return indexValue(index[iota.getAxis()], type);
  if (auto dims = dyn_cast<graph::DimsOp>(op))
    return emitDims(dims, index);
  if (auto constant = dyn_cast<graph::ConstantOp>(op))
    return emitConstant(constant);
  if (isa<graph::GatherOp, graph::GatherElementsOp>(op))
    return emitGather(op, index);
  if (auto gather = dyn_cast<graph::GatherNDOp>(op))
    return emitGatherND(gather, index);
  if (cast<graph::ClassInterface>(op).getFusionClass() == graph::FusionClass::View)
    return emitView(op, index);
  return emitPointwise(op, llvm::map_to_vector(op->getOperands(), [&](Value operand) { return emit(operand, index); }));
}

Value Emitter::emitLoad(BlockArgument argument, Index index) {
  Value source = theFusion.getInputs()[argument.getArgNumber()];
  return emitLoadAt(argument, simplify(graph::placementOf(source).positionOf(index), known));
}

/// One element, which is there whatever a mask says.
static bool isAlwaysThere(Value source, const Expr &position) {
  const std::optional<int64_t> at = position.constant(), count = graph::elementCount(source).constant();
  return at && count && *at >= 0 && *at < *count && graph::isDense(source);
}

Value Emitter::emitLoadAt(BlockArgument argument, const Expr &position) {
  Value view = kernelFunc.getBody().getArgument(argument.getArgNumber());
  Type element = mlir::cast<kernel::ViewType>(view.getType()).getElement();
  Exprs exprs{position};
  if (!isAlwaysThere(theFusion.getInputs()[argument.getArgNumber()], position))
    llvm::append_range(exprs, mask);
  SmallVector<Value> operands = operandsOf(exprs);
  Value other = exprs.size() == 1 ? Value() : constant(element, 0);
  ArrayAttr conditions = graph::exprArray(b.getContext(), ArrayRef(exprs).drop_front());
  Value loaded = kernel::LoadOp::create(b, loc(), element, view, exprs[0], conditions, operands, other);
  return convert(loaded, graph::accumulatorOf(element));
}

Value Emitter::emitConstant(graph::ConstantOp op) {
  auto elements = mlir::cast<DenseElementsAttr>(op.getValue());
  TypedAttr value = mlir::cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return convert(kernel::ConstantOp::create(b, loc(), value), graph::accumulatorOf(value.getType()));
}

/// Null for what is no input of the fusion, as an argument of a loop in it.
BlockArgument Emitter::inputOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &theFusion.getBody().front() ? argument : BlockArgument();
}

/// Whether the view of an input has the type already that the bits are taken as.
bool Emitter::readsAs(graph::BitcastOp bits) {
  BlockArgument argument = inputOf(bits.getInput());
  if (!argument)
    return false;
  Value view = kernelFunc.getBody().getArgument(argument.getArgNumber());
  return mlir::cast<kernel::ViewType>(view.getType()).getElement() == graph::elementOf(bits.getResult());
}

Value Emitter::emitPointwise(Operation *op, ArrayRef<Value> operands) {
  Type type = graph::accumulatorOf(graph::elementOf(op->getResult(0)));
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    return kernel::UnaryOp::create(b, loc(), type, unary.getKind(), operands[0], unary.getAlpha(), unary.getBeta(),
                                   /*coarse=*/false);
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return kernel::BinaryOp::create(b, loc(), type, binary.getKind(), operands[0], operands[1]);
  if (auto call = dyn_cast<graph::CallOp>(op))
    return kernel::CallOp::create(b, loc(), type, call.getSnippet(), operands);
  if (auto bits = dyn_cast<graph::BitcastOp>(op)) {
    if (readsAs(bits))
      return operands[0];
    Value stored = convert(operands[0], graph::elementOf(bits.getInput()));
    return convert(kernel::BitcastOp::create(b, loc(), graph::elementOf(bits.getResult()), stored), type);
  }
  if (isa<graph::SelectOp>(op))
    return select(operands[0], operands[1], operands[2]);
  const bool isRounded = mlir::cast<graph::CastOp>(op).getRounded();
  return convert(isRounded ? convert(operands[0], graph::elementOf(op->getResult(0))) : operands[0], type);
}

Value Emitter::emitView(Operation *op, Index index) {
  if (auto pad = dyn_cast<graph::PadOp>(op))
    return emitPad(pad, index);
  if (auto concat = dyn_cast<graph::ConcatOp>(op))
    return emitConcat(concat, index);
  // A reshape of dense memory keeps positions, whatever the extents have to do with each other.
  if (BlockArgument argument = inputOf(op->getOperand(0)); argument && isa<graph::ReshapeOp>(op))
    if (graph::isDense(theFusion.getInputs()[argument.getArgNumber()]))
      return emitLoadAt(argument, simplify(graph::linearize(index, graph::shapeOf(op->getResult(0))), known));
  graph::OperandIndex at = mlir::cast<graph::IndexingInterface>(op).mapIndex(0, index, known);
  for (const auto &[axis, above] : sliceBegins.lookup(op))
    at.index[axis] = at.index[axis] + above;
  return emit(op->getOperand(0), at.index);
}

/// The mask fails wherever the index is.
static bool neverHolds(ArrayRef<Expr> mask, const Ranges &known) {
  return llvm::any_of(mask, [&](const Expr &m) { return proveLess(m, Expr(0), known) == true; });
}

Value Emitter::inRange(Index conditions) {
  Exprs exprs(conditions);
  SmallVector<Value> operands = operandsOf(exprs);
  return kernel::InRangeOp::create(b, loc(), b.getI1Type(), graph::exprArray(b.getContext(), exprs), operands);
}

/// The element where `at.mask` holds; anything elsewhere, but no access out of bounds.
Value Emitter::emitMasked(Value value, const graph::OperandIndex &at) {
  size_t outer = mask.size();
  llvm::append_range(mask, at.mask);
  Value result = emit(value, at.index);
  mask.truncate(outer);
  return result;
}

/// A load that gives 0 where its mask fails, or one of two such.
static bool isMaskedLoad(Value value) {
  while (auto cast = value.getDefiningOp<kernel::CastOp>())
    value = cast.getInput();
  if (auto choice = value.getDefiningOp<kernel::SelectOp>())
    return isMaskedLoad(choice.getLhs()) && isMaskedLoad(choice.getRhs());
  auto load = value.getDefiningOp<kernel::LoadOp>();
  return load && !load.getMask().empty();
}

static bool isZero(Attribute value) {
  auto number = dyn_cast<FloatAttr>(value);
  return number ? number.getValue().isPosZero() : mlir::cast<IntegerAttr>(value).getValue().isZero();
}

Value Emitter::emitStoredInside(Value value, Index index, Index conditions) {
  Value element = convert(emitMasked(value, {Exprs(index), Exprs(conditions)}), graph::elementOf(value));
  return isMaskedLoad(element) ? element : selectInside(conditions, element, constant(element.getType(), 0));
}

Value Emitter::emitPad(graph::PadOp op, Index index) {
  graph::OperandIndex at = op.mapIndex(0, index, known);
  if (neverHolds(at.mask, known))
    return convert(kernel::ConstantOp::create(b, loc(), mlir::cast<TypedAttr>(op.getValue())),
                   graph::accumulatorOf(graph::elementOf(op.getResult())));
  Value inside = emitMasked(op.getInput(), at);
  if (at.mask.empty() || (isZero(op.getValue()) && isMaskedLoad(inside)))
    return inside;
  Value outside = convert(kernel::ConstantOp::create(b, loc(), mlir::cast<TypedAttr>(op.getValue())), inside.getType());
  return selectInside(at.mask, inside, outside);
}

Value Emitter::emitConcat(graph::ConcatOp op, Index index) {
  Value result; // from the last operand to the first, so that the first test decides
  for (unsigned i = op.getInputs().size(); i-- > 0;) {
    graph::OperandIndex at = op.mapIndex(i, index, known);
    if (neverHolds(at.mask, known))
      continue;
    Value inside = emitMasked(op.getInputs()[i], at);
    if (!result || at.mask.empty()) {
      result = inside;
      continue;
    }
    result = selectInside(at.mask, inside, result);
  }
  return result;
}

Value Emitter::emitDims(graph::DimsOp op, Index index) {
  Type type = graph::accumulatorOf(graph::elementOf(op.getResult()));
  Exprs exprs = graph::exprsOf(op.getExprs());
  Expr at = simplify(graph::linearize(index, graph::shapeOf(op.getResult())), known);
  if (std::optional<int64_t> position = at.constant())
    return indexValue(exprs[*position], type);
  Value result = indexValue(exprs.back(), type);
  for (size_t i = exprs.size() - 1; i-- > 0;) {
    Value isAtMost = inRange({Expr(static_cast<int64_t>(i)) - at});
    result = select(isAtMost, indexValue(exprs[i], type), result);
  }
  return result;
}

void Emitter::chooseMatrices(Value operand, Index batch) {
  const std::optional<graph::ChosenMatrices> found = graph::chosenMatrices(operand, batch, known);
  for (graph::ChosenMatrix matrix : found.value_or(graph::ChosenMatrices())) {
    const Expr extent = graph::extentOf(matrix.gather.getData(), matrix.gather.getAxis());
    const Value indices = matrix.gather.getIndices();
    chosen[Key{indices.getAsOpaquePointer(), textOf(matrix.at)}] =
        emitIndirect(indices, matrix.at, extent, matrix.gather.getInRange());
  }
}

Expr Emitter::emitIndirect(Value indices, Index index, const Expr &extent, bool isInRange) {
  if (auto known = chosen.find(Key{indices.getAsOpaquePointer(), textOf(index)}); known != chosen.end())
    return known->second;
  Value raw = emit(indices, index);
  if (!mask.empty() && !isMaskedLoad(raw)) // where nothing is read no index is wrong
    raw = selectInside(mask, raw, constant(raw.getType(), 0));
  const Type type = b.getIndexType();
  const bool mayBeEmpty = !mask.empty() && bounds(extent, known).lo.value_or(0) < 1; // no index is right then
  Value at = isInRange ? kernel::KnownIndexOp::create(b, loc(), type, raw, inKernel(extent)).getResult()
                       : kernel::CheckedIndexOp::create(b, loc(), type, raw, inKernel(extent),
                                                        mayBeEmpty ? inRange(mask) : Value())
                             .getResult();
  std::string name = "i" + std::to_string(indirectVariables++);
  bind(Expr::symbol(name), at);
  known[name] = {Expr(0), extent - 1};
  return Expr::symbol(name);
}

Value Emitter::emitGather(Operation *op, Index index) {
  if (auto gather = dyn_cast<graph::GatherElementsOp>(op)) {
    Exprs at(index);
    at[gather.getAxis()] =
        emitIndirect(gather.getIndices(), index, graph::extentOf(gather.getData(), gather.getAxis()));
    return emit(gather.getData(), at);
  }
  auto gather = mlir::cast<graph::GatherOp>(op);
  int64_t axis = gather.getAxis(), inner = graph::rankOf(gather.getIndices()) - gather.getBatchDims();
  Exprs at(index.take_front(axis));
  const Expr extent = graph::extentOf(gather.getData(), axis);
  at.push_back(emitIndirect(gather.getIndices(), graph::indicesAt(gather, index), extent, gather.getInRange()));
  llvm::append_range(at, index.drop_front(axis + inner));
  return emit(gather.getData(), at);
}

Value Emitter::emitGatherND(graph::GatherNDOp op, Index index) {
  unsigned rank = graph::rankOf(op.getIndices());
  int64_t depth = *graph::extentOf(op.getIndices(), rank - 1).constant();
  int64_t batch = op.getBatchDims();
  Exprs at(index.take_front(batch));
  for (int64_t i = 0; i < depth; ++i) {
    Exprs indicesAt(index.take_front(rank - 1));
    indicesAt.push_back(Expr(i));
    at.push_back(emitIndirect(op.getIndices(), indicesAt, graph::extentOf(op.getData(), batch + i)));
  }
  llvm::append_range(at, index.drop_front(rank - 1));
  return emit(op.getData(), at);
}

Value Emitter::extract(Value tile, Index point) {
  auto type = mlir::cast<kernel::TileType>(tile.getType());
  Exprs exprs(point);
  SmallVector<Value> operands = operandsOf(exprs);
  return kernel::ExtractOp::create(b, loc(), type.getElement(), tile, graph::exprArray(b.getContext(), exprs),
                                   operands);
}
