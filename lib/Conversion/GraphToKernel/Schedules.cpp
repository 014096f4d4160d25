//===- lib/Conversion/GraphToKernel/Schedules.cpp - the ordered table ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

using graph::KernelKind;

template <class Hero> static bool hasHero(Operation *hero) { return isa_and_nonnull<Hero>(hero); }

/// Of several heroes, which only this kernel has, the last is a product, too.
static bool isAttention(Operation *hero) {
  return hero && cast<graph::FusionOp>(hero->getParentOp()).getKind() == KernelKind::Attention;
}

static const Schedule table[] = {
    {KernelKind::Pointwise, [](Operation *hero) { return !hero; }, generatePointwise},
    {KernelKind::Recurrence, hasHero<graph::LoopOp>, generateRecurrence},
    {KernelKind::Attention, isAttention, generateAttention},
    {KernelKind::Gemm, hasHero<graph::MatMulOp>, generateGemm},
    {KernelKind::Gemm, hasHero<graph::BlockMatMulOp>, generateBlockGemm},
    {KernelKind::Conv, hasHero<graph::ConvOp>, generateConv},
    {KernelKind::RowReduction, hasHero<graph::SoftmaxOp>, generateSoftmax},
    {KernelKind::RowReduction, hasHero<graph::LayerNormOp>, generateLayerNorm},
    {KernelKind::RowReduction, hasHero<graph::MomentsOp>, generateMoments},
    {KernelKind::Pointwise, hasHero<graph::NormalizeOp>, generateNormalize},
    {KernelKind::Reduction, hasHero<graph::ReduceOp>, generateReduction},
    {KernelKind::Reduction, hasHero<graph::ArgReduceOp>, generateArgReduction},
};

ArrayRef<Schedule> schedules() { return table; }

Operation *heroOf(graph::FusionOp fusion) {
  for (Operation &op : llvm::reverse(fusion.getBody().front())) {
    auto classed = dyn_cast<graph::ClassInterface>(op);
    if (!classed)
      continue;
    if (isa<graph::LoopOp>(op))
      return &op;
    if (isa<graph::MomentsOp>(op) && fusion.getKind() == KernelKind::Gemm) // of what the product made
      continue;
    graph::FusionClass c = classed.getFusionClass();
    if (c == graph::FusionClass::Contraction || c == graph::FusionClass::RowNormal ||
        c == graph::FusionClass::Reduction)
      return &op;
  }
  return nullptr;
}

} // namespace cupola
