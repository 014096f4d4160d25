//===- lib/Target/CUDA/OperandCopies.cpp - operands of products on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

void OperandCopies::swizzle(Operand &op) {
  const int64_t bytes = graph::byteSize(op.body->getTerminator()->getOperand(0).getType()), row = op.columns() * bytes;
  op.swizzle = std::min<int64_t>(128, row & -row);
  op.pitch = op.swizzle / bytes;
}

void OperandCopies::allocate(Operand &op, Type shared, int64_t stages, bool withRegisters) {
  Type element = op.body->getTerminator()->getOperand(0).getType();
  if (op.packed)
    allocatePacked(op);
  else if (op.staged)
    allocateStaged(op, stages);
  else if (withRegisters)
    op.registers = low.registers({op.held()}, element, op.width);
  op.smem = low.smem(stages * op.size(), shared, op.swizzle);
}

LogicalResult OperandCopies::forSomeVectors(const Operand &op, const Expr &first, int64_t count, VectorBody body) {
  return low.loop("i", 0, count, 1, /*unroll=*/true, [&](const Expr &i) {
    const auto [outer, k] = vectors.placeOf(op, first + i, copier.value_or(low.thread()));
    return body(i, outer, k);
  });
}

LogicalResult OperandCopies::forVectors(Operand &op, VectorBody body) {
  if (op.held() == op.count)
    return forSomeVectors(op, 0, op.count, body);
  return low.loop("v", 0, op.count, op.held(), /*unroll=*/false,
                  [&](const Expr &first) { return forSomeVectors(op, first, op.held(), body); });
}

/// Conditions under which a vector lies in the matrix, without those that always hold.
graph::Exprs OperandCopies::inside(const Operand &op, const Expr &outer, const Expr &k) {
  graph::Exprs open;
  for (const Expr &condition :
       {op.outerExtent - 1 - (op.outerBase + outer), op.depthExtent - 1 - (tile * op.depth + k)})
    if (proveLessEqual(0, condition, low.vars.ranges()) != true)
      open.push_back(condition);
  return open;
}

Expr OperandCopies::sharedPlace(const Operand &op, const Expr &outer, const Expr &k) const {
  const Expr &row = op.kMajor ? k : outer, &column = op.kMajor ? outer : k;
  if (!op.swizzle || op.columns() == op.pitch)
    return buffer(op) + row * op.pitch + column;
  return buffer(op) + floorDiv(column, op.pitch) * (op.rows() * op.pitch) + row * op.pitch + mod(column, op.pitch);
}

graph::Exprs OperandCopies::element(const Operand &op, const Expr &i, const Expr &e) {
  return op.width > 1 ? graph::Exprs{i, e} : graph::Exprs{i};
}

LogicalResult OperandCopies::forElements(const Operand &op, llvm::function_ref<void(const Expr &)> body) {
  if (op.width == 1)
    return body(0), success();
  return low.loop("e", 0, op.width, 1, /*unroll=*/true, [&](const Expr &e) -> LogicalResult {
    body(e);
    return success();
  });
}

LogicalResult OperandCopies::fetch(Operand &op) {
  if (op.packed)
    return fetchPacked(op), success();
  return forVectors(op, [&](const Expr &i, const Expr &outer, const Expr &k) { return fetchVector(op, i, outer, k); });
}

LogicalResult OperandCopies::fetchVector(Operand &op, const Expr &i, const Expr &outer, const Expr &k) {
  if (LoadOp load = vectors.vectorLoad(op))
    return fetchPlain(op, load, i, outer, k);
  LoadOp load = vectors.groupLoad(op);
  return load ? fetchGroup(op, load, i, outer, k) : fetchComputed(op, i, outer, k);
}

/// Digits of k come apart where the tile is known: a tile often lies within one of them, and
/// the rest is the same for all threads.
OperandCopies::Resolve OperandCopies::bindPlace(const Operand &op, const Expr &outer, const Expr &k) {
  low.bind(op.outerIndex, op.outerBase + outer, op.outerExtent);
  const Expr atK = tile * op.depth + k;
  low.bind(op.kIndex, atK, op.depthExtent);
  const std::string kVar = low.vars.name(op.kIndex);
  const Expr variable = low.vars.of(low.values.lookup(op.kIndex));
  return [this, kVar, atK, variable](const Expr &e) {
    if (e.coefficient(kVar))
      return low.here(e.substitute({{kVar, variable}}));
    return simplify(low.here(e.substitute({{kVar, atK}})), low.vars.ranges());
  };
}

Lowering::Source OperandCopies::source(const Operand &op, LoadOp load, const Expr &outer, const Expr &k) {
  return source(op, load, outer, k, bindPlace(op, outer, k));
}

Lowering::Source OperandCopies::source(const Operand &op, LoadOp load, const Expr &outer, const Expr &k,
                                       const Resolve &resolve) {
  Lowering::Source result;
  result.mask = inside(op, outer, k);
  result.position = resolve(low.vars.read(load.getPosition(), load.getIndices()));
  for (const Expr &condition : low.vars.read(load.getMask(), load.getIndices()))
    result.mask.push_back(resolve(condition));
  return result;
}

