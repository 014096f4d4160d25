//===- lib/Import/Onnx/Ops/Shape.cpp - shapes and changes of shape ---------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Choice.h"
#include "lib/Import/Onnx/OpenAxes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Operand 0 in another shape, known or not.
void reshapeTo(OpBinder &op, ArrayRef<Expr> shape) {
  if (const Known *source = op.known(0))
    if (auto known = reshapeKnown(*source, shape))
      return op.result(std::move(*known), op.element(0, "data"));
  op.result(op.b.reshape(op.value(0, "data"), shape));
}

/// The extents that Reshape's target asks for: 0 takes the input's (unless
/// allowzero), -1 what is left over.
Exprs targetShape(OpBinder &op, const Exprs &from, const Exprs &asked, bool allowZero) {
  Exprs target;
  std::optional<size_t> open;
  Expr rest(1);
  for (size_t i = 0; i < asked.size(); ++i) {
    Expr extent = asked[i];
    if (extent.isConstant(0) && !allowZero) {
      if (i >= from.size())
        op.bad("shape has a 0 at position " + std::to_string(i) + ", but the input has rank " +
               std::to_string(from.size()));
      extent = from[i];
    } else if (extent.isConstant(-1)) {
      if (open)
        op.bad("shape has -1 at positions " + std::to_string(*open) + " and " + std::to_string(i) +
               ", expected at most one");
      open = i;
    } else if (extent.constant() && *extent.constant() < -1) {
      op.bad("shape has the extent " + extent.text() + ", expected -1 or more");
    }
    target.push_back(extent);
    if (!extent.isConstant(-1))
      rest *= extent;
  }
  if (!open)
    return target;
  const Expr total = graph::product(from);
  if (rest.isConstant(0))
    op.bad("shape has -1 beside an extent of 0, which leaves it undefined");
  const auto count = total.constant(), divisor = rest.constant();
  if (count && divisor && *count % *divisor != 0)
    op.bad("shape needs " + total.text() + " elements to be a multiple of " + rest.text());
  target[*open] = simplify(floorDiv(total, rest), op.b.ranges());
  if (target[*open] * rest != total)
    op.b.atMost(Expr(1), rest, "1 and the elements beside the extent -1");
  return target;
}

/// The same where entries may turn out as 0 or -1 when shapes are bound.
Exprs openTargetShape(OpBinder &op, const Exprs &from, const Exprs &asked, bool allowZero) {
  Exprs target;
  Expr known(1), openCount(0);
  for (size_t i = 0; i < asked.size(); ++i) {
    const Expr isOpen = isEqual(asked[i], Expr(-1)), isCopied = allowZero ? Expr(0) : isZero(asked[i]);
    const Expr copied = i < from.size() ? from[i] : Expr(-1); // there is none: no extent
    const Expr given = isOpen + isCopied * copied + isNot(isOpen + isCopied) * asked[i];
    target.push_back(op.b.extent(given, "extent " + std::to_string(i)));
    known *= target.back();
    openCount += isOpen;
  }
  op.b.atMost(openCount, Expr(1), "how many extents are -1, and 1");
  known = op.b.extent(known, "elements of the extents that are given");
  const Expr left = floorDiv(graph::product(from), max(known, Expr(1)));
  for (size_t i = 0; i < asked.size(); ++i)
    target[i] = op.b.extent(choose(isEqual(asked[i], Expr(-1)), left, target[i]), "extent " + std::to_string(i));
  return target;
}

void squeezeAxes(OpBinder &op, const std::optional<Ints> &given) {
  const Exprs shape = op.shape(0, "data");
  Ints axes;
  if (given) {
    axes = op.axes(*given, static_cast<int64_t>(shape.size()));
  } else {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (proveEqual(shape[i], Expr(1), op.b.ranges()) == std::nullopt)
        op.undecided({shape[i]}, "axes are not given and extent " + std::to_string(i) + " is " + shape[i].text() +
                                     ", which may or may not be 1");
      if (shape[i].isConstant(1))
        axes.push_back(int64_t(i));
    }
  }
  Exprs result;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!llvm::is_contained(axes, int64_t(i)))
      result.push_back(shape[i]);
    else
      op.b.sameExtentHere(shape[i], Expr(1), "extent " + std::to_string(i) + " of the input and 1");
  reshapeTo(op, result);
}

