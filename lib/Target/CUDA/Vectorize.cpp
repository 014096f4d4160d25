//===- lib/Target/CUDA/Vectorize.cpp - several iterations at once, by vector accesses ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::exprOf;

namespace cupola::cuda {

/// Where an element is in its vector.
static constexpr StringLiteral place = "place";

/// `e` for var = width * vector + place. Digits of the variable whose unit is a multiple of
/// the width, as convolutions have them, do not see the place.
static Expr byPlace(const Expr &e, StringRef var, int64_t width) {
  if (!e.uses(var.str()))
    return e;
  const Ranges ranges = {{"vector", {Expr(0), std::nullopt}}, {place.str(), {Expr(0), Expr(width - 1)}}};
  return simplify(e.substitute({{var.str(), symbol("vector") * width + symbol(place)}}), ranges);
}

bool isContiguous(const Expr &position, StringRef var, int64_t width, const std::map<std::string, int64_t> &divisors) {
  Expr at = byPlace(position, var, width);
  std::optional<Expr> stride = at.coefficient(place.str());
  return stride && stride->isConstant(1) && divisible(at - symbol(place), width, divisors);
}

bool stepsByOne(const Expr &position, StringRef var) {
  auto at = [&](int64_t value) { return position.substitute({{var.str(), Expr(value)}}); };
  return (at(1) - at(0)).isConstant(1);
}

/// A condition changes only between vectors: it does not see the place, or its bound is that
/// of a vector, as where a concatenation goes from one operand to the next.
static bool isShared(const Expr &condition, StringRef var, int64_t width,
                     const std::map<std::string, int64_t> &divisors) {
  Expr at = byPlace(condition, var, width);
  std::optional<Expr> step = at.coefficient(place.str());
  if (!step)
    return false;
  Expr first = at - *step * symbol(place);
  return step->isConstant(0) || (step->isConstant(1) && divisible(first, width, divisors)) ||
         (step->isConstant(-1) && divisible(first + 1, width, divisors));
}

bool sharesMask(ArrayAttr mask, StringRef var, int64_t width, const std::map<std::string, int64_t> &divisors) {
  return llvm::all_of(graph::exprsOf(mask), [&](const Expr &e) { return isShared(e, var, width, divisors); });
}

llvm::DenseSet<Operation *> varyingOps(Block &block, ArrayRef<std::string> vars) {
  llvm::DenseSet<Operation *> varying;
  auto varies = [&](Operation *inner) {
    return llvm::any_of(vars, [&](const std::string &var) { return usesVariable(inner, var); }) ||
           llvm::any_of(inner->getOperands(), [&](Value value) { return varying.contains(value.getDefiningOp()); });
  };
  for (Operation &op : block) {
    auto result =
        op.walk([&](Operation *inner) { return varies(inner) ? WalkResult::interrupt() : WalkResult::advance(); });
    // A tile's element belongs to an iteration even if the tile is read at a fixed point.
    if (result.wasInterrupted() || isa<StoreOp, ExtractOp>(op))
      varying.insert(&op);
  }
  return varying;
}

namespace {

/// What can become a vector in a block, at some width.
struct VectorAccesses {
  llvm::DenseSet<Operation *> varying;
  StringRef var;
  int64_t width;
  const std::map<std::string, int64_t> &divisors;

  VectorAccesses(Block &block, StringRef var, int64_t width, const std::map<std::string, int64_t> &divisors)
      : varying(varyingOps(block, {var.str()})), var(var), width(width), divisors(divisors) {}

  bool fits(Type type) const { return width * byteSize(type) <= 16; }

  bool isVector(LoadOp op) const {
    if (!varying.contains(op) || !fits(op.getType()) || !sharesMask(op.getMask(), var, width, divisors))
      return false;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && varying.contains(def))
        return false;
    return isContiguous(op.getPosition(), var, width, divisors);
  }
  /// A condition that all elements of a vector share.
  bool isShared(InRangeOp op) const {
    return op.getIndices().empty() && sharesMask(op.getExprs(), var, width, divisors);
  }
  bool isVector(StoreOp op) const {
    return op.getIndices().empty() && op.getMask().empty() && fits(op.getValue().getType()) &&
           isContiguous(op.getPosition(), var, width, divisors);
  }
};

} // namespace

int64_t vectorWidth(ArrayRef<std::pair<Block *, std::string>> blocks, const Expr &extent,
                    const std::map<std::string, int64_t> &divisors) {
  for (int64_t width : {16, 8, 4, 2}) {
    if (!divisible(extent, width, divisors))
      continue;
    int64_t bytes = 0;
    bool whole = true;
    for (auto &[block, var] : blocks) {
      VectorAccesses accesses(*block, var, width, divisors);
      for (Operation &op : *block) {
        if (auto load = dyn_cast<LoadOp>(op); load && accesses.isVector(load))
          bytes = std::max(bytes, width * byteSize(load.getType()));
        if (auto store = dyn_cast<StoreOp>(op)) {
          whole &= accesses.isVector(store);
          bytes = std::max(bytes, width * byteSize(store.getValue().getType()));
        }
        // A contiguous load that would not fit is better served by a narrower width.
        if (auto load = dyn_cast<LoadOp>(op); load && !accesses.fits(load.getType()))
          whole &= !isContiguous(load.getPosition(), var, width, divisors);
      }
    }
    if (whole && bytes > 0)
      return width;
  }
  return 1;
}

/// Digits of the variable come apart where it is known how the base is made.
Expr Lowering::atBase(const Expr &e, StringRef var, const Expr &base) {
  return e.coefficient(var.str()) ? e.substitute({{var.str(), symbol(var.str() + "v")}})
                                  : simplify(e.substitute({{var.str(), base}}), rangesHere());
}

