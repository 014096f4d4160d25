//===- lib/Import/Onnx/Ops/Slice.cpp - parts of tensors, joins, repeats ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"
#include "lib/Planner/Checked.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// A start or end of Slice as ONNX clamps it, for extent `d`: negative values
/// count from the end, then the value is cut to lo..hi. Huge constants mean "to the
/// end" and are never added to anything.
Expr clampPosition(const Expr &given, const Expr &d, const Expr &lo, const Expr &hi, const Ranges &ranges) {
  Expr position = given;
  if (const auto number = given.constant()) {
    constexpr int64_t far = int64_t(1) << 62;
    if (*number >= far)
      return hi;
    if (*number <= -far)
      return lo;
    if (*number < 0)
      position = given + d;
  } else if (proveLessEqual(Expr(0), given, ranges) != true) {
    // Its sign is not known: only a value that cannot be below 0 has one meaning.
    if (proveLess(given, Expr(0), ranges) != true)
      return Expr::overflow();
    position = given + d;
  }
  return simplify(min(max(lo, position), hi), ranges); // hi is below lo where there is nothing to step back over
}

struct SliceDim {
  Expr start, size;
};

SliceDim sliceDim(OpBinder &op, const Expr &start, const Expr &end, int64_t step, const Expr &extent) {
  const Ranges &ranges = op.b.ranges();
  const bool forward = step > 0;
  const Expr lo = forward ? Expr(0) : Expr(-1);
  const Expr hi = forward ? extent : extent - 1;
  const Expr first = clampPosition(start, extent, forward ? lo : Expr(0), hi, ranges);
  const Expr behind = clampPosition(end, extent, lo, hi, ranges);
  if (first.overflowed() || behind.overflowed())
    op.undecided({start, end}, "start " + start.text() + " and end " + end.text() +
                                   " may be negative or not, supported are those with a known sign");
  if (extent.isConstant(0))
    return {Expr(0), Expr(0)};
  const Expr length = forward ? behind - first : first - behind;
  const Expr size = ceilDiv(length, Expr(forward ? step : -step));
  return {first, simplify(max(Expr(0), size), ranges)};
}

void slice(OpBinder &op, ArrayRef<Expr> starts, ArrayRef<Expr> ends, const Ints &axes, const Ints &steps) {
  const Exprs shape = op.shape(0, "data");
  Exprs from(shape.size(), Expr(0)), sizes = shape;
  Ints by(shape.size(), 1);
  if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size())
    op.bad("starts, ends, axes and steps have " + std::to_string(starts.size()) + ", " + std::to_string(ends.size()) +
           ", " + std::to_string(axes.size()) + " and " + std::to_string(steps.size()) +
           " elements, expected equal numbers");
  op.axes(axes, static_cast<int64_t>(shape.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = static_cast<size_t>(op.axis(axes[i], static_cast<int64_t>(shape.size()), "axes"));
    if (steps[i] == 0 || steps[i] == std::numeric_limits<int64_t>::min())
      op.bad("steps has the value " + std::to_string(steps[i]) + ", expected none of 0 and -2^63");
    const SliceDim dim = sliceDim(op, starts[i], ends[i], steps[i], shape[axis]);
    from[axis] = dim.start;
    sizes[axis] = dim.size;
    by[axis] = steps[i];
  }
  const auto fixedStarts = constantDims(from), fixedSizes = constantDims(sizes);
  if (op.known(0) && fixedStarts && fixedSizes)
    if (auto known = sliceKnown(*op.known(0), *fixedStarts, by, *fixedSizes))
      return op.result(std::move(*known), op.element(0, "data"));
  op.result(op.b.slice(op.value(0, "data"), from, by, sizes));
}

/// Pieces of the given sizes along an axis.
void split(OpBinder &op, int64_t axis, ArrayRef<Expr> sizes) {
  const Exprs shape = op.shape(0, "input");
  Expr sum(0);
  for (const Expr &size : sizes) {
    if (size.constant() && *size.constant() < 0)
      op.bad("split has the size " + size.text() + ", expected none below 0");
    sum += size;
  }
  if (sizes.size() != op.outputCount())
    op.bad("split has " + std::to_string(sizes.size()) + " sizes for " + std::to_string(op.outputCount()) + " outputs");
  op.b.sameExtent(sum, shape[static_cast<size_t>(axis)],
                  "the sum of the sizes and the extent of axis " + std::to_string(axis));
  Exprs starts(shape.size(), Expr(0)), extents = shape;
  for (size_t i = 0; i < sizes.size(); ++i) {
    extents[static_cast<size_t>(axis)] = sizes[i];
    const auto fixedStarts = constantDims(starts), fixedExtents = constantDims(extents);
    std::optional<Known> known;
    if (op.known(0) && fixedStarts && fixedExtents)
      known = sliceKnown(*op.known(0), *fixedStarts, Ints(shape.size(), 1), *fixedExtents);
    if (known)
      op.result(std::move(*known), op.element(0, "input"), i);
    else
      op.result(op.b.slice(op.value(0, "input"), starts, Ints(shape.size(), 1), extents), i);
    starts[static_cast<size_t>(axis)] += sizes[i];
  }
}

/// `parts` pieces: equal ones, but for a smaller last one (which only opset 18
/// allows, with num_outputs).
Exprs equalParts(OpBinder &op, const Expr &extent, int64_t parts, bool ragged) {
  const auto number = extent.constant();
  if (number && !ragged && *number % parts != 0)
    op.bad("extent " + extent.text() + " cannot be split into " + std::to_string(parts) + " equal parts");
  const Expr part = simplify(ceilDiv(extent, Expr(parts)), op.b.ranges());
  if (number && part.isConstant(0))
    return Exprs(static_cast<size_t>(parts), Expr(0));
  Exprs sizes(static_cast<size_t>(parts), part);
  sizes.back() = simplify(extent - part * Expr(parts - 1), op.b.ranges());
  return sizes;
}

