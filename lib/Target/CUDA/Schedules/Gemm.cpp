//===- lib/Target/CUDA/Schedules/Gemm.cpp - a product on plain cores ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

/// A thread owns threadM by threadN accumulators, in groups of four by four: row 4*ty + 4*
/// (tileM/threadM)*group + r, so that a warp's fragments come from few banks.
class Gemm : public cuda::ProductLowering {
public:
  Gemm(kernel::FuncOp func, cuda::GemmAttr schedule)
      : ProductLowering(func, tileOf(schedule), schedule.getThreads()), threadM(schedule.getThreadM()),
        threadN(schedule.getThreadN()) {}

private:
  static constexpr int64_t stages = 2, group = 4;

  void letThreads() override {
    tx = low.let("tx", mod(low.thread(), tileN / threadN), tileN / threadN);
    Expr row = mod(floorDiv(low.thread(), tileN / threadN), tileM / threadM);
    ty = low.let("ty", simplify(row, low.vars.ranges()), tileM / threadM);
  }

  LogicalResult product() override {
    cuda::Operand a = lhs(), b = rhs();
    acc = low.registers({threadM, threadN}, sumType(), 1, /*zero=*/true);
    for (cuda::Operand *op : {&a, &b}) {
      copies.vectors.plan(*op, /*mostWidth=*/4);
      op->pitch = op->outer + 4; // Vectors stay aligned, rows start in different banks.
      copies.allocate(*op, sumType(), stages, /*withRegisters=*/true);
    }
    rings[0] = a.smem, rings[1] = b.smem;
    return copies.tileLoop({&a, &b}, stages, [&] {
      return forDepth([&](const Expr &k) -> LogicalResult {
        Value left = fragment(a, k, ty, threadM, tileM / threadM);
        Value right = fragment(b, k, tx, threadN, tileN / threadN);
        FmaTileOp::create(low.builder, low.func.getLoc(), acc, left, right);
        return success();
      });
    });
  }

  /// The loop over "k" of a tile, a few at a time: where a short main loop is unrolled around
  /// a longer one, ptxas loads everything ahead until it spills.
  LogicalResult forDepth(cuda::Lowering::LoopBody body) {
    constexpr int64_t atOnce = 8;
    int64_t depth = tileK / slices;
    if (depth <= atOnce || depth % atOnce != 0)
      return low.loop("k", 0, depth, 1, /*unroll=*/true, body);
    return low.loop("kk", 0, depth, atOnce, /*unroll=*/false,
                    [&](const Expr &first) { return low.loop("k", first, first + atOnce, 1, /*unroll=*/true, body); });
  }

  /// This thread's elements of row k of an operand's tile.
  Value fragment(const cuda::Operand &op, const Expr &step, const Expr &thread, int64_t count, int64_t threadsAlong) {
    Value result = low.registers({count}, sumType());
    Expr k = firstOfSlice() + step;
    Expr at = copies.buffer(op) + k * op.pitch + thread * group;
    SmallVector<Value> indices = low.vars.write(at);
    LoadFragmentOp::create(low.builder, low.func.getLoc(), op.smem, at, indices, group, threadsAlong * group, result);
    return result;
  }

  /// Of the i-th of the thread's rows, and of its j-th group of columns, in the tile.
  Expr rowOf(const Expr &i) const {
    return ty * group + mod(i, group) + floorDiv(i, group) * (group * tileM / threadM);
  }
  Expr columnOf(const Expr &j) const { return tx * group + j * (group * tileN / threadN); }

  bool keepsRuns() const override { return false; }
  int64_t runWidth() const override { return group; }
  void forRuns(RunBody body) override {
    (void)low.loop("i", 0, threadM, 1, /*unroll=*/true, [&](const Expr &i) {
      return low.loop("j", 0, threadN / group, 1, /*unroll=*/true, [&](const Expr &j) {
        body(rowOf(i), columnOf(j), {i, j * group});
        return success();
      });
    });
  }

  LogicalResult epilogue(Operation *loop) override {
    int64_t width = epilogueWidth(loop, group);
    return low.loop("i", 0, threadM, 1, /*unroll=*/true, [&](const Expr &i) {
      return row(loop, atM * tileM + rowOf(i), [&] {
        return low.loop("j", 0, threadN / group, 1, /*unroll=*/true, [&](const Expr &j) -> LogicalResult {
          Expr n = atN * tileN + columnOf(j);
          if (width == group)
            return columns(loop, n, width, acc, {i, j * group});
          return low.loop("c", 0, group / width, 1, /*unroll=*/true, [&](const Expr &c) {
            return columns(loop, n + c * width, width, acc, {i, j * group + c * width});
          });
        });
      });
    });
  }

  int64_t threadM, threadN;
  Expr tx, ty; ///< of the thread among those along n and m
};

} // namespace

LogicalResult cuda::GemmAttr::verify(EmitError error, int64_t m, int64_t n, int64_t k, int64_t threadM, int64_t threadN,
                                     int64_t slices) {
  // A thread's elements come in groups of four by four.
  if (failed(verifyPositive(error, {m, n, k, threadM, threadN, slices})) ||
      failed(verifyDivides(error, "the thread's m", threadM, 4)) ||
      failed(verifyDivides(error, "the thread's n", threadN, 4)) ||
      failed(verifyDivides(error, "the tile's m", m, threadM)) ||
      failed(verifyDivides(error, "the tile's n", n, threadN)) ||
      failed(verifyDivides(error, "the tile's k", k, slices)))
    return failure();
  return verifyThreads(error, m / threadM * (n / threadN) * slices);
}

cuda::Candidates cuda::GemmAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  // What the matrix units take is never faster without them.
  if (!facts.isProductAlone() || isForMatrixUnits(facts.product->dot, target))
    return {};
  auto shape = [&](int64_t m, int64_t n, int64_t k, int64_t threadM, int64_t threadN, int64_t slices) {
    return GemmAttr::get(facts.context(), m, n, k, threadM, threadN, slices);
  };
  // Largest first. Tiles with small m are for few rows: short sequences, late layers. Where the
  // result is small and k long, the threads of a block share k, too.
  const GemmAttr table[] = {shape(128, 128, 16, 8, 8, 1), shape(64, 128, 16, 8, 8, 1), shape(64, 64, 16, 8, 4, 1),
                            shape(32, 64, 16, 4, 4, 1),   shape(16, 64, 16, 4, 4, 1),  shape(16, 32, 64, 4, 4, 4)};
  return fitting(ArrayRef(table), *facts.product);
}

double cuda::GemmAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  return tileCost(tileOf(*this), *facts.product, target);
}

bool cuda::GemmAttr::compilesAlone() const { return true; }

LogicalResult cuda::GemmAttr::lower(kernel::FuncOp func) const { return Gemm(func, *this).run(); }
