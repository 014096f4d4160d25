//===- lib/Target/CUDA/Lowering.cpp - positions, structure, registers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"

#include "lib/Target/CUDA/CudaDialect.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

Location cuda::namedLoc(Location loc, StringRef hint) {
  MLIRContext *context = loc.getContext();
  return FusedLoc::get(context, loc, graph::ExprAttr::get(context, Expr::symbol(hint.str())));
}

std::optional<std::string> cuda::nameOf(Location loc) {
  auto named = dyn_cast<FusedLocWith<graph::ExprAttr>>(loc);
  return named ? named.getMetadata().getValue().asSymbol() : std::nullopt;
}

namespace cupola::cuda {

static simt::FuncOp createFunc(OpBuilder &builder, kernel::FuncOp source) {
  ArrayAttr blocks = graph::exprArray(builder.getContext(), {Expr(1)});
  auto func =
      simt::FuncOp::create(builder, source.getLoc(), source.getSymName(), blocks, /*threads=*/1, source.getScalars());
  if (Attribute constants = source->getAttr(constantsAttr))
    func->setAttr(constantsAttr, constants);
  Block &body = func.getBody().emplaceBlock();
  for (BlockArgument view : source.getViews())
    body.addArgument(view.getType(), view.getLoc());
  for (int i = 0; i < 2; ++i) // the block, the thread
    body.addArgument(builder.getIndexType(), source.getLoc());
  return func;
}

Lowering::Lowering(kernel::FuncOp source)
    : source(source), builder(source), vars(source), divisors(scalarDivisors(source.getScalars())),
      loc(source.getLoc()) {
  func = createFunc(builder, source);
  for (auto [view, mine] : llvm::zip_equal(source.getViews(), func.getViews()))
    values.map(view, mine);
  nameIndices();
  builder.setInsertionPointToEnd(&func.getBody().front());
}

/// g0, .. for the grid, d0, .. for loops, j for steps, and m, n, k.
void Lowering::nameIndices() {
  for (auto [i, index] : llvm::enumerate(source.getPoint()))
    hints[index] = "g" + std::to_string(i);
  unsigned loops = 0;
  source.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      DotIndices indices = indicesOf(dot);
      hints[indices.m] = "m";
      hints[indices.n] = "n";
      hints[indices.k] = hints[dot.getRhs().getArgument(0)] = "k";
    } else if (auto loop = dyn_cast<kernel::ForOp>(op)) {
      hints[loop.getStep()] = "j";
    } else if (extentsOf(op)) {
      for (BlockArgument index : op->getRegion(0).getArguments())
        hints[index] = "d" + std::to_string(loops++);
    }
  });
}

void Lowering::launch(int64_t threads, ArrayRef<Expr> blocks) {
  func.setThreads(threads);
  func.setBlocksAttr(graph::exprArray(func.getContext(), blocks));
  for (size_t axis = 1; axis < blocks.size(); ++axis)
    func.getBody().insertArgument(func.getBody().getNumArguments() - 1, builder.getIndexType(), loc);
  mayHaveSurplus = !llvm::all_of(blocks, [](const Expr &extent) { return extent.constant().has_value(); });
  // Before all others: they come first in sums.
  (void)vars.names(llvm::to_vector_of<Value>(func.getBody().getArguments().take_back(blocks.size() + 1)));
}

void Lowering::enter(Operation *loop) { enter(loop->getRegion(0).getArguments(), extentsOf(loop)); }

void Lowering::enter(ValueRange indices, ArrayAttr extents) {
  space = llvm::to_vector(indices);
  spaceExtents = extents;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Expr Lowering::here(const Expr &expr) {
  std::map<std::string, Expr> bound;
  for (const std::string &symbol : expr.symbols())
    if (Value index = vars.value(symbol); index && values.contains(index))
      bound[symbol] = vars.of(values.lookup(index));
  return expr.substitute(bound);
}

graph::Exprs Lowering::read(ArrayAttr exprs, ValueRange indices) {
  return llvm::map_to_vector(vars.read(exprs, indices), [&](const Expr &e) { return here(e); });
}

Expr Lowering::let(StringRef hint, const Expr &value, const Expr &extent) {
  Expr expr = value;
  SmallVector<Value> indices = vars.write(expr);
  return vars.of(ApplyOp::create(builder, namedLoc(loc, hint), builder.getIndexType(), expr, extent, indices));
}

void Lowering::map(Value index, const Expr &variable) {
  Value to = vars.value(*variable.asSymbol());
  values.map(index, to);
  values.map(vars.value(vars.name(index)), to); // the one that stands for both k of a dot
}

void Lowering::bind(Value index, const Expr &value, const Expr &extent) {
  map(index, let(hintOf(index), value, extent));
}

graph::Exprs Lowering::coordinatesOf(ArrayRef<Expr> extents, const Expr &flat) {
  Expr rest = flat;
  graph::Exprs coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = i == 0 ? rest : mod(rest, extents[i]);
    rest = floorDiv(rest, extents[i]);
  }
  return coordinates;
}

