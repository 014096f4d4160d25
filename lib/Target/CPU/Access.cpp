//===- lib/Target/CPU/Access.cpp - how loops move through memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Access.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

Expr rowMajor(ArrayRef<std::string> loops, ArrayRef<Expr> extents) {
  Expr position;
  for (auto [name, extent] : llvm::zip_equal(loops, extents))
    position = position * extent + Expr::symbol(name);
  return position;
}

int64_t repeatsOf(const Expr &position, const std::string &var, const Ranges &ranges) {
  constexpr int64_t most = 256;
  for (int64_t repeats = 2; repeats <= most; repeats *= 2)
    if (!simplify(position - floorDiv(Expr::symbol(var), Expr(repeats)), ranges).uses(var))
      return repeats;
  return 1;
}

std::optional<Expr> stepWithin(const Expr &position, const std::string &var, int64_t lanes, const Ranges &ranges) {
  if (const std::optional<Expr> step = position.coefficient(var))
    return step;
  const auto range = ranges.find(var);
  if (range == ranges.end() || !range->second.hi)
    return std::nullopt;
  const std::string vector = var + "_vector", lane = var + "_lane";
  Ranges known = ranges;
  known[vector] = {Expr(0), floorDiv(*range->second.hi, lanes)};
  known[lane] = {Expr(0), Expr(lanes - 1)};
  const Expr parts = Expr::symbol(vector) * lanes + Expr::symbol(lane);
  const std::optional<Expr> step = simplify(position.substitute({{var, parts}}), known).coefficient(lane);
  return step && step->constant() ? step : std::nullopt;
}

int64_t stepOf(const Expr &position, const std::string &var) {
  constexpr int64_t most = 4;
  const std::optional<Expr> step = position.coefficient(var);
  const int64_t known = step ? step->constant().value_or(0) : 0;
  return known >= 1 && known <= most ? known : 0;
}

Expr tilePosition(Variables &vars, ExtractOp op) {
  auto type = op.getTile().getType();
  Expr position;
  for (auto [extent, index] : llvm::zip_equal(type.getExtents(), vars.read(op.getPoint(), op.getIndices())))
    position = position * extent.getValue() + index;
  return position;
}

Aliases aliasesOf(Variables &vars, MapOp map, ExtractOp extract) {
  Aliases aliases;
  graph::Exprs point = vars.read(extract.getPoint(), extract.getIndices());
  for (auto [index, at] : llvm::zip_equal(map.getBody().getArguments(), point))
    aliases.emplace(vars.name(index), at);
  return aliases;
}

//===----------------------------------------------------------------------===//
// Dependence
//===----------------------------------------------------------------------===//

namespace {

struct DependenceWalk {
  Variables &vars;
  const StoredTiles &tiles;
  std::set<std::string> result;
  llvm::DenseSet<Operation *> visited;

  void visitOne(Operation *root, Operation *op) {
    for (Value operand : op->getOperands()) {
      if (isa<BlockArgument>(operand) && operand.getType().isIndex())
        result.insert(vars.name(operand));
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
      for (Region &region : nested->getRegions())
        for (const std::string &var : vars.names(region.getArguments()))
          result.erase(var);
    });
  }
};

} // namespace

std::set<std::string> variablesOf(Variables &vars, Operation *op, const StoredTiles &tiles) {
  DependenceWalk walk{vars, tiles, {}, {}};
  walk.visit(op);
  return walk.result;
}

//===----------------------------------------------------------------------===//
// Choice of the vectorised loop
//===----------------------------------------------------------------------===//

