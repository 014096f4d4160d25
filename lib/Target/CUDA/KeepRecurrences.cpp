//===- lib/Target/CUDA/KeepRecurrences.cpp - loops over states that stay on the GPU ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Constants.h"
#include "dialects/Graph/Control.h"
#include "dialects/Graph/Recurrence.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/RecurrenceTiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::cuda {
#define GEN_PASS_DEF_KEEPRECURRENCES
#include "lib/Target/CUDA/Passes.h.inc"

namespace {

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  return constant && graph::isSplat(constant.getValue());
}

/// A fusion with a copy of a loop, whose body has ops in place of fusions and reads its constants from outside.
class LoopFusion {
public:
  explicit LoopFusion(graph::LoopOp loop) : loop(loop), body(loop.getBody().front()), b(loop) {}

  graph::FusionOp make() {
    for (Value value : loop->getOperands())
      if (!isSplat(value))
        inputs.insert(value);
    liftConstants();
    auto results = llvm::make_filter_range(loop.getResults(), [](Value result) { return !result.use_empty(); });
    const SmallVector<Value> used(results.begin(), results.end());
    auto fusion = graph::FusionOp::create(b, location(), ValueRange(used).getTypes(), inputs.getArrayRef(),
                                          graph::KernelKind::Recurrence);
    b.createBlock(&fusion.getBody());
    for (Value input : inputs)
      outside.map(input, fusion.getBody().addArgument(input.getType(), input.getLoc()));
    graph::LoopOp inner = cloneLoop();
    graph::YieldOp::create(b, loop.getLoc(), llvm::map_to_vector(used, [&](Value result) -> Value {
                             return inner.getResult(cast<OpResult>(result).getResultNumber());
                           }));
    return fusion;
  }

private:
  /// That of all that becomes one kernel.
  Location location() {
    SmallVector<Location> all{loop.getLoc()};
    for (Operation &op : body.without_terminator())
      all.push_back(op.getLoc());
    return b.getFusedLoc(all);
  }

  /// Those of the body, which then are inputs of the fusion.
  void liftConstants() {
    for (auto constant : body.getOps<graph::ConstantOp>())
      if (!isSplat(constant.getResult())) {
        constants.push_back(constant.getResult());
        lifted.push_back(b.clone(*constant.getOperation())->getResult(0));
        inputs.insert(lifted.back());
      }
  }

  graph::LoopOp cloneLoop() {
    auto here = [&](Value value) {
      return isSplat(value) ? b.clone(*value.getDefiningOp())->getResult(0) : outside.lookup(value);
    };
    SmallVector<Value> carried = llvm::map_to_vector(loop.getCarried(), here);
    SmallVector<Value> captures = llvm::map_to_vector(loop.getCaptures(), here);
    llvm::append_range(captures, llvm::map_range(lifted, here));
    auto inner = graph::LoopOp::create(b, loop.getLoc(), loop.getResultTypes(), /*trip=*/Value(), /*condition=*/Value(),
                                       carried, captures, loop.getLimitAttr(), /*proceeds=*/false, loop.getIndexAttr(),
                                       /*count=*/nullptr, loop.getSymbols());
    OpBuilder::InsertionGuard saved(b);
    Block *block = b.createBlock(&inner.getBody());
    auto add = [&](Value value) { map.map(value, block->addArgument(value.getType(), value.getLoc())); };
    llvm::for_each(body.getArguments().take_front(loop.getCaptures().size()), add);
    llvm::for_each(constants, add);
    llvm::for_each(loop.getCarriedArguments(), add);
    for (Operation &op : body)
      cloneOp(op);
    return inner;
  }

  void cloneOp(Operation &op) {
    auto fusion = dyn_cast<graph::FusionOp>(op);
    if (!fusion) {
      if (!op.getNumResults() || !llvm::is_contained(constants, op.getResult(0)))
        b.clone(op, map);
      return;
    }
    Block &inside = fusion.getBody().front();
    for (auto [argument, input] : llvm::zip_equal(inside.getArguments(), fusion.getInputs()))
      map.map(argument, map.lookup(input));
    for (Operation &inner : inside.without_terminator())
      b.clone(inner, map);
    for (auto [result, value] : llvm::zip_equal(fusion.getResults(), inside.getTerminator()->getOperands()))
      map.map(result, map.lookup(value));
  }

  graph::LoopOp loop;
  Block &body;
  OpBuilder b;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> constants, lifted; ///< in the body, and before the loop
  IRMapping outside, map;
};

/// Takes the loop's place, unless it is none for which there is a program.
void keep(graph::LoopOp loop, const GpuArchitecture &target) {
  graph::FusionOp fusion = LoopFusion(loop).make();
  auto inner = *fusion.getBody().getOps<graph::LoopOp>().begin();
  const std::optional<graph::Recurrence> recurrence = graph::Recurrence::of(inner);
  const std::optional<RecurrenceShape> shape = recurrence ? shapeOf(*recurrence) : std::nullopt;
  if (!shape || !chooseTiles(*shape, target)) {
    SmallVector<Value> lifted(fusion.getInputs());
    fusion.erase();
    for (Value value : lifted)
      if (Operation *op = value.getDefiningOp(); op && isa<graph::ConstantOp>(op) && op->use_empty())
        op->erase();
    return;
  }
  auto results = fusion.getResults().begin();
  for (Value result : loop.getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(*results++);
  loop.erase();
}

struct KeepRecurrences : impl::KeepRecurrencesBase<KeepRecurrences> {
  using KeepRecurrencesBase::KeepRecurrencesBase;
  void runOnOperation() override {
    const GpuArchitecture *target = findGpu(arch);
    if (!target) {
      getOperation()->emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    const SmallVector<Block *> bodies = graph::bodiesOf(getOperation());
    for (Block *body : llvm::reverse(bodies)) // inner loops first
      for (auto loop : llvm::make_early_inc_range(body->getOps<graph::LoopOp>()))
        if (graph::Recurrence::carriesStates(loop) &&
            llvm::any_of(loop.getResults(), [](Value result) { return !result.use_empty(); }))
          keep(loop, *target);
  }
};

} // namespace
} // namespace cupola::cuda
