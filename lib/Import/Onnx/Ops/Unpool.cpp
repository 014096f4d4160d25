//===- lib/Import/Onnx/Ops/Unpool.cpp - MaxUnpool --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every element of the result looks into the few windows that contain it for the one whose index names it, the last of
// several: no order of threads can decide. That an index lies in its window, as MaxPool's do, is checked by the run.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/Window.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Windows that overlap more than this are no pool's.
constexpr int64_t mostWindows = 64;

class Unpool {
public:
  explicit Unpool(OpBinder &op) : op(op), b(op.b), pooled(op.shape(0, "X")), spatial(pooled.size() - 2) {
    sizes = kernelShape(op, spatial);
    strides = windowNumbers(op, "strides", spatial);
    pads = paddingNumbers(op, "pads", 2 * spatial);
    result = {pooled[0], pooled[1]};
    for (size_t i = 0; i < spatial; ++i) {
      if (std::max(pads[i], pads[i + spatial]) >= sizes[i]) // a window of nothing but padding
        op.bad("attribute 'pads' is " + listText({pads.begin(), pads.end()}) +
               ", expected each to be smaller than the window");
      const Expr padded = (pooled[i + 2] - 1) * Expr(strides[i]) + Expr(sizes[i]);
      result.push_back(max(Expr(0), padded - Expr(pads[i] + pads[i + spatial])));
    }
    plane = graph::product(ArrayRef<Expr>(result).drop_front(2));
    target = op.has(2) ? givenShape() : result;
  }

  const Exprs &shape() const { return target; }

  Value unpool(Value values, Value indices) {
    Builder builder(b.context());
    indices = filled(withinWindows(indices), builder.getIntegerAttr(b.int64(), -1));
    values = filled(values, builder.getZeroAttr(b.element(values)));
    Value places = placesInPlane();
    Value sum = b.scalar(0, b.element(values));
    forWindows([&](ArrayRef<int64_t> before) {
      Value isHere = b.binary(BinaryKind::Equal, around(indices, before), places);
      sum = b.select(isHere, around(values, before), sum);
    });
    return sum;
  }

private:
  /// `output_shape`. Places are counted in the shape that the windows have, and what is given beyond that, behind it
  /// along each spatial dimension, is 0. (onnxruntime counts them in the given shape.)
  Exprs givenShape() {
    const Exprs given = op.symbolicInts(2, "output_shape");
    if (given.size() != result.size())
      op.bad("input 2 (output_shape) has " + std::to_string(given.size()) + " elements, expected " +
             std::to_string(result.size()) + ", one per dimension of input 0 (X)");
    Exprs shape;
    for (size_t i = 0; i < given.size(); ++i) {
      const Expr extent = b.extent(given[i], "an entry of output_shape");
      const std::string what =
          "extent " + std::to_string(i) + " of the windows' shape and that of input 2 (output_shape)";
      if (i < 2)
        b.sameExtent(result[i], extent, what);
      else
        b.atMost(result[i], extent, what);
      shape.push_back(b.facts().current(extent));
    }
    return shape;
  }

  /// Of each element of a plane of the target: where it is in the windows' shape, -1 beyond that.
  Value placesInPlane() {
    if (target == result)
      return b.reshape(b.iota({plane}, 0), planeOf(result));
    Value place = b.integer(Expr(0)), isInside;
    for (size_t i = 0; i < spatial; ++i) {
      Value at = along(target, i), isHere = binary(BinaryKind::Less, at, b.integer(result[i + 2]));
      place = binary(BinaryKind::Add, binary(BinaryKind::Mul, place, b.integer(result[i + 2])), at);
      isInside = isInside ? both(isInside, isHere) : isHere;
    }
    return b.select(isInside, place, b.integer(Expr(-1)));
  }

  Value binary(BinaryKind kind, Value x, Value y) { return b.binary(kind, x, y); }
  Value both(Value x, Value y) { return binary(BinaryKind::And, x, y); }
  Value isWithin(Value x, Value begin, Value end) {
    return both(binary(BinaryKind::LessEqual, begin, x), binary(BinaryKind::Less, x, end));
  }

  /// With a window where an extent turns out to be 0, so that elements beside nothing have one to look at.
  Value filled(Value pool, TypedAttr with) {
    const Exprs none(pooled.size(), Expr(0));
    Exprs behind = none;
    for (size_t i = 2; i < pooled.size(); ++i)
      if (proveLessEqual(1, pooled[i], b.ranges()) != true)
        behind[i] = max(Expr(0), 1 - pooled[i]);
    return behind == none ? pool : b.pad(pool, none, behind, graph::PadMode::Constant, with);
  }