Value OperandCopies::fill(LoadOp load) {
  if (Value other = load.getOther())
    return ConstantOp::create(low.builder, load.getLoc(), other.getDefiningOp<ConstantOp>().getValue());
  return low.constant(load.getType(), 0);
}

LogicalResult OperandCopies::fetchPlain(Operand &op, LoadOp load, const Expr &i, const Expr &outer, const Expr &k) {
  Lowering::Source from = source(op, load, outer, k);
  if (!from.mask.empty())
    from.other = fill(load);
  Value view = low.values.lookup(load.getView());
  if (op.width == 1)
    low.set(low.load(view, from), op.registers, {i});
  else
    low.loadVector(view, from, op.registers, {i});
  return success();
}

/// Element by element: what does not change between them is the same expression.
LogicalResult OperandCopies::fetchGroup(Operand &op, LoadOp load, const Expr &i, const Expr &outer, const Expr &k) {
  return forElements(op, [&](const Expr &e) {
    Lowering::Source from = source(op, load, outer, k + e);
    if (!from.mask.empty())
      from.other = fill(load);
    low.set(low.load(low.values.lookup(load.getView()), from), op.registers, {i, e});
  });
}

LogicalResult OperandCopies::fetchComputed(Operand &op, const Expr &i, const Expr &outer, const Expr &k) {
  Type type = llvm::cast<RegistersType>(op.registers.getType()).getElement();
  graph::Exprs mask = inside(op, outer, k);
  if (!mask.empty())
    (void)forElements(op, [&](const Expr &e) { low.set(low.constant(type, 0), op.registers, element(op, i, e)); });
  Expr atOuter = op.outerBase + outer, atK = tile * op.depth + k;
  return low.guard(mask, [&] {
    low.bind(op.alongK ? op.outerIndex : op.kIndex, op.alongK ? atOuter : atK,
             op.alongK ? op.outerExtent : op.depthExtent);
    return low.cloneVector(*op.body, op.alongK ? op.kIndex : op.outerIndex, op.alongK ? atK : atOuter,
                           op.alongK ? op.depthExtent : op.outerExtent, op.width, [&](ValueRange value, const Expr &e) {
                             low.set(value[0], op.registers, element(op, i, e));
                           });
  });
}

LogicalResult OperandCopies::fetchAsync(Operand &op) {
  const auto loads = chosenLoads(*op.body);
  auto each = [&](ArrayRef<ChosenLoad> parts, bool guarded) {
    return forVectors(op, [&](const Expr &, const Expr &outer, const Expr &k) {
      return success(llvm::all_of(
          parts, [&](const ChosenLoad &part) { return succeeded(copyAsync(op, part, outer, k, guarded)); }));
    });
  };
  const std::optional<Expr> isFirst = loads.size() > 1 ? leastInTile(op, loads.front()) : std::nullopt;
  if (!isFirst)
    return each(loads, /*guarded=*/true);
  // Most tiles are of the first part as a whole.
  const LogicalResult whole = low.guard({*isFirst}, [&] { return each(loads.front(), /*guarded=*/false); });
  return failed(whole) ? whole : low.guard({-1 - *isFirst}, [&] { return each(loads, /*guarded=*/true); });
}

/// The condition of the first load where it is least in the current tile; none if that depends on more than the ends of
/// the tile.
std::optional<Expr> OperandCopies::leastInTile(const Operand &op, const ChosenLoad &part) {
  InRangeOp condition = part.where.front().first;
  Expr e = low.vars.read(condition.getExprs(), condition.getIndices())[0];
  const std::tuple<Value, Expr, int64_t> axes[] = {{op.outerIndex, op.outerBase, op.outer},
                                                   {op.kIndex, tile * op.depth, op.depth}};
  for (const auto &[index, base, extent] : axes) {
    const std::string name = low.vars.name(index);
    const std::optional<Expr> step = e.coefficient(name);
    const std::optional<int64_t> number = step ? step->constant() : std::nullopt;
    if (!number)
      return std::nullopt;
    e = e.substitute({{name, base + (*number < 0 ? extent - 1 : 0)}});
  }
  return simplify(low.here(e), low.vars.ranges());
}

/// Copies where the load is the one to be made, which is here if this is not `guarded`.
LogicalResult OperandCopies::copyAsync(const Operand &op, const ChosenLoad &part, const Expr &outer, const Expr &k,
                                       bool guarded) {
  graph::Exprs known;
  const Resolve resolve = bindPlace(op, outer, k);
  for (auto [condition, holds] : part.where) { // of one expression
    const Expr e = resolve(low.vars.read(condition.getExprs(), condition.getIndices())[0]);
    known.push_back(holds ? e : -1 - e);
  }
  LoadOp load = part.load;
  Lowering::Source from = source(op, load, outer, k, resolve);
  return low.guard(guarded ? known : graph::Exprs(), [&]() -> LogicalResult {
    graph::Exprs open;
    for (const Expr &condition : from.mask)
      if (!follows(condition, known))
        known.push_back(open.emplace_back(condition));
    from.mask = open;
    createCopy(op, load, from, op.smem, sharedPlace(op, outer, k));
    return success();
  });
}

