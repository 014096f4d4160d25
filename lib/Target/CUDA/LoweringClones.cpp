//===- lib/Target/CUDA/LoweringClones.cpp - a kernel's ops in the program of a thread ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Neutral.h"
#include "lib/Target/CUDA/BestValue.h"
#include "lib/Target/CUDA/Lowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

LogicalResult Lowering::clone(Block &block) {
  for (Operation &op : block)
    if (!isa<YieldOp>(op) && failed(clone(op)))
      return failure();
  return success();
}

LogicalResult Lowering::hoistInvariant(Block &block, ValueRange indices) {
  llvm::DenseSet<Operation *> varying = varyingOps(block, indices);
  for (Operation &op : block) {
    if (varying.contains(&op) || isa<YieldOp>(op))
      continue;
    if (failed(clone(op)))
      return failure();
    hoisted.insert(&op);
  }
  return success();
}

llvm::DenseSet<Operation *> loadsWithout(Block &block, Value index) {
  llvm::DenseSet<Operation *> varying = varyingOps(block, index), found;
  for (LoadOp load : block.getOps<LoadOp>())
    if (!varying.contains(load) && !isIndirect(load.getIndices()) && load.getMask().empty())
      found.insert(load);
  return found;
}

void Lowering::hoistVectors(Block &block, Value other, Value index, const Expr &base, int64_t width,
                            const Expr &exists) {
  const llvm::DenseSet<Operation *> loads = loadsWithout(block, other), varying = varyingOps(block, index);
  const graph::Exprs mask = isKnown(exists) == true ? graph::Exprs() : graph::Exprs{exists};
  for (LoadOp load : block.getOps<LoadOp>()) {
    if (!loads.contains(load))
      continue;
    if (!varying.contains(load)) { // the same everywhere: whatever is made of it comes before the vectors
      (void)clone(*load.getOperation());
      hoisted.insert(load);
      continue;
    }
    const Expr position = vars.read(load.getPosition(), load.getIndices());
    const int64_t most = accessWidth(load.getType(), width);
    const int64_t part = isContiguous(position, vars.name(index), most, divisors) ? most : 1;
    const Elements elements = hoistedVectors[load] = elementsOf(load.getType(), width, part);
    auto from = [&](const Expr &e) {
      Source source{here(position.substitute({{vars.name(index), base + e}})), mask};
      if (!mask.empty())
        source.other = constant(load.getType(), 0);
      return source;
    };
    Value view = values.lookupOrDefault(load.getView());
    for (int64_t e = 0; e < width; e += part)
      if (part == 1)
        set(this->load(view, from(e)), elements.registers, {e});
      else
        loadVector(view, from(e), elements.registers, elements.access(e));
  }
}

LogicalResult Lowering::clone(Operation &op) {
  if (hoisted.contains(&op))
    return success();
  if (auto extract = dyn_cast<ExtractOp>(op))
    return cloneExtract(extract);
  if (isa<ForeachOp, kernel::ReduceOp, MapOp, ArgReduceOp>(op))
    return cloneSerial(op);
  if (op.getNumRegions() != 0)
    return op.emitOpError("has no place inside an iteration on a GPU");
  builder.clone(op, values);
  return success();
}

SmallVector<Value> Lowering::yielded(Block &block) {
  if (!isa<YieldOp>(block.back()))
    return {};
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return values.lookupOrDefault(value); });
}

/// The iteration reads its own element of a tile over the first axes of the space, or over all.
bool Lowering::readsOwn(ExtractOp op) const {
  size_t rank = op.getPoint().size();
  return rank <= space.size() && isOwnPoint(op, ArrayRef(space).take_front(rank)) &&
         llvm::equal(op.getTile().getType().getExtents(),
                     llvm::map_range(spaceExtents.getValue().take_front(rank),
                                     [](Attribute extent) { return mlir::cast<graph::ExprAttr>(extent); }));
}

