//===- lib/Target/CUDA/DecomposeDot.cpp - products without a schedule of their own ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DECOMPOSEDOT
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// A tile of a product has more columns than this; with enough rows a thread each is better, unless the matrix units
/// have something to multiply.
constexpr int64_t fewColumns = 4, manyRows = 1024, shallow = 64;

bool isNarrow(DotOp dot, const GpuArchitecture &target) {
  graph::Exprs extents = graph::exprsOf(dot.getExtents());
  return extents[1].constant().value_or(fewColumns + 1) <= fewColumns &&
         extents[0].constant().value_or(manyRows) >= manyRows &&
         !(cuda::areHalves(dot, target) && extents[2].constant().value_or(0) >= shallow);
}

/// Integers are summed in i32, in a kernel that does nothing before.
bool sumsIntegers(DotOp dot) {
  return dot.getTile().getType().getElement().isSignlessInteger(32) &&
         cuda::KernelFacts(dot->getParentOfType<kernel::FuncOp>()).isProductAlone();
}

bool hasSchedule(DotOp dot, const GpuArchitecture &target) {
  if ((!dot.getTile().getType().getElement().isF32() && !sumsIntegers(dot)) || isNarrow(dot, target))
    return false;
  ArrayRef<Attribute> space = dot.getExtents().getValue().drop_back();
  return llvm::all_of(dot.getTile().getUsers(), [&](Operation *user) {
    auto extract = cast<ExtractOp>(user);
    Operation *loop = user->getParentOp();
    return isa<ForeachOp, MapOp>(loop) && extentsOf(loop).getValue() == space &&
           isOwnPoint(extract, loop->getRegion(0).getArguments());
  });
}

/// An operand's scalar at a point, as f32 or whatever the tile accumulates in.
Value operandAt(OpBuilder &builder, Region &region, ValueRange point, Type type) {
  IRMapping values;
  values.map(region.getArguments(), point);
  for (Operation &op : region.front().without_terminator())
    builder.clone(op, values);
  Value yielded = region.front().getTerminator()->getOperand(0);
  Value value = values.lookupOrDefault(yielded);
  return value.getType() == type ? value : CastOp::create(builder, value.getLoc(), type, value).getResult();
}

/// The point that an extract reads, as index values.
SmallVector<Value> pointOf(ExtractOp extract, OpBuilder &builder) {
  SmallVector<Value> point;
  for (auto [i, extent] : llvm::enumerate(extract.getTile().getType().getExtents())) {
    Value index = bareIndex(extract, i);
    if (!index)
      index = ApplyOp::create(builder, extract.getLoc(), builder.getIndexType(), graph::exprOf(extract.getPoint()[i]),
                              extent.getValue(), extract.getIndices());
    point.push_back(index);
  }
  return point;
}

void inlineAt(ExtractOp extract) {
  auto dot = extract.getTile().getDefiningOp<DotOp>();
  OpBuilder builder(extract);
  Location loc = dot.getLoc();
  Type type = extract.getType();
  SmallVector<Value> point = pointOf(extract, builder);
  auto sum = graph::ReduceKindAttr::get(builder.getContext(), graph::ReduceKind::Sum);
  auto reduce = kernel::ReduceOp::create(builder, loc, TypeRange(type), builder.getArrayAttr({sum}),
                                         builder.getArrayAttr({dot.getExtents()[2]}));
  Block &body = reduce.getBody().emplaceBlock();
  Value k = body.addArgument(builder.getIndexType(), loc);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  Value lhs = operandAt(inside, dot.getLhs(), {point[0], k}, type);
  Value rhs = operandAt(inside, dot.getRhs(), {k, point[1]}, type);
  Value product = BinaryOp::create(inside, loc, type, graph::BinaryKind::Mul, lhs, rhs);
  YieldOp::create(inside, loc, ValueRange(product));
  extract.replaceAllUsesWith(reduce.getResult(0));
  extract.erase();
}

struct DecomposeDot : cuda::impl::DecomposeDotBase<DecomposeDot> {
  using DecomposeDotBase::DecomposeDotBase;
  void runOnOperation() override {
    const GpuArchitecture *target = findGpu(arch);
    for (auto dot : llvm::make_early_inc_range(getOperation().getBody().getOps<DotOp>())) {
      if (target && hasSchedule(dot, *target))
        continue;
      for (Operation *user : llvm::make_early_inc_range(dot.getTile().getUsers()))
        inlineAt(cast<ExtractOp>(user));
      dot.erase();
    }
  }
};

} // namespace
