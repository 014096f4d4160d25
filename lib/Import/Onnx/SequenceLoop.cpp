//===- lib/Import/Onnx/SequenceLoop.cpp - loops that carry sequences -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/SequenceLoop.h"

#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/NarrowTypes.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

std::optional<bool> knownCondition(const TensorRecord &tensor) {
  const auto value =
      tensor.known && tensor.known->isScalarLike() ? tensor.known->elements[0].intConstant() : std::nullopt;
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

/// Whether the first iteration says, while compiling, if there is another one. It is taken back.
bool decidesItself(OpBinder &op, ArrayRef<Tensor> initial, const LoopIteration &iteration) {
  const std::function<void()> takeBack = op.bodies().remember();
  bool isKnown = false;
  const auto make = [&](Block &) {
    const std::vector<Tensor> outputs = iteration(Expr(0), initial);
    isKnown = outputs.front()->poisoned || knownCondition(*outputs.front()).has_value();
    return leavesOf(outputs);
  };
  op.bodies().asRegion(make, [](size_t, Tensor) { return true; });
  takeBack();
  return isKnown;
}

class Unroller {
public:
  Unroller(OpBinder &op, ArrayRef<Tensor> initial) : op(op), carried(initial.begin(), initial.end()) {}

  /// False after the last iteration.
  bool proceed(int64_t i, bool isLast, const LoopIteration &iteration) {
    const std::vector<Tensor> outputs = iteration(Expr(i), carried);
    if (llvm::any_of(outputs, [](const Tensor output) { return output->poisoned; }))
      throw BodyError();
    std::copy_n(outputs.begin() + 1, carried.size(), carried.begin());
    rows.resize(outputs.size() - 1 - carried.size());
    for (size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back(outputs[1 + carried.size() + row]);
    const auto condition = knownCondition(*outputs.front());
    if (!condition && !isLast)
      op.unsupported("its condition after iteration " + std::to_string(i) +
                     " is computed from data, while those before it are known: supported are loops that carry "
                     "sequences with all of them known, or none");
    return !isLast && *condition;
  }

  std::vector<Tensor> results() {
    std::vector<Tensor> all = carried;
    for (const std::vector<Tensor> &row : rows)
      all.push_back(op.ofValue(stacked(op, row), row.front()->element));
    return all;
  }

private:
  OpBinder &op;
  std::vector<Tensor> carried;
  std::vector<std::vector<Tensor>> rows;
};

/// A sequence that an iteration makes longer, by tensors of this type.
struct Grows {
  size_t carried;
  Exprs dims;
  Type element;
};

/// What forms of carried values are held against, and what a longer one may consist of.
struct Forms {
  ArrayRef<Tensor> before;
  const std::set<std::string> &outside; ///< run symbols that had a meaning before the loop
  size_t decides;                       ///< the operand with which the loop would be unrolled
};

/// Throws, where the tensors that are added change from iteration to iteration.
Grows growth(OpBinder &op, const Forms &forms, size_t carried, const TensorRecord &added) {
  const Exprs dims = added.value ? op.b.shape(added.value) : op.b.facts().current(added.dims);
  for (const Expr &extent : dims)
    for (const std::string &id : extent.symbols())
      if (op.b.facts().isRun(id) && !forms.outside.count(id))
        op.undecided(forms.decides,
                     "carried value " + std::to_string(carried) + " is a sequence that grows by tensors of the shape " +
                         shapeText(dims) +
                         ", which iterations change: supported is one shape, unless it is known while compiling, and "
                         "little work, how often the loop runs");
  return {carried, dims, added.element};
}

bool isList(const TensorRecord &value) { return value.composite && value.composite->kind == Composite::Sequence; }

/// Throws where an iteration changes what a carried value consists of.
void checkForms(OpBinder &op, const Forms &forms, ArrayRef<Tensor> after) {
  for (size_t i = 0; i < after.size(); ++i) {
    const TensorRecord &old = *forms.before[i], &made = *after[i];
    if (made.poisoned || formOf(old) == formOf(made))
      continue;
    if (isList(old) && isList(made) && made.composite->elements.size() > old.composite->elements.size() &&
        areAlike(op, made.composite->elements))
      throw growth(op, forms, i, *made.composite->elements.back());
    op.undecided(forms.decides,
                 "carried value " + std::to_string(i) + " is " + formOf(old) + " before an iteration and " +
                     formOf(made) +
                     " after it: supported are sequences that stay as long or grow at the back by tensors of one "
                     "shape, unless it is known while compiling, and little work, how often the loop runs");
  }
}

/// What the sequence is before the loop, as a stack.
Tensor stackBefore(OpBinder &op, const TensorRecord &sequence, const Grows &growth) {
  if (!sequence.composite->elements.empty())
    return stackOfRows(op, stacked(op, sequence.composite->elements), growth.element);
  Exprs dims{Expr(0)};
  dims.append(growth.dims.begin(), growth.dims.end());
  const Type held = heldIn(growth.element);
  const Value none = isa<FloatType>(held) ? op.b.scalar(0, held, dims.size()) : op.b.intScalar(0, held, dims.size());
  return stackOfRows(op, op.b.broadcast(none, dims), growth.element);
}

std::vector<Tensor> roll(OpBinder &op, const LoopBounds &bounds, const Forms &forms, const LoopIteration &iteration) {
  const ArrayRef<Tensor> initial = forms.before;
  std::vector<Value> values;
  std::vector<Type> elements;
  for (const Tensor leaf : leavesOf(initial)) {
    values.push_back(op.materialize(leaf));
    elements.push_back(leaf->element);
  }
  const auto composed = [&](ArrayRef<Tensor> &leaves) {
    std::vector<Tensor> carried;
    for (const Tensor form : initial)
      carried.push_back(withLeaves(op, *form, leaves));
    return carried;
  };
  LoopBody body(op, values, bounds, /*hasCondition=*/true, elements);
  body.make([&](const Expr &index, ArrayRef<Tensor> leaves) {
    const std::vector<Tensor> outputs = iteration(index, composed(leaves));
    checkForms(op, forms, ArrayRef(outputs).slice(1, initial.size()));
    return leavesOf(outputs);
  });
  std::vector<Tensor> made;
  for (auto [i, value] : llvm::enumerate(body.create()))
    made.push_back(op.ofValue(value, body.elementOf(i)));
  ArrayRef<Tensor> leaves = made;
  std::vector<Tensor> results = composed(leaves);
  results.insert(results.end(), leaves.begin(), leaves.end()); // rows
  return results;
}

} // namespace

std::optional<std::vector<Tensor>> unrolled(OpBinder &op, const LoopBounds &bounds, const onnx::GraphProto &graph,
                                            ArrayRef<Tensor> initial, const LoopIteration &iteration) {
  const auto limit = bounds.limit ? bounds.limit->constant() : std::nullopt;
  const bool hasRows = static_cast<size_t>(graph.output_size()) > initial.size() + 1;
  const int64_t most = op.limits.bodyNodes / std::max(graph.node_size(), 1);
  if (bounds.trip || bounds.condition || (bounds.limit && !limit) || limit.value_or(0) > most)
    return std::nullopt;
  if (limit && *limit <= 0)
    return hasRows ? std::nullopt : std::optional(initial.vec());
  if (limit != 1 && !decidesItself(op, initial, iteration))
    return std::nullopt;
  Unroller unroller(op, initial);
  for (int64_t i = 0; unroller.proceed(i, limit == i + 1, iteration); ++i)
    op.bodies().requireRoom(op, graph, i + 2);
  return unroller.results();
}

std::vector<Tensor> rolled(OpBinder &op, const LoopBounds &bounds, std::vector<Tensor> initial,
                           const LoopIteration &iteration) {
  const std::set<std::string> outside = op.b.facts().runSymbols();
  const size_t decides = bounds.trip || !bounds.condition ? 0 : 1;
  const std::function<void()> takeBack = op.bodies().remember();
  for (;;) { // each time one sequence more is a stack
    try {
      return roll(op, bounds, {initial, outside, decides}, iteration);
    } catch (const Grows &growth) {
      takeBack();
      initial[growth.carried] = stackBefore(op, *initial[growth.carried], growth);
    }
  }
}

} // namespace cupola::onnx_import
