//===- lib/Import/Onnx/Ops/Slice.cpp - parts of tensors, joins, repeats ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Choice.h"
#include "lib/Import/Onnx/OpenAxes.h"
#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// A place of either sign: from the end where it is negative.
Expr placeOfEitherSign(OpBinder &op, const Expr &given, const Expr &d) {
  const Ranges &ranges = op.b.ranges();
  const std::optional<int64_t> most = bounds(given, ranges).hi;
  const bool isAtMostZero = most && *most <= 0;
  const Expr one = simplify(min(d, Expr(1)), ranges); // 0 of nothing from the end is its end
  if (isAtMostZero && proveLessEqual(one, -given, ranges) == true)
    return given + d;
  if (op.b.facts().usesRun(given))
    return given + isNegative(given) * d;
  // What is never above 0 is meant to count from the end, and not 0 of it; anything else to count from the front.
  // That helps to tell extents apart; where it is wrong, the run says so.
  if (isAtMostZero)
    op.b.atMost(one, -given, "1, or 0 of nothing, and how far from the end a slice begins or ends");
  else
    op.b.atMost(Expr(0), given, "0 and a place where a slice begins or ends");
  return isAtMostZero ? given + d : given;
}

/// A place of -1..hi, of which -1 is before the first element: what follows from data or from elements of inputs is a
/// symbol.
Expr placeSymbol(OpBinder &op, const Expr &place, const Expr &hi, const char *what) {
  if (!op.b.facts().usesRun(place))
    return op.b.bounded(place, what, -1, 0);
  const Expr least(proveLessEqual(Expr(0), place, op.b.ranges()) == true ? 0 : -1);
  return evaluated(op, place - least, what, hi - least) + least;
}

/// A start or end of Slice as ONNX clamps it, for extent `d`: negative values
/// count from the end, then the value is cut to lo..hi. Huge constants mean "to the
/// end" and are never added to anything: sums of large numbers that cancel have no useful bounds.
Expr clampPosition(OpBinder &op, const Expr &given, const Expr &d, const Expr &lo, const Expr &hi) {
  const Ranges &ranges = op.b.ranges();
  Expr position = given;
  bool isLong = false;
  if (const auto number = given.constant()) {
    constexpr int64_t far = int64_t(1) << 62, longest = std::numeric_limits<int32_t>::max();
    if (*number >= far)
      return hi;
    if (*number <= -far)
      return lo;
    if (*number <= -longest && !d.constant()) { // as exporters write that have 32 bits
      op.b.atMost(d, Expr(-*number - 1), "an extent and the places before its end where a slice begins or ends");
      return lo;
    }
    if (*number < 0)
      position = given + d;
  } else if (proveLessEqual(Expr(0), given, ranges) != true) {
    position = placeOfEitherSign(op, given, d);
    isLong = op.b.facts().usesRun(given) && position != given + d;
  }
  const Expr clamped = simplify(min(max(lo, position), hi), ranges); // hi < lo: there is nothing to step back over
  return isLong ? placeSymbol(op, clamped, hi, "place") : clamped;
}

/// A dimension of the result; a step that is open is no constant.
struct SliceDim {
  Expr start, size, step;
};

/// Start, end and step may have any sign.
SliceDim openDim(OpBinder &op, const Expr &start, const Expr &end, const Expr &step, const Expr &extent) {
  if (!step.constant())
    op.b.atMost(Expr(1), max(step, -step), "1 and the size of a step");
  const Expr down = isNegative(step);
  const auto clamped = [&](const Expr &given, const Expr &low) {
    return min(max(low, choose(isNegative(given), given + extent, given)), extent - down);
  };
  const Expr first = placeSymbol(op, clamped(start, Expr(0)), extent, "first place");
  const Expr behind = placeSymbol(op, clamped(end, -down), extent, "place of the end");
  const Expr size = stepsTo(behind - first, step);
  return {op.b.extent(max(Expr(0), first), "first place"),
          op.b.facts().usesRun(size) ? evaluated(op, size, "extent", extent) : op.b.extent(size, "extent"), step};
}

