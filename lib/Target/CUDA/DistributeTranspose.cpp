//===- lib/Target/CUDA/DistributeTranspose.cpp - turn tiles in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Transpose.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DISTRIBUTETRANSPOSE
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

/// Whether a load runs along `var` and not along the innermost variable.
static bool isTransposed(LoadOp load, StringRef var, StringRef innermost) {
  if (!load.getMask().empty() || !load.getIndices().empty())
    return false;
  Expr position = load.getPosition();
  std::optional<Expr> along = position.coefficient(var.str());
  std::optional<Expr> across = position.coefficient(innermost.str());
  return along && along->isConstant(1) && across && !across->isConstant(0) && !across->isConstant(1);
}

std::optional<std::string> cuda::transposedAxis(ForeachOp loop) {
  SmallVector<std::string> vars = names(loop.getVars());
  graph::Exprs extents = graph::exprsOf(loop.getExtents());
  auto isLong = [](const Expr &extent) { return extent.constant().value_or(32) >= 8; };
  Block &body = loop.getBody().front();
  bool storesAlong = llvm::all_of(body.getOps<StoreOp>(), [&](StoreOp store) {
    std::optional<Expr> stride = store.getPosition().coefficient(vars.back());
    return stride && stride->isConstant(1);
  });
  if (vars.size() < 2 || !storesAlong || !isLong(extents.back()))
    return std::nullopt;
  for (size_t i = 0; i + 1 < vars.size(); ++i)
    if (isLong(extents[i]) &&
        llvm::any_of(body.getOps<LoadOp>(), [&](LoadOp load) { return isTransposed(load, vars[i], vars.back()); }))
      return vars[i];
  return std::nullopt;
}

namespace {

class Transpose {
public:
  explicit Transpose(FuncOp func) : low(func) {}

  LogicalResult run() {
    auto loop = *low.source().getOps<ForeachOp>().begin();
    vars = cuda::names(loop.getVars());
    extents = graph::exprsOf(loop.getExtents());
    std::string axis = *cuda::transposedAxis(loop);
    across = llvm::find(vars, axis) - vars.begin();
    graph::Exprs tiles = extents;
    for (size_t i : {across, vars.size() - 1})
      tiles[i] = ceilDiv(extents[i], tile);
    Expr blocks = graph::product(tiles);
    low.launch(threads, blocks);
    for (Operation &op : low.source())
      if (&op != loop.getOperation() && failed(low.clone(op)))
        return failure();
    return low.guardBlocks(blocks, [&] {
      // Tiles have the names of the axes that they cut, with a "t" behind.
      SmallVector<std::string> outer = vars;
      for (size_t i : {across, vars.size() - 1})
        outer[i] += "t";
      low.letCoordinates(outer, tiles, Expr::symbol("b"));
      low.enter(loop.getVars(), loop.getExtents());
      return body(loop);
    });
  }

private:
  static constexpr int64_t threads = 256, tile = 32, pitch = tile + 1;

  Expr along() const { return mod(Expr::symbol("t"), tile); }
  Expr acrossRow() const { return Expr::symbol("i") * (threads / tile) + floorDiv(Expr::symbol("t"), tile); }

  /// The elements of the tile, neighbouring threads along `fast`.
  LogicalResult elements(bool fastIsInner, cuda::Lowering::Body body) {
    return low.loop("i", 0, tile * tile / threads, 1, /*unroll=*/true, [&] {
      Expr inner = fastIsInner ? along() : acrossRow(), outer = fastIsInner ? acrossRow() : along();
      size_t last = vars.size() - 1;
      Expr atInner = Expr::symbol(vars[last] + "t") * tile + inner;
      Expr atOuter = Expr::symbol(vars[across] + "t") * tile + outer;
      return low.guard({extents[last] - 1 - atInner, extents[across] - 1 - atOuter}, [&] {
        low.let(vars[last], atInner, extents[last]);
        low.let(vars[across], atOuter, extents[across]);
        place = inner * pitch + outer;
        return body();
      });
    });
  }

  LogicalResult body(ForeachOp loop) {
    Block &block = loop.getBody().front();
    Location loc = low.func.getLoc();
    llvm::MapVector<Operation *, Value> turned;
    for (auto load : block.getOps<LoadOp>())
      if (isTransposed(load, vars[across], vars.back()))
        turned[load] = low.smem(tile * pitch, load.getType());
    LogicalResult loaded = elements(/*fastIsInner=*/false, [&]() -> LogicalResult {
      for (auto [op, smem] : turned) {
        if (failed(low.clone(*op)))
          return failure();
        StoreSharedOp::create(low.builder, loc, low.values.lookup(op->getResult(0)), smem, place);
      }
      return success();
    });
    if (failed(loaded))
      return failure();
    BarrierOp::create(low.builder, loc);
    return elements(/*fastIsInner=*/true, [&]() -> LogicalResult {
      for (Operation &op : block) {
        if (auto it = turned.find(&op); it != turned.end())
          low.values.map(
              op.getResult(0),
              LoadSharedOp::create(low.builder, loc, op.getResult(0).getType(), it->second, place).getResult());
        else if (failed(low.clone(op)))
          return failure();
      }
      return success();
    });
  }

  cuda::Lowering low;
  SmallVector<std::string> vars;
  graph::Exprs extents;
  size_t across = 0;
  Expr place;
};

struct DistributeTranspose : cuda::impl::DistributeTransposeBase<DistributeTranspose> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "transpose" && !func->hasAttr("launch"))
      if (failed(Transpose(func).run()))
        signalPassFailure();
  }
};

} // namespace