void unsqueezeAxes(OpBinder &op, const Ints &given) {
  Exprs shape = op.shape(0, "data");
  const int64_t rank = static_cast<int64_t>(shape.size() + given.size());
  for (int64_t axis : op.axes(given, rank))
    shape.insert(shape.begin() + axis, Expr(1));
  reshapeTo(op, shape);
}

} // namespace

void importShape(OpBinder &op) {
  const Exprs shape = op.shape(0, "data");
  const int64_t rank = static_cast<int64_t>(shape.size());
  const auto clamped = [&](int64_t position) {
    return std::clamp(position < 0 ? position + rank : position, int64_t(0), rank);
  };
  const int64_t start = clamped(op.intAttribute("start", 0));
  const int64_t end = clamped(op.intAttribute("end", rank));
  Known known{{std::max(int64_t(0), end - start)}, {}};
  for (int64_t i = start; i < end; ++i)
    known.elements.push_back(Scalar::integer(shape[static_cast<size_t>(i)]));
  op.result(std::move(known), op.b.int64());
}

void importSize(OpBinder &op) {
  op.result(Known{{}, {Scalar::integer(graph::product(op.shape(0, "data")))}}, op.b.int64());
}

void importReshape(OpBinder &op) {
  const bool allowZero = op.intAttribute("allowzero", 0) != 0;
  const Exprs from = op.shape(0, "data"), asked = op.symbolicInts(1, "shape");
  const bool isOpen = llvm::any_of(asked, [&](const Expr &e) {
    return op.b.facts().followsElements(e) && proveLessEqual(Expr(0), e, op.b.ranges()) != true;
  });
  reshapeTo(op, isOpen ? openTargetShape(op, from, asked, allowZero) : targetShape(op, from, asked, allowZero));
}

void importSqueezeAttribute(OpBinder &op) { squeezeAxes(op, op.intsAttribute("axes")); }

void importSqueeze(OpBinder &op) {
  if (!op.has(1))
    return squeezeAxes(op, std::nullopt);
  const Exprs axes = op.symbolicInts(1, "axes"), shape = op.shape(0, "data");
  if (const auto known = constantDims(axes))
    return squeezeAxes(op, Ints(known->begin(), known->end()));
  // That there is nothing but extents of 1 at the axes follows from the number of elements.
  reshapeTo(op, OpenAxes(op, axes, static_cast<int64_t>(shape.size())).without(shape));
}

void importUnsqueezeAttribute(OpBinder &op) { unsqueezeAxes(op, op.requiredInts("axes")); }

void importUnsqueeze(OpBinder &op) {
  const Exprs axes = op.symbolicInts(1, "axes"), shape = op.shape(0, "data");
  if (const auto known = constantDims(axes))
    return unsqueezeAxes(op, Ints(known->begin(), known->end()));
  reshapeTo(op, OpenAxes(op, axes, static_cast<int64_t>(shape.size() + axes.size())).insertedInto(shape));
}

void importFlatten(OpBinder &op) {
  const Exprs shape = op.shape(0, "input");
  const int64_t rank = static_cast<int64_t>(shape.size()), given = op.intAttribute("axis", 1);
  if (given < -rank || given > rank)
    op.bad("axis is " + std::to_string(given) + ", expected " + std::to_string(-rank) + " to " + std::to_string(rank) +
           " for rank " + std::to_string(rank));
  const size_t axis = static_cast<size_t>(given < 0 ? given + rank : given);
  reshapeTo(op, {graph::product(ArrayRef<Expr>(shape).take_front(axis)),
                 graph::product(ArrayRef<Expr>(shape).drop_front(axis))});
}

