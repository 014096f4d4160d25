//===- lib/Target/CUDA/Schedules/Recurrence.cpp - all steps of a loop over states in one launch ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The blocks run at once. Each keeps its columns of the weights in registers, and its elements of the states, a thread
// one of them; what the products of a step read of the others goes through memory, and the grid meets between (Diamos
// et al., Persistent RNNs: Stashing Recurrent Weights On-Chip, 2016). Two places take turns: whoever writes one has met
// those who read it, while others may still read the other.
//===----------------------------------------------------------------------===//

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

using cuda::lanes;

class RecurrenceLowering {
public:
  RecurrenceLowering(kernel::FuncOp func, const cuda::RecurrenceTiles &tiles, const cuda::RecurrenceParts &parts)
      : low(func), tiles(tiles), parts(parts), width(parts.shape.width), perDirection(tiles.blocksOf(width)),
        blocks(perDirection * parts.shape.directions), vector(tiles.vector(width)), f32(low.builder.getF32Type()) {}

  LogicalResult run() {
    low.launch(tiles.threads(), {Expr(blocks)});
    const Expr direction = low.let("direction", floorDiv(low.block(), perDirection), parts.shape.directions);
    low.bindGrid(direction);
    firstUnit =
        low.let("firstUnit", mod(low.block(), perDirection) * tiles.units, (perDirection - 1) * tiles.units + 1);
    part = low.let("part", mod(low.thread(), tiles.split), tiles.split);
    column = low.let("column", floorDiv(low.thread(), tiles.split), tiles.threads() / tiles.split);
    ownRow = low.let("row", floorDiv(low.thread(), tiles.units), llvm::divideCeilSigned(tiles.threads(), tiles.units));
    ownUnit = low.let("unit", mod(low.thread(), tiles.units), tiles.units);
    exchange = low.workspace(parts.shape.directions * int64_t(parts.dots.size()) * 2 * tiles.rows * width, f32);
    exchangeAt = direction * (int64_t(parts.dots.size()) * 2 * tiles.rows * width);
    staged = low.smem(tiles.rows * tiles.depth(width), f32);
    if (perDirection > 1)
      counters = low.counters(1);
    if (failed(keepWeights()))
      return failure();
    const Expr count = ceilDiv(parts.rows, tiles.rows), steps = parts.steps.getSteps();
    LogicalResult done = low.loop("tile", 0, count, 1, /*unroll=*/false, [&](const Expr &tile) {
      firstRow = tile * tiles.rows;
      beforeTile = tile * steps;
      return statements(low.body());
    });
    if (counters)
      atGrid<GridLeaveOp>(count * steps * products());
    return done;
  }

private:
  Location loc() { return low.func.getLoc(); }
  int64_t products() const { return parts.dots.size(); }
  int64_t gatesOf(size_t dot) const { return parts.shape.gates[dot]; }

  //===--- Weights ---===//

  /// A lane has [step][element of the vector] of one column of each product.
  LogicalResult keepWeights() {
    for (auto [i, dot] : llvm::enumerate(parts.dots)) {
      weights.push_back(low.registers({tiles.steps(width) * vector}, f32, 1, /*zero=*/true));
      memory.push_back(low.smem(tiles.rows * gatesOf(i) * tiles.units, f32));
      if (failed(keepWeights(i, dot)))
        return failure();
    }
    return success();
  }

  LogicalResult keepWeights(size_t i, DotOp dot) {
    Block &rhs = dot.getRhs().front();
    const Expr unit = firstUnit + mod(column, tiles.units);
    return low.guard({gatesOf(i) * tiles.units - 1 - column, width - 1 - unit}, [&] {
      low.bind(rhs.getArgument(1), floorDiv(column, tiles.units) * width + unit, gatesOf(i) * width);
      return low.loop("i", 0, tiles.steps(width) * vector, 1, /*unroll=*/true, [&](const Expr &element) {
        const Expr k = depthOf(floorDiv(element, vector)) + mod(element, vector);
        return low.guard({width - 1 - k}, [&]() -> LogicalResult {
          low.bind(rhs.getArgument(0), k, width);
          if (failed(low.clone(rhs)))
            return failure();
          low.set(low.cast(low.yielded(rhs)[0], f32), weights[i], {element});
          return success();
        });
      });
    });
  }
  /// Where a lane's vector begins: those of neighbouring lanes are neighbours.
  Expr depthOf(const Expr &step) const { return (step * tiles.split + part) * vector; }

  //===--- Elements of states ---===//

