//===- lib/Target/CUDA/WindowParts.cpp - a reduction over windows of an image ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/WindowParts.h"
#include "lib/Target/CUDA/Lowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

namespace {

class Matcher {
public:
  Matcher(FuncOp func, Variables &vars) : func(func), vars(vars), point(vars.names(func.getPoint())) {}

  std::optional<WindowParts> run() {
    if (point.empty() || !findReduction() || !findLanes())
      return std::nullopt;
    std::vector<WindowAxis> axes;
    for (unsigned loop = 0; loop < taps.size(); ++loop)
      if (std::optional<WindowAxis> axis = axisOf(loop))
        axes.push_back(*axis);
    const bool isPlane = axes.size() == 2 && axes[0].axis != axes[1].axis;
    if (axes.size() != taps.size() || (axes.size() != 1 && !isPlane))
      return std::nullopt;
    // Results that lie along an axis of the window do so along its columns.
    if (isPlane && axes[0].axis == parts.lanes)
      std::swap(axes[0], axes[1]);
    parts.columns = axes.back();
    if (isPlane)
      parts.rows = axes[0];
    return sortLoads(axes) && readsAlongLanes() ? std::optional(parts) : std::nullopt;
  }

private:
  bool findReduction() {
    for (Operation &op : func.getBody().front())
      if (auto reduce = dyn_cast<kernel::ReduceOp>(op); reduce && !parts.reduce)
        parts.reduce = reduce;
      else if (op.getNumRegions() != 0)
        return false;
    if (!parts.reduce || parts.reduce.getNumResults() != 1)
      return false;
    for (const Expr &extent : graph::exprsOf(parts.reduce.getExtents()))
      if (std::optional<int64_t> count = extent.constant())
        taps.push_back(*count);
    loops = vars.names(parts.reduce.getBody().getArguments());
    return taps.size() == loops.size() &&
           llvm::none_of(parts.reduce.getBody().front(), [](Operation &op) { return op.getNumRegions() != 0; });
  }

  bool findLanes() {
    auto stores = func.getBody().front().getOps<StoreOp>();
    auto runsAlong = [&](const std::string &axis) {
      return llvm::all_of(stores, [&](StoreOp store) {
        std::optional<Expr> step = vars.read(store.getPosition(), store.getIndices()).coefficient(axis);
        return step && step->isConstant(1);
      });
    };
    auto found = llvm::find_if(point, runsAlong);
    parts.lanes = found - point.begin();
    return !stores.empty() && found != point.end();
  }

  /// The axis of the grid whose places add to this loop's taps: of those that might, the one with the smallest stride.
  std::optional<WindowAxis> axisOf(unsigned loop) {
    std::optional<WindowAxis> best;
    for (LoadOp load : parts.reduce.getBody().front().getOps<LoadOp>()) {
      const Expr position = vars.read(load.getPosition(), load.getIndices());
      for (unsigned axis = 0; axis < point.size(); ++axis)
        for (int64_t stride = 1; stride <= taps[loop] && !(best && best->stride <= stride); ++stride)
          if (isSum(position, point[axis], loops[loop], stride) && position.uses(loops[loop]))
            best = {axis, loop, stride, taps[loop]};
    }
    return best;
  }

  static bool isSum(const Expr &e, const std::string &place, const std::string &tap, int64_t stride) {
    std::optional<Expr> byPlace = e.coefficient(place), byTap = e.coefficient(tap);
    return byPlace && byTap && *byPlace == *byTap * stride;
  }

  bool sortLoads(ArrayRef<WindowAxis> axes) {
    auto exprsOf = [&](LoadOp load) {
      graph::Exprs exprs = vars.read(load.getMask(), load.getIndices());
      exprs.push_back(vars.read(load.getPosition(), load.getIndices()));
      return exprs;
    };
    auto always = [&](LoadOp load, auto holds) {
      return llvm::all_of(axes, [&](const WindowAxis &axis) {
        return llvm::all_of(exprsOf(load), [&](const Expr &e) { return holds(axis, e); });
      });
    };
    for (Operation &op : parts.reduce.getBody().front()) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load)
        continue;
      if (isIndirect(load.getIndices()) || (load.getOther() && !load.getOther().getDefiningOp<ConstantOp>()))
        return false;
      if (always(load, [&](const WindowAxis &a, const Expr &e) { return !e.uses(point[a.axis]); }) &&
          load.getMask().empty())
        parts.weights.push_back(load);
      else if (always(load, [&](const WindowAxis &a, const Expr &e) {
                 return isSum(e, point[a.axis], loops[a.loop], a.stride);
               }))
        parts.image.push_back(load);
      else
        return false;
    }
    return !parts.image.empty();
  }

  /// Results next to each other read what lies next to each other.
  bool readsAlongLanes() {
    return llvm::all_of(parts.image, [&](LoadOp load) {
      const Expr position = vars.read(load.getPosition(), load.getIndices());
      std::optional<Expr> step = position.coefficient(point[parts.lanes]);
      return step && step->isConstant(parts.runsAlongColumns() ? parts.columns.stride : 1);
    });
  }

  FuncOp func;
  Variables &vars;
  std::vector<std::string> point, loops;
  SmallVector<int64_t> taps;
  WindowParts parts;
};

} // namespace

double WindowParts::accesses(int64_t rowsOfThread, int64_t columnsOfThread) const {
  auto seen = [](const WindowAxis &axis, int64_t points) { return double((points - 1) * axis.stride + axis.taps); };
  const double points = double(rowsOfThread * columnsOfThread);
  const double reads = seen(columns, columnsOfThread) * (rows ? seen(*rows, rowsOfThread) : 1.0);
  const double least = double(columns.stride * (rows ? rows->stride : 1));
  return (1 + (reads * double(image.size()) + double(taps()) * double(weights.size())) / points) /
         (1 + least * double(image.size()));
}

std::optional<WindowParts> windowParts(FuncOp func, Variables &vars) { return Matcher(func, vars).run(); }

} // namespace cupola::cuda