void OperandCopies::createCopy(const Operand &op, LoadOp load, const Lowering::Source &from, Value smem,
                               const Expr &to) {
  graph::Exprs exprs{from.position, to};
  llvm::append_range(exprs, from.mask);
  SmallVector<Value> indices = low.vars.write(exprs);
  ArrayAttr where = graph::exprArray(low.func.getContext(), ArrayRef(exprs).drop_front(2));
  AsyncCopyOp::create(low.builder, low.func.getLoc(), low.values.lookup(load.getView()), smem, exprs[0], exprs[1],
                      where, indices, op.width * graph::byteSize(load.getType()));
}

/// Whether a condition holds where one of the others does.
bool OperandCopies::follows(const Expr &condition, ArrayRef<Expr> known) {
  return llvm::any_of(known,
                      [&](const Expr &other) { return proveLessEqual(other, condition, low.vars.ranges()) == true; });
}

LogicalResult OperandCopies::store(Operand &op) {
  if (op.packed)
    return storePacked(op), success();
  return forVectors(op, [&](const Expr &i, const Expr &outer, const Expr &k) { return store(op, i, outer, k); });
}

LogicalResult OperandCopies::store(Operand &op, const Expr &i, const Expr &outer, const Expr &k) {
  Type shared = llvm::cast<SmemType>(op.smem.getType()).getElement();
  Type held = llvm::cast<RegistersType>(op.registers.getType()).getElement();
  if (op.width > 1 && shared == held && op.alongK != op.kMajor) {
    low.storeVector(op.registers, {i}, op.smem, sharedPlace(op, outer, k));
    return success();
  }
  return forElements(op, [&](const Expr &e) {
    Expr at = op.alongK ? sharedPlace(op, outer, k + e) : sharedPlace(op, outer + e, k);
    low.storeShared(low.cast(low.get(op.registers, element(op, i, e)), shared), op.smem, at);
  });
}

LogicalResult OperandCopies::bring(Operand &op, bool async) {
  tile = 0;
  stage = ownBuffer;
  if (async)
    return fetchAsync(op);
  return forVectors(op, [&](const Expr &i, const Expr &outer, const Expr &k) {
    return failed(fetchVector(op, i, outer, k)) ? failure() : store(op, i, outer, k);
  });
}

Expr OperandCopies::enterRegion(Region &region, bool hasStep) {
  Block &block = region.emplaceBlock();
  auto argument = [&](StringRef hint) {
    Location loc = namedLoc(low.func.getLoc(), hint);
    return low.vars.of(block.addArgument(low.builder.getIndexType(), loc));
  };
  tile = first + argument("kt");
  stage = argument("s");
  Expr step = hasStep ? argument("k") : Expr();
  low.builder.setInsertionPointToEnd(&block);
  return step;
}

LogicalResult OperandCopies::tileLoop(ArrayRef<Operand *> operands, int64_t stages, bool async, const Steps &steps) {
  const Expr tiles = ceilDiv(operands.front()->depthExtent, operands.front()->depth), trips = floorDiv(tiles, parts);
  first = part * trips;
  auto each = [&](bool isPacked, llvm::function_ref<LogicalResult(Operand &)> body) {
    return success(llvm::all_of(
        operands, [&](Operand *op) { return (async && op->packed.has_value() != isPacked) || succeeded(body(*op)); }));
  };
  auto fetchNext = [&](Operand &op) { return fetch(op); };
  tile = first;
  if (async && failed(each(/*isPacked=*/true, fetchNext)))
    return failure();
  auto loop = TileLoopOp::create(low.builder, low.func.getLoc(), trips, stages, steps.count, async);
  OpBuilder::InsertionGuard saved(low.builder);
  enterRegion(loop.getFetch());
  if (failed(each(/*isPacked=*/false, [&](Operand &op) { return async ? fetchAsync(op) : fetch(op); })))
    return failure();
  enterRegion(loop.getStore());
  if (failed(each(/*isPacked=*/true, [&](Operand &op) { return store(op); })))
    return failure();
  if (async && llvm::any_of(operands, [](Operand *op) { return op->packed.has_value(); })) {
    tile = first + low.let("ahead", min(tile - first + 1, trips - 1), trips);
    if (failed(each(/*isPacked=*/true, fetchNext)))
      return failure();
  }
  if (beside) {
    low.builder.setInsertionPointToEnd(&loop.getBeside().emplaceBlock());
    if (failed(beside()))
      return failure();
  }
  steps.load(enterRegion(loop.getLoad(), /*hasStep=*/true));
  enterRegion(loop.getCompute(), /*hasStep=*/true);
  return steps.compute();
}

} // namespace cupola::cuda
