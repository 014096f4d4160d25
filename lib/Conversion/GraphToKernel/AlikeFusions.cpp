//===- lib/Conversion/GraphToKernel/AlikeFusions.cpp - fusions that need no kernel of their own ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/AlikeFusions.h"

#include "dialects/Graph/Placement.h"

using namespace mlir;

namespace cupola {

static llvm::hash_code hashOf(graph::FusionOp fusion) {
  llvm::hash_code hash = llvm::hash_combine(fusion.getKindAttr());
  for (Type type : fusion.getInputs().getTypes())
    hash = llvm::hash_combine(hash, type);
  for (Operation &op : fusion.getBody().front())
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(&op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::IgnoreLocations));
  return hash;
}

static bool isAlike(graph::FusionOp a, graph::FusionOp b) {
  return a.getKind() == b.getKind() && a.getInputs().getTypes() == b.getInputs().getTypes() &&
         a.getResultTypes() == b.getResultTypes() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

graph::FusionOp AlikeFusions::firstLike(graph::FusionOp fusion) {
  if (!llvm::all_of(fusion.getInputs(), graph::isDense) || !llvm::all_of(fusion.getResults(), graph::isDense))
    return nullptr;
  auto &sameHash = firsts[hashOf(fusion)];
  for (graph::FusionOp first : sameHash)
    if (isAlike(first, fusion))
      return first;
  sameHash.push_back(fusion);
  return fusion;
}

} // namespace cupola
