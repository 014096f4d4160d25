//===- lib/Target/CUDA/Schedules/GemmWgmma.cpp - a product by warpgroups, copies by another ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CopiedRows.h"
#include "lib/Target/CUDA/CopyRoles.h"
#include "lib/Target/CUDA/ProductLowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

/// Of a product; of a row of shared memory, and as many k as a tile has.
static constexpr int64_t mmaK = 16, swizzle = cuda::copySwizzle, rowElements = cuda::rowElements;
using cuda::rowsOfGroup, cuda::warpgroup;

namespace {

/// Both operands, as one copies them.
struct Operands {
  cuda::CopiedRows a;
  cuda::TensorOperand b;
};

std::optional<Operands> operandsOf(kernel::FuncOp func, DotOp dot, Variables &vars) {
  const graph::Exprs extents = graph::exprsOf(dot.getExtents());
  auto a = cuda::CopiedRows::read(func, dot, rowElements, vars);
  auto b = cuda::tensorOperand(func, dot.getRhs().front(), {indicesOf(dot).n, extents[1]},
                               {dot.getRhs().getArgument(0), extents[2]}, vars);
  if (!a || !b)
    return std::nullopt;
  return Operands{std::move(*a), std::move(*b)};
}

/// One warpgroup, a thread of it, copies tiles; the others multiply 64 rows each. Where one is enough for the rows, no
/// thread gives it registers, and a warp copies. An mbarrier per stage says that it is full, another that nobody reads
/// it any more. Blocks of a cluster are neighbours along m: each copies its rows of lhs, and its part of the columns of
/// rhs to all. No more blocks than the GPU holds go through the tiles of the result: while some warpgroups store one,
/// tiles of k of the next are under way. Or blocks of a cluster share the depth of one tile: their sums meet in shared
/// memory, and each has part of the rows.
class Wgmma : public cuda::ProductLowering {
public:
  Wgmma(kernel::FuncOp func, cuda::GemmWgmmaAttr schedule, const Operands &operands)
      : ProductLowering(func, {schedule.getM(), schedule.getN(), rowElements, 1}, schedule.getThreads()),
        stages(schedule.getStages()), sharing(schedule.getCluster()), parts(schedule.getSplit()),
        cluster(sharing * parts), consumers(schedule.getM() / rowsOfGroup), operands(operands),
        tilesM(ceilDiv(extents[0], tileM * sharing)), tilesN(ceilDiv(extents[1], tileN)),
        all(graph::product(low.grid()) * tilesM * tilesN),
        clusters(parts > 1 ? all : min(all, schedule.getBlocks() / cluster)),
        steps(floorDiv(ceilDiv(extents[2], tileK), parts)), ring(low, stages) {
    mostRows = 8;
  }

  LogicalResult run() {
    if (failed(verifyParts(low.source, parts)))
      return failure();
    low.launch(threads, clusters * cluster);
    low.func.setCluster(cluster);
    low.func.setMapsAttr(ArrayAttr::get(context(), {mapOfLhs(), mapOfRhs()}));
    return low.guardBlocks([&] { return program(); });
  }

private:
  MLIRContext *context() { return low.func.getContext(); }
  Location loc() { return low.func.getLoc(); }

  TensorMapAttr mapOfLhs() { return operands.a.map(context(), rowElements, tileM, swizzle); }
  TensorMapAttr mapOfRhs() {
    return operands.b.map(context(), rowElements, operands.b.alongK ? tileN / sharing : rowElements, swizzle);
  }

  LogicalResult program() {
    number = low.let("number", floorDiv(low.block(), cluster), clusters);
    trips = simplify(floorDiv(all - 1 - number, clusters) + 1, low.vars.ranges());
    letThreads();
    allocate();
    if (failed(prepareBarriers()))
      return failure();
    meet();
    if (isRhsConstant() && failed(copyWeights()))
      return failure();
    GridWaitOp::create(low.builder, loc());
    if (isSmall())
      GridReleaseOp::create(low.builder, loc());
    if (failed(copying([&] { return produce(); })) || failed(multiplying([&] { return consume(); })))
      return failure();
    if (parts > 1) {
      meet();
      if (failed(multiplying([&] { return forResults([&] { return finish(); }); })))
        return failure();
    }
    if (cluster > 1) // Nobody may end while others still reach its barriers.
      meet();
    return success();
  }

  /// All threads of the cluster.
  void meet() {
    if (cluster > 1)
      ClusterBarrierOp::create(low.builder, loc());
    else
      BarrierOp::create(low.builder, loc());
  }