void Lowering::cloneShared(InRangeOp op, StringRef var, const Expr &base) {
  graph::Exprs exprs =
      llvm::map_to_vector(graph::exprsOf(op.getExprs()), [&](const Expr &e) { return atBase(e, var, base); });
  Operation *copy = builder.clone(*op, values);
  copy->setAttr("exprs", graph::exprArray(op.getContext(), exprs));
}

void Lowering::cloneVectorLoad(LoadOp op, StringRef var, const Expr &base, int64_t width, Value &vector) {
  auto here = [&](const Expr &e) { return atBase(e, var, base); };
  SmallVector<Value> indices = llvm::map_to_vector(op.getIndices(), [&](Value v) { return values.lookupOrDefault(v); });
  vector = registers({}, op.getType(), width);
  graph::Exprs mask = llvm::map_to_vector(graph::exprsOf(op.getMask()), here);
  LoadVectorOp::create(builder, loc, values.lookupOrDefault(op.getView()), here(op.getPosition()), indices,
                       graph::exprArray(op.getContext(), mask),
                       op.getOther() ? values.lookupOrDefault(op.getOther()) : Value(), vector,
                       builder.getArrayAttr({}));
}

bool reducesVectors(Block &block, StringRef var) {
  llvm::DenseSet<Operation *> varying = varyingOps(block, {var.str()});
  return llvm::all_of(block.getOps<kernel::ReduceOp>(), [&](kernel::ReduceOp op) {
    if (op.getNumResults() != 1)
      return false;
    auto result = op.walk([&](Operation *inner) {
      bool needs = llvm::any_of(inner->getOperands(), [&](Value value) {
        Operation *def = value.getDefiningOp();
        return def && def->getBlock() == &block && varying.contains(def);
      });
      return needs ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !result.wasInterrupted();
  });
}

/// One accumulator per element, in `registers`.
LogicalResult Lowering::reduceVector(kernel::ReduceOp op, StringRef var, const Expr &base, const Expr &extent,
                                     int64_t width, Value &place) {
  graph::ReduceKind kind = llvm::cast<graph::ReduceKindAttr>(op.getKinds()[0]).getValue();
  Type type = op.getResult(0).getType();
  Value first = neutralValue(*this, kind, type);
  place = registers({width}, first.getType());
  (void)loop("e", 0, width, 1, /*unroll=*/true, [&]() -> LogicalResult {
    set(first, place, {symbol("e")});
    return success();
  });
  return loops(op.getVars(), op.getExtents(), [&] {
    return cloneElements(op.getBody().front(), var, base, extent, width, [&](ValueRange yielded) {
      accumulate(*this, {kind, type, place}, yielded[0], {symbol("e")});
    });
  });
}

LogicalResult Lowering::cloneVector(Block &block, StringRef var, const Expr &base, const Expr &extent, int64_t width,
                                    Yield yield) {
  if (width == 1) {
    let(var, base, extent);
    if (failed(clone(block)))
      return failure();
    yield(isa<YieldOp>(block.back()) ? yielded(block) : SmallVector<Value>());
    return success();
  }
  let(var.str() + "v", base, extent);
  return cloneElements(block, var, base, extent, width, yield);
}

LogicalResult Lowering::cloneElements(Block &block, StringRef var, const Expr &base, const Expr &extent, int64_t width,
                                      Yield yield) {
  std::string first = var.str() + "v";
  VectorAccesses accesses(block, var, width, divisors);
  llvm::DenseMap<Operation *, Value> vectors;
  for (Operation &op : block) {
    if (auto load = dyn_cast<LoadOp>(op); load && accesses.isVector(load))
      cloneVectorLoad(load, var, base, width, vectors[&op]);
    else if (auto inRange = dyn_cast<InRangeOp>(op); inRange && accesses.isShared(inRange))
      cloneShared(inRange, var, base);
    else if (auto store = dyn_cast<StoreOp>(op); store && accesses.isVector(store))
      vectors[&op] = registers({}, store.getValue().getType(), width);
    else if (auto reduce = dyn_cast<kernel::ReduceOp>(op); reduce && accesses.varying.contains(&op)) {
      if (failed(reduceVector(reduce, var, base, extent, width, vectors[&op])))
        return failure();
    } else if (!accesses.varying.contains(&op) && !isa<YieldOp>(op) && failed(clone(op)))
      return failure();
  }
  LogicalResult done = loop("e", 0, width, 1, /*unroll=*/true, [&]() -> LogicalResult {
    let(var, symbol(first) + symbol("e"), extent);
    for (Operation &op : block) {
      if (auto it = vectors.find(&op); it == vectors.end()) {
        auto inRange = dyn_cast<InRangeOp>(op);
        bool isDone = !accesses.varying.contains(&op) || (inRange && accesses.isShared(inRange));
        if (!isDone && !isa<YieldOp>(op) && failed(clone(op)))
          return failure();
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        set(values.lookupOrDefault(store.getValue()), it->second, {symbol("e")});
      } else {
        Value element = get(it->second, {symbol("e")});
        values.map(op.getResult(0), cast(element, op.getResult(0).getType()));
      }
    }
    yield(isa<YieldOp>(block.back()) ? yielded(block) : SmallVector<Value>());
    return success();
  });
  if (failed(done))
    return failure();
  for (Operation &op : block)
    if (auto store = dyn_cast<StoreOp>(op); store && vectors.count(&op))
      StoreVectorOp::create(builder, loc, vectors[&op], builder.getArrayAttr({}), store.getView(),
                            store.getPosition().substitute({{var.str(), symbol(first)}}));
  return success();
}

} // namespace cupola::cuda
