//===- lib/Transforms/SplitWindows.cpp - large windows are reduced one dimension after the other ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

#include <numeric>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_SPLITWINDOWS
#include "lib/Transforms/Passes.h.inc"

namespace {
using graph::Exprs;

/// What an element costs that is written between two reductions, and read again, in elements that one of them reads.
constexpr int64_t passCost = 4;

/// Whether the results of parts are reduced as their elements would be.
bool isSeparable(graph::ReduceKind kind) {
  using Kind = graph::ReduceKind;
  return kind == Kind::Max || kind == Kind::Min || kind == Kind::Sum || kind == Kind::Mean;
}

/// The window that `op` reduces, and nothing else, if it is large enough.
graph::WindowOp windowOf(graph::ReduceOp op) {
  auto window = op.getInput().getDefiningOp<graph::WindowOp>();
  if (!window || !isSeparable(op.getKind()))
    return {};
  const ArrayRef<int64_t> sizes = window.getSizes();
  const auto first = static_cast<int64_t>(window.getAxis() + sizes.size());
  const auto own = llvm::to_vector(llvm::seq<int64_t>(first, first + sizes.size()));
  const int64_t taps = std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  const int64_t apart = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  const bool isLarge = llvm::count_if(sizes, [](int64_t size) { return size > 1; }) > 1 && taps > apart + passCost;
  return op.getAxes() == ArrayRef(own) && isLarge ? window : graph::WindowOp();
}

void split(graph::ReduceOp op, graph::WindowOp window) {
  OpBuilder b(op);
  const Location loc = match::fusedLoc(b, {window, op});
  const Exprs places = graph::shapeOf(window.getResult());
  Value value = window.getInput();
  for (auto [i, size] : llvm::enumerate(window.getSizes())) {
    const auto axis = static_cast<int64_t>(window.getAxis() + i);
    Exprs shape = graph::shapeOf(value);
    shape[axis] = places[axis];
    const Exprs reduced = shape;
    shape.insert(shape.begin() + axis + 1, Expr(size));
    value = graph::WindowOp::create(b, loc, graph::tensorType(shape, graph::elementOf(value)), value, axis,
                                    ArrayRef<int64_t>{size}, window.getStrides().slice(i, 1),
                                    window.getDilations().slice(i, 1));
    value = graph::ReduceOp::create(b, loc, op.getKind(), value, ArrayRef<int64_t>{axis + 1});
    value = match::reshapeTo(b, loc, value, reduced);
  }
  op.replaceAllUsesWith(match::reshapeTo(b, loc, value, graph::shapeOf(op.getResult())));
  op.erase();
}

class SplitWindows : public impl::SplitWindowsBase<SplitWindows> {
public:
  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation())) {
      bool changed = false;
      for (auto op : llvm::make_early_inc_range(body->getOps<graph::ReduceOp>()))
        if (graph::WindowOp window = windowOf(op)) {
          split(op, window);
          changed = true;
        }
      if (changed)
        match::eraseDead(*body);
    }
  }
};

} // namespace
} // namespace cupola
