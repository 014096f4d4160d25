//===- lib/Target/CUDA/Schedules/Transpose.cpp - turn tiles in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/Transpose.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

/// Whether a load runs along `var` and not along the innermost variable.
static bool isTransposed(LoadOp load, StringRef var, StringRef innermost, Variables &vars) {
  if (!load.getMask().empty() || cuda::isIndirect(load.getIndices()))
    return false;
  Expr position = vars.read(load.getPosition(), load.getIndices());
  std::optional<Expr> along = position.coefficient(var.str());
  std::optional<Expr> across = position.coefficient(innermost.str());
  return along && along->isConstant(1) && across && !across->isConstant(0) && !across->isConstant(1);
}

std::optional<unsigned> cuda::transposedAxis(ForeachOp loop, Variables &vars) {
  std::vector<std::string> names = vars.names(loop.getBody().getArguments());
  graph::Exprs extents = graph::exprsOf(loop.getExtents());
  auto isLong = [](const Expr &extent) { return extent.constant().value_or(32) >= 8; };
  Block &body = loop.getBody().front();
  bool storesAlong = llvm::all_of(body.getOps<StoreOp>(), [&](StoreOp store) {
    std::optional<Expr> stride = vars.read(store.getPosition(), store.getIndices()).coefficient(names.back());
    return stride && stride->isConstant(1);
  });
  if (names.size() < 2 || !storesAlong || !isLong(extents.back()))
    return std::nullopt;
  for (unsigned i = 0; i + 1 < names.size(); ++i)
    if (isLong(extents[i]) && llvm::any_of(body.getOps<LoadOp>(), [&](LoadOp load) {
          return isTransposed(load, names[i], names.back(), vars);
        }))
      return i;
  return std::nullopt;
}

namespace {

class Transpose {
public:
  Transpose(kernel::FuncOp func, int64_t threads) : low(func), threads(threads) {}

  LogicalResult run() {
    auto loop = *low.body().getOps<ForeachOp>().begin();
    indices = loop.getBody().getArguments();
    extents = graph::exprsOf(loop.getExtents());
    across = *cuda::transposedAxis(loop, low.vars);
    graph::Exprs tiles = extents;
    for (size_t i : {across, indices.size() - 1})
      tiles[i] = ceilDiv(extents[i], tile);
    Expr blocks = graph::product(tiles);
    low.launch(threads, blocks);
    for (Operation &op : low.body())
      if (&op != loop.getOperation() && failed(low.clone(op)))
        return failure();
    return low.guardBlocks([&] {
      bindTiles(tiles);
      low.enter(loop);
      return body(loop);
    });
  }

private:
  static constexpr int64_t tile = 32;
  /// Between rows of a tile in shared memory: an odd number of words, so that a column has a bank for each.
  static int64_t pitch(Type type) { return tile + std::max<int64_t>(1, 4 / graph::byteSize(type)); }

  /// Binds the axes that are not cut, and finds the tile that the block owns of the others.
  void bindTiles(ArrayRef<Expr> tiles) {
    graph::Exprs coordinates = cuda::Lowering::coordinatesOf(tiles, low.block());
    for (size_t i = tiles.size(); i-- > 0;) { // the inner axis comes first in the source
      if (i == across)
        tileAcross = low.let("across", coordinates[i], tiles[i]);
      else if (i + 1 == tiles.size())
        tileAlong = low.let("along", coordinates[i], tiles[i]);
      else
        low.bind(indices[i], coordinates[i], tiles[i]);
    }
  }

  /// Where an element of a type lies in the tile.
  using Place = llvm::function_ref<Expr(Type)>;
  /// The elements of the tile, neighbouring threads along the inner axis or along the other.
  LogicalResult elements(bool fastIsInner, llvm::function_ref<LogicalResult(Place)> body) {
    return low.loop("i", 0, tile * tile / threads, 1, /*unroll=*/true, [&](const Expr &i) {
      Expr column = mod(low.thread(), tile), row = i * (threads / tile) + floorDiv(low.thread(), tile);
      Expr inner = fastIsInner ? column : row, outer = fastIsInner ? row : column;
      Expr atInner = tileAlong * tile + inner, atOuter = tileAcross * tile + outer;
      return low.guard({extents.back() - 1 - atInner, extents[across] - 1 - atOuter}, [&] {
        low.bind(indices.back(), atInner, extents.back());
        low.bind(indices[across], atOuter, extents[across]);
        return body([=](Type type) { return inner * pitch(type) + outer; });
      });
    });
  }

  LogicalResult body(ForeachOp loop) {
    Block &block = loop.getBody().front();
    std::vector<std::string> names = low.vars.names(indices);
    llvm::MapVector<Operation *, Value> turned;
    for (auto load : block.getOps<LoadOp>())
      if (isTransposed(load, names[across], names.back(), low.vars))
        turned[load] = low.smem(tile * pitch(load.getType()), load.getType());
    LogicalResult loaded = elements(/*fastIsInner=*/false, [&](Place place) -> LogicalResult {
      for (auto [op, smem] : turned) {
        if (failed(low.clone(*op)))
          return failure();
        low.storeShared(low.values.lookup(op->getResult(0)), smem, place(op->getResult(0).getType()));
      }
      return success();
    });
    if (failed(loaded))
      return failure();
    simt::BarrierOp::create(low.builder, low.func.getLoc());
    return elements(/*fastIsInner=*/true, [&](Place place) -> LogicalResult {
      for (Operation &op : block) {
        if (auto it = turned.find(&op); it != turned.end())
          low.values.map(op.getResult(0), low.loadShared(it->second, place(op.getResult(0).getType())));
        else if (failed(low.clone(op)))
          return failure();
      }
      return success();
    });
  }

  cuda::Lowering low;
  int64_t threads;
  ValueRange indices;
  graph::Exprs extents;
  size_t across = 0;
  Expr tileAcross, tileAlong;
};

} // namespace

LogicalResult cuda::TransposeAttr::verify(EmitError error, int64_t threads) {
  // A block turns tiles of 32 by 32.
  return success(succeeded(verifyThreads(error, threads)) &&
                 succeeded(verifyDivides(error, "a tile", 32 * 32, threads)));
}

cuda::Candidates cuda::TransposeAttr::candidates(KernelFacts &facts, const GpuArchitecture &) {
  if (!facts.transposedAxis)
    return {};
  return {TransposeAttr::get(facts.context(), /*threads=*/256)};
}

/// No read is strided, but elements pass through shared memory.
double cuda::TransposeAttr::cost(const KernelFacts &, const GpuArchitecture &) const { return 2; }

LogicalResult cuda::TransposeAttr::lower(kernel::FuncOp func) const { return Transpose(func, getThreads()).run(); }
