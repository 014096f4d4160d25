//===- lib/Target/CUDA/Schedules/Attention.cpp - attention on plain cores ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/AttentionLowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

/// Sixteen lanes share four rows; of a tile's columns each has runs of `run` neighbours, sixteen runs apart. Products
/// are made as those of a gemm, queries and keys or values coming through two small buffers; weights lie in shared
/// memory between the two products, for every lane of the row multiplies all of them.
class Attention : public cuda::AttentionLowering {
public:
  Attention(kernel::FuncOp func, cuda::AttentionAttr schedule)
      : AttentionLowering(func, schedule.getRows(), schedule.getThreads(), lanes) {}

  static constexpr int64_t lanes = 16, rowsOfThread = 4, stages = 2;

private:
  static int64_t padded(int64_t columns) { return llvm::alignTo(columns, 2 * lanes); }

  void letThreads() override {
    tx = low.let("tx", mod(low.thread(), lanes), lanes);
    ty = low.let("ty", floorDiv(low.thread(), lanes), rows / rowsOfThread);
  }

  SmallVector<int64_t> rowExtents() const override { return {rowsOfThread}; }
  SmallVector<int64_t> tileExtents(int64_t columns) const override { return {rowsOfThread, padded(columns) / lanes}; }
  int64_t neighbours(int64_t columns) const override { return padded(columns) % (4 * lanes) == 0 ? 4 : 2; }
  graph::Exprs element(const graph::Exprs &row, const graph::Exprs &column) const override {
    return {row[0], column[0]};
  }

  LogicalResult forRows(PlaceBody body) override {
    return low.loop("r", 0, rowsOfThread, 1, /*unroll=*/true,
                    [&](const Expr &r) { return body({{r}, ty * rowsOfThread + r}); });
  }

  LogicalResult forColumns(int64_t columns, int64_t width, PlaceBody body) override {
    const int64_t each = neighbours(columns);
    return low.loop("g", 0, padded(columns) / (lanes * each), 1, /*unroll=*/true, [&](const Expr &g) {
      Expr first = g * (lanes * each) + tx * each;
      if (width == each)
        return body({{g * each}, first});
      return low.loop("c", 0, each / width, 1, /*unroll=*/true,
                      [&](const Expr &c) { return body({{g * each + c * width}, first + c * width}); });
    });
  }

  LogicalResult scores(Value acc) override {
    cuda::Operand q = queries(), k = cuda::keysOf(parts);
    for (cuda::Operand *op : {&q, &k}) {
      op->depth = 16;
      place(*op);
    }
    return copies.tileLoop({&q, &k}, stages, [&] {
      return forDepth(
          q.depth, [&](const Expr &step) { return multiply(acc, q.smem, copies.buffer(q) + step * q.pitch, k, step); });
    });
  }

  LogicalResult result(Value acc, Value weights) override {
    const int64_t pitch = rows + 4;
    Type f32 = low.builder.getF32Type();
    if (!shared)
      shared = atEntry([&] { return low.smem(parts.keys * pitch, f32); });
    LogicalResult stored = forRows([&](const Place &row) {
      return forColumns(parts.keys, 1, [&](const Place &column) -> LogicalResult {
        low.storeShared(low.get(weights, element(row.at, column.at)), shared, column.index * pitch + row.index);
        return success();
      });
    });
    cuda::Operand v = cuda::valuesOf(parts);
    v.outer = padded(parts.columns);
    v.depth = 8;
    place(v);
    return failed(stored) ? stored : copies.tileLoop({&v}, stages, [&] {
      return forDepth(v.depth, [&](const Expr &step) {
        return multiply(acc, shared, (copies.tile * v.depth + step) * pitch, v, step);
      });
    });
  }

  /// Rows of shared memory along k, four elements longer, so that they begin in different banks.
  void place(cuda::Operand &op) {
    copies.vectors.plan(op, /*mostWidth=*/4);
    op.pitch = op.outer + 4;
    copies.allocate(op, low.builder.getF32Type(), stages, /*withRegisters=*/true);
  }

  LogicalResult multiply(Value acc, Value lhs, const Expr &lhsAt, const cuda::Operand &rhs, const Expr &step) {
    const int64_t each = neighbours(rhs.outer);
    Value a = fragment(lhs, lhsAt + ty * rowsOfThread, rowsOfThread, rowsOfThread, rowsOfThread);
    Value b =
        fragment(rhs.smem, copies.buffer(rhs) + step * rhs.pitch + tx * each, rhs.outer / lanes, each, each * lanes);
    FmaTileOp::create(low.builder, low.func.getLoc(), acc, a, b);
    return success();
  }

  Value fragment(Value smem, Expr at, int64_t count, int64_t width, int64_t stride) {
    Value result = low.registers({count}, low.builder.getF32Type());
    SmallVector<Value> indices = low.vars.write(at);
    LoadFragmentOp::create(low.builder, low.func.getLoc(), smem, at, indices, width, stride, result);
    return result;
  }

  LogicalResult forDepth(int64_t depth, cuda::Lowering::LoopBody body) {
    return low.loop("k", 0, depth, 1, /*unroll=*/true, body);
  }

  /// What all steps share is made before them.
  Value atEntry(llvm::function_ref<Value()> make) {
    OpBuilder::InsertionGuard saved(low.builder);
    low.builder.setInsertionPointToStart(&low.func.getBody().front());
    return make();
  }

  Expr tx, ty;  ///< of the thread among those that share rows; of its rows
  Value shared; ///< weights, [key][row]
};

} // namespace

LogicalResult cuda::AttentionAttr::verify(EmitError error, int64_t rows) {
  if (failed(verifyPositive(error, {rows})) || failed(verifyDivides(error, "the block's rows", rows, 8)))
    return failure();
  return verifyThreads(error, rows * 4);
}

cuda::Candidates cuda::AttentionAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  // What the matrix units take is never faster without them.
  if (!facts.attention || !AttentionMmaAttr::candidates(facts, target).empty())
    return {};
  Candidates found;
  for (int64_t rows : {64, 32, 16})
    found.push_back(AttentionAttr::get(facts.context(), rows));
  return found;
}

/// What the busiest multiprocessor does per key. To bring a key and its value to shared memory costs about as much as
/// to multiply them with sixteen rows.
double cuda::AttentionAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  const AttentionFacts &attention = *facts.attention;
  const int64_t blocks = attention.batch * attention.tiles(getRows());
  return double(llvm::divideCeilSigned(blocks, target.multiprocessors)) * double(getRows() + 16);
}

bool cuda::AttentionAttr::compilesAlone() const { return true; }

LogicalResult cuda::AttentionAttr::lower(kernel::FuncOp func) const { return Attention(func, *this).run(); }
