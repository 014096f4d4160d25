//===- lib/Import/Onnx/Ops/AffineGrid.cpp - places that GridSample reads ---===//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX defines it by ops; this has none of their detours over three dimensions and branches, so that sizes may be
// inputs.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Places from -1 to 1: of the middles of the first and the last element with `align`, else of their outer edges. A
/// single element has no distance to another; with `align` it lies at -1, as along ONNX's third dimension.
Value places(GraphBuilder &b, const Expr &extent, bool align, Type type) {
  Value at = b.cast(b.iota({extent}, 0), type);
  const Expr steps = align ? simplify(max(Expr(1), extent - 1), b.ranges()) : extent;
  Value step = b.binary(BinaryKind::Div, b.scalar(2, type), b.cast(b.dims({steps}, {}, b.int64()), type));
  if (!align)
    at = b.binary(BinaryKind::Add, at, b.scalar(0.5, type));
  return b.binary(BinaryKind::Sub, b.binary(BinaryKind::Mul, at, step), b.scalar(1, type));
}

} // namespace

void importAffineGrid(OpBinder &op) {
  op.requireFloat(0, "theta");
  Exprs sizes = op.symbolicInts(1, "size");
  if (sizes.size() != 4 && sizes.size() != 5)
    op.bad("input 1 (size) has " + std::to_string(sizes.size()) +
           " elements, expected 4 (N, C, H, W) or 5 (N, C, D, H, W)");
  for (Expr &size : sizes)
    size = op.b.extent(size, "an entry of size");
  const size_t spatial = sizes.size() - 2;
  op.b.sameShape(op.shape(0, "theta"), {sizes[0], Expr(spatial), Expr(spatial + 1)},
                 "shapes of theta and of its matrices");
  const bool align = op.intAttribute("align_corners", 0) != 0;
  op.result(roundedOnce(op.b, op.value(0, "theta"), [&](Value theta) {
    /// Column `i` of the matrices: [N, 1.., rows].
    const auto column = [&](size_t i) {
      Exprs dims(spatial + 2, Expr(1));
      dims.front() = sizes[0], dims.back() = Expr(spatial);
      Value part = op.b.slice(theta, {Expr(0), Expr(0), Expr(i)}, {1, 1, 1}, {sizes[0], Expr(spatial), Expr(1)});
      return op.b.reshape(part, dims);
    };
    Value sum;
    for (size_t i = 0; i < spatial; ++i) { // x, which is along the last dimension, first
      Exprs dims(spatial + 2, Expr(1));
      dims[spatial - i] = sizes[sizes.size() - 1 - i];
      Value along = op.b.reshape(places(op.b, dims[spatial - i], align, op.b.element(theta)), dims);
      Value part = op.b.binary(BinaryKind::Mul, column(i), along);
      sum = sum ? op.b.binary(BinaryKind::Add, sum, part) : part;
    }
    return op.b.binary(BinaryKind::Add, sum, column(spatial));
  }));
}

} // namespace cupola::onnx_import
