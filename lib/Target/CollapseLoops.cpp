//===- lib/Target/CollapseLoops.cpp - merge loop variables ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CollapseLoops.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola {
namespace {

/// Every expression in `loop` uses outer and inner only as extent * outer + inner.
bool movesAsOne(Operation *loop, const std::string &outer, const std::string &inner, const Expr &extent,
                Variables &vars) {
  auto result = loop->walk([&](Operation *op) {
    if (op == loop)
      return WalkResult::advance();
    if (isa<ExtractOp>(op))
      return WalkResult::interrupt();
    auto positions = dyn_cast<PositionInterface>(op);
    for (const Expr &e : positions ? vars.read(positions) : graph::Exprs()) {
      std::optional<Expr> a = e.coefficient(outer), b = e.coefficient(inner);
      if (!a || !b || *a != *b * extent)
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

void setExtents(Operation *loop, ArrayRef<Expr> extents) {
  ArrayAttr attr = graph::exprArray(loop->getContext(), extents);
  if (auto each = dyn_cast<ForeachOp>(loop))
    each.setExtentsAttr(attr);
  else
    cast<kernel::ReduceOp>(loop).setExtentsAttr(attr);
}

} // namespace

void collapseLoops(Operation *loop, Variables &vars) {
  Block &body = loop->getRegion(0).front();
  graph::Exprs extents = graph::exprsOf(extentsOf(loop));
  std::map<std::string, Expr> gone;
  SmallVector<unsigned> dead;
  // The inner variable takes the place of both; an outer one is 0 in all positions.
  for (size_t i = extents.size(); i-- > 1;) {
    unsigned inner = i;
    while (llvm::is_contained(dead, inner))
      ++inner;
    std::string outer = vars.name(body.getArgument(i - 1));
    if (!movesAsOne(loop, outer, vars.name(body.getArgument(inner)), extents[inner], vars))
      continue;
    gone[outer] = 0;
    extents[inner] = extents[i - 1] * extents[inner];
    vars.setRange(body.getArgument(inner), {Expr(0), extents[inner] - 1});
    dead.push_back(i - 1);
  }
  if (gone.empty())
    return;
  for (Operation &op : body)
    op.walk([&](PositionInterface positions) {
      vars.rewrite(positions, [&](const Expr &e) { return e.substitute(gone); });
    });
  for (unsigned i : dead) { // from the last to the first
    extents.erase(extents.begin() + i);
    body.eraseArgument(i);
  }
  setExtents(loop, extents);
}

} // namespace cupola
