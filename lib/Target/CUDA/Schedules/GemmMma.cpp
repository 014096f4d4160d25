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

/// Bytes of an element of both operands.
int64_t operandBytes(DotOp dot) {
  return graph::byteSize(dot.getLhs().front().getTerminator()->getOperand(0).getType());
}

/// A warp owns a tile of 16*MI by 8*NI; its fragments come from shared memory by ldmatrix.
class Mma : public cuda::ProductLowering {
public:
  Mma(kernel::FuncOp func, cuda::GemmMmaAttr schedule, MmaKind kind)
      : ProductLowering(func, tileOf(schedule), schedule.getThreads()), kind(kind), warpsM(schedule.getWarpsM()),
        warpsN(schedule.getWarpsN()), asyncStages(schedule.getStages()), mmaK(schedule.getMmaK()),
        hasAsync(schedule.getAsync()) {
    mostRows = 16;
  }

private:
  void letThreads() override {
    Expr warp = floorDiv(low.thread(), 32);
    wm = low.let("wm", simplify(mod(floorDiv(warp, warpsN), warpsM), low.vars.ranges()), warpsM);
    wn = low.let("wn", mod(warp, warpsN), warpsN);
    lane = low.let("lane", mod(low.thread(), 32), 32);
  }

  LogicalResult product() override {
    cuda::Operand a = lhs(), b = rhs();
    const int64_t bytes = operandBytes(dot);
    acc = low.registers({tilesM, tilesN, 4}, sumType(), 1, /*zero=*/true);
    for (cuda::Operand *op : {&a, &b})
      copies.vectors.plan(*op, /*mostWidth=*/16 / bytes);
    const bool isPacked = copies.vectors.planPacked(b);
    // ldmatrix wants rows of lhs along k; those of rhs may go either way, but of bytes it turns none.
    a.kMajor = false;
    b.kMajor = !b.alongK && bytes > 1;
    bool async = hasAsync && copies.vectors.canCopyAsync(a) && (isPacked || copies.vectors.canCopyAsync(b));
    int64_t stages = async ? asyncStages : 2;
    for (cuda::Operand *op : {&a, &b}) {
      if (op->kMajor && bytes == 4)
        op->pitch = op->outer + 8; // no ldmatrix: four rows of eight elements at a time come from all banks
      else
        copies.swizzle(*op);
      copies.allocate(*op, op->body->getTerminator()->getOperand(0).getType(), stages, /*withRegisters=*/!async);
    }
    Type u32 = IntegerType::get(low.func.getContext(), 32, IntegerType::Unsigned);
    const int64_t words = mmaK * bytes / 4; // of a row of a fragment
    Value left = low.registers({tilesM, words / 2}, u32), right = low.registers({tilesN, words / 4}, u32);
    auto load = [&](const Expr &step) { loadFragments(a, b, step, left, right); };
    auto compute = [&]() -> LogicalResult {
      MmaOp::create(low.builder, low.func.getLoc(), acc, left, right, kind);
      return success();
    };
    if (failed(copies.tileLoop({&a, &b}, stages, async, {tileK / slices / mmaK, load, compute})))
      return failure();
    if (slices > 1 || hasStrips(tilesN))
      leaveTiles(a, b, async);
    return success();
  }

  /// Behind it nobody writes or reads the tiles any more: copies of zeros may be under way. Slices and parts have a
  /// barrier where they meet.
  void leaveTiles(const cuda::Operand &a, const cuda::Operand &b, bool async) {
    if (async)
      AsyncWaitOp::create(low.builder, low.func.getLoc(), 0);
    if (slices == 1 && split == 1)
      BarrierOp::create(low.builder, low.func.getLoc());
    rings[0] = a.smem, rings[1] = b.smem;
  }

  void loadFragments(const cuda::Operand &a, const cuda::Operand &b, const Expr &step, Value left, Value right) {
    Expr k = firstOfSlice() + step * mmaK;
    auto load = [&](MmaOperand form, const cuda::Operand &op, Expr at, Value fragment) {
      SmallVector<Value> indices = low.vars.write(at);
      MmaLoadOp::create(low.builder, low.func.getLoc(), form, op.smem, at, indices, op.pitch, fragment);
    };
    load(MmaOperand::A, a, copies.sharedPlace(a, wm * (16 * tilesM), k), left);
    load(b.kMajor ? MmaOperand::B : MmaOperand::BT, b, copies.sharedPlace(b, wn * (8 * tilesN), k), right);
  }

  bool keepsRuns() const override { return ProductLowering::keepsRuns() && (slices > 1 || tilesN % 4 == 0); }
  int64_t runWidth() const override { return 2; }
  void forRuns(RunBody body) override {
    fragmentRuns({tilesM, tilesN, wn * (8 * tilesN), lane, /*inRow=*/nullptr, wm * (16 * tilesM)}, body);
  }

