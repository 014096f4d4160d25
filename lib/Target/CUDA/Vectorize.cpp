//===- lib/Target/CUDA/Vectorize.cpp - several iterations at once, by vector accesses ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::exprOf;

namespace cupola::cuda {

bool isContiguous(const Expr &position, StringRef var, int64_t width,
                  const std::map<std::string, int64_t> &divisors) {
  std::optional<Expr> stride = position.coefficient(var.str());
  return stride && stride->isConstant(1) &&
         divisible(position - symbol(var), width, divisors);
}

static bool usesVar(ArrayAttr exprs, StringRef var) {
  return llvm::any_of(graph::exprsOf(exprs), [&](const Expr &e) { return e.uses(var.str()); });
}

llvm::DenseSet<Operation *> varyingOps(Block &block, ArrayRef<std::string> vars) {
  llvm::DenseSet<Operation *> varying;
  auto varies = [&](Operation *inner) {
    return llvm::any_of(vars, [&](const std::string &var) { return usesVariable(inner, var); }) ||
           llvm::any_of(inner->getOperands(),
                        [&](Value value) { return varying.contains(value.getDefiningOp()); });
  };
  for (Operation &op : block) {
    auto result = op.walk([&](Operation *inner) {
      return varies(inner) ? WalkResult::interrupt() : WalkResult::advance();
    });
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

  VectorAccesses(Block &block, StringRef var, int64_t width,
                 const std::map<std::string, int64_t> &divisors)
      : varying(varyingOps(block, {var.str()})), var(var), width(width), divisors(divisors) {}

  bool fits(Type type) const { return width * byteSize(type) <= 16; }

  bool isVector(LoadOp op) const {
    if (!varying.contains(op) || usesVar(op.getMask(), var) || !fits(op.getType()))
      return false;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && varying.contains(def))
        return false;
    return isContiguous(exprOf(op.getPosition()), var, width, divisors);
  }
  bool isVector(StoreOp op) const {
    return op.getIndices().empty() && op.getMask().empty() && fits(op.getValue().getType()) &&
           isContiguous(exprOf(op.getPosition()), var, width, divisors);
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
          whole &= !isContiguous(exprOf(load.getPosition()), var, width, divisors);
      }
    }
    if (whole && bytes > 0)
      return width;
  }
  return 1;
}

void Lowering::cloneVectorLoad(LoadOp op, StringRef var, StringRef first, int64_t width,
                               Value &vector) {
  std::map<std::string, Expr> here = {{var.str(), symbol(first)}};
  SmallVector<Value> indices =
      llvm::map_to_vector(op.getIndices(), [&](Value v) { return values.lookupOrDefault(v); });
  vector = registers({}, op.getType(), width);
  LoadVectorOp::create(builder, loc, values.lookupOrDefault(op.getView()),
                       exprOf(op.getPosition()).substitute(here).text(), indices, op.getMask(),
                       op.getOther() ? values.lookupOrDefault(op.getOther()) : Value(), vector,
                       builder.getArrayAttr({}));
}

LogicalResult Lowering::cloneVector(Block &block, StringRef var, const Expr &base,
                                    const Expr &extent, int64_t width, Yield yield) {
  if (width == 1) {
    let(var, base, extent);
    if (failed(clone(block)))
      return failure();
    yield(isa<YieldOp>(block.back()) ? yielded(block) : SmallVector<Value>());
    return success();
  }
  std::string first = var.str() + "v";
  let(first, base, extent);
  VectorAccesses accesses(block, var, width, divisors);
  llvm::DenseMap<Operation *, Value> vectors;
  for (Operation &op : block) {
    if (auto load = dyn_cast<LoadOp>(op); load && accesses.isVector(load))
      cloneVectorLoad(load, var, first, width, vectors[&op]);
    else if (auto store = dyn_cast<StoreOp>(op); store && accesses.isVector(store))
      vectors[&op] = registers({}, store.getValue().getType(), width);
    else if (!accesses.varying.contains(&op) && !isa<YieldOp>(op) && failed(clone(op)))
      return failure();
  }
  LogicalResult done = loop("e", 0, width, 1, /*unroll=*/true, [&]() -> LogicalResult {
    let(var, symbol(first) + symbol("e"), extent);
    for (Operation &op : block) {
      if (auto it = vectors.find(&op); it == vectors.end()) {
        if (accesses.varying.contains(&op) && !isa<YieldOp>(op) && failed(clone(op)))
          return failure();
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        set(values.lookupOrDefault(store.getValue()), it->second, {symbol("e")});
      } else {
        values.map(op.getResult(0), get(it->second, {symbol("e")}));
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
                            exprOf(store.getPosition())
                                .substitute({{var.str(), symbol(first)}})
                                .text());
  return success();
}

} // namespace cupola::cuda
