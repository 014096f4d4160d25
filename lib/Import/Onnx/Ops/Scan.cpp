//===- lib/Import/Onnx/Ops/Scan.cpp - Scan ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A loop over all places of an axis: the body reads its slice of each scan input by the number of the
// iteration. (https://onnx.ai/onnx/operators/onnx__Scan.html)
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/LoopBody.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// How scan inputs or outputs are walked through.
struct Walk {
  Ints axes;
  std::vector<bool> isReverse;
};

/// What `axes` and `directions`, names of attributes, say about inputs or outputs of these ranks.
Walk walkOf(OpBinder &op, const std::string &axes, const std::string &directions, ArrayRef<int64_t> ranks) {
  const auto listOf = [&](const std::string &name) {
    const Ints list = op.intsAttribute(name).value_or(Ints(ranks.size(), 0));
    if (list.size() != ranks.size())
      op.bad("attribute '" + name + "' has " + std::to_string(list.size()) + " entries, expected " +
             std::to_string(ranks.size()));
    return list;
  };
  Walk walk;
  for (auto [axis, direction, rank] : llvm::zip_equal(listOf(axes), listOf(directions), ranks)) {
    if (direction != 0 && direction != 1)
      op.bad("attribute '" + directions + "' holds " + std::to_string(direction) + ", expected 0 or 1");
    walk.axes.push_back(op.axis(axis, rank, axes));
    walk.isReverse.push_back(direction == 1);
  }
  return walk;
}

/// The place of `axis` that an iteration sees, without the axis.
Value sliceAt(OpBinder &op, Value value, int64_t axis, const Expr &place) {
  Exprs starts(graph::rankOf(value), Expr(0)), sizes = op.b.shape(value);
  starts[axis] = place;
  sizes[axis] = Expr(1);
  return op.b.squeeze(op.b.slice(value, starts, Ints(starts.size(), 1), sizes), {axis});
}

/// Rows in front become places of `axis`, the last one first if they were walked backwards.
Value placeRows(OpBinder &op, Value rows, int64_t axis, bool isReverse) {
  if (isReverse) {
    Exprs starts(graph::rankOf(rows), Expr(0));
    Ints steps(starts.size(), 1);
    starts[0] = op.b.shape(rows)[0] - 1;
    steps[0] = -1;
    rows = op.b.slice(rows, starts, steps, op.b.shape(rows));
  }
  Ints perm = sequence(1, graph::rankOf(rows));
  perm.insert(perm.begin() + axis, 0);
  return op.b.transpose(rows, perm);
}

/// A state keeps its shape, by ONNX's inference. Where it does not, as far as is known, it is carried as it is.
Tensor withShapeOf(OpBinder &op, Tensor after, Tensor before) {
  const Exprs from = op.b.facts().current(after->dims), to = op.b.facts().current(before->dims);
  if (from == to || from.size() != to.size() || after->poisoned)
    return after;
  for (auto [a, b] : llvm::zip_equal(from, to))
    if (op.b.facts().usesRun(a) || op.b.facts().usesRun(b) || proveEqual(a, b, op.b.ranges()) == false)
      return after;
  for (auto [a, b] : llvm::zip_equal(from, to))
    op.b.sameExtent(a, b, "extents of a state behind and before an iteration");
  return op.ofValue(op.b.reshape(op.materialize(after), to), after->element);
}

/// Opset 8 has lengths of sequences and a batch in front of everything.
class ScanImport {
public:
  ScanImport(OpBinder &op, bool hasBatch) : op(op), hasBatch(hasBatch), first(hasBatch ? 1 : 0) {}

