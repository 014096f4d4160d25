//===- lib/Target/CUDA/ChooseSchedule.cpp - how a kernel runs on a GPU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/GemmShapes.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Transpose.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

constexpr int64_t pointwiseThreads = 256, pointThreads = 128;
/// Rows up to this many elements belong to a warp, wider ones to a block.
constexpr int64_t warpRow = 1024;
/// A thread per grid point pays only if there are this many points.
constexpr int64_t manyPoints = 2048;
/// Fewer threads leave a large GPU idle.
constexpr int64_t enoughThreads = 32768;
/// Columns of this many elements are shared by the warps of a block.
constexpr int64_t longColumn = 32;

/// Products with up to this many rows read the weights once and are done.
constexpr int64_t matvecRows = 8;

using Loop = std::pair<Block *, Value>;

/// The iteration of a loop op and its innermost index value.
Loop innermost(Operation *loop) { return {&loop->getRegion(0).front(), loop->getRegion(0).getArguments().back()}; }
Expr innermostExtent(Operation *loop) { return graph::exprsOf(extentsOf(loop)).back(); }

/// All extents are 1: there is nothing to share among threads.
bool isOneStep(Operation *loop) { return extentsOf(loop).empty(); }

class Choice {
public:
  Choice(FuncOp func, const cuda::CudaTargetInfo &target)
      : func(func), target(target), vars(func), divisors(scalarDivisors(func.getScalars())) {
    for (Operation &op : func.getBody().front())
      if (isa<ForeachOp, MapOp, kernel::ReduceOp, ArgReduceOp>(op))
        loops.push_back(&op);
  }

  LogicalResult choose() {
    if (auto dots = func.getBody().getOps<DotOp>(); !dots.empty())
      return product(*dots.begin());
    if (llvm::any_of(loops, [](Operation *loop) { return isOneStep(loop); }))
      return perPoint();
    bool eachOnly = llvm::all_of(loops, [](Operation *op) { return isa<ForeachOp>(op); });
    if (eachOnly && func.getGrid().empty() && !loops.empty())
      return pointwise();
    bool serial = llvm::any_of(loops, [](Operation *op) { return isa<ArgReduceOp>(op); });
    if (serial || loops.empty())
      return perPoint();
    if (readsAlongRows())
      return rows();
    if (hasLongColumns())
      return columns();
    return points().value_or(manyPoints) >= manyPoints ? perPoint() : rows();
  }

private:
  void set(StringRef schedule, ArrayRef<std::pair<StringRef, int64_t>> numbers) {
    Builder builder(func.getContext());
    NamedAttrList params(func.getParams());
    for (auto [name, value] : numbers)
      params.set(name, builder.getI64IntegerAttr(value));
    func.setSchedule(schedule);
    func.setParamsAttr(params.getDictionary(func.getContext()));
  }

  std::optional<int64_t> points() { return graph::product(graph::exprsOf(func.getGrid())).constant(); }

  /// The vector width that every loop agrees on.
  int64_t width() {
    SmallVector<Loop> all;
    for (Operation *loop : loops) {
      all.push_back(innermost(loop));
      if (innermostExtent(loop) != innermostExtent(loops.front()) ||
          !cuda::reducesVectors(*all.back().first, all.back().second))
        return 1;
    }
    return cuda::vectorWidth(all, innermostExtent(loops.front()), vars, divisors);
  }

  LogicalResult pointwise() {
    if (loops.size() == 1 && cuda::transposedAxis(cast<ForeachOp>(loops.front()), vars)) {
      set("transpose", {{"threads", pointwiseThreads}});
      return success();
    }
    set(func.getSchedule() == "gather" ? "gather" : "pointwise", {{"threads", pointwiseThreads}, {"vector", width()}});
    return success();
  }

  LogicalResult perPoint() {
    set("reduction", {{"threads", pointThreads}, {"vector", pointWidth()}});
    return success();
  }

  bool reducesOnly() {
    return llvm::all_of(loops, [](Operation *op) { return isa<kernel::ReduceOp>(op); });
  }
  Value lastPoint() { return func.getPoint().back(); }
  /// Neighbouring values of `index` read neighbouring elements.
  bool stepsByOne(LoadOp load, Value index) {
    return cuda::stepsByOne(vars.read(load.getPosition(), load.getIndices()), vars.name(index));
  }

  /// Neighbouring grid points that a thread computes at once, if enough threads are left.
  int64_t pointWidth() {
    Block &body = func.getBody().front();
    if (func.getGrid().empty() || !reducesOnly() || !cuda::reducesVectors(body, lastPoint()))
      return 1;
    SmallVector<Loop> all = {{&body, lastPoint()}};
    for (Operation *loop : loops)
      all.push_back({&loop->getRegion(0).front(), lastPoint()});
    int64_t width = cuda::vectorWidth(all, graph::exprsOf(func.getGrid()).back(), vars, divisors);
    while (width > 1 && points() && *points() / width < enoughThreads)
      width /= 2;
    return width;
  }

