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

/// The sides of a block's tile, at least.
static int64_t smallestTile(int64_t vector) { return vector == 8 ? 64 : 32; }

/// The loads that are turned along an axis.
static SmallVector<LoadOp> turnedLoads(Block &block, StringRef var, StringRef innermost, Variables &vars) {
  SmallVector<LoadOp> turned;
  for (auto load : block.getOps<LoadOp>())
    if (isTransposed(load, var, innermost, vars))
      turned.push_back(load);
  return turned;
}

namespace {

/// A block's tile of each load that is turned, in shared memory: a row of it for each value of the innermost index.
struct TileShape {
  int64_t width, side;

  /// Lines of memory make the sides of a tile of vectors.
  TileShape(int64_t width, ArrayRef<LoadOp> turned) : width(width), side(smallestTile(width)) {
    constexpr int64_t lineBytes = 128;
    int64_t bytes = 1;
    for (LoadOp load : turned)
      bytes = std::max(bytes, graph::byteSize(load.getType()));
    if (width > 1)
      side = std::max(side, lineBytes / bytes);
  }

  /// What a row has beyond its elements, so that the lanes of a warp that read it across have banks of their own. These
  /// are 32 rows without vectors, and eight elements of every `width`th of four rows with them.
  int64_t padding(Type type) const {
    const int64_t bytes = graph::byteSize(type);
    return width == 1 ? std::max<int64_t>(1, 4 / bytes) : std::max<int64_t>(1, 32 / (width * bytes));
  }
  int64_t pitch(Type type) const { return side + padding(type); }
  int64_t elements(Type type) const { return side * pitch(type); }
  int64_t bytes(ArrayRef<LoadOp> turned) const {
    int64_t sum = 0;
    for (LoadOp load : turned)
      sum += elements(load.getType()) * graph::byteSize(load.getType());
    return sum;
  }
};

} // namespace

/// The most elements that all accesses can have along their axis: loads that are turned along `axis`, stores along the
/// innermost one. 1 if some cannot have vectors of 8 bytes, as in rows that begin anywhere.
static int64_t turnedWidth(ForeachOp loop, unsigned axis, Variables &vars,
                           const std::map<std::string, int64_t> &divisors) {
  const std::vector<std::string> names = vars.names(loop.getBody().getArguments());
  const graph::Exprs extents = graph::exprsOf(loop.getExtents());
  Block &body = loop.getBody().front();
  int64_t narrowest = 8, widest = 1; // bytes of an element
  for (int64_t width : {8, 4, 2}) {
    bool all = divisible(extents[axis], width, divisors) && divisible(extents.back(), width, divisors);
    auto fits = [&](auto op, Type type, StringRef var) {
      narrowest = std::min(narrowest, graph::byteSize(type));
      widest = std::max(widest, graph::byteSize(type));
      return cuda::isContiguous(vars.read(op.getPosition(), op.getIndices()), var, width, divisors) &&
             cuda::sharesMask(vars.read(op.getMask(), op.getIndices()), var, width, divisors);
    };
    for (Operation &op : body)
      if (auto load = dyn_cast<LoadOp>(op); load && isTransposed(load, names[axis], names.back(), vars))
        all &= fits(load, load.getType(), names[axis]);
      else if (auto store = dyn_cast<StoreOp>(op))
        all &= fits(store, store.getValue().getType(), names.back());
    if (all && width * widest <= cuda::Lowering::accessBytes)
      return width * narrowest < 8 ? 1 : width;
  }
  return 1;
}

namespace {

/// A block's tile goes through shared memory, a row of it for each value of the innermost index: written along rows,
/// `width` elements by a thread, and read across them.
class Transpose {
public:
  Transpose(kernel::FuncOp func, cuda::TransposeAttr schedule)
      : low(func), threads(schedule.getThreads()), width(schedule.getVector()) {}

  LogicalResult run() {
    auto loop = *low.body().getOps<ForeachOp>().begin();
    indices = loop.getBody().getArguments();
    extents = graph::exprsOf(loop.getExtents());
    across = *cuda::transposedAxis(loop, low.vars);
    const std::vector<std::string> names = low.vars.names(indices);
    turned = turnedLoads(loop.getBody().front(), names[across], names.back(), low.vars);
    shape.emplace(width, turned);
    tile = shape->side;
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
      return body(loop.getBody().front());
    });
  }

