//===- dialects/Graph/Control.cpp - branches and loops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace cupola::graph {

static void collect(Region &region, SmallVectorImpl<Block *> &bodies) {
  for (Block &block : region) {
    bodies.push_back(&block);
    for (Operation &op : block)
      if (isa<IfOp, LoopOp>(op))
        for (Region &inner : op.getRegions())
          collect(inner, bodies);
  }
}

SmallVector<Block *> bodiesOf(Operation *function) {
  SmallVector<Block *> bodies;
  for (Region &region : function->getRegions())
    collect(region, bodies);
  return bodies;
}

std::set<std::string> symbolsAfter(Operation *op) {
  std::vector<std::string> names;
  if (auto branch = dyn_cast<IfOp>(op))
    names = symbolNames(branch.getSymbols());
  if (auto loop = dyn_cast<LoopOp>(op)) {
    names = symbolNames(loop.getSymbols());
    if (loop.getCount())
      names.push_back(loop.getCount()->str());
  }
  return {names.begin(), names.end()};
}

/// `forEach` calls its argument with the ops.
static std::set<std::string> collectSymbols(function_ref<void(function_ref<void(Operation *)>)> forEach) {
  std::set<std::string> symbols;
  AttrTypeWalker walker; // sees nothing twice
  walker.addWalk([&](ExprAttr expr) {
    const std::set<std::string> used = expr.getValue().symbols();
    symbols.insert(used.begin(), used.end());
  });
  forEach([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getOperandTypes())
      walker.walk(type);
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  return symbols;
}

std::set<std::string> symbolsOf(Operation *op) {
  return collectSymbols([&](function_ref<void(Operation *)> visit) { visit(op); });
}

std::set<std::string> symbolsIn(Operation *op) {
  return collectSymbols([&](function_ref<void(Operation *)> visit) { op->walk(visit); });
}

bool leavesBody(Operation *op) {
  return isa<IfOp, LoopOp, HostOp>(op) || (op->hasTrait<OpTrait::IsTerminator>() && !isa<FusionOp>(op->getParentOp()));
}

Expr extentBehind(StringRef symbol, ValueRange results, ValueRange yielded) {
  for (auto [result, value] : llvm::zip_equal(results, yielded))
    for (auto [extent, behind] : llvm::zip_equal(shapeOf(result), shapeOf(value)))
      if (extent.asSymbol() == symbol.str())
        return behind;
  llvm_unreachable("the verifier has seen the symbol in a result");
}

std::vector<std::string> symbolNames(ArrayAttr symbols) {
  std::vector<std::string> names;
  for (auto symbol : symbols.getAsRange<FlatSymbolRefAttr>())
    names.push_back(symbol.getValue().str());
  return names;
}

ArrayAttr symbolRefs(MLIRContext *context, ArrayRef<std::string> names) {
  return ArrayAttr::get(context, llvm::map_to_vector(names, [&](const std::string &name) -> Attribute {
                          return FlatSymbolRefAttr::get(context, name);
                        }));
}

ValueRange LoopOp::getYieldedCarried() {
  return getBody().front().getTerminator()->getOperands().slice(getProceeds() ? 1 : 0, getCarried().size());
}

ValueRange LoopOp::getYieldedRows() {
  return getBody().front().getTerminator()->getOperands().drop_front((getProceeds() ? 1 : 0) + getCarried().size());
}

//===--- Verifiers ---===//

using SymbolNames = std::set<std::string>;

static SymbolNames namesOf(ArrayAttr symbols) {
  const std::vector<std::string> names = symbolNames(symbols);
  return {names.begin(), names.end()};
}

/// `inner` where `outer` is, or one of the run symbols in place of an extent.
static bool fits(Type inner, Type outer, const SymbolNames &symbols) {
  auto a = cast<RankedTensorType>(inner), b = cast<RankedTensorType>(outer);
  if (a.getElementType() != b.getElementType() || a.getRank() != b.getRank())
    return false;
  for (auto [x, y] : llvm::zip_equal(shapeOf(a), shapeOf(b)))
    if (x != y && !(y.asSymbol() && symbols.count(*y.asSymbol())))
      return false;
  return true;
}

static bool isOne(Value value, unsigned bits) {
  return !value || (elementOf(value).isSignlessInteger(bits) && elementCount(value).isConstant(1));
}

static LogicalResult verifyYield(Operation *op, ValueRange yielded, const SymbolNames &symbols) {
  if (yielded.size() != op->getNumResults())
    return op->emitOpError() << "yields " << yielded.size() << " values for " << op->getNumResults() << " results";
  for (auto [value, result] : llvm::zip_equal(yielded, op->getResults()))
    if (!fits(value.getType(), result.getType(), symbols))
      return op->emitOpError() << "yields " << value.getType() << " for the result " << result.getType();
  return success();
}

LogicalResult IfOp::verify() {
  if (!isOne(getCondition(), 1))
    return emitOpError() << "has the condition " << getCondition().getType() << ", expected one i1";
  const SymbolNames symbols = namesOf(getSymbols());
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    if (region->getArgumentTypes() != TypeRange(getCaptures()))
      return emitOpError("captures and arguments of a body differ in type");
    if (failed(verifyYield(*this, region->front().getTerminator()->getOperands(), symbols)))
      return failure();
  }
  for (const std::string &symbol : symbols) {
    auto has = [&](Value result) { return llvm::is_contained(shapeOf(result), Expr::symbol(symbol)); };
    if (llvm::none_of(getResults(), has))
      return emitOpError() << "gives @" << symbol << " a value, which is no extent of a result";
  }
  return success();
}