/// A tile element is read where this thread made it, or computed once more.
LogicalResult Lowering::cloneExtract(ExtractOp op) {
  auto kept = tiles.find(op.getTile());
  if (kept != tiles.end() && readsOwn(op)) {
    const TilePlace &at = kept->second;
    values.map(op.getResult(), at.element ? at.element : get(at.registers, at.index(place)));
    return success();
  }
  auto map = op.getTile().getDefiningOp<MapOp>();
  if (!map)
    return op.emitOpError("reads a product's tile at another point than its own");
  graph::Exprs point = read(op.getPoint(), op.getIndices()), extents = graph::exprsOf(map.getExtents());
  for (auto [i, index] : llvm::enumerate(map.getBody().getArguments()))
    if (Value known = bareIndex(op, i))
      values.map(index, values.lookup(known));
    else
      bind(index, point[i], extents[i]);
  Block &body = map.getBody().front();
  if (failed(clone(body)))
    return failure();
  values.map(op.getResult(), yielded(body)[llvm::cast<OpResult>(op.getTile()).getResultNumber()]);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops of one thread
//===----------------------------------------------------------------------===//

/// Loops of one thread with fewer iterations are unrolled: the taps of a window.
static constexpr int64_t longLoop = 9;

LogicalResult Lowering::loops(ValueRange indices, ArrayAttr extents, Body body) {
  if (indices.empty())
    return body();
  size_t depth = extents.size() - indices.size();
  Expr extent = graph::exprOf(extents[depth]);
  bool unroll = indices.size() == 1 && extent.constant().value_or(longLoop) < longLoop;
  return loop(indices.front(), 0, extent, 1, unroll, [&] { return loops(indices.drop_front(), extents, body); });
}

LogicalResult Lowering::cloneSerial(Operation &op) {
  if (auto each = dyn_cast<ForeachOp>(op))
    return loops(each.getBody().getArguments(), each.getExtents(), [&] { return clone(each.getBody().front()); });
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
    return cloneReduce(reduce);
  if (auto reduce = dyn_cast<ArgReduceOp>(op))
    return cloneArgReduce(reduce);
  return success(); // A map is computed where it is read.
}

LogicalResult Lowering::cloneReduce(kernel::ReduceOp op) {
  SmallVector<Accumulator> accumulators;
  for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
    accumulators.push_back(makeAccumulator(*this, kind.getValue(), type));
  Block &body = op.getBody().front();
  LogicalResult done = loops(body.getArguments(), op.getExtents(), [&]() -> LogicalResult {
    if (failed(clone(body)))
      return failure();
    for (auto [accumulator, value] : llvm::zip_equal(accumulators, yielded(body)))
      cuda::accumulate(*this, accumulator, value);
    return success();
  });
  for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
    values.map(result, cast(get(accumulator.registers), accumulator.type));
  return done;
}

LogicalResult Lowering::cloneArgReduce(ArgReduceOp op) {
  Block &body = op.getBody().front();
  BestValue best(*this, op);
  LogicalResult done = loops(body.getArguments(), op.getExtents(), [&]() -> LogicalResult {
    if (failed(clone(body)))
      return failure();
    best.take(yielded(body)[0]);
    return success();
  });
  values.map(op.getResult(), best.position());
  return done;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Type wordType(Type type) {
  if (auto integer = llvm::dyn_cast<IntegerType>(type); integer && integer.getWidth() < 32)
    return IntegerType::get(type.getContext(), 32, integer.getSignedness());
  return graph::accumulatorOf(type);
}

Accumulator makeAccumulator(Lowering &lowering, graph::ReduceKind kind, Type type) {
  return {kind, type, lowering.variable(neutralValue(lowering, kind, type))};
}

Value neutralValue(Lowering &lowering, graph::ReduceKind kind, Type type) {
  const Type word = wordType(type);
  TypedAttr neutral = graph::neutralElement(kind, word);
  if (auto integer = llvm::dyn_cast<IntegerType>(type)) { // what is neutral in a word may not fit the type
    const llvm::APInt value = llvm::cast<IntegerAttr>(graph::neutralElement(kind, type)).getValue();
    const unsigned width = word.getIntOrFloatBitWidth();
    const bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
    neutral = IntegerAttr::get(word, isSigned ? value.sext(width) : value.zext(width));
  }
  return ConstantOp::create(lowering.builder, lowering.func.getLoc(), neutral);
}

void accumulate(Lowering &lowering, const Accumulator &accumulator, Value value, const graph::Exprs &index) {
  Type word = llvm::cast<RegistersType>(accumulator.registers.getType()).getElement();
  lowering.accumulate(accumulator.kind, lowering.cast(value, word), accumulator.registers, index);
}

} // namespace cupola::cuda