  LogicalResult statements(Block &block) {
    for (Operation &op : block)
      if (failed(statement(op)))
        return failure();
    return success();
  }

  LogicalResult statement(Operation &op) {
    if (auto map = dyn_cast<MapOp>(op))
      return keep(map);
    if (auto each = dyn_cast<ForeachOp>(op))
      return own(each, [](ValueRange) {});
    if (auto loop = dyn_cast<kernel::ForOp>(op))
      return iterate(loop);
    if (auto dot = dyn_cast<DotOp>(op))
      return multiply(dot);
    return isa<kernel::YieldOp>(op) ? success() : low.clone(op);
  }

  LogicalResult inOwn(cuda::Lowering::Body body) {
    return inTile([&] { return isWhole() ? body() : low.guard({parts.rows - 1 - (firstRow + ownRow)}, body); });
  }
  /// No tile has more rows than there are.
  bool isWhole() const { return cupola::divisible(parts.rows, tiles.rows, low.divisors); }
  /// Also where the tile has more rows than there are.
  LogicalResult inTile(cuda::Lowering::Body body) {
    return low.guard({tiles.rows - 1 - ownRow, width - 1 - (firstUnit + ownUnit)}, body);
  }

  /// The thread's own element of a loop over those of states.
  LogicalResult own(Operation *loop, llvm::function_ref<void(ValueRange)> take) {
    Block &body = loop->getRegion(0).front();
    return inOwn([&]() -> LogicalResult {
      bindOwn(loop);
      for (Operation &op : body)
        if (!isa<kernel::YieldOp>(op) && !isKnown(op) && failed(low.clone(op)))
          return failure();
      take(low.yielded(body));
      return success();
    });
  }

  void bindOwn(Operation *loop) {
    Block &body = loop->getRegion(0).front();
    low.bind(body.getArgument(0), firstRow + ownRow, parts.rows);
    low.bind(body.getArgument(1), firstUnit + ownUnit, width);
    low.enter(loop);
  }

  /// What an element is made of beside states and products: its loads are under way while those are computed.
  LogicalResult readAhead(MapOp map) {
    llvm::SetVector<Operation *> early;
    for (Operation &op : map.getBody().front())
      if (isEarly(op, early))
        early.insert(&op);
    if (llvm::none_of(early, llvm::IsaPred<LoadOp>))
      return success();
    for (Operation *op : early)
      if (!isa<kernel::ConstantOp>(op) &&
          llvm::any_of(op->getUsers(), [&](Operation *user) { return !early.contains(user); }))
        ahead[op] = low.registers({}, op->getResult(0).getType());
    return inOwn([&]() -> LogicalResult {
      bindOwn(map);
      for (Operation *op : early) {
        if (failed(low.clone(*op)))
          return failure();
        if (Value place = ahead.lookup(op))
          low.set(low.values.lookup(op->getResult(0)), place);
      }
      return success();
    });
  }
  /// A scalar that is made of the element's place and of such scalars.
  static bool isEarly(Operation &op, const llvm::SetVector<Operation *> &early) {
    const bool isScalar = op.getNumResults() == 1 && !isa<IndexType>(op.getResult(0).getType());
    return isScalar && !isa<ExtractOp>(op) && (isa<LoadOp>(op) || isMemoryEffectFree(&op)) &&
           llvm::all_of(op.getOperands(), [&](Value value) {
             return value.getParentBlock() != op.getBlock() || isa<BlockArgument>(value) ||
                    early.contains(value.getDefiningOp());
           });
  }

  LogicalResult keep(MapOp map) {
    SmallVector<Value> registers;
    for (Value tile : map.getTiles()) {
      registers.push_back(low.registers({}, cast<TileType>(tile.getType()).getElement(), 1, /*zero=*/true));
      hold(tile, registers.back());
    }
    return own(map, [&](ValueRange made) {
      for (auto [value, place] : llvm::zip_equal(made, registers))
        low.set(value, place);
    });
  }

  void hold(Value tile, Value registers) {
    held[tile] = registers;
    low.tiles[tile] = {registers, [](const Expr &) { return graph::Exprs(); }};
  }

  /// Several states may begin as one tile.
  void begin(kernel::ForOp loop) {
    for (auto [initial, carried] : llvm::zip_equal(loop.getInits(), loop.getCarried())) {
      const Value from = held.lookup(initial);
      hold(carried, low.registers({}, cast<RegistersType>(from.getType()).getElement(), 1, /*zero=*/true));
      (void)inOwn([&, carried = carried] {
        low.set(low.get(from), held.lookup(carried));
        return success();
      });
    }
  }

