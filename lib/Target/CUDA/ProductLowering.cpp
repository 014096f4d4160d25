//===- lib/Target/CUDA/ProductLowering.cpp - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number && number.getValue().isPosZero();
}

LoadOp plainLoad(Block &operand) {
  Value value = operand.getTerminator()->getOperand(0);
  Type type = value.getType();
  while (auto cast = value.getDefiningOp<CastOp>()) {
    value = cast.getInput();
    // Through a wider float and back is the value itself.
    auto through = dyn_cast<FloatType>(value.getType());
    if (!through || through.getWidth() < type.getIntOrFloatBitWidth())
      return {};
  }
  auto load = value.getDefiningOp<LoadOp>();
  bool plain = load && load.getType() == type && !isIndirect(load.getIndices()) &&
               (!load.getOther() || isZero(load.getOther())) && load->getBlock() == &operand;
  return plain ? load : LoadOp();
}

ProductLowering::ProductLowering(kernel::FuncOp func, const Tile &tile, int64_t threads)
    : low(func), tileM(tile.m), tileN(tile.n), tileK(tile.k), threads(threads), split(tile.split),
      sharers(threads / split) {
  dot = *low.body().getOps<DotOp>().begin();
  extents = graph::exprsOf(dot.getExtents());
}

LogicalResult ProductLowering::run() {
  Expr tilesM = ceilDiv(extents[0], tileM), tilesN = ceilDiv(extents[1], tileN);
  Expr blocks = graph::product(low.grid()) * tilesM * tilesN, b = low.block();
  low.launch(threads, blocks);
  return low.guardBlocks(blocks, [&]() -> LogicalResult {
    atN = low.let("tn", mod(b, tilesN), tilesN);
    atM = low.let("tm", mod(floorDiv(b, tilesN), tilesM), tilesM);
    low.bindGrid(floorDiv(b, tilesN * tilesM));
    letThreads();
    if (split > 1)
      part = low.let("tk", floorDiv(low.thread(), sharers), split);
    for (Operation &op : low.body()) {
      auto each = dyn_cast<ForeachOp>(op);
      if (failed(&op == dot.getOperation() ? product() : each ? finish(each) : low.clone(op)))
        return failure();
    }
    return success();
  });
}