  void run() {
    const onnx::GraphProto &graph = op.graphAttribute("body");
    countOperands(graph);
    std::vector<Value> initial;
    std::vector<Type> elements;
    for (int64_t i = 0; i < carried; ++i) {
      initial.push_back(withoutBatch(op.value(first + i, "initial_state")));
      elements.push_back(op.element(first + i, "initial_state"));
    }
    Ints ranks;
    for (int64_t i = 0; i < scanned; ++i)
      ranks.push_back(int64_t(op.shape(first + carried + i, "scan_input").size()) - (hasBatch ? 1 : 0));
    const Walk walk = walkOf(op, "scan_input_axes", hasBatch ? "directions" : "scan_input_directions", ranks);
    const Expr length = lengthOf(walk);
    LoopBody body(op, initial, {length, Value(), Value()}, /*hasCondition=*/false, elements);
    body.make([&](const Expr &index, ArrayRef<Tensor> values) {
      std::vector<Tensor> tensors = values.vec();
      for (int64_t i = 0; i < scanned; ++i) {
        const Tensor whole = op.bodies().scopes.here(op.tensor(first + carried + i, "scan_input"));
        tensors.push_back(op.ofValue(sliceAt(op, withoutBatch(op.materialize(whole)), walk.axes[i],
                                             walk.isReverse[i] ? length - 1 - index : index),
                                     whole->element));
      }
      std::vector<Tensor> results = op.bodies().inPlace(graph, tensors);
      for (int64_t i = 0; i < carried; ++i)
        results[i] = withShapeOf(op, results[i], values[i]);
      return results;
    });
    std::vector<Value> results = body.create();
    setResults(body, std::move(results));
  }

private:
  void countOperands(const onnx::GraphProto &graph) {
    if (hasBatch && op.has(0))
      op.unsupported("input 0 (sequence_lens) is given, supported are sequences of one length");
    const int64_t inputs = int64_t(op.inputCount()) - first, outputs = op.outputCount();
    scanned = op.requiredInt("num_scan_inputs");
    if (scanned < 1 || scanned > inputs)
      op.bad("attribute 'num_scan_inputs' is " + std::to_string(scanned) + ", the node has " + std::to_string(inputs) +
             " states and scan inputs");
    carried = inputs - scanned;
    if (graph.input_size() != inputs || graph.output_size() != outputs || outputs < carried)
      op.bad("the body has " + std::to_string(graph.input_size()) + " inputs and " +
             std::to_string(graph.output_size()) + " outputs, the node " + std::to_string(inputs) + " and " +
             std::to_string(outputs));
  }

  Value withoutBatch(Value value) const {
    if (!hasBatch)
      return value;
    const Exprs dims = op.b.shape(value);
    if (dims.empty() || (dims[0].constant() && !dims[0].isConstant(1)))
      op.unsupported("an input has the shape " + shapeText(dims) + ", supported are batches of 1 before opset 9");
    op.b.sameExtent(dims[0], Expr(1), "the batch and 1, which is supported before opset 9");
    return op.b.squeeze(value, {0});
  }

  Expr lengthOf(const Walk &walk) const {
    std::optional<Expr> length;
    for (int64_t i = 0; i < scanned; ++i) {
      const Expr extent = op.shape(first + carried + i, "scan_input")[walk.axes[i] + (hasBatch ? 1 : 0)];
      length = length ? op.b.sameExtent(*length, extent, "lengths of the scan inputs") : extent;
    }
    return *length;
  }

  void setResults(const LoopBody &body, std::vector<Value> results) {
    Ints ranks;
    for (size_t i = carried; i < results.size(); ++i)
      ranks.push_back(graph::rankOf(results[i]));
    const Walk walk = hasBatch ? Walk{Ints(ranks.size(), 0), std::vector<bool>(ranks.size())}
                               : walkOf(op, "scan_output_axes", "scan_output_directions", ranks);
    for (size_t i = 0; i < results.size(); ++i) {
      if (const size_t row = i - carried; i >= static_cast<size_t>(carried))
        results[i] = placeRows(op, results[i], walk.axes[row], walk.isReverse[row]);
      op.result(hasBatch ? op.b.unsqueeze(results[i], {0}) : results[i], body.elementOf(i), i);
    }
  }

  OpBinder &op;
  const bool hasBatch;
  const int64_t first; ///< of the states among the inputs
  int64_t carried = 0, scanned = 0;
};

} // namespace

void importOldScan(OpBinder &op) { ScanImport(op, /*hasBatch=*/true).run(); }
void importScan(OpBinder &op) { ScanImport(op, /*hasBatch=*/false).run(); }

} // namespace cupola::onnx_import