  LogicalResult epilogue(Operation *loop) override {
    const Expr m = atM * tileM + wm * (16 * tilesM), n = atN * tileN + wn * (8 * tilesN);
    auto inRow = [&](const Expr &part, const Expr &at, cuda::Lowering::Body body) {
      return row(loop, m + part * 16 + at, body);
    };
    return fragments(loop, {tilesM, tilesN, n, lane, inRow, m, rings[0]});
  }

  MmaKind kind;
  int64_t warpsM, warpsN, asyncStages, mmaK;
  bool hasAsync;
  int64_t tilesM = tileM / (16 * warpsM), tilesN = tileN / (8 * warpsN);
  Expr wm, wn, lane; ///< of the warp along m and n; of the thread in it
};

} // namespace

LogicalResult cuda::GemmMmaAttr::verify(EmitError error, int64_t m, int64_t n, int64_t k, int64_t warpsM,
                                        int64_t warpsN, int64_t slices, int64_t stages, int64_t mmaK, bool,
                                        int64_t split) {
  if (failed(verifyPositive(error, {m, n, k, warpsM, warpsN, slices, stages, mmaK, split})))
    return failure();
  if (stages < 2)
    return error() << "one stage leaves nothing to overlap";
  if (mmaK != 8 && mmaK != 16 && mmaK != 32)
    return error() << "an mma of depth " << mmaK << " is none of 8, 16 and 32";
  // The matrix units multiply 16 by mmaK with mmaK by 8, an ldmatrix loads four of 8 by 8; steps of a tile come in
  // pairs.
  const int64_t at = mmaK == 8 ? 32 : 16;
  if (failed(verifyDivides(error, "the tile's m", m, at * warpsM)) ||
      failed(verifyDivides(error, "the tile's n", n, at * warpsN)) ||
      failed(verifyDivides(error, "the tile's k", k, 2 * slices * mmaK)))
    return failure();
  if (64 % (n / warpsN) != 0)
    return error() << "a warp's " << n / warpsN << " columns are no part of a row of 64";
  return verifyThreads(error, warpsM * warpsN * slices * 32);
}

