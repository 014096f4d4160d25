//===- dialects/Graph/Indexing.cpp - index maps of views ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Indexing.h"

#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::graph {

Expr linearize(ArrayRef<Expr> index, ArrayRef<Expr> dims) {
  Expr position(0);
  for (auto [i, dim] : llvm::zip_equal(index, dims))
    position = position * dim + i;
  return position;
}

Exprs delinearize(const Expr &position, ArrayRef<Expr> dims, const Ranges &ranges) {
  Exprs index(dims.size());
  Expr stride(1);
  for (size_t i = dims.size(); i-- > 0;) {
    Expr part = floorDiv(position, stride);
    // The first dimension needs no mod: the position is in range.
    index[i] = simplify(i == 0 ? part : mod(part, dims[i]), ranges);
    stride *= dims[i];
  }
  return index;
}

Exprs reshapeIndex(ArrayRef<Expr> index, ArrayRef<Expr> from, ArrayRef<Expr> to, const Ranges &ranges) {
  Exprs result;
  size_t i = 0, o = 0;
  while (o < to.size()) {
    // The smallest groups from i and o on whose products are equal.
    size_t iEnd = i, oEnd = o + 1;
    Expr inProduct(1), outProduct = to[o];
    auto grow = [&]() {
      while (inProduct != outProduct) {
        if (iEnd == from.size() && oEnd == to.size())
          return;
        std::optional<int64_t> in = inProduct.constant(), out = outProduct.constant();
        bool growIn = in && out ? *in < *out
                                : inProduct.terms().size() == 0 ||
                                      std::optional<bool>(proveLess(inProduct, outProduct, ranges)).value_or(true);
        if ((growIn && iEnd < from.size()) || oEnd == to.size())
          inProduct *= from[iEnd++];
        else
          outProduct *= to[oEnd++];
      }
    };
    grow();
    if (inProduct != outProduct) { // take everything that is left as one group
      iEnd = from.size();
      oEnd = to.size();
    }
    ArrayRef<Expr> inDims = from.slice(i, iEnd - i), outDims = to.slice(o, oEnd - o);
    if (inDims.size() == 1 && outDims.size() == 1)
      result.push_back(index[i]);
    else
      llvm::append_range(result, delinearize(linearize(index.slice(i, iEnd - i), inDims), outDims, ranges));
    i = iEnd;
    o = oEnd;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
OperandIndex identity(ArrayRef<Expr> index) { return {Exprs(index), {}}; }
OperandIndex none() { return {}; }
} // namespace

OperandIndex DimsOp::mapIndex(unsigned, ArrayRef<Expr>, const Ranges &) { return none(); }
OperandIndex IotaOp::mapIndex(unsigned, ArrayRef<Expr>, const Ranges &) { return none(); }
OperandIndex UnaryOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) { return identity(index); }
OperandIndex BinaryOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) { return identity(index); }
OperandIndex SelectOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) { return identity(index); }
OperandIndex CastOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) { return identity(index); }
OperandIndex BitcastOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) { return identity(index); }
OperandIndex CallOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) { return identity(index); }

OperandIndex ReshapeOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &ranges) {
  return {reshapeIndex(index, shapeOf(getResult()), shapeOf(getInput()), ranges), {}};
}
std::optional<SmallVector<Expr>> ReshapeOp::mapIndexForward(ArrayRef<Expr> index, const Ranges &ranges) {
  return reshapeIndex(index, shapeOf(getInput()), shapeOf(getResult()), ranges);
}

OperandIndex TransposeOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &) {
  Exprs in(index.size());
  for (auto [i, dim] : llvm::enumerate(getPerm()))
    in[dim] = index[i];
  return {in, {}};
}
std::optional<SmallVector<Expr>> TransposeOp::mapIndexForward(ArrayRef<Expr> index, const Ranges &) {
  return llvm::map_to_vector(getPerm(), [&](int64_t dim) { return index[dim]; });
}

OperandIndex BroadcastOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &ranges) {
  Exprs in, from = shapeOf(getInput()), to = shapeOf(getResult());
  for (auto [i, e, o] : llvm::zip_equal(index, from, to)) {
    if (e == o)
      in.push_back(i);
    else if (e.isConstant(1))
      in.push_back(Expr(0));
    else // decided when shapes are bound: 0 where the extent is 1
      in.push_back(simplify(min(i, e - 1), ranges));
  }
  return {in, {}};
}

OperandIndex SliceOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &ranges) {
  Exprs in;
  for (auto [i, start, step] : llvm::zip_equal(index, exprsOf(getStarts()), getSteps()))
    in.push_back(simplify(start + i * Expr(step), ranges));
  return {in, {}};
}

/// The place that is repeated at `in`, which may be outside of the extent.
static Expr padded(PadMode mode, const Expr &in, const Expr &extent, const Ranges &ranges) {
  const Expr last = extent - 1;
  if (mode == PadMode::Wrap)
    return mod(in, extent);
  if (mode == PadMode::Edge)
    return max(Expr(0), min(in, last));
  // Reflected at both ends: |in|, and that folded at the last one; the period is 2 * last where it is more than once.
  const bool isOnce =
      proveLessEqual(Expr(0) - last, in, ranges) == true && proveLessEqual(in, last * Expr(2), ranges) == true;
  const Expr phase = isOnce ? max(in, Expr(0) - in) : mod(in, max(Expr(1), last * Expr(2)));
  return min(phase, last * Expr(2) - phase);
}

OperandIndex PadOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &ranges) {
  OperandIndex result;
  for (auto [i, low, extent] : llvm::zip_equal(index, exprsOf(getLow()), shapeOf(getInput()))) {
    Expr in = simplify(i - low, ranges);
    const Expr last = extent - 1;
    const bool isBehind = proveLessEqual(Expr(0), in, ranges) == true,
               isBefore = proveLessEqual(in, last, ranges) == true;
    if (getMode() == PadMode::Constant) {
      if (!isBehind)
        result.mask.push_back(in);
      if (!isBefore)
        result.mask.push_back(simplify(last - in, ranges));
    } else if (!isBehind || !isBefore) {
      in = padded(getMode(), in, extent, ranges);
    }
    result.index.push_back(simplify(in, ranges));
  }
  return result;
}

OperandIndex ConcatOp::mapIndex(unsigned operand, ArrayRef<Expr> index, const Ranges &ranges) {
  Expr begin(0);
  for (unsigned i = 0; i < operand; ++i)
    begin += extentOf(getInputs()[i], getAxis());
  OperandIndex result{Exprs(index), {}};
  Expr &in = result.index[getAxis()];
  in = simplify(in - begin, ranges);
  Expr last = extentOf(getInputs()[operand], getAxis()) - 1;
  if (proveLessEqual(Expr(0), in, ranges) != true)
    result.mask.push_back(in);
  if (proveLessEqual(in, last, ranges) != true)
    result.mask.push_back(simplify(last - in, ranges));
  return result;
}

OperandIndex WindowOp::mapIndex(unsigned, ArrayRef<Expr> index, const Ranges &ranges) {
  size_t axis = getAxis(), dims = getSizes().size();
  Exprs in(index.take_front(axis));
  for (size_t i = 0; i < dims; ++i)
    in.push_back(
        simplify(index[axis + i] * Expr(getStrides()[i]) + index[axis + dims + i] * Expr(getDilations()[i]), ranges));
  llvm::append_range(in, index.drop_front(axis + 2 * dims));
  return {in, {}};
}

} // namespace cupola::graph
