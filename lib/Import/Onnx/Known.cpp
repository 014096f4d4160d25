//===- lib/Import/Onnx/Known.cpp - values that are known while importing ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Known.h"

namespace cupola::onnx_import {

Scalar Scalar::ratio(Expr num, Expr den) {
  if (num.constant() && den.constant())
    return constant(static_cast<double>(*num.constant()) / static_cast<double>(*den.constant()));
  return {Kind::Ratio, std::move(num), std::move(den), 0, {}};
}

double Scalar::asDouble() const {
  if (kind == Kind::Real)
    return real;
  return static_cast<double>(*num.constant()) / static_cast<double>(*den.constant());
}

bool Known::allConstant() const {
  return llvm::all_of(elements, [](const Scalar &element) { return element.isConstant(); });
}

std::optional<std::vector<Expr>> Known::integers() const {
  std::vector<Expr> result;
  for (const Scalar &element : elements) {
    if (element.kind != Scalar::Kind::Int)
      return std::nullopt;
    result.push_back(element.num);
  }
  return result;
}

std::optional<int64_t> knownCount(const std::vector<int64_t> &dims) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim > Known::maxElements || (count *= dim) > Known::maxElements)
      return std::nullopt;
  }
  return count;
}

std::optional<std::vector<int64_t>> constantDims(llvm::ArrayRef<Expr> shape) {
  std::vector<int64_t> dims;
  for (const Expr &dim : shape) {
    if (!dim.constant())
      return std::nullopt;
    dims.push_back(*dim.constant());
  }
  return dims;
}

} // namespace cupola::onnx_import