namespace {

struct Shape {
  int64_t m, n, k, warpsM, warpsN, slices, stages;
};
// Largest first; warps of 64 by 64 need the fewest fragments per product. Tiles with small m and slices of k are for
// few rows and small results. Those that come through registers need some for that, and have fewer accumulators.
constexpr Shape asyncShapes[] = {
    {256, 128, 64, 4, 2, 1, 3}, {256, 128, 32, 4, 2, 1, 4}, {128, 256, 32, 2, 4, 1, 3}, {128, 128, 32, 2, 2, 1, 4},
    {128, 128, 32, 2, 4, 1, 3}, {256, 64, 32, 4, 1, 1, 4},  {128, 64, 32, 2, 1, 1, 3},  {64, 128, 32, 1, 2, 1, 3},
    {64, 64, 128, 2, 1, 4, 3},  {64, 64, 64, 2, 2, 1, 4},   {32, 64, 128, 1, 1, 4, 3},  {32, 32, 128, 1, 1, 4, 4},
    {16, 64, 128, 1, 1, 4, 3},  {16, 32, 128, 1, 1, 4, 4},
};
/// Where weights stay packed: without those whose threads have too few registers for that. The first two have too few
/// where each byte is a number.
constexpr Shape packedShapes[] = {
    {128, 128, 32, 2, 2, 1, 4}, {128, 64, 32, 2, 1, 1, 3}, {256, 128, 32, 4, 2, 1, 4}, {128, 256, 32, 2, 4, 1, 3},
    {128, 128, 32, 2, 4, 1, 3}, {256, 64, 32, 4, 1, 1, 4}, {64, 64, 128, 2, 1, 4, 3},  {64, 64, 64, 2, 2, 1, 4},
    {32, 64, 128, 1, 1, 4, 3},  {32, 32, 128, 1, 1, 4, 4}, {16, 64, 128, 1, 1, 4, 3},  {16, 32, 128, 1, 1, 4, 4},
};
constexpr Shape registerShapes[] = {
    {128, 128, 32, 2, 4, 1, 2}, {128, 64, 32, 4, 2, 1, 2}, {64, 64, 32, 2, 2, 1, 2},
    {32, 64, 64, 1, 2, 2, 2},   {32, 64, 32, 1, 2, 1, 2},  {32, 32, 128, 1, 1, 4, 2},
};

/// Of elements of four bytes, for half as much shared memory.
constexpr Shape asyncShapes32[] = {
    {256, 128, 16, 4, 2, 1, 4}, {128, 256, 16, 2, 4, 1, 4}, {128, 128, 16, 2, 2, 1, 4}, {128, 128, 16, 2, 4, 1, 4},
    {256, 64, 16, 4, 1, 1, 4},  {128, 64, 16, 2, 1, 1, 4},  {64, 128, 16, 1, 2, 1, 4},  {64, 64, 64, 2, 1, 4, 3},
    {64, 64, 32, 2, 2, 1, 4},   {32, 64, 64, 1, 1, 4, 3},   {32, 32, 64, 1, 1, 4, 4},
};
/// Of bytes, for as much shared memory as f16 and twice the depth.
constexpr Shape asyncShapes8[] = {
    {256, 128, 128, 4, 2, 1, 3}, {256, 128, 64, 4, 2, 1, 4}, {128, 256, 64, 2, 4, 1, 3}, {128, 128, 64, 2, 2, 1, 4},
    {128, 128, 64, 2, 4, 1, 3},  {256, 64, 64, 4, 1, 1, 4},  {128, 64, 64, 2, 1, 1, 3},  {64, 128, 64, 1, 2, 1, 3},
    {64, 64, 256, 2, 1, 4, 3},   {64, 64, 128, 2, 2, 1, 4},  {32, 64, 256, 1, 1, 4, 3},  {32, 32, 256, 1, 1, 4, 4},
};
constexpr Shape registerShapes8[] = {
    {128, 128, 64, 2, 4, 1, 2}, {128, 64, 64, 4, 2, 1, 2}, {64, 64, 64, 2, 2, 1, 2},
    {32, 64, 128, 1, 2, 2, 2},  {32, 64, 64, 1, 2, 1, 2},  {32, 32, 256, 1, 1, 4, 2},
};
/// Of float8, where a thread of 64 has too few registers for bytes that come one by one.
constexpr Shape registerShapesFloat8[] = {
    {128, 128, 64, 2, 4, 1, 2}, {128, 64, 64, 4, 2, 1, 2}, {64, 64, 64, 2, 2, 1, 2},
    {32, 64, 128, 1, 2, 2, 2},  {32, 64, 64, 1, 4, 1, 2},  {32, 32, 256, 1, 1, 4, 2},
};
ArrayRef<Shape> shapesFor(MmaKind kind, int64_t operandBytes, bool async,
                          const std::optional<cuda::PackedOperand> &packed) {
  if (async && packed)
    return ArrayRef(packedShapes).drop_front(packed->nibbles ? 0 : 2);
  if (isOfFloat8(kind) && !async)
    return registerShapesFloat8;
  if (operandBytes == 1)
    return async ? ArrayRef(asyncShapes8) : ArrayRef(registerShapes8);
  if (!async)
    return registerShapes;
  return operandBytes == 4 ? ArrayRef(asyncShapes32) : ArrayRef(asyncShapes);
}

/// Blocks that share a depth.
constexpr int64_t splits[] = {1, 2, 3, 4, 6, 8, 9, 12, 16};

/// Registers of a thread for a row of lhs that it copies: where it begins, unless rows are equally far apart, what its
/// mask compares, and whether there is such a row, unless their number is known.
int64_t registersOfRow(const cuda::KernelFacts &facts) {
  DotOp dot = facts.product->dot;
  LoadOp load = cuda::plainLoad(dot.getLhs().front());
  if (!load)
    return 0;
  Variables vars(facts.func);
  const std::string row = vars.name(indicesOf(dot).m);
  const Expr position = simplify(vars.read(load.getPosition(), load.getIndices()), vars.ranges());
  const bool isCounted = graph::exprsOf(dot.getExtents())[0].constant().has_value();
  return (position.coefficient(row) ? 0 : 2) + (load.getMask().empty() ? 0 : 2) + (isCounted ? 0 : 1);
}

/// Of the buffers of both operands, in which slices leave their sums if these have room, of scalars of rows, and of
/// what tells a block whether it is the last one.
int64_t sharedBytes(cuda::GemmMmaAttr shape, const cuda::KernelFacts &facts) {
  const int64_t operandBytes = ::operandBytes(facts.product->dot);
  const int64_t padding = operandBytes == 4 ? 8 * shape.getK() * 4 : 0, depth = shape.getK() * operandBytes;
  const int64_t half = llvm::divideCeilSigned(shape.getSlices(), 2) * shape.getM() * shape.getN() * 4;
  int64_t bytes =
      (shape.getSplit() > 1 ? 16 : 0) + shape.getStages() * padding + shape.getM() * facts.product->rowBytes;
  for (int64_t outer : {shape.getM(), shape.getN()}) {
    const int64_t ring = shape.getStages() * outer * depth;
    bytes += ring + (shape.getSlices() > 1 && half > ring ? half : 0);
  }
  return bytes;
}

/// Accumulators, of float8 also the sums of single products, two sets of fragments, and addresses.
double registersOf(cuda::GemmMmaAttr shape, const cuda::KernelFacts &facts, const GpuArchitecture &target) {
  const int64_t sums = isOfFloat8(*cuda::operandKindOf(facts.product->dot)) && cuda::hasFloat8Units(target) ? 2 : 1;
  const double accumulators =
      double(shape.getM() * shape.getN() * shape.getSlices() * sums) / double(shape.getThreads());
  const double fragments = double(shape.getM() / shape.getWarpsM() + shape.getN() / shape.getWarpsN()) / 2;
  const int64_t vector = 16 / operandBytes(facts.product->dot);
  const double rows = double(shape.getM() * shape.getK()) / double(vector * shape.getThreads());
  return accumulators + fragments + rows * double(registersOfRow(facts)) + 46;
}

} // namespace