  LogicalResult iterate(kernel::ForOp loop) {
    begin(loop);
    LogicalResult done = low.loop(loop.getStep(), 0, loop.getSteps(), 1, /*unroll=*/false, [&]() -> LogicalResult {
      step = low.here(low.vars.of(loop.getStep()));
      if (failed(statements(loop.getBody().front())))
        return failure();
      return inOwn([&] {
        const auto next =
            llvm::map_to_vector(loop.getYield().getValues(), [&](Value tile) { return low.get(held.lookup(tile)); });
        for (auto [value, carried] : llvm::zip_equal(next, loop.getCarried()))
          low.set(value, held.lookup(carried));
        return success();
      });
    });
    for (auto [carried, result] : llvm::zip_equal(loop.getCarried(), loop.getResults()))
      hold(result, held.lookup(carried));
    return done;
  }

  //===--- Products ---===//

  LogicalResult multiply(DotOp dot) {
    const size_t i = llvm::find(parts.dots, dot) - parts.dots.begin();
    const Value left = cuda::RecurrenceParts::leftOf(dot).getTile();
    const Expr now = beforeTile + step;
    const Expr from = exchangeAt + (int64_t(i) * 2 + mod(now, 2)) * (tiles.rows * width);
    if (failed(inTile([&] {
          low.store(low.cast(low.get(held.lookup(left)), f32), exchange, from + ownRow * width + firstUnit + ownUnit);
          return success();
        })))
      return failure();
    meet(now * products() + int64_t(i));
    stage(from);
    if (i == 0)
      for (MapOp map : dot->getBlock()->getOps<MapOp>())
        if (dot->isBeforeInBlock(map) && failed(readAhead(map)))
          return failure();
    BarrierOp::create(low.builder, loc());
    const int64_t warps = gatesOf(i) * tiles.units * tiles.split / lanes; // that have columns
    if (failed(low.guard({warps - 1 - floorDiv(low.thread(), lanes)}, [&] { return sumUp(i); })))
      return failure();
    BarrierOp::create(low.builder, loc());
    return success();
  }

  void meet(const Expr &meetings) {
    if (counters)
      atGrid<GridBarrierOp>(meetings);
    else
      BarrierOp::create(low.builder, loc());
  }
  /// Behind so many meetings of the grid.
  template <class Meeting> void atGrid(const Expr &meetings) {
    Expr arrivals = (meetings + 1) * blocks;
    const SmallVector<Value> indices = low.vars.write(arrivals);
    Meeting::create(low.builder, loc(), counters, arrivals, indices);
  }

  /// The left operand to shared memory, [row][depth]; a depth that is not there is zeros.
  void stage(const Expr &from) {
    const int64_t vectors = tiles.depth(width) / vector;
    (void)low.loop("v", low.thread(), tiles.rows * vectors, tiles.threads(), /*unroll=*/false, [&](const Expr &v) {
      const Expr row = floorDiv(v, vectors), k = mod(v, vectors) * vector;
      const bool isPadded = tiles.depth(width) != width;
      const Value some = low.registers({}, f32, vector);
      const cuda::Lowering::Source source{from + row * width + k,
                                          isPadded ? graph::Exprs{width - 1 - k} : graph::Exprs(),
                                          isPadded ? low.constant(f32, 0) : Value()};
      if (vector == 1) {
        low.storeShared(low.load(exchange, source), staged, v);
      } else {
        low.loadVector(exchange, source, some);
        low.storeVector(some, {}, staged, v * vector);
      }
      return success();
    });
  }

  /// Of a column, for all rows that there are, to shared memory, [row][column].
  LogicalResult sumUp(size_t i) {
    const Expr rows = isWhole() ? Expr(tiles.rows) : min(Expr(tiles.rows), parts.rows - firstRow);
    return low.loop("r", 0, rows, 1, /*unroll=*/false, [&](const Expr &row) {
      SmallVector<Value> sums; // of each place of a vector
      for (int64_t e = 0; e < vector; ++e)
        sums.push_back(low.registers({1, 1}, f32, 1, /*zero=*/true));
      (void)low.loop("i", 0, tiles.steps(width), 1, /*unroll=*/true, [&](const Expr &step) {
        const Expr at = row * tiles.depth(width) + depthOf(step);
        const Value left = low.registers({}, f32, vector);
        if (vector > 1)
          low.loadVector(staged, {at, {}}, left);
        for (int64_t e = 0; e < vector; ++e)
          addProduct(sums[e], vector > 1 ? low.get(left, {Expr(e)}) : low.loadShared(staged, at),
                     low.get(weights[i], {step * vector + e}));
        return success();
      });
      Value sum = low.get(sums[0], {Expr(0), Expr(0)});
      for (Value more : llvm::drop_begin(sums))
        sum = BinaryOp::create(low.builder, loc(), f32, graph::BinaryKind::Add, sum, low.get(more, {Expr(0), Expr(0)}));
      if (tiles.split > 1)
        sum = WarpReduceOp::create(low.builder, loc(), f32, graph::ReduceKind::Sum, sum, tiles.split);
      return low.guard({-part}, [&] {
        low.storeShared(sum, memory[i], row * (gatesOf(i) * tiles.units) + column);
        return success();
      });
    });
  }

