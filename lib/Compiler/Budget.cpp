//===- lib/Compiler/Budget.cpp - as many nodes in f32 as an error budget asks for ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/Arrays.h"
#include "lib/Compiler/Blame.h"
#include "lib/Compiler/CompilationImpl.h"

using namespace mlir;

namespace cupola::compiler {

/// The graph before 16 bits.
static Result<OwningOpRef<ModuleOp>> makeWideGraph(const Compilation::Impl &impl) {
  PipelineOptions pipeline = impl.variantContext.pipeline;
  if (pipeline.precision.element.empty())
    return Status::usage("the precision is fp32: no node has another error than that; choose fp16 or bf16");
  pipeline.precision.element.clear();
  pipeline.dumpDir.clear();
  return impl.makeGraph(pipeline);
}

Result<PrecisionReport> Compilation::blame(const std::vector<npz::Array> &inputs) {
  CUPOLA_ASSIGN(auto graph, makeWideGraph(*state));
  reference::Strings strings(*graph);
  CUPOLA_ASSIGN(auto tensors, tensorsOf(*graph, inputs, strings));
  Blame blame(*graph, state->variantContext.pipeline);
  CUPOLA_TRY(blame.run(tensors, strings));
  return PrecisionReport{blame.worstFirst(), blame.outputError};
}

/// A pattern that this name alone matches.
static std::string patternOf(StringRef name) {
  std::string pattern;
  for (char c : name) {
    if (StringRef("*?[]{}\\").contains(c))
      pattern += '\\';
    pattern += c;
  }
  return pattern;
}

namespace {

/// Sends nodes back to f32, more of them from round to round.
class Budget {
public:
  Budget(double most, PrecisionChoice &choice) : most(most), choice(choice) {}

  /// Of `errors`, the worst first: all that overflow, or else all above the budget, or else a share that doubles from
  /// round to round.
  void giveBack(ArrayRef<NodeError> errors, BudgetReport &report) {
    const size_t kept = report.kept.size();
    const bool anyOverflow = !errors.empty() && errors.front().overflow;
    const bool anyAbove = !errors.empty() && errors.front().local > most;
    const size_t share = llvm::divideCeil(errors.size() << std::min(report.rounds, 20u), 16);
    for (auto [i, error] : llvm::enumerate(errors)) {
      if (anyOverflow ? !error.overflow : anyAbove ? error.local <= most : i >= share)
        break;
      give(error, report);
    }
    // Nodes of the worst may all be f32 already, where what they read is to blame.
    for (size_t i = 0; i < errors.size() && report.kept.size() == kept; ++i)
      give(errors[i], report);
  }

private:
  void give(const NodeError &error, BudgetReport &report) {
    bool isNew = false;
    for (const std::string &name : error.blamed)
      if (given.insert(name).second) {
        choice.keep.push_back(patternOf(name));
        isNew = true;
      }
    if (isNew)
      report.kept.push_back(error);
  }

  double most;
  PrecisionChoice &choice;
  std::set<std::string> given;
};

} // namespace

Result<BudgetReport> Compilation::holdBudget(const std::vector<npz::Array> &inputs, double budget) {
  CUPOLA_ASSIGN(auto graph, makeWideGraph(*state));
  reference::Strings strings(*graph);
  CUPOLA_ASSIGN(auto tensors, tensorsOf(*graph, inputs, strings));
  PipelineOptions &pipeline = state->variantContext.pipeline;
  Budget givers(budget, pipeline.precision);
  BudgetReport report;
  for (;; ++report.rounds) {
    CUPOLA_TRY(state->begin("precision, round " + std::to_string(report.rounds + 1)));
    Blame blame(*graph, pipeline);
    CUPOLA_TRY(blame.run(tensors, strings));
    report.errorAfter = blame.outputError;
    if (report.rounds == 0)
      report.errorBefore = blame.outputError;
    if (blame.outputError <= budget)
      break;
    const size_t kept = report.kept.size();
    givers.giveBack(blame.worstFirst(), report);
    if (report.kept.size() == kept)
      return Status::unsupported("no more nodes can be kept in fp32, and the outputs are still off by " +
                                 std::to_string(blame.outputError) + ", more than the budget of " +
                                 std::to_string(budget));
  }
  ++report.rounds;
  if (!report.kept.empty()) {
    CUPOLA_ASSIGN(state->module, state->makeGraph(pipeline));
  }
  return report;
}

} // namespace cupola::compiler
