//===- lib/Import/Onnx/Ops/Control.cpp - branches --------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// TorchScript writes `squeeze` of an unknown dimension as an If over Shape: where
/// the condition follows from shapes, the branch takes the node's place.
void takeBranch(OpBinder &op, bool condition) {
  op.ignoreAttribute(condition ? "else_branch" : "then_branch");
  const std::vector<Tensor> results = op.bodies().inPlace(op.graphAttribute(condition ? "then_branch" : "else_branch"));
  if (results.size() != op.outputCount())
    op.bad("the branch has " + std::to_string(results.size()) + " outputs, the node has " +
           std::to_string(op.outputCount()));
  for (size_t i = 0; i < results.size(); ++i)
    op.result(results[i], i);
}

/// A branch, whose outputs in the region are the tensors of which its results consist.
struct Branch {
  std::vector<Tensor> results; ///< what consists of those: its form alone is of use
  Body body;
};

/// Nothing where its nodes have problems: the other branch may have some, too.
std::optional<Branch> importBranch(OpBinder &op, StringRef name) {
  const onnx::GraphProto &graph = op.graphAttribute(name);
  Branch branch;
  const auto make = [&](Block &) {
    branch.results = op.bodies().inPlace(graph);
    return leavesOf(branch.results);
  };
  try {
    branch.body = op.bodies().asRegion(make, [](size_t, Tensor) { return false; });
  } catch (const BodyError &) {
    return std::nullopt;
  }
  if (branch.results.size() != op.outputCount())
    op.bad("the graph '" + name.str() + "' has " + std::to_string(branch.results.size()) + " outputs, the node has " +
           std::to_string(op.outputCount()));
  return branch;
}

/// Sequences of one length, and optionals that are both there or not.
void requireOneForm(OpBinder &op, const Branch &taken, const Branch &other) {
  for (size_t i = 0; i < op.outputCount(); ++i)
    if (formOf(*taken.results[i]) != formOf(*other.results[i]))
      op.undecided(0, "output " + std::to_string(i) + " of the branches is " + formOf(*taken.results[i]) + " and " +
                          formOf(*other.results[i]) +
                          ", supported is one form unless the condition is decided while compiling");
}

void requireOneType(OpBinder &op, size_t output, Type taken, Type other) {
  if (taken != other)
    op.bad("output " + std::to_string(output) + " of the branches has elements of " + typeText(taken) + " and " +
           typeText(other) + ", expected one type");
}

/// The type of a result, and the run symbols that stand for extents in which the branches differ.
class Results {
public:
  explicit Results(OpBinder &op) : op(op) {}

  Type typeOf(Value taken, Value other, size_t index) {
    const Exprs a = op.b.shape(taken), b = op.b.shape(other);
    const std::string what = "output " + std::to_string(index) + " of the branches";
    if (a.size() != b.size())
      op.undecided(0, what + " has the shapes " + shapeText(a) + " and " + shapeText(b) +
                          ", supported are equal ranks unless the condition is decided while compiling");
    Exprs dims;
    for (auto [x, y] : llvm::zip_equal(a, b))
      dims.push_back(proveEqual(x, y, op.b.ranges()) == true ? x : symbolFor(x, y));
    return op.b.type(dims, op.b.element(taken));
  }

  ArrayRef<std::string> symbols() const { return list; }

private:
  /// One for each pair of extents.
  Expr symbolFor(const Expr &a, const Expr &b) {
    auto [found, isNew] = known.try_emplace({a.text(), b.text()});
    if (isNew) {
      found->second = op.b.facts().createRun("an extent of what " + op.b.label() + " gives");
      list.push_back(*found->second.asSymbol());
    }
    return found->second;
  }

  OpBinder &op;
  std::map<std::pair<std::string, std::string>, Expr> known;
  std::vector<std::string> list;
};

} // namespace

void importIf(OpBinder &op) {
  op.requireBool(0, "cond");
  const Known *known = op.known(0);
  if (const auto decided = known && known->isScalarLike() ? known->elements[0].intConstant() : std::nullopt)
    return takeBranch(op, *decided);
  const Value condition = op.scalar(0, "cond");
  std::optional<Branch> first = importBranch(op, "then_branch"), second = importBranch(op, "else_branch");
  if (!first || !second)
    throw BodyError();
  requireOneForm(op, *first, *second);
  Body &taken = first->body, &other = second->body;
  Results results(op);
  SmallVector<Type> types;
  for (size_t i = 0; i < taken.yielded.size(); ++i) {
    requireOneType(op, i, taken.outputs[i]->element, other.outputs[i]->element);
    types.push_back(results.typeOf(taken.yielded[i], other.yielded[i], i));
  }
  graph::IfOp branch = op.bodies().branch(op.b, condition, types, taken, other, results.symbols());
  std::vector<Tensor> values;
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    values.push_back(op.ofValue(result, taken.outputs[i]->element));
  ArrayRef<Tensor> leaves = values;
  for (auto [i, form] : llvm::enumerate(first->results))
    op.result(withLeaves(op, *form, leaves), i);
}

} // namespace cupola::onnx_import
