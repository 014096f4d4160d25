//===- dialects/Kernel/Variables.cpp - index values as symbols of expressions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Variables.h"

#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace cupola::kernel {

static Attribute mapAttr(Attribute attr, llvm::function_ref<Expr(const Expr &)> map) {
  if (auto expr = dyn_cast<graph::ExprAttr>(attr))
    return graph::ExprAttr::get(attr.getContext(), map(expr.getValue()));
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || array.empty() || !isa<graph::ExprAttr>(array[0]))
    return attr;
  auto mapped = llvm::map_to_vector(array, [&](Attribute element) { return mapAttr(element, map); });
  return ArrayAttr::get(attr.getContext(), mapped);
}

void forEachExpr(Operation *op, llvm::function_ref<void(const Expr &)> visit) {
  for (NamedAttribute attr : op->getAttrs())
    mapAttr(attr.getValue(), [&](const Expr &e) { return visit(e), e; });
}

std::set<unsigned> usedScalars(Operation *func) {
  std::set<unsigned> used;
  func->walk([&](Operation *op) {
    forEachExpr(op, [&](const Expr &e) {
      for (const std::string &symbol : e.symbols())
        if (unsigned scalar; symbol.front() == 'n' && !llvm::StringRef(symbol).drop_front().getAsInteger(10, scalar))
          used.insert(scalar);
    });
  });
  return used;
}

void mapExprs(Operation *op, llvm::function_ref<Expr(const Expr &)> map) {
  for (NamedAttribute attr : op->getAttrs())
    if (Attribute mapped = mapAttr(attr.getValue(), map); mapped != attr.getValue())
      op->setAttr(attr.getName(), mapped);
}

SmallVector<Value> takeOperands(llvm::MutableArrayRef<Expr> exprs,
                                llvm::function_ref<Variable(const std::string &)> find) {
  std::map<size_t, std::pair<std::string, Value>> used;
  for (const Expr &e : exprs)
    for (const std::string &symbol : e.symbols())
      if (Variable variable = find(symbol); variable.value)
        used[variable.number] = {symbol, variable.value};
  std::map<std::string, Expr> names;
  SmallVector<Value> operands;
  for (const auto &[number, entry] : used) {
    names[entry.first] = Expr::symbol("x" + std::to_string(operands.size()));
    operands.push_back(entry.second);
  }
  for (Expr &e : exprs)
    e = e.substitute(names);
  return operands;
}

Variables::Variables(Operation *func) {
  for (auto [i, scalar] : llvm::enumerate(func->getAttrOfType<ArrayAttr>("scalars").getAsRange<ScalarAttr>())) {
    Range &range = known["n" + std::to_string(i)];
    if (scalar.getMin() != graph::anyNumber)
      range.lo = Expr(scalar.getMin());
    if (scalar.getMax() > 0)
      range.hi = Expr(scalar.getMax());
  }
}

std::string Variables::name(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  Operation *owner = argument ? argument.getOwner()->getParentOp() : index.getDefiningOp();
  if (auto dot = dyn_cast<DotOp>(owner))
    index = sharedIndex(dot, argument);
  auto [found, isNew] = symbols.try_emplace(index);
  if (!isNew)
    return found->second;
  std::string symbol = "v" + std::to_string(values.size());
  found->second = symbol;
  values[symbol] = index;
  known[symbol] = cast<IndexInterface>(owner).getIndexRange(index, *this);
  return symbol;
}

std::vector<std::string> Variables::names(ValueRange indices) {
  std::vector<std::string> result;
  for (Value index : indices)
    result.push_back(name(index));
  return result;
}

Value Variables::value(const std::string &name) const {
  auto found = values.find(name);
  return found == values.end() ? Value() : found->second;
}

Expr Variables::read(const Expr &expr, ValueRange indices) {
  if (indices.empty())
    return expr;
  std::map<std::string, Expr> map;
  for (auto [i, index] : llvm::enumerate(indices))
    map["x" + std::to_string(i)] = of(index);
  return expr.substitute(map);
}

graph::Exprs Variables::read(ArrayAttr exprs, ValueRange indices) {
  return llvm::map_to_vector(graph::exprsOf(exprs), [&](const Expr &e) { return read(e, indices); });
}

graph::Exprs Variables::read(PositionInterface op) {
  graph::Exprs result;
  ValueRange indices = OperandRange(op.getIndicesMutable());
  forEachExpr(op, [&](const Expr &e) { result.push_back(read(e, indices)); });
  return result;
}

SmallVector<Value> Variables::write(llvm::MutableArrayRef<Expr> exprs) const {
  return takeOperands(exprs, [&](const std::string &symbol) {
    Value index = value(symbol);
    return index ? Variable{index, std::stoul(symbol.substr(1))} : Variable();
  });
}

void Variables::rewrite(PositionInterface op, llvm::function_ref<Expr(const Expr &)> change) {
  graph::Exprs exprs = llvm::map_to_vector(read(op), change);
  SmallVector<Value> indices = write(exprs);
  size_t next = 0;
  mapExprs(op, [&](const Expr &) { return exprs[next++]; });
  op.getIndicesMutable().assign(indices);
}

} // namespace cupola::kernel
