//===- lib/Target/CUDA/LowerGemm.cpp - a product on plain cores ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using cupola::cuda::symbol;

namespace cupola::cuda {
#define GEN_PASS_DEF_LOWERGEMM
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// A thread owns threadM by threadN accumulators, in groups of four by four: row 4*ty + 4*
/// (tileM/threadM)*group + r, so that a warp's fragments come from few banks.
class Gemm : public cuda::ProductLowering {
public:
  using ProductLowering::ProductLowering;

private:
  static constexpr int64_t stages = 2, group = 4;

  void letThreads() override {
    low.let("tx", mod(symbol("t"), tileN / threadN), tileN / threadN);
    Expr row = mod(floorDiv(symbol("t"), tileN / threadN), tileM / threadM);
    low.let("ty", simplify(row, low.rangesHere()), tileM / threadM);
  }

  LogicalResult product() override {
    Type f32 = low.builder.getF32Type();
    cuda::Operand a = lhs(), b = rhs();
    acc = low.registers({threadM, threadN}, f32, 1, /*zero=*/true);
    for (cuda::Operand *op : {&a, &b}) {
      plan(*op, /*mostWidth=*/4);
      op->pitch = op->outer + 4; // Vectors stay aligned, rows start in different banks.
      allocate(*op, f32, stages, /*withRegisters=*/true);
    }
    LogicalResult done = tileLoop(a, b, stages, /*async=*/false, [&] {
      return forDepth([&]() -> LogicalResult {
        Value left = fragment(a, symbol("ty"), threadM, tileM / threadM);
        Value right = fragment(b, symbol("tx"), threadN, tileN / threadN);
        FmaTileOp::create(low.builder, low.func.getLoc(), acc, left, right);
        return success();
      });
    });
    addParts(acc);
    return done;
  }

  /// The loop over "k" of a tile, a few at a time: where a short main loop is unrolled around
  /// a longer one, ptxas loads everything ahead until it spills.
  LogicalResult forDepth(cuda::Lowering::Body body) {
    constexpr int64_t atOnce = 8;
    int64_t depth = tileK / split;
    if (depth <= atOnce || depth % atOnce != 0)
      return low.loop("k", 0, depth, 1, /*unroll=*/true, body);
    Expr first = symbol("kk");
    return low.loop("kk", 0, depth, atOnce, /*unroll=*/false,
                    [&] { return low.loop("k", first, first + atOnce, 1, /*unroll=*/true, body); });
  }

  /// This thread's elements of row "k" of an operand's tile.
  Value fragment(const cuda::Operand &op, const Expr &thread, int64_t count, int64_t threadsAlong) {
    Value result = low.registers({count}, low.builder.getF32Type());
    Expr k = firstOfPart() + symbol("k");
    Expr at = symbol("s") * (tileK * op.pitch) + k * op.pitch + thread * group;
    LoadFragmentOp::create(low.builder, low.func.getLoc(), op.smem, at, group, threadsAlong * group, result);
    return result;
  }

  LogicalResult epilogue(ForeachOp loop) override {
    int64_t width = epilogueWidth(loop, group);
    Expr i = symbol("i"), j = symbol("j"), c = symbol("c");
    Expr m =
        symbol("tm") * tileM + symbol("ty") * group + mod(i, group) + floorDiv(i, group) * (group * tileM / threadM);
    Expr n = symbol("tn") * tileN + symbol("tx") * group + j * (group * tileN / threadN);
    return low.loop("i", 0, threadM, 1, /*unroll=*/true, [&] {
      return row(loop, m, [&] {
        return low.loop("j", 0, threadN / group, 1, /*unroll=*/true, [&]() -> LogicalResult {
          if (width == group)
            return columns(loop, n, width, acc, {i, j * group});
          return low.loop("c", 0, group / width, 1, /*unroll=*/true,
                          [&] { return columns(loop, n + c * width, width, acc, {i, j * group + c * width}); });
        });
      });
    });
  }

  int64_t threadM = number("thread_m"), threadN = number("thread_n");
  Value acc;
};

struct LowerGemm : cuda::impl::LowerGemmBase<LowerGemm> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "gemm" && !func->hasAttr("launch"))
      if (failed(Gemm(func).run()))
        signalPassFailure();
  }
};

} // namespace