SliceDim sliceDim(OpBinder &op, const Expr &start, const Expr &end, const Expr &by, const Expr &extent) {
  const Ranges &ranges = op.b.ranges();
  const auto known = by.constant();
  if (known && (*known == 0 || *known == std::numeric_limits<int64_t>::min()))
    op.bad("steps has the value " + by.text() + ", expected none of 0 and -2^63");
  const auto isOpen = [&](const Expr &e) { return op.b.facts().followsElements(op.b.facts().current(e)); };
  if (!known || isOpen(start) || isOpen(end))
    return openDim(op, clipped(start), clipped(end), by, extent);
  const int64_t step = *known;
  const bool forward = step > 0;
  const Expr lo = forward ? Expr(0) : Expr(-1);
  const Expr hi = forward ? extent : extent - 1;
  const Expr first = clampPosition(op, start, extent, forward ? lo : Expr(0), hi);
  const Expr behind = clampPosition(op, end, extent, lo, hi);
  if (extent.isConstant(0))
    return {Expr(0), Expr(0), by};
  const Expr length = forward ? behind - first : first - behind;
  const Expr size = ceilDiv(length, Expr(forward ? step : -step));
  return {first, simplify(max(Expr(0), size), ranges), by};
}

/// The operands of a slice: lists of one entry per axis.
struct SliceRequest {
  Exprs starts, ends, axes, steps;
};

std::vector<SliceDim> sliceDims(OpBinder &op, const SliceRequest &request) {
  const Exprs shape = op.shape(0, "data");
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<SliceDim> dims;
  for (const Expr &extent : shape)
    dims.push_back({Expr(0), extent, Expr(1)});
  if (const auto axes = constantDims(request.axes)) {
    op.axes(*axes, rank);
    for (size_t i = 0; i < axes->size(); ++i) {
      const auto axis = static_cast<size_t>(op.axis((*axes)[i], rank, "axes"));
      dims[axis] = sliceDim(op, request.starts[i], request.ends[i], request.steps[i], shape[axis]);
    }
    return dims;
  }
  const OpenAxes open(op, request.axes, rank);
  const Exprs starts = llvm::map_to_vector(request.starts, clipped), ends = llvm::map_to_vector(request.ends, clipped);
  const bool isDense = llvm::all_of(request.steps, [](const Expr &step) { return step.isConstant(1); });
  for (size_t d = 0; d < dims.size(); ++d)
    dims[d] = openDim(op, open.valueOf(starts, d, Expr(0)), open.valueOf(ends, d, shape[d]),
                      isDense ? Expr(1) : open.valueOf(request.steps, d, Expr(1)), shape[d]);
  return dims;
}

/// Dimensions with open steps are gathered.
void slice(OpBinder &op, const SliceRequest &request) {
  const size_t count = request.axes.size();
  if (request.starts.size() != count || request.ends.size() != count || request.steps.size() != count)
    op.bad("starts, ends, axes and steps have " + std::to_string(request.starts.size()) + ", " +
           std::to_string(request.ends.size()) + ", " + std::to_string(count) + " and " +
           std::to_string(request.steps.size()) + " elements, expected equal numbers");
  const std::vector<SliceDim> dims = sliceDims(op, request);
  Exprs from, sizes;
  Ints by;
  for (auto [dim, extent] : llvm::zip_equal(dims, op.shape(0, "data"))) {
    const auto step = dim.step.constant();
    from.push_back(step ? dim.start : Expr(0));
    sizes.push_back(step ? dim.size : extent);
    by.push_back(step.value_or(1));
  }
  const auto fixedStarts = constantDims(from), fixedSizes = constantDims(sizes);
  const bool isFixed = llvm::all_of(dims, [](const SliceDim &dim) { return dim.step.constant().has_value(); });
  if (isFixed && op.known(0) && fixedStarts && fixedSizes)
    if (auto known = sliceKnown(*op.known(0), *fixedStarts, by, *fixedSizes))
      return op.result(std::move(*known), op.element(0, "data"));
  Value value = op.b.slice(op.value(0, "data"), from, by, sizes);
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (!dim.step.constant())
      value = op.b.gather(value, op.b.places(dim.start, dim.step, dim.size), static_cast<int64_t>(axis));
  op.result(value);
}

