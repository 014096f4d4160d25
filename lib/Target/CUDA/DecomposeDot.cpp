//===- lib/Target/CUDA/DecomposeDot.cpp - products without a schedule of their own ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DECOMPOSEDOT
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// A tile of a product has more columns than this; with enough rows a thread each is better.
constexpr int64_t fewColumns = 4, manyRows = 1024;

bool isNarrow(DotOp dot) {
  graph::Exprs extents = graph::exprsOf(dot.getExtents());
  return extents[1].constant().value_or(fewColumns + 1) <= fewColumns &&
         extents[0].constant().value_or(manyRows) >= manyRows;
}

/// The gemm schedules accumulate in f32 and write the tile in one loop over it.
bool hasSchedule(DotOp dot) {
  if (!dot.getTile().getType().getElement().isF32() || isNarrow(dot))
    return false;
  ArrayRef<Attribute> space = dot.getExtents().getValue().drop_back();
  return llvm::all_of(dot.getTile().getUsers(), [&](Operation *user) {
    auto extract = cast<ExtractOp>(user);
    auto loop = dyn_cast<ForeachOp>(user->getParentOp());
    return loop && loop.getExtents().getValue() == space && extract.getIndex() == pointOf(loop.getVars());
  });
}

/// An operand's scalar at a point, as f32 or whatever the tile accumulates in.
Value operandAt(OpBuilder &builder, Region &region, const std::map<std::string, Expr> &point, Type type) {
  IRMapping values;
  for (Operation &op : region.front().without_terminator())
    cuda::substitute(builder.clone(op, values), point);
  Value yielded = region.front().getTerminator()->getOperand(0);
  Value value = values.lookupOrDefault(yielded);
  return value.getType() == type ? value : CastOp::create(builder, value.getLoc(), type, value).getResult();
}

void inlineAt(ExtractOp extract) {
  auto dot = extract.getTile().getDefiningOp<DotOp>();
  SmallVector<std::string> vars = cuda::names(dot.getVars());
  graph::Exprs index = graph::exprsOf(extract.getIndex());
  std::map<std::string, Expr> point = {{vars[0], index[0]}, {vars[1], index[1]}};
  OpBuilder builder(extract);
  Location loc = dot.getLoc();
  Type type = extract.getType();
  auto sum = graph::ReduceKindAttr::get(builder.getContext(), graph::ReduceKind::Sum);
  auto reduce =
      kernel::ReduceOp::create(builder, loc, TypeRange(type), builder.getArrayAttr({sum}),
                               builder.getArrayAttr({dot.getVars()[2]}), builder.getArrayAttr({dot.getExtents()[2]}));
  OpBuilder inside = OpBuilder::atBlockEnd(&reduce.getBody().emplaceBlock());
  Value lhs = operandAt(inside, dot.getLhs(), point, type);
  Value rhs = operandAt(inside, dot.getRhs(), point, type);
  Value product = BinaryOp::create(inside, loc, type, graph::BinaryKind::Mul, lhs, rhs);
  YieldOp::create(inside, loc, ValueRange(product));
  extract.replaceAllUsesWith(reduce.getResult(0));
  extract.erase();
}

struct DecomposeDot : cuda::impl::DecomposeDotBase<DecomposeDot> {
  void runOnOperation() override {
    for (auto dot : llvm::make_early_inc_range(getOperation().getBody().getOps<DotOp>())) {
      if (hasSchedule(dot))
        continue;
      for (Operation *user : llvm::make_early_inc_range(dot.getTile().getUsers()))
        inlineAt(cast<ExtractOp>(user));
      dot.erase();
    }
  }
};

} // namespace
