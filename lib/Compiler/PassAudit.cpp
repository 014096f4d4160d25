//===- lib/Compiler/PassAudit.cpp - which pass changed the answer ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/PassAudit.h"

#include "dialects/Graph/Provenance.h"

#include <cmath>

using namespace mlir;

namespace cupola::compiler {

std::vector<double> elementsOf(const reference::Tensor &tensor) {
  std::vector<double> elements(tensor.count());
  tensor.read(0, tensor.count(), elements.data());
  return elements;
}

bool agree(ArrayRef<double> a, ArrayRef<double> b, double tolerance) {
  if (a.size() != b.size())
    return false;
  double largest = 0;
  for (double value : b)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      if (!(x == y || (std::isnan(x) && std::isnan(y))))
        return false;
    } else if (std::fabs(x - y) > tolerance * (largest + std::fabs(y))) {
      return false;
    }
  }
  return true;
}

Result<PassAudit::Run> PassAudit::run(ModuleOp module) const {
  Run run;
  auto note = [&](Location location, const reference::Tensor &tensor) {
    std::vector<double> sorted = elementsOf(tensor);
    // NaN last, so that the order is one.
    llvm::sort(sorted, [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
    run.values.push_back({location, std::move(sorted)});
  };
  for (const reference::Tensor &input : inputs)
    note(module.getLoc(), input);
  auto noteStep = [&](const reference::Step &step) { note(step.op->getLoc(), step.result); };
  CUPOLA_ASSIGN(run.outputs, reference::interpret(module, inputs, noteStep, &strings));
  return run;
}

/// The graph before had these elements, in this order or another: views may have moved.
bool PassAudit::isKnown(const Value &value) const {
  return llvm::any_of(before, [&](const Value &old) { return agree(value.sorted, old.sorted, tolerance); });
}

Status PassAudit::begin(ModuleOp imported) {
  CUPOLA_ASSIGN(Run first, run(imported));
  for (const reference::Tensor &output : first.outputs)
    expected.push_back(elementsOf(output));
  before = std::move(first.values);
  return {};
}

void PassAudit::afterPass(StringRef name, ModuleOp module) {
  if (!pass.empty())
    return;
  Result<Run> after = run(module);
  bool same = !after.failed();
  for (size_t i = 0; same && i < expected.size(); ++i)
    same = agree(elementsOf(after->outputs[i]), expected[i], tolerance);
  if (same) {
    before = std::move(after->values);
    return;
  }
  pass = name.str();
  node = after.failed() ? after.status().message() : "";
  for (size_t i = 0; node.empty() && i < after->values.size(); ++i)
    if (!isKnown(after->values[i]))
      node = graph::displayName(after->values[i].location);
}

} // namespace cupola::compiler