int64_t splitAxis(OpBinder &op) { return op.axis(op.intAttribute("axis", 0), op.rank(0, "input")); }

} // namespace

void importSliceAttributes(OpBinder &op) {
  const auto starts = op.intsAttribute("starts"), ends = op.intsAttribute("ends");
  if (!starts || !ends)
    op.bad("attribute 'starts' or 'ends' is missing, expected lists of ints");
  const Ints axes = op.intsAttribute("axes").value_or(sequence(0, int64_t(starts->size())));
  slice(op, Exprs(starts->begin(), starts->end()), Exprs(ends->begin(), ends->end()), axes, Ints(axes.size(), 1));
}

void importSlice(OpBinder &op) {
  const Exprs starts = op.symbolicInts(1, "starts"), ends = op.symbolicInts(2, "ends");
  const Ints axes = op.has(3) ? op.constantInts(3, "axes") : sequence(0, int64_t(starts.size()));
  const Ints steps = op.has(4) ? op.constantInts(4, "steps") : Ints(axes.size(), 1);
  slice(op, starts, ends, axes, steps);
}

void importSplitAttribute(OpBinder &op) {
  const int64_t axis = splitAxis(op);
  if (const auto sizes = op.intsAttribute("split"))
    return split(op, axis, Exprs(sizes->begin(), sizes->end()));
  split(op, axis,
        equalParts(op, op.shape(0, "input")[static_cast<size_t>(axis)], static_cast<int64_t>(op.outputCount()),
                   /*ragged=*/false));
}

void importSplit(OpBinder &op) {
  const int64_t axis = splitAxis(op), outputs = static_cast<int64_t>(op.outputCount());
  const int64_t parts = op.intAttribute("num_outputs", outputs);
  if (parts != outputs)
    op.bad("num_outputs is " + std::to_string(parts) + ", but the node has " + std::to_string(outputs) + " outputs");
  if (op.has(1) && op.hasAttribute("num_outputs"))
    op.bad("split and num_outputs are both given, expected one of them");
  if (op.has(1))
    return split(op, axis, op.symbolicInts(1, "split"));
  split(op, axis,
        equalParts(op, op.shape(0, "input")[static_cast<size_t>(axis)], parts, op.hasAttribute("num_outputs")));
}

static void concat(OpBinder &op, int64_t givenAxis) {
  const size_t count = op.inputCount();
  const int64_t axis = op.axis(givenAxis, op.rank(0, "inputs"));
  std::vector<const Known *> known;
  for (size_t i = 0; i < count; ++i)
    if (op.known(i) && op.element(i, "inputs") == op.element(0, "inputs") &&
        op.known(i)->dims.size() == op.shape(0, "inputs").size())
      known.push_back(op.known(i));
  if (known.size() == count && op.shape(0, "inputs").size() == 1)
    if (auto joined = concatKnown(known, axis))
      return op.result(std::move(*joined), op.element(0, "inputs"));
  op.result(op.b.concat(op.allValues(), axis));
}

void importConcat(OpBinder &op) { concat(op, op.requiredInt("axis")); }
void importConcat1(OpBinder &op) { concat(op, op.intAttribute("axis", 1)); }

void importTile(OpBinder &op) {
  const Exprs repeats = op.symbolicInts(1, "repeats");
  const Exprs shape = op.shape(0, "input");
  if (repeats.size() != shape.size())
    op.bad("repeats has " + std::to_string(repeats.size()) + " elements, expected " + std::to_string(shape.size()) +
           " for rank " + std::to_string(shape.size()));
  // A repeated extent d becomes [1, d] -> [r, d] -> r * d.
  Exprs apart, repeated, merged;
  for (auto [extent, times] : llvm::zip_equal(shape, repeats)) {
    if (times.constant() && *times.constant() < 0)
      op.bad("repeats has the value " + times.text() + ", expected none below 0");
    if (!times.isConstant(1) && !extent.isConstant(1)) {
      apart.push_back(Expr(1));
      repeated.push_back(times);
    }
    apart.push_back(extent);
    repeated.push_back(extent.isConstant(1) ? times : extent);
    merged.push_back(extent * times);
  }
  op.result(op.b.reshape(op.b.broadcast(op.b.reshape(op.value(0, "input"), apart), repeated), merged));
}

void importTrilu(OpBinder &op) {
  const bool upper = op.intAttribute("upper", 1) != 0;
  Value value = op.value(0, "input");
  const Exprs shape = op.b.shape(value);
  const int64_t rank = static_cast<int64_t>(shape.size());
  if (rank < 2)
    op.bad("the input has the shape " + shapeText(shape) + ", expected rank 2 or more");
  const Exprs matrix(ArrayRef<Expr>(shape).take_back(2));
  Value difference = op.b.binary(BinaryKind::Sub, op.b.iota(matrix, 1), op.b.iota(matrix, 0));
  Value diagonal = op.has(1) ? op.b.reshape(op.value(1, "k"), {}) : op.b.intScalar(0, op.b.element(difference));
  Value keep = op.b.binary(upper ? BinaryKind::GreaterEqual : BinaryKind::LessEqual, difference, diagonal);
  op.result(op.b.select(keep, value, op.b.scalar(0, op.b.element(value))));
}

} // namespace cupola::onnx_import
