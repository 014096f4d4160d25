//===- lib/Transforms/Fusion/Rules/NoKernels.cpp - edges of ops that are no kernels ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Constants, branches, loops, joins and views have no kernels, unless a rule stores them.

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {

std::optional<Decision> decideConstant(const Edge &edge) {
  if (classOf(edge.producer) != graph::FusionClass::Constant && (!isGenerator(edge.producer) || edge.from))
    return std::nullopt;
  return Decision{true, "a constant is no kernel"};
}

std::optional<Decision> decideControl(const Edge &edge) {
  if (classOf(edge.consumer) == graph::FusionClass::Control)
    return Decision{false, "a branch or a loop reads it in memory"};
  if (classOf(edge.producer) == graph::FusionClass::Control)
    return Decision{false, "what a branch or a loop leaves lies in memory"};
  return std::nullopt;
}

std::optional<Decision> decideJoin(const Edge &edge) {
  if (isa<graph::JoinOp>(edge.consumer))
    return Decision{true, "written where it stands in the joined tensor"};
  if (isa<graph::JoinOp>(edge.producer))
    return Decision{false, "a joined tensor lies in memory"};
  return std::nullopt;
}

std::optional<Decision> decideView(const Edge &edge) {
  const bool isStored = isView(edge.producer) && edge.refusal;
  if (edge.isWithin || isStored || (!isView(edge.producer) && !isView(edge.consumer)))
    return std::nullopt;
  return Decision{true, "composes into addresses"};
}

} // namespace cupola::fusion