void importExpand(OpBinder &op) {
  Exprs target = op.symbolicInts(1, "shape");
  for (Expr &extent : target) {
    if (extent.constant() && *extent.constant() < 0)
      op.bad("shape has the extent " + extent.text() + ", expected none below 0");
    extent = op.b.extent(extent, "an extent of shape");
  }
  const Exprs shape = op.b.broadcastShapes(op.shape(0, "input"), target);
  if (const Known *source = op.known(0))
    if (auto known = broadcastKnown(*source, shape))
      return op.result(std::move(*known), op.element(0, "input"));
  op.result(op.b.broadcast(op.value(0, "input"), shape));
}

void importTranspose(OpBinder &op) {
  const int64_t rank = op.rank(0, "data");
  Ints perm = op.intsAttribute("perm").value_or(Ints());
  if (!op.hasAttribute("perm"))
    for (int64_t i = rank; i-- > 0;)
      perm.push_back(i);
  Ints sorted = perm;
  llvm::sort(sorted);
  if (sorted != sequence(0, rank))
    op.bad("perm is " + listText({perm.begin(), perm.end()}) + ", expected each of 0 to " + std::to_string(rank - 1) +
           " once for rank " + std::to_string(rank));
  if (const Known *source = op.known(0))
    return op.result(transposeKnown(*source, perm), op.element(0, "data"));
  op.result(op.b.transpose(op.value(0, "data"), perm));
}

/// Checks rank 4 and the block size; the two ops are each other's inverse.
static int64_t blockSize(OpBinder &op, const Exprs &shape) {
  const int64_t size = op.requiredInt("blocksize");
  if (shape.size() != 4 || size < 1)
    op.bad("the input has the shape " + shapeText(shape) + " and blocksize is " + std::to_string(size) +
           ", expected rank 4 and at least 1");
  return size;
}

static Expr dividedExactly(OpBinder &op, const Expr &extent, int64_t divisor) {
  const auto number = extent.constant();
  if (number && *number % divisor != 0)
    op.bad("extent " + extent.text() + " is no multiple of " + std::to_string(divisor));
  return simplify(floorDiv(extent, Expr(divisor)), op.b.ranges());
}

/// Whether the channels of a block stand behind each other, as mode CRD has it.
static bool isDepthFirst(OpBinder &op) {
  const std::string mode = op.stringAttribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    op.bad("attribute 'mode' is '" + printable(mode) + "', expected DCR or CRD");
  return mode == "CRD";
}

void importDepthToSpace(OpBinder &op) {
  const Exprs in = op.shape(0, "input");
  const int64_t size = blockSize(op, in);
  const bool depthFirst = isDepthFirst(op);
  const Expr depth = dividedExactly(op, in[1], size * size);
  Value blocks = op.b.reshape(op.value(0, "input"), depthFirst ? Exprs{in[0], depth, size, size, in[2], in[3]}
                                                               : Exprs{in[0], size, size, depth, in[2], in[3]});
  blocks = depthFirst ? op.b.transpose(blocks, {0, 1, 4, 2, 5, 3}) : op.b.transpose(blocks, {0, 3, 4, 1, 5, 2});
  op.result(op.b.reshape(blocks, {in[0], depth, in[2] * Expr(size), in[3] * Expr(size)}));
}

void importSpaceToDepth(OpBinder &op) {
  const Exprs in = op.shape(0, "input");
  const int64_t size = blockSize(op, in);
  const Expr height = dividedExactly(op, in[2], size), width = dividedExactly(op, in[3], size);
  Value blocks = op.b.reshape(op.value(0, "input"), {in[0], in[1], height, size, width, size});
  blocks = isDepthFirst(op) ? op.b.transpose(blocks, {0, 1, 3, 5, 2, 4}) : op.b.transpose(blocks, {0, 3, 5, 1, 2, 4});
  op.result(op.b.reshape(blocks, {in[0], in[1] * Expr(size * size), height, width}));
}

} // namespace cupola::onnx_import
