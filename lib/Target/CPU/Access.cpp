//===- lib/Target/CPU/Access.cpp - how loops move through memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Access.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

std::vector<std::string> stringsOf(ArrayAttr texts) {
  std::vector<std::string> result;
  for (auto text : texts.getAsRange<StringAttr>())
    result.push_back(text.str());
  return result;
}

static constexpr StringRef expressionNames[] = {"position", "expr", "extent", "mask", "exprs", "index", "extents"};

static Attribute mapExpr(Attribute attr, function_ref<Expr(const Expr &)> map) {
  if (auto expr = dyn_cast<graph::ExprAttr>(attr))
    return graph::exprAttr(attr.getContext(), map(expr.getValue()));
  auto all = llvm::map_to_vector(cast<ArrayAttr>(attr), [&](Attribute element) { return mapExpr(element, map); });
  return ArrayAttr::get(attr.getContext(), all);
}

void forEachExpr(Operation *op, function_ref<void(Expr)> visit) {
  for (StringRef name : expressionNames)
    if (Attribute attr = op->getAttr(name))
      mapExpr(attr, [&](const Expr &e) { return visit(e), e; });
}

void mapExprs(Operation *op, function_ref<Expr(const Expr &)> map) {
  for (StringRef name : expressionNames)
    if (Attribute attr = op->getAttr(name))
      op->setAttr(name, mapExpr(attr, map));
}

Expr tilePosition(ExtractOp op) {
  auto type = op.getTile().getType();
  Expr position;
  for (auto [extent, index] : llvm::zip_equal(type.getExtents(), graph::exprsOf(op.getIndex())))
    position = position * extent.getValue() + index;
  return position;
}

static Aliases aliasesOf(MapOp map, ExtractOp extract) {
  Aliases aliases;
  for (auto [var, index] : llvm::zip_equal(map.getVars().getAsRange<StringAttr>(), graph::exprsOf(extract.getIndex())))
    aliases.emplace(var.str(), index);
  return aliases;
}

//===----------------------------------------------------------------------===//
// Dependence
//===----------------------------------------------------------------------===//

namespace {

struct DependenceWalk {
  const StoredTiles &tiles;
  std::set<std::string> result;
  llvm::DenseSet<Operation *> visited;

  void visitOne(Operation *root, Operation *op) {
    forEachExpr(op, [&](const Expr &e) {
      for (const std::string &symbol : e.symbols())
        result.insert(symbol);
    });
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && !root->isProperAncestor(source) && !tiles.count(operand))
        visit(source);
    }
  }

  void visit(Operation *op) {
    if (!visited.insert(op).second)
      return;
    op->walk([&](Operation *nested) { visitOne(op, nested); });
    // Loops that lie inside bind their own variables.
    op->walk([&](Operation *nested) {
      if (auto vars = nested->getAttrOfType<ArrayAttr>("vars"))
        for (const std::string &var : stringsOf(vars))
          result.erase(var);
    });
  }
};

} // namespace

std::set<std::string> variablesOf(Operation *op, const StoredTiles &tiles) {
  DependenceWalk walk{tiles, {}, {}};
  walk.visit(op);
  return walk.result;
}

//===----------------------------------------------------------------------===//
// Choice of the vectorised loop
//===----------------------------------------------------------------------===//

namespace {

constexpr int kVeto = -1000;
/// Nothing vectorises: worse than gathering for a contiguous store.
constexpr int kScalar = -7;

int scoreOf(const Expr &position, bool indirect, bool isStore, const std::string &var) {
  if (indirect)
    return isStore ? -8 : -6;
  if (!position.uses(var))
    return isStore ? kVeto : 1;
  std::optional<Expr> step = position.coefficient(var);
  if (step && step->isConstant(1))
    return isStore ? 3 : 2;
  return isStore ? -8 : -6;
}

struct Scorer {
  const StoredTiles &tiles;
  unsigned lanes;

