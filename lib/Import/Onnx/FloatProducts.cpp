//===- lib/Import/Onnx/FloatProducts.cpp - an extent times a float, as f32 rounds it ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ValuePropagation.h"

#include <cmath>

namespace cupola::onnx_import {
namespace {

/// Extents for which a fraction has to give what f32 gives. Up to 2^24 integers are f32 themselves; longer axes than
/// these are none that anybody scales.
constexpr int64_t kExtents = 1 << 16;
constexpr int64_t kMostParts = 1000;

struct Fraction {
  int64_t num, den;
};

bool agrees(const Fraction &fraction, const Scalar::Product &product, bool up) {
  const auto factor = static_cast<float>(product.factor);
  for (int64_t n = 0; n <= kExtents; ++n) {
    const float value = product.isQuotient ? static_cast<float>(n) / factor : static_cast<float>(n) * factor;
    const int64_t all = n * fraction.num, whole = up ? (all + fraction.den - 1) / fraction.den : all / fraction.den;
    if (static_cast<double>(up ? std::ceil(value) : std::floor(value)) != static_cast<double>(whole))
      return false;
  }
  return true;
}

/// The float itself.
std::optional<Fraction> exactly(double factor) {
  const std::optional<Scalar> scalar = asFraction(Scalar::constant(factor));
  if (!scalar)
    return std::nullopt;
  return Fraction{*scalar->num.constant(), *scalar->den.constant()};
}

/// Of the fractions that are this float as f32 the one of the fewest parts: 7/10 of 0.7.
std::optional<Fraction> simplest(double factor) {
  for (int64_t den = 1; den <= kMostParts; ++den) {
    const double num = std::round(factor * static_cast<double>(den));
    if (num >= 1 && static_cast<float>(num / static_cast<double>(den)) == static_cast<float>(factor))
      return Fraction{static_cast<int64_t>(num), den};
  }
  return std::nullopt;
}

} // namespace

std::optional<Scalar::Product> productOf(graph::BinaryKind kind, const Scalar &a, const Scalar &b, Type type,
                                         const Ranges &ranges) {
  const auto isExtent = [&](const Scalar &x) {
    return x.kind == Scalar::Kind::Ratio && x.den.isConstant(1) && proveLessEqual(Expr(0), x.num, ranges) == true;
  };
  const auto isFactor = [](const Scalar &x) { return x.kind == Scalar::Kind::Real && x.real > 0; };
  const bool isQuotient = kind == graph::BinaryKind::Div;
  if (!type.isF32() || (!isQuotient && kind != graph::BinaryKind::Mul))
    return std::nullopt;
  if (isExtent(a) && isFactor(b))
    return Scalar::Product{a.num, b.real, isQuotient};
  if (!isQuotient && isExtent(b) && isFactor(a))
    return Scalar::Product{b.num, a.real, false};
  return std::nullopt;
}

std::optional<Expr> wholeProduct(const Scalar::Product &product, bool up) {
  if (!(product.factor > 0x1p-20 && product.factor < 0x1p20))
    return std::nullopt;
  for (std::optional<Fraction> fraction : {exactly(product.factor), simplest(product.factor)}) {
    if (fraction && product.isQuotient)
      std::swap(fraction->num, fraction->den);
    if (!fraction || !agrees(*fraction, product, up))
      continue;
    const Expr all = product.integer * fraction->num;
    return up ? ceilDiv(all, fraction->den) : floorDiv(all, fraction->den);
  }
  return std::nullopt;
}

} // namespace cupola::onnx_import
