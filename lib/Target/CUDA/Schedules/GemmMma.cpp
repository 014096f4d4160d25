//===- lib/Target/CUDA/Schedules/GemmMma.cpp - a product by the warps' matrix units ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

/// A warp owns a tile of 16*MI by 8*NI; its fragments come from shared memory by ldmatrix.
class Mma : public cuda::ProductLowering {
public:
  Mma(kernel::FuncOp func, cuda::GemmMmaAttr schedule)
      : ProductLowering(func, tileOf(schedule), schedule.getThreads()), warpsM(schedule.getWarpsM()),
        warpsN(schedule.getWarpsN()), mmaK(schedule.getMmaK()), hasAsync(schedule.getAsync()) {}

private:
  void letThreads() override {
    Expr warp = floorDiv(low.thread(), 32);
    wm = low.let("wm", simplify(mod(floorDiv(warp, warpsN), warpsM), low.vars.ranges()), warpsM);
    wn = low.let("wn", mod(warp, warpsN), warpsN);
    lane = low.let("lane", mod(low.thread(), 32), 32);
  }

  LogicalResult product() override {
    cuda::Operand a = lhs(), b = rhs();
    Type f16 = a.body->getTerminator()->getOperand(0).getType();
    acc = low.registers({tilesM, tilesN, 4}, low.builder.getF32Type(), 1, /*zero=*/true);
    for (cuda::Operand *op : {&a, &b})
      copies.plan(*op, /*mostWidth=*/8);
    // ldmatrix wants rows of lhs along k; those of rhs may go either way. Eight more
    // elements a row put neighbouring rows into different banks.
    a.kMajor = false;
    b.kMajor = !b.alongK;
    bool async = hasAsync && copies.canCopyAsync(a) && copies.canCopyAsync(b);
    int64_t stages = async ? 3 : 2;
    for (cuda::Operand *op : {&a, &b}) {
      op->pitch = (op->kMajor ? op->outer : tileK) + 8;
      copies.allocate(*op, f16, stages, /*withRegisters=*/!async);
    }
    Type u32 = IntegerType::get(low.func.getContext(), 32, IntegerType::Unsigned);
    Value left = low.registers({tilesM, mmaK / 4}, u32), right = low.registers({tilesN, mmaK / 8}, u32);
    auto load = [&](const Expr &step) { loadFragments(a, b, step, left, right); };
    auto compute = [&]() -> LogicalResult {
      MmaOp::create(low.builder, low.func.getLoc(), acc, left, right, f16.isBF16());
      return success();
    };
    LogicalResult done = copies.tileLoop({&a, &b}, stages, async, {tileK / split / mmaK, load, compute});
    addParts(acc);
    return done;
  }

  void loadFragments(const cuda::Operand &a, const cuda::Operand &b, const Expr &step, Value left, Value right) {
    Expr k = firstOfPart() + step * mmaK;
    auto load = [&](MmaOperand form, const cuda::Operand &op, Expr at, Value fragment) {
      SmallVector<Value> indices = low.vars.write(at);
      MmaLoadOp::create(low.builder, low.func.getLoc(), form, op.smem, at, indices, op.pitch, fragment);
    };
    load(MmaOperand::A, a, copies.buffer(a) + wm * (16 * tilesM * a.pitch) + k, left);
    Expr n = wn * (8 * tilesN);
    Expr atB = copies.buffer(b) + (b.kMajor ? k * b.pitch + n : n * b.pitch + k);
    load(b.kMajor ? MmaOperand::B : MmaOperand::BT, b, atB, right);
  }

  LogicalResult epilogue(ForeachOp loop) override {
    return low.loop("i", 0, tilesM, 1, /*unroll=*/true, [&](const Expr &i) {
      Expr m = atM * tileM + wm * (16 * tilesM) + i * 16, n = atN * tileN + wn * (8 * tilesN);
      return fragments(loop, m, n, tilesN, lane, acc, {i});
    });
  }

  int64_t warpsM, warpsN, mmaK;
  bool hasAsync;
  int64_t tilesM = tileM / (16 * warpsM), tilesN = tileN / (8 * warpsN);
  Expr wm, wn, lane; ///< of the warp along m and n; of the thread in it
  Value acc;
};

} // namespace

LogicalResult cuda::GemmMmaAttr::verify(EmitError error, int64_t m, int64_t n, int64_t k, int64_t warpsM,
                                        int64_t warpsN, int64_t split, int64_t mmaK, bool) {
  if (failed(verifyPositive(error, {m, n, k, warpsM, warpsN, split, mmaK})))
    return failure();
  if (mmaK != 8 && mmaK != 16)
    return error() << "an mma of depth " << mmaK << " is none of 8 and 16";
  // The matrix units multiply 16 by mmaK with mmaK by 8; steps of a tile come in pairs.
  if (failed(verifyDivides(error, "the tile's m", m, 16 * warpsM)) ||
      failed(verifyDivides(error, "the tile's n", n, 8 * warpsN)) ||
      failed(verifyDivides(error, "the tile's k", k, 2 * split * mmaK)))
    return failure();
  return verifyThreads(error, warpsM * warpsN * split * 32);
}

cuda::Candidates cuda::GemmMmaAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.product || !isForMatrixUnits(facts.product->dot, target))
    return {};
  auto shape = [&](int64_t m, int64_t n, int64_t k, int64_t warpsM, int64_t warpsN, int64_t split) {
    return GemmMmaAttr::get(facts.context(), m, n, k, warpsM, warpsN, split, target.mmaK, target.asyncCopy);
  };
  // As those of plain cores, largest first.
  const GemmMmaAttr table[] = {shape(128, 128, 32, 2, 4, 1), shape(64, 64, 32, 2, 2, 1), shape(32, 64, 64, 1, 2, 2),
                               shape(32, 64, 32, 1, 2, 1), shape(32, 32, 128, 1, 1, 4)};
  return fitting(ArrayRef(table), *facts.product);
}

double cuda::GemmMmaAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  return tileCost(tileOf(*this), *facts.product, target);
}

bool cuda::GemmMmaAttr::compilesAlone() const { return true; }

LogicalResult cuda::GemmMmaAttr::lower(kernel::FuncOp func) const { return Mma(func, *this).run(); }
