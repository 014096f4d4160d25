//===- lib/Target/CUDA/ProductLowering.cpp - what the gemm schedules share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

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
  bool plain = load && load.getType() == type && load.getIndices().empty() &&
               (!load.getOther() || isZero(load.getOther())) && load->getBlock() == &operand;
  return plain ? load : LoadOp();
}

ProductLowering::ProductLowering(FuncOp func)
    : low(func), params(func.getParams()), tileM(number("tile_m")), tileN(number("tile_n")), tileK(number("tile_k")),
      threads(number("threads")), split(number("split_k")), sharers(threads / split) {
  dot = *low.source().getOps<DotOp>().begin();
  extents = graph::exprsOf(dot.getExtents());
}

LogicalResult ProductLowering::run() {
  Expr tilesM = ceilDiv(extents[0], tileM), tilesN = ceilDiv(extents[1], tileN);
  Expr blocks = graph::product(low.grid()) * tilesM * tilesN, b = symbol("b");
  low.launch(threads, blocks);
  return low.guardBlocks(blocks, [&]() -> LogicalResult {
    low.let("tn", mod(b, tilesN), tilesN);
    low.let("tm", mod(floorDiv(b, tilesN), tilesM), tilesM);
    low.letGrid(floorDiv(b, tilesN * tilesM));
    letThreads();
    if (split > 1)
      low.let("tk", floorDiv(symbol("t"), sharers), split);
    for (Operation &op : low.source()) {
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
  return low.guard({-symbol("tk")}, [&] { return epilogue(loop); });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand ProductLowering::lhs() {
  SmallVector<std::string> vars = names(dot.getVars());
  return {&dot.getLhs().front(), vars[0], vars[2], extents[0], symbol("tm") * tileM, tileM};
}
Operand ProductLowering::rhs() {
  SmallVector<std::string> vars = names(dot.getVars());
  return {&dot.getRhs().front(), vars[1], vars[2], extents[1], symbol("tn") * tileN, tileN};
}

int64_t ProductLowering::tileElements(const Operand &op) const { return op.outer * tileK; }

void ProductLowering::plan(Operand &op, int64_t mostWidth) {
  auto direction = [&](const std::string &along, const Expr &extent) -> int64_t {
    bool runs =
        llvm::any_of(op.body->getOps<LoadOp>(), [&](LoadOp load) { return stepsByOne(load.getPosition(), along); });
    if (!runs)
      return 0;
    int64_t width = std::min(vectorWidth({{op.body, along}}, extent, low.divisors), mostWidth);
    while (width > 1 && tileElements(op) % (threads * width) != 0)
      width /= 2;
    return width;
  };
  int64_t outerWidth = direction(op.outerVar, op.outerExtent);
  int64_t kWidth = direction(op.kVar, extents[2]);
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

LogicalResult ProductLowering::forVectors(Operand &op,
                                          llvm::function_ref<LogicalResult(const Expr &, const Expr &)> body) {
  return low.loop("i", 0, op.count, 1, /*unroll=*/true, [&] {
    Expr flat = symbol("i") * threads + symbol("t");
    int64_t minor = (op.alongK ? tileK : op.outer) / op.width;
    Expr inner = mod(flat, minor) * op.width, major = floorDiv(flat, minor);
    return op.alongK ? body(major, inner) : body(inner, major);
  });
}

/// Conditions under which a vector lies in the matrix, without those that always hold.
graph::Exprs ProductLowering::inside(const Operand &op, const Expr &outer, const Expr &k) {
  Ranges ranges = low.rangesHere();
  graph::Exprs open;
  for (const Expr &condition :
       {op.outerExtent - 1 - (op.outerBase + outer), extents[2] - 1 - (symbol("kt") * tileK + k)})
    if (proveLessEqual(0, condition, ranges) != true)
      open.push_back(condition);
  return open;
}

Expr ProductLowering::sharedPlace(const Operand &op, const Expr &outer, const Expr &k) const {
  int64_t rows = op.kMajor ? tileK : op.outer;
  return symbol("s") * (rows * op.pitch) + (op.kMajor ? k * op.pitch + outer : outer * op.pitch + k);
}

graph::Exprs ProductLowering::element(const Operand &op) const {
  graph::Exprs index = {symbol("i")};
  if (op.width > 1)
    index.push_back(symbol("e"));
  return index;
}

LogicalResult ProductLowering::forElements(const Operand &op, llvm::function_ref<void(ArrayRef<Expr>)> body) {
  if (op.width == 1)
    return body(element(op)), success();
  return low.loop("e", 0, op.width, 1, /*unroll=*/true, [&]() -> LogicalResult {
    body(element(op));
    return success();
  });
}

LoadOp ProductLowering::vectorLoad(const Operand &op) const {
  LoadOp load = plainLoad(*op.body);
  if (!load || op.width == 1)
    return load;
  StringRef var = op.alongK ? op.kVar : op.outerVar;
  bool whole = isContiguous(load.getPosition(), var, op.width, low.divisors) &&
               sharesMask(load.getMask(), var, op.width, low.divisors);
  return whole ? load : LoadOp();
}

LogicalResult ProductLowering::fetch(Operand &op) {
  LoadOp load = vectorLoad(op);
  return forVectors(op, [&](const Expr &outer, const Expr &k) {
    return load ? fetchPlain(op, load, outer, k) : fetchComputed(op, outer, k);
  });
}

/// Digits of k come apart where the tile is known: a tile often lies within one of them, and
/// the rest is the same for all threads.
ProductLowering::Source ProductLowering::source(const Operand &op, LoadOp load, const Expr &outer, const Expr &k) {
  Source result;
  result.mask = inside(op, outer, k);
  low.let(op.outerVar, op.outerBase + outer, op.outerExtent);
  Expr atK = symbol("kt") * tileK + k;
  low.let(op.kVar, atK, extents[2]);
  Ranges ranges = low.rangesHere();
  auto resolve = [&](const Expr &e) {
    return e.coefficient(op.kVar) ? e : simplify(e.substitute({{op.kVar, atK}}), ranges);
  };
  result.position = resolve(load.getPosition());
  for (const Expr &condition : graph::exprsOf(load.getMask()))
    result.mask.push_back(resolve(condition));
  return result;
}

LogicalResult ProductLowering::fetchPlain(Operand &op, LoadOp load, const Expr &outer, const Expr &k) {
  Source from = source(op, load, outer, k);
  Location loc = low.func.getLoc();
  MLIRContext *context = low.func.getContext();
  Value other = from.mask.empty() ? Value() : low.constant(load.getType(), 0);
  ArrayAttr mask = graph::exprArray(context, from.mask);
  if (op.width == 1) {
    Value value =
        LoadOp::create(low.builder, loc, load.getType(), load.getView(), from.position, ValueRange(), mask, other);
    low.set(value, op.registers, {symbol("i")});
    return success();
  }
  LoadVectorOp::create(low.builder, loc, load.getView(), from.position, ValueRange(), mask, other, op.registers,
                       graph::exprArray(context, {symbol("i")}));
  return success();
}

LogicalResult ProductLowering::fetchComputed(Operand &op, const Expr &outer, const Expr &k) {
  Type type = llvm::cast<RegistersType>(op.registers.getType()).getElement();
  graph::Exprs mask = inside(op, outer, k);
  if (!mask.empty())
    (void)forElements(op, [&](ArrayRef<Expr> index) { low.set(low.constant(type, 0), op.registers, index); });
  Expr atOuter = op.outerBase + outer, atK = symbol("kt") * tileK + k;
  return low.guard(mask, [&] {
    low.let(op.alongK ? op.outerVar : op.kVar, op.alongK ? atOuter : atK, op.alongK ? op.outerExtent : extents[2]);
    return low.cloneVector(*op.body, op.alongK ? op.kVar : op.outerVar, op.alongK ? atK : atOuter,
                           op.alongK ? extents[2] : op.outerExtent, op.width,
                           [&](ValueRange value) { low.set(value[0], op.registers, element(op)); });
  });
}

LogicalResult ProductLowering::fetchAsync(Operand &op) {
  LoadOp load = vectorLoad(op);
  return forVectors(op, [&](const Expr &outer, const Expr &k) -> LogicalResult {
    Source from = source(op, load, outer, k);
    AsyncCopyOp::create(low.builder, low.func.getLoc(), load.getView(), from.position, op.smem,
                        sharedPlace(op, outer, k), op.width * byteSize(load.getType()),
                        graph::exprArray(low.func.getContext(), from.mask));
    return success();
  });
}

LogicalResult ProductLowering::store(Operand &op) {
  Location loc = low.func.getLoc();
  Type shared = llvm::cast<SmemType>(op.smem.getType()).getElement();
  Type held = llvm::cast<RegistersType>(op.registers.getType()).getElement();
  bool whole = op.width > 1 && shared == held && op.alongK != op.kMajor;
  return forVectors(op, [&](const Expr &outer, const Expr &k) -> LogicalResult {
    if (whole) {
      StoreVectorOp::create(low.builder, loc, op.registers, graph::exprArray(low.func.getContext(), {symbol("i")}),
                            op.smem, sharedPlace(op, outer, k));
      return success();
    }
    return forElements(op, [&](ArrayRef<Expr> index) {
      Expr e = op.width > 1 ? symbol("e") : Expr(0);
      Expr at = op.alongK ? sharedPlace(op, outer, k + e) : sharedPlace(op, outer + e, k);
      Value value = low.cast(low.get(op.registers, index), shared);
      StoreSharedOp::create(low.builder, loc, value, op.smem, at);
    });
  });
}

LogicalResult ProductLowering::tileLoop(Operand &a, Operand &b, int64_t stages, bool async, Lowering::Body body) {
  auto loop = TileLoopOp::create(low.builder, low.func.getLoc(), "kt", ceilDiv(extents[2], tileK), "s", stages, async);
  OpBuilder::InsertionGuard saved(low.builder);
  low.builder.setInsertionPointToEnd(&loop.getFetch().emplaceBlock());
  for (Operand *op : {&a, &b})
    if (failed(async ? fetchAsync(*op) : fetch(*op)))
      return failure();
  low.builder.setInsertionPointToEnd(&loop.getStore().emplaceBlock());
  if (!async)
    for (Operand *op : {&a, &b})
      if (failed(store(*op)))
        return failure();
  low.builder.setInsertionPointToEnd(&loop.getCompute().emplaceBlock());
  return body();
}

//===----------------------------------------------------------------------===//
// Parts of k
//===----------------------------------------------------------------------===//

void ProductLowering::addParts(Value acc) {
  if (split == 1)
    return;
  Location loc = low.func.getLoc();
  Type f32 = low.builder.getF32Type();
  ArrayRef<int64_t> extents = llvm::cast<RegistersType>(acc.getType()).getExtents();
  graph::Exprs index;
  Expr own;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    index.push_back(symbol("a" + std::to_string(i)));
    own = own * extent + index.back();
  }
  own = own * sharers + mod(symbol("t"), sharers);
  auto each = [&](llvm::function_ref<void()> body) { return accumulators(extents, 0, body); };
  Value parts = low.smem((split - 1) * tileM * tileN, f32);
  (void)low.guard({symbol("tk") - 1}, [&] {
    return each([&] {
      StoreSharedOp::create(low.builder, loc, low.get(acc, index), parts, (symbol("tk") - 1) * (tileM * tileN) + own);
    });
  });
  BarrierOp::create(low.builder, loc);
  (void)low.guard({-symbol("tk")}, [&] {
    return low.loop("p", 0, split - 1, 1, /*unroll=*/true, [&] {
      return each([&] {
        Value part = LoadSharedOp::create(low.builder, loc, f32, parts, symbol("p") * (tileM * tileN) + own);
        AccumulateOp::create(low.builder, loc, graph::ReduceKind::Sum, part, acc,
                             graph::exprArray(low.func.getContext(), index));
      });
    });
  });
}

/// Loops a0, a1, .. over all accumulators of a thread.
LogicalResult ProductLowering::accumulators(ArrayRef<int64_t> extents, size_t depth, llvm::function_ref<void()> body) {
  if (depth == extents.size())
    return body(), success();
  return low.loop("a" + std::to_string(depth), 0, extents[depth], 1, /*unroll=*/true,
                  [&] { return accumulators(extents, depth + 1, body); });
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

int64_t ProductLowering::epilogueWidth(ForeachOp loop, int64_t most) {
  std::string column = names(loop.getVars())[1];
  return std::min(most, vectorWidth({{&loop.getBody().front(), column}}, extents[1], low.divisors));
}

LogicalResult ProductLowering::row(ForeachOp loop, const Expr &m, Lowering::Body body) {
  return low.guard({extents[0] - 1 - m}, [&] {
    low.let(names(loop.getVars())[0], m, extents[0]);
    return body();
  });
}

LogicalResult ProductLowering::columns(ForeachOp loop, const Expr &n, int64_t width, Value acc, graph::Exprs index) {
  if (width > 1)
    index.back() += symbol("e");
  // Read before the guard: where that leaves one column, a compiler that puts what it knows of the position
  // into the index of the accumulators keeps them in memory.
  low.tiles[dot.getTile()] = {acc, index, width == 1 ? low.get(acc, index) : Value()};
  low.enter(loop.getVars(), loop.getExtents());
  return low.guard({extents[1] - 1 - n}, [&] {
    return low.cloneVector(loop.getBody().front(), names(loop.getVars())[1], n, extents[1], width, [](ValueRange) {});
  });
}

} // namespace cupola::cuda