LogicalResult ProductLowering::finish(ForeachOp loop) {
  if (split == 1)
    return epilogue(loop);
  return low.guard({-part}, [&] { return epilogue(loop); });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand ProductLowering::lhs() {
  Region &region = dot.getLhs();
  return {&region.front(), region.getArgument(0), region.getArgument(1), extents[0], atM * tileM, tileM};
}
Operand ProductLowering::rhs() {
  Region &region = dot.getRhs();
  return {&region.front(), region.getArgument(1), region.getArgument(0), extents[1], atN * tileN, tileN};
}

int64_t ProductLowering::tileElements(const Operand &op) const { return op.outer * tileK; }

void ProductLowering::plan(Operand &op, int64_t mostWidth) {
  auto direction = [&](Value along, const Expr &extent) -> int64_t {
    bool runs = llvm::any_of(op.body->getOps<LoadOp>(), [&](LoadOp load) {
      return stepsByOne(low.vars.read(load.getPosition(), load.getIndices()), low.vars.name(along));
    });
    if (!runs)
      return 0;
    int64_t width = std::min(vectorWidth({{op.body, along}}, extent, low.vars, low.divisors), mostWidth);
    while (width > 1 && tileElements(op) % (threads * width) != 0)
      width /= 2;
    return width;
  };
  int64_t outerWidth = direction(op.outerIndex, op.outerExtent);
  int64_t kWidth = direction(op.kIndex, extents[2]);
  op.alongK = kWidth > outerWidth || outerWidth == 0;
  op.width = std::max<int64_t>(op.alongK ? kWidth : outerWidth, 1);
  op.count = tileElements(op) / (threads * op.width);
}

void ProductLowering::allocate(Operand &op, Type shared, int64_t stages, bool withRegisters) {
  Type element = op.body->getTerminator()->getOperand(0).getType();
  if (withRegisters)
    op.registers = low.registers({op.count}, element, op.width);
  int64_t rows = op.kMajor ? tileK : op.outer;
  op.smem = low.smem(stages * rows * op.pitch, shared);
}

LogicalResult
ProductLowering::forVectors(Operand &op,
                            llvm::function_ref<LogicalResult(const Expr &, const Expr &, const Expr &)> body) {
  return low.loop("i", 0, op.count, 1, /*unroll=*/true, [&](const Expr &i) {
    Expr flat = i * threads + low.thread();
    int64_t minor = (op.alongK ? tileK : op.outer) / op.width;
    Expr inner = mod(flat, minor) * op.width, major = floorDiv(flat, minor);
    return op.alongK ? body(i, major, inner) : body(i, inner, major);
  });
}

/// Conditions under which a vector lies in the matrix, without those that always hold.
graph::Exprs ProductLowering::inside(const Operand &op, const Expr &outer, const Expr &k) {
  graph::Exprs open;
  for (const Expr &condition : {op.outerExtent - 1 - (op.outerBase + outer), extents[2] - 1 - (tile * tileK + k)})
    if (proveLessEqual(0, condition, low.vars.ranges()) != true)
      open.push_back(condition);
  return open;
}

Expr ProductLowering::sharedPlace(const Operand &op, const Expr &outer, const Expr &k) const {
  int64_t rows = op.kMajor ? tileK : op.outer;
  return stage * (rows * op.pitch) + (op.kMajor ? k * op.pitch + outer : outer * op.pitch + k);
}

graph::Exprs ProductLowering::element(const Operand &op, const Expr &i, const Expr &e) {
  return op.width > 1 ? graph::Exprs{i, e} : graph::Exprs{i};
}

LogicalResult ProductLowering::forElements(const Operand &op, llvm::function_ref<void(const Expr &)> body) {
  if (op.width == 1)
    return body(0), success();
  return low.loop("e", 0, op.width, 1, /*unroll=*/true, [&](const Expr &e) -> LogicalResult {
    body(e);
    return success();
  });
}

LoadOp ProductLowering::vectorLoad(const Operand &op) {
  LoadOp load = plainLoad(*op.body);
  if (!load || op.width == 1)
    return load;
  const std::string var = low.vars.name(op.alongK ? op.kIndex : op.outerIndex);
  bool whole = isContiguous(low.vars.read(load.getPosition(), load.getIndices()), var, op.width, low.divisors) &&
               sharesMask(low.vars.read(load.getMask(), load.getIndices()), var, op.width, low.divisors);
  return whole ? load : LoadOp();
}

LogicalResult ProductLowering::fetch(Operand &op) {
  LoadOp load = vectorLoad(op);
  return forVectors(op, [&](const Expr &i, const Expr &outer, const Expr &k) {
    return load ? fetchPlain(op, load, i, outer, k) : fetchComputed(op, i, outer, k);
  });
}

/// Digits of k come apart where the tile is known: a tile often lies within one of them, and
/// the rest is the same for all threads.
Lowering::Source ProductLowering::source(const Operand &op, LoadOp load, const Expr &outer, const Expr &k) {
  Lowering::Source result;
  result.mask = inside(op, outer, k);
  low.bind(op.outerIndex, op.outerBase + outer, op.outerExtent);
  Expr atK = tile * tileK + k;
  low.bind(op.kIndex, atK, extents[2]);
  const std::string kVar = low.vars.name(op.kIndex);
  auto resolve = [&](const Expr &e) {
    if (e.coefficient(kVar))
      return low.here(e.substitute({{kVar, low.vars.of(low.values.lookup(op.kIndex))}}));
    return simplify(low.here(e.substitute({{kVar, atK}})), low.vars.ranges());
  };
  result.position = resolve(low.vars.read(load.getPosition(), load.getIndices()));
  for (const Expr &condition : low.vars.read(load.getMask(), load.getIndices()))
    result.mask.push_back(resolve(condition));
  return result;
}

LogicalResult ProductLowering::fetchPlain(Operand &op, LoadOp load, const Expr &i, const Expr &outer, const Expr &k) {
  Lowering::Source from = source(op, load, outer, k);
  if (!from.mask.empty())
    from.other = low.constant(load.getType(), 0);
  Value view = low.values.lookup(load.getView());
  if (op.width == 1)
    low.set(low.load(view, from), op.registers, {i});
  else
    low.loadVector(view, from, op.registers, {i});
  return success();
}

LogicalResult ProductLowering::fetchComputed(Operand &op, const Expr &i, const Expr &outer, const Expr &k) {
  Type type = llvm::cast<RegistersType>(op.registers.getType()).getElement();
  graph::Exprs mask = inside(op, outer, k);
  if (!mask.empty())
    (void)forElements(op, [&](const Expr &e) { low.set(low.constant(type, 0), op.registers, element(op, i, e)); });
  Expr atOuter = op.outerBase + outer, atK = tile * tileK + k;
  return low.guard(mask, [&] {
    low.bind(op.alongK ? op.outerIndex : op.kIndex, op.alongK ? atOuter : atK, op.alongK ? op.outerExtent : extents[2]);
    return low.cloneVector(*op.body, op.alongK ? op.kIndex : op.outerIndex, op.alongK ? atK : atOuter,
                           op.alongK ? extents[2] : op.outerExtent, op.width, [&](ValueRange value, const Expr &e) {
                             low.set(value[0], op.registers, element(op, i, e));
                           });
  });
}

LogicalResult ProductLowering::fetchAsync(Operand &op) {
  LoadOp load = vectorLoad(op);
  return forVectors(op, [&](const Expr &, const Expr &outer, const Expr &k) -> LogicalResult {
    Lowering::Source from = source(op, load, outer, k);
    graph::Exprs exprs{from.position, sharedPlace(op, outer, k)};
    llvm::append_range(exprs, from.mask);
    SmallVector<Value> indices = low.vars.write(exprs);
    ArrayAttr mask = graph::exprArray(low.func.getContext(), ArrayRef(exprs).drop_front(2));
    AsyncCopyOp::create(low.builder, low.func.getLoc(), low.values.lookup(load.getView()), op.smem, exprs[0], exprs[1],
                        mask, indices, op.width * graph::byteSize(load.getType()));
    return success();
  });
}

LogicalResult ProductLowering::store(Operand &op) {
  Type shared = llvm::cast<SmemType>(op.smem.getType()).getElement();
  Type held = llvm::cast<RegistersType>(op.registers.getType()).getElement();
  bool whole = op.width > 1 && shared == held && op.alongK != op.kMajor;
  return forVectors(op, [&](const Expr &i, const Expr &outer, const Expr &k) -> LogicalResult {
    if (whole) {
      low.storeVector(op.registers, {i}, op.smem, sharedPlace(op, outer, k));
      return success();
    }
    return forElements(op, [&](const Expr &e) {
      Expr at = op.alongK ? sharedPlace(op, outer, k + e) : sharedPlace(op, outer + e, k);
      low.storeShared(low.cast(low.get(op.registers, element(op, i, e)), shared), op.smem, at);
    });
  });
}

/// Enters a region of a tile_loop.
void ProductLowering::enterRegion(Region &region) {
  Block &block = region.emplaceBlock();
  auto argument = [&](StringRef hint) {
    Location loc = namedLoc(low.func.getLoc(), hint);
    return low.vars.of(block.addArgument(low.builder.getIndexType(), loc));
  };
  tile = argument("kt");
  stage = argument("s");
  low.builder.setInsertionPointToEnd(&block);
}

LogicalResult ProductLowering::tileLoop(Operand &a, Operand &b, int64_t stages, bool async, Lowering::Body body) {
  auto loop = TileLoopOp::create(low.builder, low.func.getLoc(), ceilDiv(extents[2], tileK), stages, async);
  OpBuilder::InsertionGuard saved(low.builder);
  enterRegion(loop.getFetch());
  for (Operand *op : {&a, &b})
    if (failed(async ? fetchAsync(*op) : fetch(*op)))
      return failure();
  enterRegion(loop.getStore());
  if (!async)
    for (Operand *op : {&a, &b})
      if (failed(store(*op)))
        return failure();
  enterRegion(loop.getCompute());
  return body();
}

//===----------------------------------------------------------------------===//
// Parts of k
//===----------------------------------------------------------------------===//

void ProductLowering::addParts(Value acc) {
  if (split == 1)
    return;
  Type f32 = low.builder.getF32Type();
  ArrayRef<int64_t> extents = llvm::cast<RegistersType>(acc.getType()).getExtents();
  Value parts = low.smem((split - 1) * tileM * tileN, f32);
  auto placeOf = [&](const graph::Exprs &index, const Expr &from) {
    Expr own;
    for (auto [at, extent] : llvm::zip_equal(index, extents))
      own = own * extent + at;
    return from * (tileM * tileN) + own * sharers + mod(low.thread(), sharers);
  };
  (void)low.guard({part - 1}, [&] {
    return accumulators(extents, {}, [&](const graph::Exprs &index) {
      low.storeShared(low.get(acc, index), parts, placeOf(index, part - 1));
    });
  });
  BarrierOp::create(low.builder, low.func.getLoc());
  (void)low.guard({-part}, [&] {
    return low.loop("p", 0, split - 1, 1, /*unroll=*/true, [&](const Expr &p) {
      return accumulators(extents, {}, [&](const graph::Exprs &index) {
        low.accumulate(graph::ReduceKind::Sum, low.loadShared(parts, placeOf(index, p)), acc, index);
      });
    });
  });
}

/// Loops a0, a1, .. over all accumulators of a thread.
LogicalResult ProductLowering::accumulators(ArrayRef<int64_t> extents, graph::Exprs index,
                                            llvm::function_ref<void(const graph::Exprs &)> body) {
  size_t depth = index.size();
  if (depth == extents.size())
    return body(index), success();
  return low.loop("a" + std::to_string(depth), 0, extents[depth], 1, /*unroll=*/true, [&](const Expr &a) {
    graph::Exprs next = index;
    next.push_back(a);
    return accumulators(extents, next, body);
  });
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

int64_t ProductLowering::epilogueWidth(ForeachOp loop, int64_t most) {
  Block &body = loop.getBody().front();
  return std::min(most, vectorWidth({{&body, body.getArgument(1)}}, extents[1], low.vars, low.divisors));
}

LogicalResult ProductLowering::row(ForeachOp loop, const Expr &m, Lowering::Body body) {
  return low.guard({extents[0] - 1 - m}, [&] {
    low.bind(loop.getBody().getArgument(0), m, extents[0]);
    return body();
  });
}

LogicalResult ProductLowering::columns(ForeachOp loop, const Expr &n, int64_t width, Value acc, graph::Exprs index) {
  auto at = [index, width](const Expr &place) {
    graph::Exprs element = index;
    element.back() += width > 1 ? place : Expr(0);
    return element;
  };
  // Read before the guard: where that leaves one column, a compiler that puts what it knows of the position
  // into the index of the accumulators keeps them in memory.
  low.tiles[dot.getTile()] = {acc, at, width == 1 ? low.get(acc, index) : Value()};
  low.enter(loop);
  return low.guard({extents[1] - 1 - n}, [&] {
    return low.cloneVector(loop.getBody().front(), loop.getBody().getArgument(1), n, extents[1], width,
                           [](ValueRange, const Expr &) {});
  });
}

} // namespace cupola::cuda