  /// Leaves room on a multiprocessor for a block of the next kernel, which waits there.
  bool isSmall() const { return consumers == 1; }
  LogicalResult copying(cuda::Lowering::Body body) {
    return isSmall() ? cuda::role(low, warpgroup, threads, smallRegisters, body)
                     : cuda::role(low, 0, warpgroup, producerRegisters, body);
  }
  LogicalResult multiplying(cuda::Lowering::Body body) {
    return isSmall() ? cuda::role(low, 0, warpgroup, smallRegisters, body)
                     : cuda::role(low, warpgroup, threads, consumerRegisters, body);
  }
  /// The thread that copies: the first of its role.
  LogicalResult copier(cuda::Lowering::Body body) {
    const int64_t first = isSmall() ? warpgroup : 0;
    return low.guard({low.thread() - first, first - low.thread()}, body);
  }

  void letThreads() override {
    rank = low.vars.of(ClusterRankOp::create(low.builder, cuda::namedLoc(loc(), "rank"), low.builder.getIndexType()));
    lane = low.let("lane", mod(low.thread(), 32), 32);
    warp = low.let("warp", mod(floorDiv(low.thread(), 32), 4), 4);
  }

  void allocate() {
    Type element = dot.getLhs().front().getTerminator()->getOperand(0).getType();
    smemA = low.smem(stages * tileM * rowElements, element, swizzle);
    smemB = low.smem(stages * tileN * rowElements, element, swizzle);
    ring.allocate();
    if (parts > 1)
      sums = low.smem(tileM * tileN, sumType());
  }

  LogicalResult prepareBarriers() {
    return copier([&] {
      (void)low.loop("s", 0, stages, 1, /*unroll=*/true, [&](Expr s) -> LogicalResult {
        // A lane of every warp that multiplies, in every block that a copy goes to.
        ring.init(s, consumers * 4 * sharing);
        return success();
      });
      MbarrierInitFenceOp::create(low.builder, loc());
      for (int64_t map : {0, 1})
        TensorMapAcquireOp::create(low.builder, loc(), map);
      return success();
    });
  }

  /// The loop over the tiles of the result that the block has.
  LogicalResult forResults(cuda::Lowering::Body body) {
    auto at = [&](const Expr &i) { return atResult(i, body); };
    return trips.isConstant(1) ? at(0) : low.loop("i", 0, trips, 1, /*unroll=*/false, at);
  }
  LogicalResult atResult(const Expr &i, cuda::Lowering::Body body) {
    trip = i;
    const Expr tile = low.let("tile", number + i * clusters, all);
    placeTile(tile, tilesM, tilesN);
    if (sharing > 1)
      atM = low.let("m", atM * sharing + rank, tilesM * sharing);
    low.bindGrid(simplify(floorDiv(tile, tilesM * tilesN), low.vars.ranges()));
    return body();
  }

  using Turn = cuda::StageRing::Turn;
  /// The loop over tiles of k of a result. Those of all results take turns in the stages.
  LogicalResult forTiles(llvm::function_ref<void(const Expr &tile, const Turn &turn)> body) {
    return low.loop("kt", 0, steps, 1, /*unroll=*/false, [&](const Expr &tile) -> LogicalResult {
      const Turn turn = ring.turn(trip * steps + tile);
      body(tile, {low.let("s", turn.stage, stages), turn.parity});
      return success();
    });
  }

  //===--- What copies ---===//

  LogicalResult produce() {
    return copier([&] {
      return forResults([&] {
        return forTiles([&](const Expr &tile, const Turn &turn) {
          const Expr use = trip * steps + tile;
          (void)low.guard({isRhsConstant() ? use - tilesAhead() : Expr(0)}, [&] { return startTile(tile, turn); });
          ring.copy(0, operands.a.place(low, atM * tileM, firstOf(tile)), turn, smemA,
                    turn.stage * (tileM * rowElements));
          return success();
        });
      });
    });
  }

  /// No kernel writes them, so that their first tiles need not wait for the kernels before.
  LogicalResult copyWeights() {
    return copier([&] {
      return atResult(0, [&] {
        return low.loop("kt", 0, tilesAhead(), 1, /*unroll=*/false,
                        [&](const Expr &tile) { return startTile(tile, {tile, Expr(0)}); });
      });
    });
  }
  bool isRhsConstant() { return llvm::is_contained(cuda::constantsOf(low.source), int64_t(operands.b.view)); }
  Expr tilesAhead() { return simplify(min(steps, Expr(stages)), low.vars.ranges()); }

  LogicalResult startTile(const Expr &tile, const Turn &turn) {
    ring.await(turn, (tileM + tileN) * rowElements * 2);
    copyRhs(tile, turn);
    return success();
  }

  /// Where this block's tile of k begins.
  Expr firstOf(const Expr &tile) const { return ((parts > 1 ? rank * steps : Expr(0)) + tile) * tileK; }

