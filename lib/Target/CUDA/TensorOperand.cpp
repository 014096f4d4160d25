//===- lib/Target/CUDA/TensorOperand.cpp - operands that tensor copies can bring ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/TensorOperand.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

static constexpr size_t mostDimensions = 5;
static constexpr int64_t alignment = 16; ///< bytes

namespace {

/// Takes a position apart.
class Linear {
public:
  Linear(Expr position, Variables &vars, const Ranges &ranges)
      : rest(std::move(position)), vars(vars), ranges(ranges) {}

  /// The same of an index and the step that counts its tiles.
  std::optional<Expr> take(const OperandIndex &of) {
    const std::optional<Expr> stride = take(of.index);
    if (!stride || !of.step)
      return stride;
    const std::optional<Expr> ofTile = take(of.step);
    return ofTile && *ofTile == *stride * of.tile ? stride : std::nullopt;
  }
  /// What the position grows by with an index value, the same everywhere; it is not in `rest` any more.
  std::optional<Expr> take(Value index) {
    const std::string name = vars.name(index);
    std::optional<Expr> stride = rest.coefficient(name);
    if (!stride || !isOfLaunch(*stride))
      return std::nullopt;
    rest = rest - *stride * Expr::symbol(name);
    return stride;
  }
  bool isOfLaunch(const Expr &e) const {
    return llvm::all_of(e.symbols(), [&](const std::string &symbol) { return !vars.value(symbol); });
  }
  bool isAtLeast(const Expr &e, int64_t bound) const { return proveLessEqual(bound, e, ranges) == true; }
  /// Of a tensor that has an element: a map of none needs no strides (lib/Runtime/TensorMaps.cpp).
  bool isStride(const Expr &e, ArrayRef<Expr> extents) const {
    Ranges filled = ranges;
    for (const Expr &extent : extents)
      if (const std::optional<std::string> symbol = extent.asSymbol())
        filled[*symbol].lo = max(filled[*symbol].lo.value_or(1), 1);
    return proveLessEqual(1, e, filled) == true;
  }

  Expr rest;

private:
  Variables &vars;
  const Ranges &ranges;
};

} // namespace

/// Strides of k and `outer` and of the grid's points; nothing is left but a begin.
static bool dissect(FuncOp func, Linear &linear, const OperandIndex &outer, const OperandIndex &k,
                    TensorOperand &result) {
  std::optional<Expr> alongK = linear.take(k), alongOuter = linear.take(outer);
  if (!alongK || !alongOuter)
    return false;
  result.alongK = alongK->isConstant(1);
  if (!result.alongK)
    std::swap(alongK, alongOuter);
  if (!alongK->isConstant(1))
    return false;
  result.strides = {*alongK, *alongOuter};
  result.extents = result.alongK ? graph::Exprs{k.extent, outer.extent} : graph::Exprs{outer.extent, k.extent};
  for (auto [point, extent] : llvm::zip_equal(func.getPoint(), graph::exprsOf(func.getGrid()))) {
    std::optional<Expr> stride = linear.take(point);
    if (!stride)
      return false;
    if (stride->isConstant(0))
      continue;
    result.strides.push_back(*stride);
    result.extents.push_back(extent);
    result.batch.push_back(point);
  }
  result.offset = linear.rest;
  return linear.isOfLaunch(linear.rest);
}

/// Whether all that a mask leaves out lies behind the end of an index with steps; then it gets this extent.
static bool endsAtMask(ArrayRef<Expr> mask, OperandIndex &of, const Linear &linear, Variables &vars) {
  if (mask.empty())
    return true;
  if (!of.step || mask.size() > 1)
    return false;
  const Expr end = mask[0] + 1 + Expr::symbol(vars.name(of.step)) * of.tile + Expr::symbol(vars.name(of.index));
  of.extent = end;
  return linear.isOfLaunch(end);
}

std::optional<TensorOperand> tensorOperand(FuncOp func, Block &region, OperandIndex outer, OperandIndex k,
                                           Variables &vars) {
  LoadOp load = plainLoad(region);
  if (!load)
    return std::nullopt;
  TensorOperand result;
  Linear linear(vars.read(load.getPosition(), load.getIndices()), vars, vars.ranges());
  const graph::Exprs mask = vars.read(load.getMask(), load.getIndices());
  if (!endsAtMask(mask, outer.step ? outer : k, linear, vars) || !dissect(func, linear, outer, k, result) ||
      result.extents.size() > mostDimensions)
    return std::nullopt;
  const std::map<std::string, int64_t> divisors = scalarDivisors(func.getScalars());
  const int64_t unit = alignment / graph::byteSize(load.getType());
  if (!linear.isAtLeast(result.offset, 0) || !divisible(result.offset, unit, divisors))
    return std::nullopt;
  for (const Expr &stride : ArrayRef(result.strides).drop_front())
    if (!linear.isStride(stride, result.extents) || !divisible(stride, unit, divisors))
      return std::nullopt;
  result.view = llvm::find(func.getViews(), load.getView()) - func.getViews().begin();
  return result;
}

simt::TensorMapAttr TensorOperand::map(MLIRContext *context, int64_t inner, int64_t outer, int64_t swizzle) const {
  auto attributes = [&](const graph::Exprs &exprs) {
    return llvm::map_to_vector(exprs, [&](const Expr &e) { return graph::ExprAttr::get(context, e); });
  };
  SmallVector<int64_t> box(extents.size(), 1);
  box[0] = inner;
  box[1] = outer;
  return simt::TensorMapAttr::get(context, view, graph::ExprAttr::get(context, offset), attributes(extents),
                                  attributes(strides), box, swizzle);
}

} // namespace cupola::cuda
