//===- lib/Conversion/GraphToKernel/Schedules.cpp - the ordered table ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {

template <class Hero> static bool hasHero(Operation *hero) { return isa_and_nonnull<Hero>(hero); }

static const Schedule table[] = {
    {"pointwise", [](Operation *hero) { return !hero; }, generatePointwise},
    {"gemm", hasHero<graph::MatMulOp>, generateGemm},
    {"conv", hasHero<graph::ConvOp>, generateConv},
    {"row_reduction", hasHero<graph::SoftmaxOp>, generateSoftmax},
    {"row_reduction", hasHero<graph::LayerNormOp>, generateLayerNorm},
    {"row_reduction", hasHero<graph::MomentsOp>, generateMoments},
    {"pointwise", hasHero<graph::NormalizeOp>, generateNormalize},
    {"reduction", hasHero<graph::ReduceOp>, generateReduction},
    {"reduction", hasHero<graph::ArgReduceOp>, generateArgReduction},
};

ArrayRef<Schedule> schedules() { return table; }

Operation *heroOf(graph::FusionOp fusion) {
  for (Operation &op : fusion.getBody().front()) {
    auto classed = dyn_cast<graph::ClassInterface>(op);
    if (!classed)
      continue;
    graph::FusionClass c = classed.getFusionClass();
    if (c == graph::FusionClass::Contraction || c == graph::FusionClass::RowNormal ||
        c == graph::FusionClass::Reduction)
      return &op;
  }
  return nullptr;
}

} // namespace cupola
