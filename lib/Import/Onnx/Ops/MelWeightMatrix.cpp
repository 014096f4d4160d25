//===- lib/Import/Onnx/Ops/MelWeightMatrix.cpp - bands of the mel scale ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Only the two numbers that are extents have to be known while compiling; where all are, the matrix is folded to a
// constant. Places are whole numbers, found by rounding down: they are computed in float64.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// mel(f) = 2595 log10(1 + f / 700)
constexpr double scaleOfMel = 2595, hertzOfMel = 700;

class MelBands {
public:
  explicit MelBands(OpBinder &op) : b(op.b), f64(Float64Type::get(b.context())) {
    count = b.extent(op.symbolicInt(0, "num_mel_bins"), "num_mel_bins");
    length = b.extent(op.symbolicInt(1, "dft_length"), "dft_length");
    rate = b.cast(op.scalar(2, "sample_rate"), f64);
    low = mel(op.scalar(3, "lower_edge_hertz"));
    Value high = mel(op.scalar(4, "upper_edge_hertz"));
    step = divide(b.binary(BinaryKind::Sub, high, low), number(count + 2));
  }

  /// [spectrum, bands]: triangles that rise from 0 to 1 and fall again.
  Value matrix() {
    Value from = place(0), top = place(1), to = place(2);
    Value at = b.cast(b.iota({floorDiv(length, Expr(2)) + 1, Expr(1)}, 0), f64);
    Value zero = b.scalar(0, f64), one = b.scalar(1, f64);
    Value rising = divide(subtract(at, from), subtract(top, from));
    rising = b.select(b.binary(BinaryKind::Equal, top, from), one, rising);
    Value onWayUp =
        b.binary(BinaryKind::And, b.binary(BinaryKind::LessEqual, from, at), b.binary(BinaryKind::LessEqual, at, top));
    Value onWayDown =
        b.binary(BinaryKind::And, b.binary(BinaryKind::LessEqual, top, at), b.binary(BinaryKind::Less, at, to));
    Value falling = divide(subtract(to, at), subtract(to, top));
    return b.select(onWayDown, falling, b.select(onWayUp, rising, zero));
  }

private:
  Value number(const Expr &value) { return b.cast(b.dims({value}, {}, b.int64()), f64); }
  Value subtract(Value x, Value y) { return b.binary(BinaryKind::Sub, x, y); }
  Value divide(Value x, Value y) { return b.binary(BinaryKind::Div, x, y); }
  Value scaled(Value x, double factor) { return b.binary(BinaryKind::Mul, x, b.scalar(factor, f64)); }

  Value mel(Value hertz) {
    Value ratio = divide(b.cast(hertz, f64), b.scalar(hertzOfMel, f64));
    Value logarithm = b.unary(UnaryKind::Log, b.binary(BinaryKind::Add, ratio, b.scalar(1, f64)));
    return scaled(logarithm, scaleOfMel / std::log(10.0));
  }

  /// Where in the spectrum the `offset`-th corner of each band lies: [1, bands].
  Value place(int64_t offset) {
    Value corner = b.binary(BinaryKind::Add, b.iota({Expr(1), count}, 1), b.intScalar(offset, b.int64()));
    Value mels = b.binary(BinaryKind::Add, b.binary(BinaryKind::Mul, b.cast(corner, f64), step), low);
    Value power = b.unary(UnaryKind::Exp, scaled(mels, std::log(10.0) / scaleOfMel));
    Value hertz = scaled(subtract(power, b.scalar(1, f64)), hertzOfMel);
    return b.unary(UnaryKind::Floor, divide(b.binary(BinaryKind::Mul, hertz, number(length + 1)), rate));
  }

  GraphBuilder &b;
  Type f64;
  Expr count, length;
  Value rate, low, step;
};

} // namespace

void importMelWeightMatrix(OpBinder &op) {
  op.requireIndex(0, "num_mel_bins");
  op.requireIndex(1, "dft_length");
  op.requireIndex(2, "sample_rate");
  op.requireFloat(3, "lower_edge_hertz");
  op.requireFloat(4, "upper_edge_hertz");
  const auto number = static_cast<int32_t>(op.intAttribute("output_datatype", 1));
  const Type type = elementTypeOf(number, op.b.context());
  if (!type)
    op.unsupported("attribute 'output_datatype' is " + elementTypeName(number) + ", which is not supported");
  op.result(op.b.cast(MelBands(op).matrix(), type));
}

} // namespace cupola::onnx_import