  Expr iterations(Operation *loop) { return graph::product(graph::exprsOf(extentsOf(loop))); }

  /// Few points, long loops, and neighbouring points are neighbours in memory.
  bool hasLongColumns() {
    bool writesPoints = llvm::all_of(loops, [](Operation *op) { return isa<kernel::ReduceOp, MapOp>(op); });
    if (func.getGrid().empty() || !writesPoints || points().value_or(1) >= enoughThreads)
      return false;
    return llvm::any_of(loops, [&](Operation *loop) {
      return iterations(loop).constant().value_or(longColumn) >= longColumn &&
             llvm::any_of(loop->getRegion(0).getOps<LoadOp>(),
                          [&](LoadOp load) { return stepsByOne(load, lastPoint()); });
    });
  }

  LogicalResult columns() {
    int64_t longest = 0;
    for (Operation *loop : loops)
      longest = std::max(longest, iterations(loop).constant().value_or(longColumn));
    set("column_reduction", {{"threads", longest >= 1024 ? 1024 : 256}});
    return success();
  }

  /// Some load moves by one element with the innermost variable of its loop.
  bool readsAlongRows() {
    return llvm::any_of(loops, [&](Operation *loop) {
      auto [block, index] = innermost(loop);
      return llvm::any_of(block->getOps<LoadOp>(), [&, index = index](LoadOp load) { return stepsByOne(load, index); });
    });
  }

  LogicalResult rows() {
    int64_t vector = width();
    Expr columns = iterations(loops.front());
    std::optional<int64_t> count = columns.constant();
    if (!count)
      count = bounds(columns, vars.ranges()).hi;
    if (count && *count <= warpRow) {
      while (vector > 1 && *count / vector < 32) // Better all lanes than whole vectors.
        vector /= 2;
      set("row_reduction", {{"threads", 128}, {"row_threads", 32}, {"vector", vector}});
      return success();
    }
    // Wide or of unknown width: as many threads as vectors, up to a full block.
    int64_t threads = 256;
    while (threads < 1024 && count && *count / vector > threads * 4)
      threads *= 2;
    set("row_reduction", {{"threads", threads}, {"row_threads", threads}, {"vector", vector}});
    return success();
  }

  /// Both operands are f16, or bf16 where the matrix unit takes it.
  bool fitsMma(DotOp dot) {
    Type lhs = dot.getLhs().front().getTerminator()->getOperand(0).getType();
    Type rhs = dot.getRhs().front().getTerminator()->getOperand(0).getType();
    return lhs == rhs && ((lhs.isF16() && target.mmaK > 0) || (lhs.isBF16() && target.mmaK == 16));
  }

  /// At most matvecRows rows, and neighbouring columns of the rhs are neighbours in memory.
  bool fitsMatvec(DotOp dot) {
    std::optional<int64_t> rows = graph::exprsOf(dot.getExtents())[0].constant();
    const std::string column = vars.name(indicesOf(dot).n);
    return rows && *rows <= matvecRows && llvm::all_of(dot.getRhs().front().getOps<LoadOp>(), [&](LoadOp load) {
             std::optional<Expr> stride = vars.read(load.getPosition(), load.getIndices()).coefficient(column);
             return stride && (stride->isConstant(0) || stride->isConstant(1));
           });
  }

  LogicalResult product(DotOp dot) {
    if (fitsMatvec(dot)) {
      set("matvec", {{"rows", *graph::exprsOf(dot.getExtents())[0].constant()}});
      return success();
    }
    if (fitsMma(dot)) {
      const cuda::MmaShape &shape = cuda::chooseMmaShape(dot);
      set("gemm_mma", {{"threads", shape.threads()},
                       {"tile_m", shape.m},
                       {"tile_n", shape.n},
                       {"tile_k", shape.k},
                       {"warps_m", shape.warpsM},
                       {"warps_n", shape.warpsN},
                       {"split_k", shape.split},
                       {"mma_k", target.mmaK},
                       {"async", target.asyncCopy}});
      return success();
    }
    const cuda::GemmShape &shape = cuda::chooseGemmShape(dot);
    set("gemm", {{"threads", shape.threads()},
                 {"tile_m", shape.m},
                 {"tile_n", shape.n},
                 {"tile_k", shape.k},
                 {"thread_m", shape.threadM},
                 {"thread_n", shape.threadN},
                 {"split_k", shape.split}});
    return success();
  }

  FuncOp func;
  const cuda::CudaTargetInfo &target;
  Variables vars;
  std::map<std::string, int64_t> divisors;
  SmallVector<Operation *> loops;
};

struct ChooseSchedule : cuda::impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;
  void runOnOperation() override {
    const cuda::CudaTargetInfo *target = cuda::cudaTarget(arch);
    if (!target) {
      getOperation()->emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    if (failed(Choice(getOperation(), *target).choose()))
      signalPassFailure();
  }
};

} // namespace