  /// This block's part of the columns, to all blocks that share them.
  void copyRhs(const Expr &tile, const Turn &turn) {
    const int64_t own = tileN / sharing, blocks = sharing > 1 ? (1 << sharing) - 1 : 0;
    const Expr first = sharing > 1 ? rank * own : Expr(0), n = atN * tileN + first;
    const Expr target = turn.stage * (tileN * rowElements) + first * rowElements;
    if (operands.b.alongK)
      return ring.copy(1, cuda::placeOf(low, operands.b, {firstOf(tile), n}), turn, smemB, target, blocks);
    for (int64_t next = 0; next < own; next += rowElements)
      ring.copy(1, cuda::placeOf(low, operands.b, {n + next, firstOf(tile)}), turn, smemB, target + next * rowElements,
                blocks);
  }

  //===--- What multiplies ---===//

  LogicalResult consume() {
    group = 0;
    if (!isSmall()) {
      Value own = WarpgroupOp::create(low.builder, cuda::namedLoc(loc(), "own"), low.builder.getIndexType());
      group = low.let("wg", low.vars.of(own) - 1, consumers);
    }
    return forResults([&] { return parts > 1 ? leaveSums() : ops(); });
  }

  LogicalResult product() override {
    acc = low.registers({tileN / 8, 4}, low.builder.getF32Type(), 1, /*zero=*/true);
    if (copies.beside && failed(copies.beside()))
      return failure();
    if (failed(forTiles([&](const Expr &tile, const Turn &turn) {
          ring.awaitFull(turn);
          multiply(turn.stage);
          // The products of this tile run on; those of the tile before have read theirs.
          WgmmaWaitOp::create(low.builder, loc(), 1, acc);
          leave(trip * steps + tile + stages - 1, {tile - 1});
        })))
      return failure();
    WgmmaWaitOp::create(low.builder, loc(), 0, acc);
    if (!trips.isConstant(1))
      leave(trip * steps + steps - 1, {});
    if (isSmall())
      return success();
    return low.guard({trip + 1 - trips}, [&] { return GridReleaseOp::create(low.builder, loc()), success(); });
  }

  /// Tells all blocks that copy to this one, a lane for each, that the stage of tile `count` is empty.
  void leave(const Expr &count, graph::Exprs when) {
    when.push_back(sharing - 1 - lane);
    (void)low.guard(when, [&] { return ring.leave(count, parts > 1 ? rank : lane), success(); });
  }

  void multiply(const Expr &stage) {
    WgmmaFenceOp::create(low.builder, loc(), acc, /*fragments=*/Value());
    graph::Exprs at = {stage * (tileM * rowElements) + group * (rowsOfGroup * rowElements),
                       stage * (tileN * rowElements)};
    SmallVector<Value> indices = low.vars.write(at);
    const int64_t toNext = operands.b.alongK ? 0 : tileK * rowElements;
    WgmmaOp::create(low.builder, loc(), acc, smemA, smemB, at[0], at[1], indices, tileK / mmaK, toNext);
    WgmmaCommitOp::create(low.builder, loc());
  }

  //===--- The depth of a tile, shared by a cluster ---===//

  int64_t runWidth() const override { return 2; }
  void forRuns(RunBody body) override {
    fragmentRuns({/*tilesM=*/0, tileN / 8, /*n=*/0, lane, /*inRow=*/nullptr, warp * 16}, body);
  }
  bool keepsRuns() const override { return parts == 1 || vectorOfRow() == cuda::PartMoments::run; }

  /// The sums of this block's part of the depth, to its own shared memory.
  LogicalResult leaveSums() {
    if (failed(product()))
      return failure();
    writeRuns(sums, 0);
    return success();
  }

  /// Of this block's part of the rows: all sums, in the order of the depth, and what becomes of them. A tile is then
  /// what the threads that multiplied share.
  LogicalResult finish() {
    tileM /= parts;
    threads = warpgroup;
    const Expr first = rank * tileM;
    atM = low.let("m", atM * parts + rank, tilesM * parts);
    clearVectors();
    addVectors(parts, [&](int64_t part, const Expr &row, const Expr &column, Value run) {
      graph::Exprs at = {inSums(0, first + row, column), Expr(part)};
      SmallVector<Value> indices = low.vars.write(at);
      LoadClusterOp::create(low.builder, loc(), sums, run, at[0], at[1], indices);
    });
    if (failed(opsBefore()))
      return failure();
    return hasRowScalars() ? dot.emitError("has scalars of rows that blocks with other parts of the depth would need")
                           : opsBehind();
  }

  /// A warp has 16 rows of the 64 of its group.
  cuda::RowScalars::Team team() override { return {32, 16, lane, group * rowsOfGroup + warp * 16, /*isWarp=*/true}; }