  void addProduct(Value sum, Value left, Value weight) {
    Value ofRow = low.registers({1}, f32), ofColumn = low.registers({1}, f32);
    low.set(left, ofRow, {Expr(0)});
    low.set(weight, ofColumn, {Expr(0)});
    FmaTileOp::create(low.builder, loc(), sum, ofRow, ofColumn);
  }

  /// An element of a product is in shared memory, what was read ahead in registers.
  bool isKnown(Operation &op) {
    if (Value place = ahead.lookup(&op)) {
      low.values.map(op.getResult(0), low.get(place));
      return true;
    }
    auto extract = dyn_cast<ExtractOp>(op);
    auto dot = extract ? extract.getTile().getDefiningOp<DotOp>() : DotOp();
    if (!dot)
      return false;
    const size_t i = llvm::find(parts.dots, dot) - parts.dots.begin();
    const Expr at = low.read(extract.getPoint(), extract.getIndices())[1];
    const Expr gate = simplify(floorDiv(at, width), low.vars.ranges());
    low.values.map(extract.getResult(),
                   low.loadShared(memory[i], (ownRow * gatesOf(i) + gate) * tiles.units + ownUnit));
    return true;
  }

  cuda::Lowering low;
  const cuda::RecurrenceTiles tiles;
  cuda::RecurrenceParts parts;
  const int64_t width, perDirection, blocks, vector;
  const Type f32;
  Expr firstUnit, part, column, ownRow, ownUnit; ///< of the block, the lane, and the thread
  Expr firstRow, beforeTile, step;               ///< of the tile of rows; steps of those before it; of the loop
  Value exchange, counters;                      ///< counters where several blocks share a direction
  Value staged;                                  ///< a left operand
  Expr exchangeAt;
  SmallVector<Value> weights, memory;       ///< of each product; its sums
  llvm::DenseMap<Value, Value> held;        ///< the registers of a tile's own element
  llvm::DenseMap<Operation *, Value> ahead; ///< of what was read ahead
};

} // namespace

LogicalResult cuda::RecurrenceAttr::verify(EmitError error, int64_t rows, int64_t units, int64_t split, int64_t warps) {
  if (failed(verifyPositive(error, {rows, units, split, warps})))
    return failure();
  if (!llvm::isPowerOf2_64(split) || split > lanes || units % (lanes / split) != 0)
    return error() << split << " lanes for a column are no part of a warp, or its columns no part of " << units
                   << " units";
  if (rows * units > warps * lanes)
    return error() << rows << " rows of " << units << " units are more than there are threads";
  return verifyThreads(error, warps * lanes);
}

cuda::Candidates cuda::RecurrenceAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.recurrence)
    return {};
  const std::optional<RecurrenceTiles> tiles = chooseTiles(facts.recurrence->shape, target);
  if (!tiles)
    return {};
  return {RecurrenceAttr::get(facts.context(), tiles->rows, tiles->units, tiles->split, tiles->warps)};
}

/// There is no other.
double cuda::RecurrenceAttr::cost(const KernelFacts &, const GpuArchitecture &) const { return 1; }

bool cuda::RecurrenceAttr::compilesAlone() const { return true; }

LogicalResult cuda::RecurrenceAttr::lower(kernel::FuncOp func) const {
  const std::optional<RecurrenceParts> parts = recurrenceParts(func);
  if (!parts)
    return func.emitError("is no loop over states");
  const int64_t columns = *llvm::max_element(parts->shape.gates) * getUnits();
  if (columns * getSplit() > getWarps() * lanes)
    return func.emitError() << "has products of " << columns << " columns for " << getUnits()
                            << " units, and threads for " << getWarps() * lanes / getSplit();
  return RecurrenceLowering(func, {getRows(), getUnits(), getSplit(), getWarps()}, *parts).run();
}
