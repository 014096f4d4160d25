//===- lib/Transforms/Fusion/Rules/Heroes.cpp - between two heroes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {

std::optional<Decision> decideTwoStages(const Edge &edge) {
  auto norm = dyn_cast<graph::NormalizeOp>(edge.consumer);
  if (!norm || !norm.getTwoStages() || !isa<graph::MomentsOp>(edge.producer))
    return std::nullopt;
  return Decision{false, norm.getTwoStages()->getText()};
}

std::optional<Decision> decideHero(const Edge &edge) {
  const bool areHeroes = edge.from && edge.to && edge.from->hero && edge.to->hero;
  // What a rule refused would be stored for any reader.
  if (edge.refusal || (!isHero(edge.consumer) && !(areHeroes && edge.producer->getResult(0).hasOneUse())))
    return std::nullopt;
  return Decision{false, "a kernel has one hero"};
}

} // namespace cupola::fusion