  LogicalResult epilogue(Operation *loop) override {
    if (parts > 1)
      return vectorEpilogue(loop);
    Expr m = atM * tileM + group * rowsOfGroup + warp * 16;
    auto inRow = [&](const Expr &, const Expr &at, cuda::Lowering::Body body) { return row(loop, m + at, body); };
    return fragments(loop, {/*tilesM=*/0, tileN / 8, atN * tileN, lane, inRow, m});
  }

  /// What setmaxnreg gives either: of 65536 in all. With one warpgroup that multiplies a thread has enough without.
  static constexpr int64_t producerRegisters = 40, consumerRegisters = 232, smallRegisters = 168;
  int64_t stages, sharing, parts; ///< blocks of a cluster that share columns, or the depth
  int64_t cluster, consumers;
  Operands operands;
  Expr tilesM, tilesN, all;     ///< tiles of a cluster in the result
  Expr clusters, steps;         ///< that share them; tiles of k
  Expr rank, lane, warp, group; ///< of the block in its cluster; in the warp, of the warp in its group; the group
  Expr number, trips, trip;     ///< of the cluster; its tiles, and the one that it is at
  Value smemA, smemB, sums;
  cuda::StageRing ring;
};

} // namespace

LogicalResult cuda::GemmWgmmaAttr::verify(EmitError error, int64_t m, int64_t n, int64_t stages, int64_t cluster,
                                          int64_t blocks, int64_t split) {
  if (failed(verifyPositive(error, {m, n, stages, cluster, blocks, split})) ||
      failed(verifyDivides(error, "the tile's m", m, 64)))
    return failure();
  if (n != 64 && n != 128 && n != 256)
    return error() << "a tile of " << n << " columns is none of 64, 128 and 256";
  if (stages < 2)
    return error() << "one stage leaves nothing to overlap";
  // A copy along n brings 64 columns.
  if (cluster > 8 || n % (64 * cluster) != 0)
    return error() << "a cluster of " << cluster << " blocks does not share " << n << " columns";
  if (split > 1 && (m != rowsOfGroup || cluster > 1 || 8 % split != 0))
    return error() << "a tile of " << m << " rows in clusters of " << cluster << " is none whose depth " << split
                   << " blocks share";
  if (failed(verifyDivides(error, "the number of blocks", blocks, cluster * split)))
    return failure();
  return verifyThreads(error, threadsOf(m));
}

/// Of a block of 64 rows: eight, but no more than it has tiles of k, so that other blocks have room beside it.
static int64_t stagesFor(const cuda::ProductFacts &product, int64_t split) {
  return std::clamp<int64_t>(llvm::divideCeilSigned(product.k, rowElements) / split, 2, 8);
}

cuda::Candidates cuda::GemmWgmmaAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.isProductAlone() || !target.wgmma || !areHalves(facts.product->dot, target) ||
      !operandsOf(facts.func, facts.product->dot, facts.vars))
    return {};
  Candidates found;
  auto add = [&](int64_t m, int64_t n, int64_t stages, int64_t cluster, int64_t split = 1) {
    const int64_t together = cluster * split, blocks = target.multiprocessors / together * together;
    if (fits({m * cluster, n, rowElements, 1, split}, *facts.product) && (split == 1 || !facts.product->rowBytes))
      found.push_back(GemmWgmmaAttr::get(facts.context(), m, n, stages, cluster, blocks, split));
  };
  add(128, 256, 4, 2);
  add(128, 256, 4, 1);
  add(128, 128, 6, 1);
  add(128, 64, 8, 1);
  for (int64_t split : {1, 2, 4})
    add(64, 64, stagesFor(*facts.product, split), 1, split);
  return found;
}

/// Blocks of a cluster read the columns once, and are launched together. mma.sync has 62 % of the rate of wgmma: Luo et
/// al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (2024).
double cuda::GemmWgmmaAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  const double multiply = double(getM() * getN() * rowElements) * 0.62 / mmaRate;
  const double bytes = double((getM() + getN() / getCluster()) * rowElements * 2);
  const double busy = std::max(multiply, bytes / l2Rate);
  ProductFacts rounded = *facts.product;
  rounded.m = llvm::alignTo(std::max<int64_t>(rounded.m, 1), getM() * getCluster());
  const double meeting = getSplit() > 1 ? 1000 : 0; // of the cluster
  return productCycles({getM(), getN(), rowElements, 1, getSplit()}, {busy, busy, 1, meeting}, rounded, target);
}

bool cuda::GemmWgmmaAttr::compilesAlone() const { return true; }

LogicalResult cuda::GemmWgmmaAttr::lower(kernel::FuncOp func) const {
  Variables vars(func);
  auto dots = func.getBody().getOps<DotOp>();
  std::optional<Operands> operands;
  if (!dots.empty())
    operands = operandsOf(func, *dots.begin(), vars);
  if (!operands)
    return func.emitError() << "has no operands that tensor copies bring";
  return Wgmma(func, *this, *operands).run();
}