  /// [1, 1, spatial..]
  static Exprs planeOf(ArrayRef<Expr> shape) {
    Exprs dims(shape);
    dims[0] = dims[1] = Expr(1);
    return dims;
  }
  /// 0, 1, .. along one spatial dimension of `shape`.
  Value along(ArrayRef<Expr> shape, size_t dim) {
    Exprs dims(shape.size(), Expr(1));
    dims[dim + 2] = shape[dim + 2];
    return b.iota(dims, static_cast<int64_t>(dim + 2));
  }

  /// Places in the plane of the result; one that is not in its window becomes one behind the plane, which is an error
  /// of the run.
  Value withinWindows(Value indices) {
    const Expr places = max(Expr(1), plane); // one to choose where there is none: then no element of the result asks
    Exprs front(pooled.size(), Expr(1));
    front[0] = pooled[0], front[1] = pooled[1];
    Value number = b.reshape(b.iota({pooled[0] * pooled[1]}, 0), front);
    Value place = binary(BinaryKind::Sub, indices, binary(BinaryKind::Mul, number, b.integer(plane)));
    Value isInside = isWithin(place, b.integer(Expr(0)), b.integer(plane));
    const std::vector<Value> at = coordinatesOf(op, place, ArrayRef<Expr>(result).drop_front(2));
    for (size_t i = 0; i < spatial; ++i) {
      Value begin = binary(BinaryKind::Mul, along(pooled, i), b.integer(strides[i]));
      begin = binary(BinaryKind::Sub, begin, b.integer(pads[i]));
      isInside = both(isInside, isWithin(at[i], begin, binary(BinaryKind::Add, begin, b.integer(sizes[i]))));
    }
    return b.gather(b.iota({places}, 0), b.select(isInside, place, b.integer(places)), 0);
  }

  /// Calls `visit` for the windows that contain an element: how many lie between each and the last along each
  /// dimension. In the order of the windows.
  void forWindows(function_ref<void(ArrayRef<int64_t>)> visit) {
    Ints counts;
    int64_t all = 1;
    for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
      counts.push_back((size + stride - 1) / stride);
      all = counts.back() > mostWindows ? mostWindows + 1 : all * counts.back();
      if (all > mostWindows)
        op.unsupported("an element lies in more than " + std::to_string(mostWindows) +
                       " windows, supported are at most " + std::to_string(mostWindows));
    }
    for (int64_t i = all; i-- > 0;) {
      Ints before(spatial);
      int64_t rest = i;
      for (size_t dim = spatial; dim-- > 0; rest /= counts[dim])
        before[dim] = rest % counts[dim];
      visit(before);
    }
  }

  /// What is known of a window, for each element of the result. At the borders there may be none: then it is that of
  /// another one, which names the element or does not, too.
  Value around(Value pool, ArrayRef<int64_t> before) {
    for (size_t i = 0; i < spatial; ++i) {
      Value place = binary(BinaryKind::Add, b.iota({target[i + 2]}, 0), b.integer(pads[i]));
      Value window =
          binary(BinaryKind::Sub, binary(BinaryKind::Div, place, b.integer(strides[i])), b.integer(before[i]));
      window =
          binary(BinaryKind::Max, binary(BinaryKind::Min, window, b.integer(pooled[i + 2] - 1)), b.integer(Expr(0)));
      pool = b.gather(pool, window, static_cast<int64_t>(i + 2));
    }
    return pool;
  }

  OpBinder &op;
  GraphBuilder &b;
  const Exprs pooled;
  const size_t spatial;
  Ints sizes, strides, pads;
  Exprs result; ///< the shape that the windows have
  Exprs target;
  Expr plane; ///< elements of a plane of `result`
};

} // namespace

void importMaxUnpool(OpBinder &op) {
  op.requireFloat(0, "X");
  op.rank(0, "X", /*least=*/3);
  if (!op.element(1, "I").isInteger(64))
    op.bad("input 1 (I) has elements of " + typeText(op.element(1, "I")) + ", expected int64");
  op.b.sameShape(op.shape(0, "X"), op.shape(1, "I"), "shapes of X and I");
  Unpool unpool(op);
  const auto isEmpty = [](const Expr &extent) { return extent.isConstant(0); };
  const bool isNothing = llvm::any_of(op.shape(0, "X"), isEmpty) || llvm::any_of(unpool.shape(), isEmpty);
  Value result = isNothing ? op.b.scalar(0, op.element(0, "X")) : unpool.unpool(op.value(0, "X"), op.value(1, "I"));
  op.result(op.b.broadcast(result, unpool.shape()));
}

} // namespace cupola::onnx_import
