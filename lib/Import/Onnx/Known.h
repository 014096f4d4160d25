//===- lib/Import/Onnx/Known.h - values that are known while importing -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Shape arithmetic runs on tensors of a few elements whose values are integers
// over the model's symbols, or floats made of them. Such a tensor has a Known
// beside (or instead of) its SSA value; ValuePropagation.h computes with it.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_KNOWN_H
#define CUPOLA_LIB_IMPORT_ONNX_KNOWN_H

#include "lib/Planner/Expr.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <vector>

namespace cupola::onnx_import {

/// One element: an integer (bools are 0 and 1), a float constant, or the float
/// num / den with integer expressions and den > 0 (Resize and TorchScript's
/// `floor(float(dim) * 2.0)` bring those).
struct Scalar {
  enum class Kind { Int, Real, Ratio };
  Kind kind = Kind::Int;
  Expr num; ///< Int, Ratio
  Expr den = Expr(1);
  double real = 0; ///< Real
  /// Of a Ratio that is an integer >= 0 times, or by, a float in f32, which rounds: these. The whole numbers next to it
  /// are those of wholeProduct, not of num / den.
  struct Product {
    Expr integer;
    double factor = 0;
    bool isQuotient = false;
  };
  std::optional<Product> product;

  static Scalar integer(Expr value) { return {Kind::Int, std::move(value), Expr(1), 0, {}}; }
  static Scalar constant(double value) { return {Kind::Real, Expr(), Expr(1), value, {}}; }
  static Scalar ratio(Expr num, Expr den);

  std::optional<int64_t> intConstant() const { return kind == Kind::Int ? num.constant() : std::nullopt; }
  bool isConstant() const { return kind == Kind::Real || (num.constant() && den.constant()); }
  double asDouble() const; ///< of a constant
};

/// A whole tensor of at most `maxElements` known elements, row-major.
struct Known {
  static constexpr int64_t maxElements = 256;
  /// Of a constant of floats: what has more is a weight, and no arithmetic on shapes.
  static constexpr int64_t maxReals = 64;
  std::vector<int64_t> dims;
  std::vector<Scalar> elements;

  bool isScalarLike() const { return elements.size() == 1; }
  bool allConstant() const;
  std::optional<std::vector<Expr>> integers() const; ///< nullopt: some are floats
};

/// Product of `dims` when it is at most Known::maxElements.
std::optional<int64_t> knownCount(const std::vector<int64_t> &dims);
/// The extents of a shape without symbols.
std::optional<std::vector<int64_t>> constantDims(llvm::ArrayRef<Expr> shape);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_KNOWN_H
