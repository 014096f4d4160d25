//===- lib/Target/CUDA/MergeHorizontal.cpp - several kernels as the program of one launch ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Horizontal.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

#include <numeric>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::exprsOf;

namespace cupola::cuda {
#define GEN_PASS_DEF_MERGEHORIZONTAL
#include "lib/Target/CUDA/Passes.h.inc"

int64_t sharedBytes(simt::FuncOp func) {
  int64_t end = 0;
  func.walk([&](simt::SmemOp op) {
    simt::SmemType type = op.getSmem().getType();
    end = std::max<int64_t>(end, *op.getOffset() + type.getCount() * graph::byteSize(type.getElement()));
  });
  return end;
}

/// Of the counters among the parts of the workspace.
static Expr countersOf(simt::FuncOp func) {
  Expr count(0);
  const ArrayAttr workspace = func.getWorkspace();
  for (auto [view, elements] : llvm::zip_equal(func.getViews().take_back(workspace.size()), exprsOf(workspace)))
    if (cast<ViewType>(view.getType()).getElement().isUnsignedInteger(32))
      count = count + elements;
  return count;
}

/// Positions and scalars have some 40; there are 255 at most.
static int64_t registersOf(simt::FuncOp func) {
  int64_t bytes = 40 * 4;
  func.walk([&](simt::RegistersOp op) {
    simt::RegistersType type = op.getRegisters().getType();
    bytes +=
        std::accumulate(type.getExtents().begin(), type.getExtents().end(), type.getVector(), std::multiplies<>()) *
        graph::byteSize(type.getElement());
  });
  return std::min<int64_t>(bytes / 4, 255);
}

LaunchShape LaunchShape::of(simt::FuncOp func) {
  LaunchShape shape;
  shape.threads = func.getThreads();
  shape.sharedBytes = cuda::sharedBytes(func);
  shape.registers = registersOf(func);
  shape.blocks = graph::product(exprsOf(func.getBlocks()));
  shape.counters = countersOf(func);
  const bool hasRoles = func.walk([](simt::RoleOp) { return WalkResult::interrupt(); }).wasInterrupted();
  shape.isPlain = !func.getCluster() && func.getMaps().empty() && !hasRoles && !func.isCooperative();
  return shape;
}

Expr behindScalars(const Expr &expr, size_t first) {
  std::map<std::string, Expr> names;
  for (const std::string &symbol : expr.symbols())
    if (StringRef number(symbol); number.consume_front("n"))
      names[symbol] = Expr::symbol("n" + std::to_string(first + std::stoul(number.str())));
  return expr.substitute(names);
}

} // namespace cupola::cuda

namespace {

/// A kernel of the launch; a kernel may be there several times. Expressions are over the launch's scalars.
struct Part {
  simt::FuncOp func;
  size_t scalars;       ///< of the parts before
  Expr first, counters; ///< blocks and counters of the parts before
  Expr blocks;
  IRMapping parameters = {}; ///< to those of the launch
};

class Merger {
public:
  Merger(cuda::HorizontalOp op, ArrayRef<simt::FuncOp> kernels) : op(op), builder(op) {
    for (simt::FuncOp kernel : kernels) {
      const cuda::LaunchShape shape = cuda::LaunchShape::of(kernel);
      parts.push_back({kernel, scalars.size(), blocks, counters, cuda::behindScalars(shape.blocks, scalars.size())});
      for (const Expr &elements : exprsOf(kernel.getWorkspace()))
        workspace.push_back(exprAttr(cuda::behindScalars(elements, scalars.size())));
      blocks = blocks + parts.back().blocks;
      counters = counters + cuda::behindScalars(shape.counters, scalars.size());
      llvm::append_range(scalars, kernel.getScalars());
    }
  }

  simt::FuncOp merge() {
    createFunc();
    kernel::Variables vars(func);
    for (Part &part : parts) {
      builder.setInsertionPointToEnd(&func.getBody().front());
      openGuard(vars, part.first, &part == &parts.back() ? std::nullopt : std::optional(part.first + part.blocks));
      clonePart(vars, part);
    }
    return func;
  }

private:
  Attribute exprAttr(const Expr &e) { return graph::ExprAttr::get(op.getContext(), e); }