private:
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

  /// The vectors of a tile shared between the threads: `flat` of each.
  LogicalResult vectors(llvm::function_ref<LogicalResult(const Expr &flat)> body) {
    return low.loop("i", 0, tile * tile / width / threads, 1, /*unroll=*/true,
                    [&](const Expr &i) { return body(i * threads + low.thread()); });
  }

  /// Neighbouring lanes along a row of the tile.
  LogicalResult fill() {
    return vectors([&](const Expr &flat) {
      const Expr row = floorDiv(flat, tile / width), column = mod(flat, tile / width) * width;
      const Expr inner = tileAlong * tile + row, outer = tileAcross * tile + column;
      return low.guard({extents.back() - 1 - inner, extents[across] - 1 - outer}, [&] {
        low.bind(indices.back(), inner, extents.back());
        return fillVector(row, column, outer);
      });
    });
  }

  LogicalResult fillVector(const Expr &row, const Expr &column, const Expr &outer) {
    if (width == 1)
      low.bind(indices[across], outer, extents[across]);
    for (auto [load, smem] : llvm::zip_equal(turned, turnedTiles)) {
      const Type type = load.getType();
      const Expr at = row * shape->pitch(type) + column;
      if (width == 1) {
        if (failed(low.clone(*load)))
          return failure();
        low.storeShared(low.values.lookup(load.getResult()), smem, at);
        continue;
      }
      const Value vector = low.registers({}, type, width);
      low.fetchVectors(load, vector, indices[across], outer, extents[across], width, {});
      storePieces(vector, type, smem, at);
    }
    return success();
  }

  void forEach(int64_t count, llvm::function_ref<void(const Expr &e)> body) {
    (void)low.loop("e", 0, count, 1, /*unroll=*/true, [&](const Expr &e) {
      body(e);
      return success();
    });
  }

  /// Rows begin at multiples of their padding, so no more than that is stored at once.
  void storePieces(Value vector, Type type, Value smem, const Expr &at) {
    const int64_t size = std::min(width, shape->padding(type));
    (void)low.loop("p", 0, width / size, 1, /*unroll=*/true, [&](const Expr &p) {
      const Value piece = low.registers({}, type, size);
      forEach(size, [&](const Expr &e) { low.set(low.get(vector, {p * size + e}), piece, {e}); });
      low.storeVector(piece, {}, smem, at + p * size);
      return success();
    });
  }

  /// Neighbouring lanes along the inner axis; with vectors four of them, and eight such rows in a warp: whole sectors.
  LogicalResult drain(Block &block) {
    return vectors([&](const Expr &flat) {
      const int64_t perRow = tile / width, near = width == 1 ? perRow : lanes, rows = 32 / near;
      const Expr warp = floorDiv(flat, 32);
      const Expr row = (mod(warp, perRow / near) * near + mod(flat, near)) * width;
      const Expr column = floorDiv(warp, perRow / near) * rows + mod(floorDiv(flat, near), rows);
      const Expr inner = tileAlong * tile + row, outer = tileAcross * tile + column;
      return low.guard({extents.back() - 1 - inner, extents[across] - 1 - outer}, [&] {
        low.bind(indices[across], outer, extents[across]);
        for (auto [load, smem] : llvm::zip_equal(turned, turnedTiles))
          low.hold(load, elements(load.getType(), smem, row, column), {});
        return low.cloneVector(block, indices.back(), inner, extents.back(), width, [](ValueRange, const Expr &) {});
      });
    });
  }

  /// A vector across rows of the tile.
  Value elements(Type type, Value smem, const Expr &row, const Expr &column) {
    const Value all = low.registers({width}, type);
    forEach(width,
            [&](const Expr &e) { low.set(low.loadShared(smem, (row + e) * shape->pitch(type) + column), all, {e}); });
    return all;
  }

  LogicalResult body(Block &block) {
    for (LoadOp load : turned)
      turnedTiles.push_back(low.smem(shape->elements(load.getType()), load.getType()));
    if (failed(fill()))
      return failure();
    simt::BarrierOp::create(low.builder, low.func.getLoc());
    return drain(block);
  }

  static constexpr int64_t lanes = 4;
  cuda::Lowering low;
  int64_t threads, width, tile = 0;
  std::optional<TileShape> shape;
  ValueRange indices;
  graph::Exprs extents;
  size_t across = 0;
  Expr tileAcross, tileAlong;
  SmallVector<LoadOp> turned;     ///< loads along `across`
  SmallVector<Value> turnedTiles; ///< in shared memory, of each
};

} // namespace

LogicalResult cuda::TransposeAttr::verify(EmitError error, int64_t threads, int64_t vector) {
  if (failed(verifyThreads(error, threads)) || failed(verifyVector(error, vector)))
    return failure();
  if (vector > 8)
    return error() << vector << " elements do not cross a tile at once, at most 8 do";
  const int64_t side = smallestTile(vector);
  return verifyDivides(error, "a tile", side * side / vector, threads);
}

/// Blocks with larger tiles of vectors leave room for too few others.
static constexpr int64_t mostBytesOfVectors = 48 << 10;

cuda::Candidates cuda::TransposeAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.transposedAxis)
    return {};
  auto loop = cast<ForeachOp>(facts.loops.front());
  const std::vector<std::string> names = facts.vars.names(loop.getBody().getArguments());
  const SmallVector<LoadOp> turned =
      turnedLoads(loop.getBody().front(), names[*facts.transposedAxis], names.back(), facts.vars);
  int64_t vector = turnedWidth(loop, *facts.transposedAxis, facts.vars, facts.divisors);
  if (TileShape(vector, turned).bytes(turned) > mostBytesOfVectors)
    vector = 1;
  if (TileShape(vector, turned).bytes(turned) > target.sharedBytes)
    return {};
  return {TransposeAttr::get(facts.context(), /*threads=*/256, vector)};
}

/// No read is strided, but elements pass through shared memory.
double cuda::TransposeAttr::cost(const KernelFacts &, const GpuArchitecture &) const { return 2; }

LogicalResult cuda::TransposeAttr::lower(kernel::FuncOp func) const { return Transpose(func, *this).run(); }