  bool dependsOn(ValueRange values, const std::string &var) {
    return llvm::any_of(values, [&](Value value) {
      Operation *op = value.getDefiningOp();
      return op && variablesOf(op, tiles).count(var);
    });
  }

  int scoreAccess(const Expr &position, ValueRange indices, bool isStore, const Aliases &aliases,
                  const std::string &var) {
    return scoreOf(position.substitute(aliases), dependsOn(indices, var), isStore, var);
  }

  int scoreExtract(ExtractOp op, const Aliases &aliases, const std::string &var) {
    auto map = op.getTile().getDefiningOp<MapOp>();
    if (!map || tiles.count(op.getTile()))
      return scoreOf(tilePosition(op).substitute(aliases), false, false, var);
    Aliases inner;
    for (auto &[name, index] : aliasesOf(map, op))
      inner.emplace(name, index.substitute(aliases));
    return scoreBody(map.getBody().front(), inner, var);
  }

  /// Vectorising `var` in a body.
  int scoreBody(Block &body, const Aliases &aliases, const std::string &var) {
    int score = 0;
    for (Operation &op : body) {
      if (auto load = dyn_cast<LoadOp>(op))
        score += scoreAccess(load.getPosition(), load.getIndices(), false, aliases, var);
      else if (auto store = dyn_cast<StoreOp>(op))
        score += scoreAccess(store.getPosition(), store.getIndices(), true, aliases, var);
      else if (auto extract = dyn_cast<ExtractOp>(op))
        score += scoreExtract(extract, aliases, var);
      else if (isa<DotOp>(op) || (isa<MapOp>(op) && tiles.count(op.getResult(0))))
        score += kVeto;
      else if (isa<ReduceOp, ArgReduceOp, ForeachOp>(op))
        score += scoreBody(op.getRegion(0).front(), aliases, var);
      if (score < kVeto)
        return kVeto;
    }
    return score;
  }

  /// A map also stores its tile.
  int scoreTile(ArrayRef<std::string> vars, ArrayRef<Expr> extents, Block &body, const std::string &var) {
    if (!isa<MapOp>(body.getParentOp()))
      return 0;
    Expr position;
    for (auto [name, extent] : llvm::zip_equal(vars, extents))
      position = position * extent + Expr::symbol(name);
    return scoreOf(position, false, true, var);
  }

  /// The best of the loops inside of a body, when it is itself not vectorised.
  int scoreInner(Block &body) {
    int total = 0;
    bool any = false;
    for (Operation &op : body) {
      auto vars = op.getAttrOfType<ArrayAttr>("vars");
      if (!vars || isa<DotOp>(op) || (isa<MapOp>(op) && !tiles.count(op.getResult(0))))
        continue;
      any = true;
      int score = 0;
      graph::Exprs extents = graph::exprsOf(op.getAttrOfType<ArrayAttr>("extents"));
      best(stringsOf(vars), extents, op.getRegion(0).front(), score);
      total += score;
    }
    return any ? total : kScalar;
  }

  std::optional<unsigned> best(ArrayRef<std::string> vars, ArrayRef<Expr> extents, Block &body, int &score) {
    score = scoreInner(body);
    if (isa<ArgReduceOp>(body.getParentOp()))
      return std::nullopt;
    std::optional<unsigned> choice;
    for (unsigned i = 0; i < vars.size(); ++i) {
      int candidate = scoreBody(body, {}, vars[i]) + scoreTile(vars, extents, body, vars[i]);
      std::optional<int64_t> extent = extents[i].constant();
      if (extent && *extent < lanes / 2)
        candidate -= 4;
      if (candidate > score || (choice && candidate == score)) {
        score = candidate;
        choice = i;
      }
    }
    return choice;
  }
};

} // namespace

std::optional<unsigned> chooseVector(ArrayRef<std::string> vars, ArrayRef<Expr> extents, Block &body,
                                     const StoredTiles &tiles, unsigned lanes) {
  int score = 0;
  return Scorer{tiles, lanes}.best(vars, extents, body, score);
}

} // namespace cupola::cpu
