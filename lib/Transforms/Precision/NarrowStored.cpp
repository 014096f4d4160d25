//===- lib/Transforms/Precision/NarrowStored.cpp - the pass `narrow-stored` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_NARROWSTORED
#include "lib/Transforms/Passes.h.inc"

namespace {

/// The type that a result may have in memory; null if it keeps its own.
Type storedType(graph::FusionOp fusion, OpResult result) {
  Operation *maker = fusion.getBody().front().getTerminator()->getOperand(result.getResultNumber()).getDefiningOp();
  auto stored = maker ? maker->getAttrOfType<TypeAttr>(graph::storedAttr) : nullptr;
  const bool isRead = llvm::all_of(result.getUsers(), [](Operation *user) { return isa<graph::FusionOp>(user); });
  return stored && isRead ? stored.getValue() : nullptr;
}

Type withElement(Value value, Type element) { return cast<RankedTensorType>(value.getType()).clone(element); }

/// Its last op casts it, and the first of every reader casts it back.
void narrow(graph::FusionOp fusion, OpResult result, Type element) {
  Operation *end = fusion.getBody().front().getTerminator();
  Value made = end->getOperand(result.getResultNumber());
  OpBuilder b(end);
  end->setOperand(result.getResultNumber(), match::castTo(b, made.getLoc(), made, element));
  const Type wide = graph::elementOf(result);
  result.setType(withElement(result, element));
  for (OpOperand &use : result.getUses()) {
    Block &body = cast<graph::FusionOp>(use.getOwner()).getBody().front();
    BlockArgument argument = body.getArgument(use.getOperandNumber());
    const Location loc = argument.use_empty() ? argument.getLoc() : (*argument.user_begin())->getLoc();
    argument.setType(withElement(argument, element));
    b.setInsertionPointToStart(&body);
    Value back = match::castTo(b, loc, argument, wide);
    argument.replaceAllUsesExcept(back, back.getDefiningOp());
  }
}

struct NarrowStored : impl::NarrowStoredBase<NarrowStored> {
  void runOnOperation() override {
    for (Block *block : graph::bodiesOf(getOperation()))
      for (auto fusion : block->getOps<graph::FusionOp>())
        for (OpResult result : fusion->getResults())
          if (Type element = storedType(fusion, result))
            narrow(fusion, result, element);
    getOperation().walk([](Operation *op) { op->removeDiscardableAttr(graph::storedAttr); }); // it has been done
  }
};

} // namespace
} // namespace cupola