LogicalResult LoopOp::verify() {
  if (!isOne(getTrip(), 64))
    return emitOpError() << "has the trip count " << getTrip().getType() << ", expected one i64";
  if (!isOne(getCondition(), 1))
    return emitOpError() << "has the condition " << getCondition().getType() << ", expected one i1";
  if (!getLimit() && !getTrip() && !getProceeds())
    return emitOpError("never ends: it has no limit, no trip count and yields no condition");
  Block &body = getBody().front();
  ValueRange yielded = body.getTerminator()->getOperands();
  if (body.getNumArguments() != getCaptures().size() + getCarried().size() ||
      TypeRange(body.getArguments().take_front(getCaptures().size())) != TypeRange(getCaptures()))
    return emitOpError("the body's arguments are not the captures and the carried values");
  if (yielded.size() != getNumResults() + (getProceeds() ? 1 : 0) || getNumResults() < getCarried().size())
    return emitOpError() << "yields " << yielded.size() << " values for " << getNumResults() << " results"
                         << (getProceeds() ? " and the condition" : "");
  if (getProceeds() && !isOne(yielded.front(), 1))
    return emitOpError() << "yields the condition " << yielded.front().getType() << ", expected one i1";
  const SymbolNames symbols = namesOf(getSymbols());
  if (getSymbols().size() % 2 != 0)
    return emitOpError("has symbols that are not in pairs");
  for (auto [initial, argument, next, result] :
       llvm::zip(getCarried(), getCarriedArguments(), getYieldedCarried(), getResults()))
    for (Type type : {initial.getType(), next.getType()})
      if (!fits(type, argument.getType(), symbols) || !fits(type, result.getType(), symbols))
        return emitOpError() << "carries " << type << " as " << argument.getType() << " to " << result.getType();
  for (auto [row, result] : llvm::zip_equal(getYieldedRows(), getResults().drop_front(getCarried().size()))) {
    const Exprs rows = shapeOf(result);
    if (rows.empty() || !fits(row.getType(), tensorType(ArrayRef(rows).drop_front(), elementOf(result)), symbols))
      return emitOpError() << "yields the row " << row.getType() << " of " << result.getType();
  }
  return success();
}

} // namespace cupola::graph
