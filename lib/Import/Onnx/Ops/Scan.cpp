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

/// The attributes about `count` inputs or outputs, of these ranks.
Walk walkOf(OpBinder &op, StringRef kind, ArrayRef<int64_t> ranks) {
  const std::string axesName = "scan_" + kind.str() + "_axes", directionsName = "scan_" + kind.str() + "_directions";
  const Ints axes = op.intsAttribute(axesName).value_or(Ints(ranks.size(), 0));
  const Ints directions = op.intsAttribute(directionsName).value_or(Ints(ranks.size(), 0));
  for (const auto &[name, list] : {std::pair(axesName, axes), std::pair(directionsName, directions)})
    if (list.size() != ranks.size())
      op.bad("attribute '" + name + "' has " + std::to_string(list.size()) + " entries, expected " +
             std::to_string(ranks.size()));
  Walk walk;
  for (auto [axis, direction, rank] : llvm::zip_equal(axes, directions, ranks)) {
    if (direction != 0 && direction != 1)
      op.bad("attribute '" + directionsName + "' holds " + std::to_string(direction) + ", expected 0 or 1");
    walk.axes.push_back(op.axis(axis, rank, axesName));
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

} // namespace

void importScan(OpBinder &op) {
  const onnx::GraphProto &graph = op.graphAttribute("body");
  const int64_t scanned = op.requiredInt("num_scan_inputs"), inputs = op.inputCount();
  if (scanned < 1 || scanned > inputs)
    op.bad("attribute 'num_scan_inputs' is " + std::to_string(scanned) + ", the node has " + std::to_string(inputs) +
           " inputs");
  const int64_t carried = inputs - scanned, rows = int64_t(op.outputCount()) - carried;
  if (graph.input_size() != inputs || rows < 0 || graph.output_size() != int64_t(op.outputCount()))
    op.bad("the body has " + std::to_string(graph.input_size()) + " inputs and " + std::to_string(graph.output_size()) +
           " outputs, the node " + std::to_string(inputs) + " and " + std::to_string(op.outputCount()));
  std::vector<Value> initial;
  for (int64_t i = 0; i < carried; ++i)
    initial.push_back(op.value(i, "initial_state"));
  Ints ranks;
  for (int64_t i = carried; i < inputs; ++i)
    ranks.push_back(op.shape(i, "scan_input").size());
  const Walk in = walkOf(op, "input", ranks);
  Expr length = op.shape(carried, "scan_input")[in.axes[0]];
  for (int64_t i = 1; i < scanned; ++i)
    length = op.b.sameExtent(length, op.shape(carried + i, "scan_input")[in.axes[i]], "lengths of the scan inputs");

  LoopBody body(op, graph, initial, /*hasCondition=*/false);
  body.import([&](const Expr &index, ArrayRef<Tensor> values) {
    std::vector<Tensor> tensors = values.vec();
    for (int64_t i = 0; i < scanned; ++i) {
      const Tensor whole = op.bodies().scopes.here(op.tensor(carried + i, "scan_input"));
      tensors.push_back(
          op.ofValue(sliceAt(op, op.materialize(whole), in.axes[i], in.isReverse[i] ? length - 1 - index : index)));
    }
    return tensors;
  });
  const std::vector<Value> results = body.create({length, Value(), Value()});
  Ints rowRanks;
  for (int64_t i = carried; i < carried + rows; ++i)
    rowRanks.push_back(graph::rankOf(results[i]));
  const Walk out = walkOf(op, "output", rowRanks);
  for (int64_t i = 0; i < carried; ++i)
    op.result(results[i], i);
  for (int64_t i = 0; i < rows; ++i)
    op.result(placeRows(op, results[carried + i], out.axes[i], out.isReverse[i]), carried + i);
}

} // namespace cupola::onnx_import
