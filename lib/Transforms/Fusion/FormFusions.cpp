//===- lib/Transforms/Fusion/FormFusions.cpp - groups become graph.fusion ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Constants.h"
#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
#include "lib/Transforms/Fusion/Formation.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_FORMFUSIONS
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::fusion;
using graph::FusionClass, graph::KernelKind;

/// A constant with one value travels inside the kernel, any other is a buffer.
bool isInlineConstant(Operation *op) {
  auto constant = dyn_cast<graph::ConstantOp>(op);
  return constant && graph::isSplat(constant.getValue());
}

KernelKind kindOf(const Group &group) {
  if (!group.hero) {
    bool gathers = llvm::any_of(group.ops, [](Operation *op) { return classOf(op) == FusionClass::Gather; });
    return gathers ? KernelKind::Gather : KernelKind::Pointwise;
  }
  if (isAttention(group))
    return KernelKind::Attention;
  switch (classOf(group.hero)) {
  case FusionClass::Contraction:
    return isa<graph::ConvOp>(group.hero) ? KernelKind::Conv : KernelKind::Gemm;
  case FusionClass::RowNormal:
    return KernelKind::RowReduction;
  default:
    return KernelKind::Reduction;
  }
}

/// Gives a value that needs other memory than its own a copy: what stands in a joined tensor
/// and is an input, a constant, a result of the model or a part of another joined tensor; and
/// what lies in memory with room for more rows and is a dense result, too.
class CopySharedValues {
public:
  explicit CopySharedValues(func::FuncOp func) : func(func), b(func.getContext()) {}

  void run() {
    for (Block *body : graph::bodiesOf(func))
      run(*body);
  }

private:
  void run(Block &body) {
    for (auto join : body.getOps<graph::JoinOp>())
      for (OpOperand &part : join->getOpOperands())
        if (!isOwnPart(part))
          copy(part);
    DenseMap<Value, bool> isDense; // a value may be very many operands
    for (Operation &op : body)
      if (graph::leavesBody(&op))
        for (OpOperand &operand : op.getOpOperands()) {
          auto [known, isNew] = isDense.try_emplace(operand.get());
          if (isNew)
            known->second = graph::isDense(operand.get());
          if (!known->second && !hasStorage(operand))
            copy(operand);
        }
  }

  /// A result of the model that lies in memory with room for more rows.
  bool hasStorage(OpOperand &operand) {
    return operand.getOwner() == func.getBody().front().getTerminator() &&
           func.getResultAttr(operand.getOperandNumber(), graph::storageAttr);
  }

  /// The kernel that computes it may write it there.
  bool isOwnPart(OpOperand &part) {
    if (auto argument = dyn_cast<BlockArgument>(part.get()))
      return graph::sharesMemory(cast<graph::JoinOp>(part.getOwner()), argument);
    if (classOf(part.get().getDefiningOp()) == FusionClass::Constant)
      return false;
    return llvm::all_of(part.get().getUses(),
                        [&](OpOperand &use) { return &use == &part || !isOutside(use.getOwner()); });
  }

  void copy(OpOperand &operand) {
    Operation *user = operand.getOwner();
    b.setInsertionPoint(user);
    Location loc = operand.get().getDefiningOp() ? operand.get().getLoc() : user->getLoc();
    operand.set(graph::ReshapeOp::create(b, loc, operand.get().getType(), operand.get()));
  }

  func::FuncOp func;
  OpBuilder b;
};

class FusionBuilder {
public:
  explicit FusionBuilder(const Group &group) : group(group), outputs{group.output} {
    llvm::append_range(outputs, group.kept);
    for (Value output : outputs)
      collect(output);
  }

  /// Creates the fusion where the group's output is computed and lets it take over.
  void build() {
    Operation *last = group.output.getDefiningOp();
    OpBuilder b(last);
    const auto locations = llvm::map_to_vector(ops, [](Operation *op) { return op->getLoc(); });
    auto fusion = graph::FusionOp::create(b, b.getFusedLoc(locations), ValueRange(outputs).getTypes(),
                                          inputs.getArrayRef(), kindOf(group));
    if (onlyMoves())
      fusion.setCopies(reasonToCopy());
    Block &body = fusion.getBody().emplaceBlock();
    IRMapping map;
    for (Value input : inputs)
      map.map(input, body.addArgument(input.getType(), input.getLoc()));
    b.setInsertionPointToStart(&body);
    for (Operation *op : ops)
      b.clone(*op, map);
    graph::YieldOp::create(b, last->getLoc(),
                           llvm::map_to_vector(outputs, [&](Value output) { return map.lookup(output); }));
    for (auto [output, result] : llvm::zip_equal(outputs, fusion.getResults()))
      output.replaceUsesWithIf(result, [&](OpOperand &use) {
        return use.getOwner()->getParentOp() == fusion->getParentOp() && !llvm::is_contained(ops, use.getOwner());
      });
  }

private:
  /// Nothing is computed or looked up.
  bool onlyMoves() const {
    return llvm::all_of(ops, [](Operation *op) { return isView(op) || isInlineConstant(op); });
  }

  /// Why no kernel that computes writes the elements where they go.
  graph::CopyReason reasonToCopy() const {
    auto has = [&](auto tag) { return llvm::any_of(ops, [](Operation *op) { return isa<decltype(tag)>(op); }); };
    if (has(graph::ConcatOp()))
      return graph::CopyReason::Joined;
    if (llvm::none_of(inputs, [](Value input) { return input.getDefiningOp<graph::FusionOp>(); }))
      return graph::CopyReason::Uncomputed;
    return has(graph::SliceOp()) ? graph::CopyReason::Part : graph::CopyReason::Shared;
  }

  /// Everything that the kernel computes, producers first, and what it reads.
  void collect(Value value) {
    Operation *op = value.getDefiningOp();
    bool inside = op && (group.ops.contains(op) || isView(op) || isInlineConstant(op) || isGenerator(op));
    if (!inside) {
      inputs.insert(value);
      return;
    }
    if (!seen.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      collect(operand);
    ops.push_back(op);
  }

  const Group &group;
  SmallVector<Value> outputs;
  SmallVector<Operation *> ops;
  DenseSet<Operation *> seen;
  llvm::SetVector<Value> inputs;
};

class FormFusions : public impl::FormFusionsBase<FormFusions> {
public:
  using FormFusionsBase::FormFusionsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      form(func);
  }

private:
  void form(func::FuncOp func) {
    CopySharedValues(func).run();
    const SmallVector<Block *> bodies = graph::bodiesOf(func);
    std::vector<Grouping> groupings;
    std::vector<Verdict> verdicts;
    for (Block *body : bodies) {
      groupings.push_back(
          formGroups(*body, {epilogues, prologues, attention, mostKept, fewRows, windowBytes, windowChannels, shortRuns,
                             mixedChannels, mirrored, byteKeys, scaledByteKeys}));
      llvm::append_range(verdicts, std::move(groupings.back().verdicts));
    }
    recordVerdicts(func, verdicts); // before ops go that they are about
    for (auto [body, grouping] : llvm::zip_equal(bodies, groupings)) {
      const bool areJoint = llvm::any_of(grouping.groups, [](const auto &group) { return isJoint(*group); });
      for (const auto &group : grouping.groups)
        FusionBuilder(*group).build();
      match::eraseDead(*body); // also the ops of the groups
      // What reads one of a kernel's results may stand before others are computed.
      if (areJoint && !sortTopologically(body)) {
        getOperation().emitError("kernels of several results read each other");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace cupola