cuda::Candidates cuda::GemmMmaAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  // What comes pair by pair from a patch comes no faster element by element.
  if (!facts.isProductAlone() || !isForMatrixUnits(facts.product->dot, target) ||
      !ConvPatchAttr::candidates(facts, target).empty())
    return {};
  constexpr double mostRegisters = 255; // of a thread
  const int64_t bytes = operandBytes(facts.product->dot), mmaK = bytes == 2 ? target.mmaK : 32 / bytes;
  const AsyncOperands operands = asyncOperands(facts.product->dot, facts.vars, facts.divisors);
  const bool async = target.asyncCopy && operands.areBoth();
  SmallVector<GemmMmaAttr> table;
  for (const Shape &s : shapesFor(*operandKindOf(facts.product->dot), bytes, async, operands.packed))
    for (int64_t split : splits) {
      auto shape =
          GemmMmaAttr::get(facts.context(), s.m, s.n, s.k, s.warpsM, s.warpsN, s.slices, s.stages, mmaK, async, split);
      if (sharedBytes(shape, facts) <= target.sharedBytes && registersOf(shape, facts, target) <= mostRegisters)
        table.push_back(shape);
    }
  return fitting(ArrayRef(table), *facts.product);
}

namespace {

struct UnitsPace {
  double rate;         ///< multiply-adds per cycle
  double instructions; ///< to prepare an element of a fragment
};
UnitsPace paceOf(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
  case MmaKind::BF16:
    return {cuda::mmaRate, 0};
  case MmaKind::TF32:
    return {cuda::mmaRate / 2, 2};
  case MmaKind::TF32x3:
    return {cuda::mmaRate / 6, 5};
  default: // bytes, also float8 that becomes f16: what that takes is the same for all large tiles of warps
    return {cuda::mmaRate * 2, 0};
  }
}

} // namespace

/// What is slowest of products, shared memory and L2; a block alone waits for fragments and at barriers.
double cuda::GemmMmaAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  // Bytes of shared memory and elements that are rounded per cycle; cycles from a fragment to the next.
  constexpr double wavefront = 128, lanes = 128, step = 60;
  const double m = double(getM()), n = double(getN()), k = double(getK());
  const int64_t element = operandBytes(facts.product->dot);
  const UnitsPace pace = paceOf(*mmaKindOf(facts.product->dot, target));
  const double multiply = m * n * k / pace.rate, bytes = (m + n) * k * double(element);
  const double inFragments = (m * double(getWarpsN()) + n * double(getWarpsM())) * k;
  const double fragments = inFragments * double(element), roundings = inFragments * pace.instructions / lanes;
  const int64_t resident =
      residentBlocks(target, sharedBytes(*this, facts), getThreads(), registersOf(*this, facts, target));
  // Each of four pipes has the warps of its own.
  auto shared = [&](int64_t warps) { return multiply * double(llvm::alignTo(warps, 4)) / double(warps); };
  const int64_t warps = getThreads() / 32;
  const double busy = std::max({shared(resident * warps), (bytes + fragments) / wavefront, roundings, bytes / l2Rate});
  const double steps = k / double(getSlices() * getMmaK());
  const double alone = std::max({busy, shared(warps), steps * step}) + barrierTime;
  return productCycles(tileOf(*this), {busy, alone, resident, meetingInMemory(tileOf(*this))}, *facts.product, target);
}

bool cuda::GemmMmaAttr::compilesAlone() const { return true; }

LogicalResult cuda::GemmMmaAttr::lower(kernel::FuncOp func) const {
  const DotOp dot = *func.getBody().getOps<DotOp>().begin();
  const std::optional<MmaKind> kind = operandKindOf(dot);
  if (!kind)
    return func.emitError("the matrix units take no such operands");
  return Mma(func, *this, *kind).run();
}
