//===- lib/Import/Onnx/Ops/Control.cpp - branches --------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "dialects/Graph/Control.h"
#include "lib/Import/Onnx/Bodies.h"
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

/// Nothing where its nodes have problems: the other branch may have some, too.
std::optional<Body> importBranch(OpBinder &op, StringRef name) {
  const onnx::GraphProto &graph = op.graphAttribute(name);
  std::optional<Body> body;
  try {
    body =
        op.bodies().asRegion([&](Block &) { return op.bodies().inPlace(graph); }, [](size_t, Tensor) { return false; });
  } catch (const BodyError &) {
    return std::nullopt;
  }
  if (body->outputs.size() != op.outputCount())
    op.bad("the graph '" + name.str() + "' has " + std::to_string(body->outputs.size()) + " outputs, the node has " +
           std::to_string(op.outputCount()));
  return body;
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

  ArrayAttr symbols() const { return graph::symbolRefs(op.b.context(), list); }

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
  std::optional<Body> first = importBranch(op, "then_branch"), second = importBranch(op, "else_branch");
  if (!first || !second)
    throw BodyError();
  Body &taken = *first, &other = *second;
  Bodies::shareCaptures(taken, other);
  Results results(op);
  SmallVector<Type> types;
  for (auto [i, outputs] : llvm::enumerate(llvm::zip_equal(taken.outputs, other.outputs)))
    requireOneType(op, i, std::get<0>(outputs)->element, std::get<1>(outputs)->element);
  for (auto [i, values] : llvm::enumerate(llvm::zip_equal(taken.yielded, other.yielded)))
    types.push_back(results.typeOf(std::get<0>(values), std::get<1>(values), i));
  auto branch =
      graph::IfOp::create(op.bodies().ops, op.b.location(), types, condition, taken.captures, results.symbols());
  op.bodies().finish(taken, branch.getThenRegion(), op.b.location());
  op.bodies().finish(other, branch.getElseRegion(), op.b.location());
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    op.result(result, i);
    op.results()[i]->element = taken.outputs[i]->element;
  }
}

} // namespace cupola::onnx_import
