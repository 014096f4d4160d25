//===- lib/Transforms/Fusion/Rules/Rules.cpp - the ordered table ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

#include <string_view>

using namespace mlir;

namespace cupola::fusion {

// A type here is the row's column; the definitions are in this folder's other files.
Form storeLongAddresses, formAttention, formFewRows, formJoint, growEpilogues, endNarrowly, endBeforeTurns,
    storeWindowImages, storeMirrored, storeInterpolated, storePixels, copyResults;
Refuse refuseResult, refuseDisabled, refuseSize, refuseContractionOperand, refuseBroadcast, refuseSeveralReaders;
StoreView storeParts;
Decide decideConstant, decideControl, decideJoin, decideView, decideAttention, decideFewRows, decideJoint,
    decideEpilogue, decideKept, decidePrologue, decideTwoStages, decideHero, decideSeveralReaders;

namespace {

struct Rule {
  std::string_view name; ///< what verdicts and reports say
  Form *form;
  Refuse *refuse;
  StoreView *storeView;
  Decide *decide;
};

// Kernels are formed top to bottom: what is stored in any case, heroes with what follows them, copies. An edge to or
// from a view composes wherever the value lies, so this stands above all that refuses; of refusals the first counts.
// The last row decides every edge that is left.
constexpr Rule table[] = {
    {"constant", {}, {}, {}, decideConstant},
    {"control", {}, {}, {}, decideControl},
    {"join", {}, {}, {}, decideJoin},
    {"view", {}, {}, {}, decideView},
    {"address", storeLongAddresses, {}, {}, {}},
    {"attention", formAttention, {}, {}, decideAttention},
    {"few-rows", formFewRows, {}, {}, decideFewRows},
    {"joint", formJoint, {}, {}, decideJoint},
    {"pixels", storePixels, {}, {}, {}},
    {"epilogue", growEpilogues, {}, {}, decideEpilogue},
    {"narrow", endNarrowly, {}, {}, {}},
    {"turned", endBeforeTurns, {}, {}, {}},
    {"window-image", storeWindowImages, {}, {}, {}},
    {"mirrored", storeMirrored, {}, {}, {}},
    {"interpolation", storeInterpolated, {}, {}, {}},
    {"result", copyResults, refuseResult, {}, {}},
    {"kept", {}, {}, {}, decideKept},
    {"prologue", {}, {}, {}, decidePrologue},
    {"two-stages", {}, {}, {}, decideTwoStages},
    {"disabled", {}, refuseDisabled, {}, {}},
    {"size", {}, refuseSize, {}, {}},
    {"contraction-operand", {}, refuseContractionOperand, storeParts, {}},
    {"broadcast", {}, refuseBroadcast, {}, {}},
    {"hero", {}, {}, {}, decideHero},
    {"several-readers", {}, refuseSeveralReaders, {}, decideSeveralReaders},
};

constexpr bool hasEachNameOnce() {
  for (const Rule &rule : table) {
    unsigned rows = 0;
    for (const Rule &other : table)
      rows += rule.name == other.name;
    if (rows != 1)
      return false;
  }
  return true;
}
static_assert(hasEachNameOnce(), "a verdict names one rule");

} // namespace

void formKernels(Formation &kernels) {
  for (const Rule &rule : table)
    if (rule.form)
      rule.form(kernels, rule.name);
}

std::optional<Refusal> refuse(const Candidate &candidate) {
  for (const Rule &rule : table)
    if (rule.refuse)
      if (std::optional<StringRef> reason = rule.refuse(candidate))
        return Refusal{rule.name, *reason};
  return std::nullopt;
}

bool storesView(const Formation &kernels, Operation *view) {
  return llvm::any_of(table, [&](const Rule &rule) { return rule.storeView && rule.storeView(kernels, view); });
}

Verdict decide(const Edge &edge) {
  auto verdict = [&](const Rule &rule, const Decision &decision) {
    return Verdict{edge.producer, edge.consumer, decision.fused, rule.name, decision.reason.str(), {}};
  };
  for (const Rule &rule : table) {
    if (edge.refusal && edge.refusal->rule == llvm::StringRef(rule.name))
      return verdict(rule, {false, edge.refusal->reason});
    if (rule.decide)
      if (std::optional<Decision> decision = rule.decide(edge))
        return verdict(rule, *decision);
  }
  llvm_unreachable("the last row decides");
}

} // namespace cupola::fusion
