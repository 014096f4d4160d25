//===- lib/Transforms/Simplify/Bodies.cpp - what branches and loops do not need ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace cupola {
namespace {

/// Captures that no body reads, and those that are constants: each body has its own.
template <class ControlOp> LogicalResult dropCaptures(ControlOp op, PatternRewriter &rewriter) {
  for (unsigned i = 0; i < op.getCaptures().size(); ++i) {
    auto constant = op.getCaptures()[i].template getDefiningOp<graph::ConstantOp>();
    auto isRead = [&](Region &body) { return !body.getArgument(i).use_empty(); };
    if (!constant && llvm::any_of(op->getRegions(), isRead))
      continue;
    rewriter.modifyOpInPlace(op, [&] {
      for (Region &body : op->getRegions()) {
        if (constant && isRead(body)) {
          OpBuilder::InsertionGuard guard(rewriter);
          rewriter.setInsertionPointToStart(&body.front());
          body.getArgument(i).replaceAllUsesWith(rewriter.clone(*constant)->getResult(0));
        }
        body.front().eraseArgument(i);
      }
      op.getCapturesMutable().erase(i);
    });
    return success();
  }
  return failure();
}

/// The type holds no run symbol, which gets its value with the result.
bool isMerely(Value result, ArrayAttr symbols) {
  return llvm::none_of(symbols.getAsRange<FlatSymbolRefAttr>(), [&](FlatSymbolRefAttr symbol) {
    return llvm::any_of(graph::shapeOf(result),
                        [&](const Expr &extent) { return extent.uses(symbol.getValue().str()); });
  });
}

/// Results of a branch that nobody reads.
LogicalResult dropResults(graph::IfOp op, PatternRewriter &rewriter) {
  BitVector unread(op.getNumResults());
  for (Value result : op.getResults())
    if (result.use_empty() && isMerely(result, op.getSymbols()))
      unread.set(cast<OpResult>(result).getResultNumber());
  if (unread.none())
    return failure();
  for (Region &body : op->getRegions()) {
    Operation *yield = body.front().getTerminator();
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unread); });
  }
  SmallVector<Type> types;
  SmallVector<Value> read;
  for (Value result : op.getResults())
    if (!unread.test(cast<OpResult>(result).getResultNumber())) {
      types.push_back(result.getType());
      read.push_back(result);
    }
  auto fewer = graph::IfOp::create(rewriter, op.getLoc(), types, op.getCondition(), op.getCaptures(), op.getSymbols());
  fewer.getThenRegion().takeBody(op.getThenRegion());
  fewer.getElseRegion().takeBody(op.getElseRegion());
  for (auto [before, after] : llvm::zip_equal(read, fewer.getResults()))
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(op);
  return success();
}

/// A branch whose condition has become a constant.
LogicalResult decideBranch(graph::IfOp op, PatternRewriter &rewriter) {
  const std::optional<double> condition = match::splatOf(op.getCondition());
  if (!condition || !op.getSymbols().empty())
    return failure();
  Block &taken = (*condition != 0 ? op.getThenRegion() : op.getElseRegion()).front();
  Operation *yield = taken.getTerminator();
  rewriter.inlineBlockBefore(&taken, op, op.getCaptures());
  rewriter.replaceOp(op, yield->getOperands());
  rewriter.eraseOp(yield);
  return success();
}

} // namespace

void simplification::addBodyPatterns(RewritePatternSet &patterns) {
  match::addPatterns(patterns, /*benefit=*/1, dropCaptures<graph::IfOp>, dropCaptures<graph::LoopOp>, dropResults,
                     decideBranch);
}

} // namespace cupola