  void createFunc() {
    func = simt::FuncOp::create(builder, op.getLoc(), op.getSymName(), builder.getArrayAttr(exprAttr(blocks)),
                                parts.front().func.getThreads(), builder.getArrayAttr(scalars));
    func.setWorkspaceAttr(builder.getArrayAttr(workspace));
    Block &body = func.getBody().emplaceBlock();
    // Operands of all, results of all, workspaces of all.
    addParameters(body,
                  [](MutableArrayRef<BlockArgument> views, size_t inputs, size_t) { return views.take_front(inputs); });
    addParameters(body, [](MutableArrayRef<BlockArgument> views, size_t inputs, size_t workspace) {
      return views.drop_front(inputs).drop_back(workspace);
    });
    addParameters(body, [](MutableArrayRef<BlockArgument> views, size_t, size_t workspace) {
      return views.take_back(workspace);
    });
    for (int i = 0; i < 2; ++i) // the block, the thread
      body.addArgument(builder.getIndexType(), op.getLoc());
  }

  template <class Choose> void addParameters(Block &body, Choose choose) {
    for (auto [part, inputs] : llvm::zip_equal(parts, op.getInputs()))
      for (BlockArgument view : choose(part.func.getViews(), inputs, part.func.getWorkspace().size()))
        part.parameters.map(view, body.addArgument(view.getType(), view.getLoc()));
  }

  /// Where the block is one of `first` to `end`; no end: of the last part, which looks for itself.
  void openGuard(kernel::Variables &vars, const Expr &first, const std::optional<Expr> &end) {
    const Expr block = vars.of(func.getBlockIndices()[0]);
    SmallVector<Expr> exprs;
    if (!first.isConstant(0))
      exprs.push_back(block - first);
    if (end)
      exprs.push_back(*end - 1 - block);
    const SmallVector<Value> indices = vars.write(exprs);
    auto guard = simt::GuardOp::create(builder, op.getLoc(), graph::exprArray(op.getContext(), exprs), indices);
    builder.setInsertionPointToEnd(&guard.getBody().emplaceBlock());
  }

  Value index(kernel::Variables &vars, StringRef hint, Expr value, const Expr &below) {
    const SmallVector<Value> indices = vars.write(value);
    return ApplyOp::create(builder, cuda::namedLoc(op.getLoc(), hint), builder.getIndexType(),
                           graph::ExprAttr::get(op.getContext(), value), graph::ExprAttr::get(op.getContext(), below),
                           indices);
  }

  void clonePart(kernel::Variables &vars, Part &part) {
    static constexpr const char *names[] = {"bx", "by", "bz"};
    IRMapping &map = part.parameters;
    map.map(part.func.getThreadIndex(), func.getThreadIndex());
    const graph::Exprs axes = exprsOf(part.func.getBlocks());
    const Value block = func.getBlockIndices()[0];
    const Value flat = part.first.isConstant(0) ? block : index(vars, "b", vars.of(block) - part.first, part.blocks);
    Expr rest = vars.of(flat);
    for (auto [axis, argument] : llvm::enumerate(part.func.getBlockIndices())) { // the first is the fastest
      const Expr extent = cuda::behindScalars(axes[axis], part.scalars);
      const bool isLast = axis + 1 == axes.size();
      map.map(argument, axes.size() == 1 ? flat : index(vars, names[axis], isLast ? rest : mod(rest, extent), extent));
      rest = isLast ? rest : floorDiv(rest, extent);
    }
    for (Operation &from : part.func.getBody().front())
      builder.clone(from, map)->walk([&](Operation *cloned) {
        mapExprs(cloned, [&](const Expr &e) { return cuda::behindScalars(e, part.scalars); });
        if (auto last = dyn_cast<simt::LastBlockOp>(cloned)) // all parts count in one memory
          last.setPositionAttr(graph::ExprAttr::get(op.getContext(), last.getPosition() + part.counters));
      });
  }

  cuda::HorizontalOp op;
  OpBuilder builder;
  simt::FuncOp func;
  std::vector<Part> parts;
  SmallVector<Attribute> scalars, workspace; ///< of all parts
  Expr blocks = Expr(0), counters = Expr(0); ///< the same
};

struct MergeHorizontal : cuda::impl::MergeHorizontalBase<MergeHorizontal> {
  void runOnOperation() override {
    for (auto op : llvm::make_early_inc_range(getOperation().getOps<cuda::HorizontalOp>())) {
      SmallVector<simt::FuncOp> parts;
      for (auto part : op.getParts().getAsRange<FlatSymbolRefAttr>())
        parts.push_back(getOperation().lookupSymbol<simt::FuncOp>(part.getAttr()));
      if (llvm::is_contained(parts, nullptr)) {
        op.emitOpError("has a part that is no simt.func");
        return signalPassFailure();
      }
      Merger(op, parts).merge();
      op.erase();
      for (simt::FuncOp part : llvm::SetVector<simt::FuncOp>(parts.begin(), parts.end()))
        part.erase();
    }
  }
};

} // namespace
