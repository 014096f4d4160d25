//===- lib/Transforms/TurnConcats.cpp - windows read neighbours of a concat as neighbours ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Permuted.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_TURNCONCATS
#include "lib/Transforms/Passes.h.inc"

namespace {

class TurnConcats : public impl::TurnConcatsBase<TurnConcats> {
public:
  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation()))
      for (auto concat : llvm::make_early_inc_range(body->getOps<graph::ConcatOp>())) {
        SmallVector<graph::TransposeOp> readers;
        if (collect(concat.getResult(), readers) && isWorth(readers))
          turn(readers);
      }
  }

private:
  using Perm = ArrayRef<int64_t>;

  /// All that reads `value`, through paddings and slices; false if something else than transposes does.
  static bool collect(Value value, SmallVectorImpl<graph::TransposeOp> &readers) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (auto transpose = dyn_cast<graph::TransposeOp>(user))
        return readers.push_back(transpose), true;
      return isa<graph::PadOp, graph::SliceOp>(user) && collect(user->getResult(0), readers);
    });
  }

  /// They agree, the channels do not lie together as it is, and a window reads them.
  static bool isWorth(ArrayRef<graph::TransposeOp> readers) {
    if (readers.empty())
      return false;
    const Perm perm = graph::TransposeOp(readers.front()).getPerm();
    auto agrees = [&](graph::TransposeOp other) { return other.getPerm() == perm; };
    auto isWindow = [](Operation *user) {
      auto conv = dyn_cast<graph::ConvOp>(user);
      return conv && conv.hasWindow();
    };
    return perm.back() != int64_t(perm.size()) - 1 && llvm::all_of(readers, agrees) &&
           llvm::any_of(readers, [&](graph::TransposeOp reader) {
             return llvm::any_of(reader.getResult().getUsers(), isWindow);
           });
  }

  /// Each reader makes a concat of its own, which CSE merges; the old one is dead.
  static void turn(ArrayRef<graph::TransposeOp> readers) {
    const SmallVector<int64_t> perm(graph::TransposeOp(readers.front()).getPerm());
    for (graph::TransposeOp reader : readers) {
      OpBuilder b(reader);
      reader.replaceAllUsesWith(turned(b, reader.getInput(), perm, reader.getLoc()));
      reader.erase();
    }
  }

  /// `value`, a concat or a view of one, with its axes in the order of `perm`.
  static Value turned(OpBuilder &b, Value value, Perm perm, Location loc) {
    const SmallVector<int64_t> places = inverse(perm);
    Operation *op = value.getDefiningOp();
    const auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
      return isa<graph::ConcatOp>(op) ? graph::TransposeOp::create(b, loc, operand, perm)
                                      : turned(b, operand, perm, loc);
    });
    return unpermutedView(b, op, operands, places);
  }
};

} // namespace
} // namespace cupola
