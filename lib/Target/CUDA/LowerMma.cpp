//===- lib/Target/CUDA/LowerMma.cpp - a product by the warps' matrix units ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/ProductLowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using cupola::cuda::symbol;

namespace cupola::cuda {
#define GEN_PASS_DEF_LOWERMMA
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// A warp owns a tile of 16*MI by 8*NI; its fragments come from shared memory by ldmatrix.
class Mma : public cuda::ProductLowering {
public:
  using ProductLowering::ProductLowering;

private:
  void letThreads() override {
    Expr warp = floorDiv(symbol("t"), 32);
    low.let("wm", simplify(mod(floorDiv(warp, warpsN), warpsM), low.rangesHere()), warpsM);
    low.let("wn", mod(warp, warpsN), warpsN);
    low.let("lane", mod(symbol("t"), 32), 32);
  }

  LogicalResult product() override {
    cuda::Operand a = lhs(), b = rhs();
    Type f16 = a.body->getTerminator()->getOperand(0).getType();
    acc = low.registers({tilesM, tilesN, 4}, low.builder.getF32Type(), 1, /*zero=*/true);
    for (cuda::Operand *op : {&a, &b})
      plan(*op, /*mostWidth=*/8);
    // ldmatrix wants rows of lhs along k; those of rhs may go either way. Eight more
    // elements a row put neighbouring rows into different banks.
    a.kMajor = false;
    b.kMajor = !b.alongK;
    bool async = hasAsync && canCopy(a) && canCopy(b);
    int64_t stages = async ? 3 : 2;
    for (cuda::Operand *op : {&a, &b}) {
      op->pitch = (op->kMajor ? op->outer : tileK) + 8;
      allocate(*op, f16, stages, /*withRegisters=*/!async);
    }
    LogicalResult done = tileLoop(a, b, stages, async, [&] {
      return low.loop("k", 0, tileK / split / mmaK, 1, /*unroll=*/true, [&] { return multiply(a, b, f16.isBF16()); });
    });
    addParts(acc);
    return done;
  }

  /// Whole vectors of at least four bytes along the rows of shared memory.
  bool canCopy(const cuda::Operand &op) { return op.width >= 2 && vectorLoad(op) && op.alongK != op.kMajor; }

  LogicalResult multiply(const cuda::Operand &a, const cuda::Operand &b, bool bf16) {
    Location loc = low.func.getLoc();
    Type u32 = IntegerType::get(low.func.getContext(), 32, IntegerType::Unsigned);
    Value left = low.registers({tilesM, mmaK / 4}, u32), right = low.registers({tilesN, mmaK / 8}, u32);
    Expr k = firstOfPart() + symbol("k") * mmaK;
    Expr atA = symbol("s") * (tileM * a.pitch) + symbol("wm") * (16 * tilesM * a.pitch) + k;
    MmaLoadOp::create(low.builder, loc, MmaOperand::A, a.smem, atA, a.pitch, left);
    Expr n = symbol("wn") * (8 * tilesN);
    Expr atB = b.kMajor ? symbol("s") * (tileK * b.pitch) + k * b.pitch + n
                        : symbol("s") * (tileN * b.pitch) + n * b.pitch + k;
    MmaLoadOp::create(low.builder, loc, b.kMajor ? MmaOperand::B : MmaOperand::BT, b.smem, atB, b.pitch, right);
    MmaOp::create(low.builder, loc, acc, left, right, bf16);
    return success();
  }

  /// Accumulators 2*h and 2*h + 1 are neighbours in row 8*h + lane/4 of a 16 by 8 tile.
  LogicalResult epilogue(ForeachOp loop) override {
    int64_t width = epilogueWidth(loop, 2);
    Expr i = symbol("i"), j = symbol("j"), h = symbol("h"), c = symbol("c"), lane = symbol("lane");
    Expr m = symbol("tm") * tileM + symbol("wm") * (16 * tilesM) + i * 16 + h * 8 + floorDiv(lane, 4);
    Expr n = symbol("tn") * tileN + symbol("wn") * (8 * tilesN) + j * 8 + mod(lane, 4) * 2;
    auto pair = [&]() -> LogicalResult {
      if (width == 2)
        return columns(loop, n, width, acc, {i, j, h * 2});
      return low.loop("c", 0, 2, 1, /*unroll=*/true, [&] { return columns(loop, n + c, 1, acc, {i, j, h * 2 + c}); });
    };
    return low.loop("i", 0, tilesM, 1, /*unroll=*/true, [&] {
      return low.loop("h", 0, 2, 1, /*unroll=*/true,
                      [&] { return row(loop, m, [&] { return low.loop("j", 0, tilesN, 1, /*unroll=*/true, pair); }); });
    });
  }

  int64_t warpsM = number("warps_m"), warpsN = number("warps_n");
  int64_t mmaK = number("mma_k");
  bool hasAsync = number("async") != 0;
  int64_t tilesM = tileM / (16 * warpsM), tilesN = tileN / (8 * warpsN);
  Value acc;
};

struct LowerMma : cuda::impl::LowerMmaBase<LowerMma> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "gemm_mma" && !func->hasAttr("launch"))
      if (failed(Mma(func).run()))
        signalPassFailure();
  }
};

} // namespace
