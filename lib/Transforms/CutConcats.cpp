//===- lib/Transforms/CutConcats.cpp - no kernel reads through very many parts ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Fusion/Grouping.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_CUTCONCATS
#include "lib/Transforms/Passes.h.inc"

namespace {

class CutConcats : public impl::CutConcatsBase<CutConcats> {
public:
  using CutConcatsBase::CutConcatsBase;

  void runOnOperation() override {
    tests.clear();
    for (Block *body : graph::bodiesOf(getOperation()))
      for (Operation &op : llvm::make_early_inc_range(*body))
        if (fusion::isView(&op) && op.getNumOperands() != 0)
          visit(&op);
  }

private:
  /// A view of a concat hands its tests on to who reads through it.
  void visit(Operation *op) {
    int64_t sum = 0;
    for (Value operand : op->getOperands())
      sum += testsOf(operand);
    auto concat = dyn_cast<graph::ConcatOp>(op);
    if (concat && sum > mostTests)
      cut(concat);
    else
      tests[op->getResult(0)] = sum;
  }

  /// Which part an element of `value` is in takes so many tests; 1 for what lies in memory.
  int64_t testsOf(Value value) const {
    auto found = tests.find(value);
    return found == tests.end() ? 1 : found->second;
  }

  /// In the order of the operands, as many to a piece as there is room for.
  void cut(graph::ConcatOp concat) {
    OpBuilder b(concat);
    SmallVector<Value> pieces, piece;
    int64_t sum = 0;
    auto finish = [&] {
      pieces.push_back(piece.size() == 1 ? piece.front()
                                         : graph::ConcatOp::create(b, concat.getLoc(), piece, concat.getAxis()));
      piece.clear();
      sum = 0;
    };
    for (Value operand : concat.getInputs()) {
      if (!piece.empty() && sum + testsOf(operand) > mostTests)
        finish();
      piece.push_back(operand);
      sum += testsOf(operand);
    }
    finish();
    auto join = graph::JoinOp::create(b, concat.getLoc(), pieces, concat.getAxis());
    concat.replaceAllUsesWith(join.getResult());
    concat.erase();
  }

  llvm::DenseMap<Value, int64_t> tests; ///< of views
};

} // namespace
} // namespace cupola
