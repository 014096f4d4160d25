//===- lib/Import/Onnx/Choice.cpp - expressions that choose ----------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Choice.h"

namespace cupola::onnx_import {

Expr isNegative(const Expr &e) { return max(Expr(0), -max(e, Expr(-1))); }

Expr isZero(const Expr &e) { return max(Expr(0), Expr(1) - max(min(e, Expr(1)), -max(e, Expr(-1)))); }

Expr choose(const Expr &condition, const Expr &then, const Expr &otherwise) {
  return condition * then + isNot(condition) * otherwise;
}

Expr elementAt(llvm::ArrayRef<Expr> list, const Expr &index) {
  Expr sum(0);
  for (size_t i = 0; i < list.size(); ++i)
    sum += isEqual(index, Expr(static_cast<int64_t>(i))) * list[i];
  return sum;
}

Expr clipped(const Expr &e) {
  constexpr int64_t far = int64_t(1) << 61;
  return max(min(e, Expr(far)), Expr(-far));
}

Expr stepsTo(const Expr &e, const Expr &step) {
  if (step.constant())
    return max(Expr(0), ceilDiv(e, step));
  const Expr down = isNegative(step);
  const Expr distance = choose(down, -e, e), size = choose(down, -step, step);
  return ceilDiv(max(Expr(0), distance), max(Expr(1), size));
}

} // namespace cupola::onnx_import