void Lowering::bindCoordinates(ValueRange indices, ArrayRef<Expr> extents, const Expr &flat) {
  for (auto [index, coordinate, extent] : llvm::zip_equal(indices, coordinatesOf(extents, flat), extents))
    bind(index, coordinate, extent);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lastBlock(Value counters, Expr counter, const Expr &blocks, Body body) {
  Expr places[] = {counter, blocks};
  SmallVector<Value> indices = vars.write(places);
  Value scratch = smem(1, builder.getIntegerType(32, /*isSigned=*/false));
  auto op = LastBlockOp::create(builder, loc, counters, places[0], places[1], scratch, indices);
  OpBuilder::InsertionGuard saved(builder);
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  return body();
}

LogicalResult Lowering::loop(StringRef hint, const Expr &from, const Expr &to, const Expr &step, bool unroll,
                             LoopBody body) {
  OpBuilder::InsertionGuard saved(builder);
  Expr bounds[] = {from, to, step};
  SmallVector<Value> indices = vars.write(bounds);
  auto op = simt::ForOp::create(builder, loc, bounds[0], bounds[1], bounds[2], indices, unroll);
  Block &block = op.getBody().emplaceBlock();
  Value index = block.addArgument(builder.getIndexType(), namedLoc(loc, hint));
  builder.setInsertionPointToEnd(&block);
  return body(vars.of(index));
}

LogicalResult Lowering::loop(Value index, const Expr &from, const Expr &to, const Expr &step, bool unroll, Body body) {
  return loop(hintOf(index), from, to, step, unroll, [&](const Expr &here) {
    map(index, here);
    return body();
  });
}

std::optional<bool> Lowering::isKnown(const Expr &condition) {
  if (!mayHaveSurplus)
    return proveLessEqual(0, condition, vars.ranges());
  Ranges ranges = vars.ranges();
  for (auto [index, extent] : llvm::zip_equal(func.getBlockIndices(), graph::exprsOf(func.getBlocks())))
    if (!extent.constant())
      ranges[vars.name(index)].hi.reset();
  return proveLessEqual(0, condition, ranges);
}

LogicalResult Lowering::guard(ArrayRef<Expr> conditions, Body body) {
  graph::Exprs open;
  for (const Expr &condition : conditions) {
    const std::optional<bool> known = isKnown(condition);
    if (known == false)
      return success();
    if (!known)
      open.push_back(condition);
  }
  if (open.empty())
    return body();
  OpBuilder::InsertionGuard saved(builder);
  SmallVector<Value> indices = vars.write(open);
  auto op = GuardOp::create(builder, loc, graph::exprArray(func.getContext(), open), indices);
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  return body();
}

LogicalResult Lowering::guardBlocks(Body body) {
  if (!mayHaveSurplus)
    return body();
  graph::Exprs exists;
  for (auto [axis, extent] : llvm::enumerate(graph::exprsOf(func.getBlocks())))
    if (!extent.constant())
      exists.push_back(extent - 1 - block(axis));
  const LogicalResult guarded = guard(exists, [&] {
    mayHaveSurplus = false;
    LogicalResult done = body();
    mayHaveSurplus = true;
    return done;
  });
  for (const Expr &condition : waitsForKernels(func) ? exists : graph::Exprs())
    (void)guard({-1 - condition}, [&]() -> LogicalResult {
      GridWaitOp::create(builder, func.getLoc());
      return success();
    });
  return guarded;
}

bool waitsForKernels(simt::FuncOp func) {
  return func.walk([](GridWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Registers, memory, constants
//===----------------------------------------------------------------------===//

Value Lowering::registers(ArrayRef<int64_t> extents, Type element, int64_t vector, bool zero) {
  auto type = RegistersType::get(func.getContext(), extents, element, vector);
  return RegistersOp::create(builder, loc, type, zero, Value());
}

Value Lowering::variable(Value init) {
  auto type = RegistersType::get(func.getContext(), {}, init.getType(), 1);
  return RegistersOp::create(builder, loc, type, /*zero=*/false, init);
}

Value Lowering::get(Value registers, graph::Exprs index) {
  Type element = llvm::cast<RegistersType>(registers.getType()).getElement();
  SmallVector<Value> indices = vars.write(index);
  return GetOp::create(builder, loc, element, registers, graph::exprArray(func.getContext(), index), indices);
}

void Lowering::set(Value value, Value registers, graph::Exprs index) {
  SmallVector<Value> indices = vars.write(index);
  SetOp::create(builder, loc, value, registers, graph::exprArray(func.getContext(), index), indices);
}

void Lowering::accumulate(graph::ReduceKind kind, Value value, Value registers, graph::Exprs index) {
  SmallVector<Value> indices = vars.write(index);
  AccumulateOp::create(builder, loc, kind, value, registers, graph::exprArray(func.getContext(), index), indices);
}

Value Lowering::constant(Type type, double number) {
  if (auto real = llvm::dyn_cast<FloatType>(type))
    return ConstantOp::create(builder, loc, builder.getFloatAttr(real, number));
  return ConstantOp::create(builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(number)));
}

Value Lowering::cast(Value value, Type type) {
  return value.getType() == type ? value : CastOp::create(builder, loc, type, value).getResult();
}

Value Lowering::smem(int64_t count, Type element, int64_t swizzle, Value over) {
  return SmemOp::create(builder, loc, SmemType::get(func.getContext(), count, element, swizzle), over, IntegerAttr());
}

Value Lowering::workspace(const Expr &elements, Type element) {
  graph::Exprs all = graph::exprsOf(func.getWorkspace());
  all.push_back(elements);
  func.setWorkspaceAttr(graph::exprArray(func.getContext(), all));
  auto type = ViewType::get(func.getContext(), element, Access::ReadWrite);
  return func.getBody().insertArgument(func.getViews().size(), type, loc);
}

static void forElements(Lowering &low, ArrayRef<int64_t> extents, const graph::Exprs &index, const Expr &number,
                        llvm::function_ref<void(const graph::Exprs &, const Expr &)> body) {
  const size_t depth = index.size();
  if (depth == extents.size())
    return body(index, number);
  (void)low.loop("a" + std::to_string(depth), 0, extents[depth], 1, /*unroll=*/true, [&](const Expr &a) {
    graph::Exprs next = index;
    next.push_back(a);
    forElements(low, extents, next, number * extents[depth] + a, body);
    return success();
  });
}

void Lowering::forElements(Value registers, llvm::function_ref<void(const graph::Exprs &, const Expr &)> body) {
  cuda::forElements(*this, llvm::cast<RegistersType>(registers.getType()).getExtents(), {}, 0, body);
}

Value Lowering::loadShared(Value smem, Expr position) {
  SmallVector<Value> indices = vars.write(position);
  return LoadSharedOp::create(builder, loc, llvm::cast<SmemType>(smem.getType()).getElement(), smem, position, indices);
}

void Lowering::storeShared(Value value, Value smem, Expr position) {
  SmallVector<Value> indices = vars.write(position);
  StoreSharedOp::create(builder, loc, value, smem, position, indices);
}

Value Lowering::load(Value view, const Source &from) {
  graph::Exprs exprs{from.position};
  llvm::append_range(exprs, from.mask);
  SmallVector<Value> indices = vars.write(exprs);
  ArrayAttr mask = graph::exprArray(func.getContext(), ArrayRef(exprs).drop_front());
  Type element = llvm::cast<ViewType>(view.getType()).getElement();
  return LoadOp::create(builder, loc, element, view, exprs[0], mask, indices, from.other);
}

void Lowering::store(Value value, Value view, const Expr &position) {
  Expr at = position;
  SmallVector<Value> indices = vars.write(at);
  StoreOp::create(builder, loc, value, view, at, ArrayAttr::get(func.getContext(), {}), indices);
}

void Lowering::loadVector(Value memory, const Source &from, Value registers, graph::Exprs index) {
  graph::Exprs exprs{from.position};
  llvm::append_range(exprs, from.mask);
  llvm::append_range(exprs, index);
  SmallVector<Value> indices = vars.write(exprs);
  ArrayRef<Expr> rest = ArrayRef(exprs).drop_front();
  MLIRContext *context = func.getContext();
  LoadVectorOp::create(builder, loc, memory, registers, exprs[0],
                       graph::exprArray(context, rest.take_front(from.mask.size())),
                       graph::exprArray(context, rest.drop_front(from.mask.size())), indices, from.other);
}

void Lowering::storeVector(Value registers, graph::Exprs index, Value memory, const Expr &position) {
  index.push_back(position);
  SmallVector<Value> indices = vars.write(index);
  ArrayAttr element = graph::exprArray(func.getContext(), ArrayRef(index).drop_back());
  StoreVectorOp::create(builder, loc, registers, memory, element, index.back(), indices);
}

} // namespace cupola::cuda