namespace {

/// Far below what accesses sum up to.
constexpr int kVeto = -1'000'000;
/// Nothing vectorises: worse than gathering for a contiguous store.
constexpr int kScalar = -7;

/// How a position depends on the loop. Chased: by an index that needs no check and is read where another such index
/// says; one element alone waits for one load after the other, lanes wait together.
enum class Indirection { None, Known, Chased, Checked };

int scoreOf(const Expr &position, Indirection indirection, bool isStore, const std::string &var) {
  if (indirection == Indirection::Chased && !isStore)
    return 1;
  if (indirection == Indirection::Known && !isStore)
    return -2;
  if (indirection != Indirection::None)
    return isStore ? -8 : -6;
  if (!position.uses(var))
    return isStore ? kVeto : 1;
  std::optional<Expr> step = position.coefficient(var);
  if (step && step->isConstant(1))
    return isStore ? 3 : 2;
  if (!isStore && stepOf(position, var)) // several loads and as many shuffles
    return 0;
  if (!isStore && !step && repeatsOf(position, var, {}) > 1)
    return 1;
  return isStore ? -8 : -6;
}

/// What is read from afar costs a loop without vectors as much: it counts once, however many there are.
struct Score {
  int sum = 0, afar = 0;
  void add(int score, bool isStore) {
    const bool isAfar = score < 0 && !isStore;
    if (isAfar)
      afar = std::min(afar, score);
    else
      sum += score;
  }
  int total() const { return std::max(sum + afar, kVeto); }
};

struct Scorer {
  Variables &vars;
  const StoredTiles &tiles;
  unsigned lanes;
  bool hasLanes; ///< of the tiles, where `body` is outermost
  const Substitution &made;

  /// A map that fills a tile in memory.
  bool isStored(Operation *op) const { return isa<MapOp>(op) && tiles.count(op->getResult(0)); }

  bool dependsOn(ValueRange values, const std::string &var) {
    const auto isMade = [&](const std::string &name) {
      const auto parts = made.aliases.find(name);
      return name == var || (parts != made.aliases.end() && parts->second.uses(var));
    };
    return llvm::any_of(values, [&](Value value) {
      Operation *op = value.getDefiningOp();
      return op && llvm::any_of(variablesOf(vars, op, tiles), isMade);
    });
  }

  Expr positionOf(const Expr &e, const Aliases &aliases) const {
    const Expr position = e.substitute(aliases);
    return made.aliases.empty() ? position : simplify(position.substitute(made.aliases), made.ranges);
  }

  /// Whether what an index is made of is read indirectly; scalar ops may stand between.
  bool isChased(Value value) {
    llvm::DenseSet<Operation *> seen;
    return isChased(value, seen);
  }
  bool isChased(Value value, llvm::DenseSet<Operation *> &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      return false;
    if (auto load = dyn_cast<LoadOp>(op))
      return llvm::any_of(load.getIndices(), [](Value index) { return index.getDefiningOp<KnownIndexOp>(); });
    return isa<UnaryOp, BinaryOp, SelectOp, CastOp, BitcastOp>(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return isChased(operand, seen); });
  }

  Indirection indirectionOf(ValueRange indices, const std::string &var) {
    Indirection all = Indirection::None;
    for (Value index : indices)
      if (dependsOn(index, var)) {
        auto known = index.getDefiningOp<KnownIndexOp>();
        all = std::max(all, !known                       ? Indirection::Checked
                            : isChased(known.getValue()) ? Indirection::Chased
                                                         : Indirection::Known);
      }
    return all;
  }

  template <typename AccessOp>
  void addAccess(AccessOp op, bool isStore, const Aliases &aliases, const std::string &var, Score &score) {
    const Expr position = positionOf(vars.read(op.getPosition(), op.getIndices()), aliases);
    score.add(scoreOf(position, indirectionOf(op.getIndices(), var), isStore, var), isStore);
  }

  void addExtract(ExtractOp op, const Aliases &aliases, const std::string &var, Score &score) {
    auto map = op.getTile().getDefiningOp<MapOp>();
    if (!map || tiles.count(op.getTile())) {
      const Expr position = positionOf(tilePosition(vars, op), aliases);
      if (hasLanes && position.uses(var)) // each lane would read an element of another one
        return score.add(kVeto, /*isStore=*/true);
      return score.add(scoreOf(position, Indirection::None, false, var), false);
    }
    Aliases inner;
    for (auto &[name, index] : aliasesOf(vars, map, op))
      inner.emplace(name, index.substitute(aliases));
    addBody(map.getBody().front(), inner, var, score);
  }

