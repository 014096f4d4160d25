//===- lib/Transforms/OrderExtents.cpp - the pass `order-extents` ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What knows its extents earlier comes earlier. The plan puts what waits for the extents that a
// branch or a loop finds into a body of its own: in this order there are as many, one in the
// other, as extents follow from each other, however many are found.
//===----------------------------------------------------------------------===//

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
#include "lib/Transforms/Passes.h"

#include <map>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_ORDEREXTENTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// How often an op of a block waits for extents.
class Waits {
public:
  explicit Waits(Block &block) {
    for (Operation &op : block)
      if (!graph::symbolsAfter(&op).empty())
        finders.insert(&op);
    if (finders.size() < 2) // the order stays
      return;
    for (Operation &op : block)
      symbols[&op] = graph::symbolsIn(&op);
    // What is joined lies in memory of all of the join, which comes behind it: until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation &op : block)
        changed |= update(op);
    }
  }

  llvm::SmallPtrSet<Operation *, 8> finders; ///< ops that find extents
  unsigned of(Operation *op) const { return count.lookup(op); }

private:
  bool update(Operation &op) {
    unsigned waits = of(&op);
    for (const std::string &symbol : symbols[&op])
      if (auto known = behind.find(symbol); known != behind.end() && known->second.first != &op)
        waits = std::max(waits, known->second.second);
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        waits = std::max(waits, of(producer) + (finders.contains(producer) ? 1 : 0));
    for (Value result : op.getResults())
      if (graph::JoinOp join = graph::joinOf(result))
        waits = std::max(waits, of(join));
    for (const std::string &symbol : graph::symbolsAfter(&op))
      behind[symbol] = {&op, waits + 1};
    return std::exchange(count[&op], waits) != waits;
  }

  llvm::DenseMap<Operation *, unsigned> count;
  llvm::DenseMap<Operation *, std::set<std::string>> symbols;
  std::map<std::string, std::pair<Operation *, unsigned>> behind; ///< who finds the symbol, and the least of its users
};

class OrderExtents : public impl::OrderExtentsBase<OrderExtents> {
public:
  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation()))
      order(*body);
  }

private:
  static void order(Block &block) {
    const Waits waits(block);
    if (waits.finders.size() < 2)
      return;
    std::map<std::pair<unsigned, bool>, SmallVector<Operation *>> ordered;
    for (Operation &op : block.without_terminator())
      ordered[{waits.of(&op), waits.finders.contains(&op)}].push_back(&op);
    for (const auto &[place, ops] : ordered)
      for (Operation *op : ops)
        op->moveBefore(block.getTerminator());
  }
};

} // namespace
} // namespace cupola