/// Pieces of the given sizes along an axis.
void split(OpBinder &op, int64_t axis, Exprs sizes) {
  const Exprs shape = op.shape(0, "input");
  Expr sum(0);
  for (Expr &size : sizes) {
    if (size.constant() && *size.constant() < 0)
      op.bad("split has the size " + size.text() + ", expected none below 0");
    size = op.b.extent(size, "a size of split");
    sum += size;
  }
  if (sizes.size() != op.outputCount())
    op.bad("split has " + std::to_string(sizes.size()) + " sizes for " + std::to_string(op.outputCount()) + " outputs");
  op.b.sameExtentHere(sum, shape[static_cast<size_t>(axis)],
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
/// allows, with num_outputs), and empty ones behind it where the pieces are too large for as many.
Exprs equalParts(OpBinder &op, const Expr &extent, int64_t parts, bool ragged) {
  const auto number = extent.constant();
  if (number && !ragged && *number % parts != 0)
    op.bad("extent " + extent.text() + " cannot be split into " + std::to_string(parts) + " equal parts");
  const Ranges &ranges = op.b.ranges();
  const Expr part = simplify(ceilDiv(extent, Expr(parts)), ranges);
  Exprs sizes(static_cast<size_t>(parts), part);
  if (!ragged && !number)
    return Exprs(static_cast<size_t>(parts), simplify(floorDiv(extent, Expr(parts)), ranges)); // split() adds them up
  sizes.back() = simplify(extent - part * Expr(parts - 1), ranges);
  const std::optional<int64_t> least = bounds(sizes.back(), ranges).lo;
  if (ragged && parts > 2 && least.value_or(-1) < 0) // of two pieces the last is none too short
    for (int64_t i = 1; i < parts; ++i)
      sizes[i] = simplify(max(min(part, extent - part * Expr(i)), Expr(0)), ranges);
  return sizes;
}

int64_t splitAxis(OpBinder &op) { return op.axis(op.intAttribute("axis", 0), op.rank(0, "input")); }

} // namespace

void importSliceAttributes(OpBinder &op) {
  const auto starts = op.intsAttribute("starts"), ends = op.intsAttribute("ends");
  if (!starts || !ends)
    op.bad("attribute 'starts' or 'ends' is missing, expected lists of ints");
  const Ints axes = op.intsAttribute("axes").value_or(sequence(0, int64_t(starts->size())));
  slice(op, {Exprs(starts->begin(), starts->end()), Exprs(ends->begin(), ends->end()), Exprs(axes.begin(), axes.end()),
             Exprs(axes.size(), Expr(1))});
}

void importSlice(OpBinder &op) {
  SliceRequest request{op.symbolicInts(1, "starts", Sign::Any), op.symbolicInts(2, "ends", Sign::Any), {}, {}};
  const Ints all = sequence(0, static_cast<int64_t>(request.starts.size()));
  request.axes = op.has(3) ? op.symbolicInts(3, "axes") : Exprs(all.begin(), all.end());
  request.steps = op.has(4) ? op.symbolicInts(4, "steps", Sign::Any) : Exprs(request.axes.size(), Expr(1));
  slice(op, request);
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

/// A repeated extent d becomes [1, d] -> [r, d] -> r * d.
static Value repeat(OpBinder &op, Value value, ArrayRef<Expr> shape, ArrayRef<Expr> repeats) {
  Exprs apart, repeated, merged;
  for (auto [extent, times] : llvm::zip_equal(shape, repeats)) {
    if (!times.isConstant(1) && !extent.isConstant(1)) {
      apart.push_back(Expr(1));
      repeated.push_back(times);
    }
    apart.push_back(extent);
    repeated.push_back(extent.isConstant(1) ? times : extent);
    merged.push_back(extent * times);
  }
  if (apart.size() <= static_cast<size_t>(maxRank))
    return op.b.reshape(op.b.broadcast(op.b.reshape(value, apart), repeated), merged);
  // One axis after the other, those around it as one each.
  Exprs done(shape);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const Expr before = graph::product(ArrayRef(done).take_front(axis)),
               behind = graph::product(ArrayRef(done).drop_front(axis + 1));
    value = repeat(op, op.b.reshape(value, {before, done[axis], behind}), {before, done[axis], behind},
                   {Expr(1), repeats[axis], Expr(1)});
    done[axis] = done[axis] * repeats[axis];
  }
  return op.b.reshape(value, merged);
}

void importTile(OpBinder &op) {
  Exprs repeats = op.symbolicInts(1, "repeats");
  const Exprs shape = op.shape(0, "input");
  if (repeats.size() != shape.size())
    op.bad("repeats has " + std::to_string(repeats.size()) + " elements, expected " + std::to_string(shape.size()) +
           " for rank " + std::to_string(shape.size()));
  for (Expr &times : repeats) {
    if (times.constant() && *times.constant() < 0)
      op.bad("repeats has the value " + times.text() + ", expected none below 0");
    times = op.b.extent(times, "a number of repeats");
  }
  op.result(repeat(op, op.value(0, "input"), shape, repeats));
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
