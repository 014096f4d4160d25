//===- lib/Transforms/Precision/AllowTf32.cpp - the pass `allow-tf32` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Precision/Keep.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_ALLOWTF32
#include "lib/Transforms/Passes.h.inc"

namespace {

class AllowTf32 : public impl::AllowTf32Base<AllowTf32> {
public:
  using AllowTf32Base::AllowTf32Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const KeepsNode keepsNode = keepsMatching(keep);
    const auto products = graph::Tf32Attr::get(&getContext(), three ? graph::Tf32::X3 : graph::Tf32::X1);
    int64_t marked = 0;
    SmallVector<Attribute> kept;
    for (Block *block : graph::bodiesOf(func)) {
      // TF32 has the range of bf16.
      const Keep keeps(*block, BFloat16Type::get(&getContext()), keepsNode);
      for (Operation &op : *block)
        if (isa<graph::MatMulOp, graph::ConvOp>(op) && graph::elementOf(op.getOperand(0)).isF32())
          marked += mark(&op, keeps, products, kept);
    }
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(func);
    graph::PrecisionOp::create(b, func.getLoc(), func.getSymName(), FloatTF32Type::get(&getContext()), marked,
                               b.getArrayAttr(kept));
  }

private:
  /// Whether the contraction is marked; else `kept` has the reason.
  bool mark(Operation *op, const Keep &keeps, graph::Tf32Attr products, SmallVectorImpl<Attribute> &kept) {
    const std::optional<std::string> reason = keeps.reasonForExact(op);
    if (reason) {
      kept.push_back(graph::KeptAttr::get(&getContext(), op->getLoc(), graph::ReasonAttr::get(&getContext(), *reason)));
      return false;
    }
    if (auto product = dyn_cast<graph::MatMulOp>(op))
      product.setTf32Attr(products);
    else
      cast<graph::ConvOp>(op).setTf32Attr(products);
    return true;
  }
};

} // namespace
} // namespace cupola