  void addBody(Block &body, const Aliases &aliases, const std::string &var, Score &score) {
    for (Operation &op : body) {
      if (auto load = dyn_cast<LoadOp>(op))
        addAccess(load, false, aliases, var, score);
      else if (auto store = dyn_cast<StoreOp>(op))
        addAccess(store, true, aliases, var, score);
      else if (auto extract = dyn_cast<ExtractOp>(op))
        addExtract(extract, aliases, var, score);
      else if (isa<DotOp>(op) || (isStored(&op) && !hasLanes))
        score.sum += kVeto;
      else if (isa<ReduceOp, ArgReduceOp, ForeachOp>(op) || isStored(&op))
        addBody(op.getRegion(0).front(), aliases, var, score);
      if (score.sum < kVeto)
        return;
    }
  }

  /// Vectorising `var` in a body.
  int scoreBody(Block &body, const Aliases &aliases, const std::string &var) {
    Score score;
    addBody(body, aliases, var, score);
    return score.total();
  }

  /// A map also stores its tile.
  int scoreTile(ArrayRef<std::string> loops, ArrayRef<Expr> extents, Block &body, const std::string &var) {
    if (!isa<MapOp>(body.getParentOp()))
      return 0;
    return scoreOf(rowMajor(loops, extents), Indirection::None, true, var);
  }

  /// The best of the loops inside of a body, when it is itself not vectorised.
  int scoreInner(Block &body) {
    int total = 0;
    bool any = false;
    for (Operation &op : body) {
      ArrayAttr extents = extentsOf(&op);
      if (!extents || isa<DotOp>(op) || (isa<MapOp>(op) && !isStored(&op)))
        continue;
      any = true;
      int score = 0;
      mlir::Block &inner = op.getRegion(0).front();
      Scorer{vars, tiles, lanes, /*hasLanes=*/false, made}.best(vars.names(inner.getArguments()),
                                                                graph::exprsOf(extents), inner, score);
      total += score;
    }
    return any ? total : kScalar;
  }

  std::optional<unsigned> best(ArrayRef<std::string> loops, ArrayRef<Expr> extents, Block &body, int &score) {
    score = scoreInner(body);
    const bool hasInner = score != kScalar;
    if (isa<ArgReduceOp>(body.getParentOp()) && loops.size() > 1) // of equal elements the first in all loops counts
      return std::nullopt;
    std::optional<unsigned> choice;
    for (unsigned i = 0; i < loops.size(); ++i) {
      int candidate = scoreBody(body, {}, loops[i]) + scoreTile(loops, extents, body, loops[i]);
      std::optional<int64_t> extent = extents[i].constant();
      // One that may be short, and lanes of a loop inside of it as good.
      if (extent ? *extent < lanes / 2 : hasInner)
        candidate -= extent && *extent <= lanes / 4 ? 8 : 4;
      if (candidate > score || (choice && candidate == score)) {
        score = candidate;
        choice = i;
      }
    }
    return choice;
  }
};

} // namespace

std::optional<unsigned> chooseVector(Variables &vars, ArrayRef<std::string> loops, ArrayRef<Expr> extents, Block &body,
                                     const StoredTiles &tiles, unsigned lanes, bool hasLanes,
                                     const Substitution &made) {
  int score = 0;
  return Scorer{vars, tiles, lanes, hasLanes, made}.best(loops, extents, body, score);
}

bool canVectorise(Variables &vars, const std::string &loop, Block &body, const StoredTiles &tiles, bool hasLanes) {
  return Scorer{vars, tiles, /*lanes=*/1, hasLanes, /*made=*/{}}.scoreBody(body, {}, loop) > kVeto / 2;
}

} // namespace cupola::cpu
