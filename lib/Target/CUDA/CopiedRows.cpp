//===- lib/Target/CUDA/CopiedRows.cpp - the left operand of a product as tensor copies bring it ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CopiedRows.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

std::optional<CopiedRows> CopiedRows::read(FuncOp func, DotOp dot, int64_t depth, Variables &vars) {
  const graph::Exprs extents = graph::exprsOf(dot.getExtents());
  const DotIndices indices = indicesOf(dot);
  CopiedRows result;
  if (auto matrix = tensorOperand(func, dot.getLhs().front(), {indices.m, extents[0]}, {indices.k, extents[2]}, vars);
      matrix && matrix->alongK)
    result.operand = std::move(*matrix);
  else if (auto windows = windowOperand(func, dot, depth, vars))
    result.operand = std::move(*windows);
  else
    return std::nullopt;
  return result;
}

simt::TensorMapAttr CopiedRows::map(MLIRContext *context, int64_t depth, int64_t rows, int64_t swizzle) const {
  return std::visit([&](const auto &rowsOf) { return rowsOf.map(context, depth, rows, swizzle); }, operand);
}

CopyPlace CopiedRows::place(Lowering &low, const Expr &m, const Expr &k) const {
  const auto *windows = std::get_if<WindowOperand>(&operand);
  if (!windows)
    return placeOf(low, std::get<TensorOperand>(operand), {k, m});
  CopyPlace result{windows->coordinates(m, k), windows->taps(k)};
  for (graph::Exprs *exprs : {&result.coordinates, &result.taps})
    for (Expr &e : *exprs)
      e = simplify(e, low.vars.ranges());
  return result;
}

} // namespace cupola::cuda
