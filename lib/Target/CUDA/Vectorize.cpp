//===- lib/Target/CUDA/Vectorize.cpp - several iterations at once, by vector accesses ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

/// The symbol of an element's place in its vector.
static constexpr StringLiteral placeSymbol = "place";

/// `e` for var = width * vector + place. Digits of the variable whose unit is a multiple of
/// the width, as convolutions have them, do not see the place.
static Expr byPlace(const Expr &e, StringRef var, int64_t width) {
  if (!e.uses(var.str()))
    return e;
  const Ranges ranges = {{"vector", {Expr(0), std::nullopt}}, {placeSymbol.str(), {Expr(0), Expr(width - 1)}}};
  return simplify(e.substitute({{var.str(), Expr::symbol("vector") * width + Expr::symbol(placeSymbol.str())}}),
                  ranges);
}

bool isContiguous(const Expr &position, StringRef var, int64_t width, const std::map<std::string, int64_t> &divisors) {
  Expr at = byPlace(position, var, width);
  std::optional<Expr> stride = at.coefficient(placeSymbol.str());
  return stride && stride->isConstant(1) && divisible(at - Expr::symbol(placeSymbol.str()), width, divisors);
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
  std::optional<Expr> step = at.coefficient(placeSymbol.str());
  if (!step)
    return false;
  Expr first = at - *step * Expr::symbol(placeSymbol.str());
  return step->isConstant(0) || (step->isConstant(1) && divisible(first, width, divisors)) ||
         (step->isConstant(-1) && divisible(first + 1, width, divisors));
}

bool sharesMask(ArrayRef<Expr> mask, StringRef var, int64_t width, const std::map<std::string, int64_t> &divisors) {
  return llvm::all_of(mask, [&](const Expr &e) { return isShared(e, var, width, divisors); });
}

bool isIndirect(ValueRange indices) {
  return llvm::any_of(indices,
                      [](Value index) { return isa_and_present<CheckedIndexOp, KnownIndexOp>(index.getDefiningOp()); });
}

llvm::DenseSet<Operation *> varyingOps(Block &block, ValueRange indices) {
  llvm::DenseSet<Operation *> varying;
  auto varies = [&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), [&](Value value) {
      return llvm::is_contained(indices, value) || varying.contains(value.getDefiningOp());
    });
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
  Variables &vars;
  std::string var;
  int64_t width;
  const std::map<std::string, int64_t> &divisors;
  Expr origin; ///< of positions

  VectorAccesses(Block &block, Value index, int64_t width, Variables &vars,
                 const std::map<std::string, int64_t> &divisors, Expr origin = 0)
      : varying(varyingOps(block, index)), vars(vars), var(vars.name(index)), width(width), divisors(divisors),
        origin(std::move(origin)) {
    hasRows = llvm::any_of(block, [&](Operation &op) {
      auto load = dyn_cast<LoadOp>(op);
      auto store = dyn_cast<StoreOp>(op);
      return (load && isOfRow(load)) || (store && isOfRow(store));
    });
  }

  /// Its position is not the same in all rows.
  template <class Op> bool isOfRow(Op op) const {
    const std::set<std::string> symbols = vars.read(op.getPosition(), op.getIndices()).symbols();
    return isIndirect(op.getIndices()) || symbols.size() > symbols.count(var);
  }
  bool fits(Type type) const { return width * graph::byteSize(type) <= Lowering::accessBytes; }
  /// What all rows have in common may take two accesses, so that wide constants do not halve the vectors of narrow
  /// rows: the second finds its sectors in L1, as it would those of a row.
  bool fits(LoadOp op) const {
    const int64_t most = Lowering::accessBytes * (hasRows && !isOfRow(op) ? 2 : 1);
    return width * graph::byteSize(op.getType()) <= most;
  }
  template <class Op> bool isContiguous(Op op) const {
    return cuda::isContiguous(vars.read(op.getPosition(), op.getIndices()) - origin, var, width, divisors);
  }

  bool isVector(LoadOp op) const {
    if (!varying.contains(op) || !fits(op) || !areShared(vars.read(op.getMask(), op.getIndices())))
      return false;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && varying.contains(def))
        return false;
    return isContiguous(op);
  }
  /// Conditions that all elements of a vector share.
  bool areShared(ArrayRef<Expr> conditions) const {
    if (beginsAnywhere())
      return llvm::none_of(conditions, [&](const Expr &e) { return e.uses(var); });
    return sharesMask(conditions, var, width, divisors);
  }
  bool isShared(InRangeOp op) const {
    return !isIndirect(op.getIndices()) && areShared(vars.read(op.getExprs(), op.getIndices()));
  }
  /// What no place in a vector has a part in, like the scale of a block of numbers.
  bool isShared(const Expr &e) const {
    return beginsAnywhere() ? !e.uses(var) : !byPlace(e, var, width).uses(placeSymbol.str());
  }
  bool isShared(LoadOp op) const {
    return !isIndirect(op.getIndices()) && isShared(vars.read(op.getPosition(), op.getIndices())) &&
           llvm::all_of(vars.read(op.getMask(), op.getIndices()), [&](const Expr &e) { return isShared(e); });
  }
  bool isShared(IndexOp op) const {
    return !isIndirect(op.getIndices()) && isShared(vars.read(op.getExpr(), op.getIndices()));
  }
  /// The ops that are the same for all elements of a vector but not for all vectors. `isHeld`: whose elements are in
  /// registers already.
  llvm::DenseSet<Operation *> sharedOps(Block &block, llvm::function_ref<bool(Operation *)> isHeld) const {
    llvm::DenseSet<Operation *> shared;
    for (Operation &op : block) {
      if (isHeld(&op))
        continue;
      bool found = varying.contains(&op) &&
                   llvm::all_of(op.getOperands(), [&](Value value) { return isSame(value, block, shared); });
      if (auto load = dyn_cast<LoadOp>(op))
        found &= isShared(load);
      else if (auto index = dyn_cast<IndexOp>(op))
        found &= isShared(index);
      else
        found &= isa<CastOp, BitcastOp, UnaryOp, BinaryOp, SelectOp>(op);
      if (found)
        shared.insert(&op);
    }
    return shared;
  }
  /// Results of whole words of bytes of two numbers, the rest of which is the same for all elements.
  llvm::DenseMap<Operation *, Nibbles> nibbles(Block &block, const llvm::DenseSet<Operation *> &shared) const {
    llvm::DenseMap<Operation *, Nibbles> all;
    if (width % 4 != 0)
      return all;
    for (Operation &op : block)
      if (std::optional<Nibbles> found = nibblesOf(&op);
          found && isVector(found->bytes) && isSame(found->shift, block, shared) &&
          (!found->offsetValue || isSame(found->offsetValue, block, shared)) && isSame(found->scale, block, shared))
        all.try_emplace(&op, *found);
    return all;
  }
  bool isVector(StoreOp op) const {
    return !isIndirect(op.getIndices()) && fits(op.getValue().getType()) && isContiguous(op) &&
           areShared(vars.read(op.getMask(), op.getIndices()));
  }

private:
  bool hasRows;

  /// At no multiple of the width, so that a digit or a bound of the variable may change within a vector.
  bool beginsAnywhere() const { return !origin.isConstant(0); }

  /// An operand that all elements of a vector have.
  bool isSame(Value operand, Block &block, const llvm::DenseSet<Operation *> &shared) const {
    Operation *def = operand.getDefiningOp();
    return !def || def->getBlock() != &block || !varying.contains(def) || shared.contains(def);
  }
};

} // namespace

int64_t vectorWidth(ArrayRef<std::pair<Block *, Value>> blocks, const Expr &extent, Variables &vars,
                    const std::map<std::string, int64_t> &divisors, const llvm::DenseSet<Operation *> &hoisted) {
  for (int64_t width : {16, 8, 4, 2}) {
    if (!divisible(extent, width, divisors))
      continue;
    int64_t bytes = 0;
    bool whole = true;
    for (auto &[block, index] : blocks) {
      VectorAccesses accesses(*block, index, width, vars, divisors);
      for (Operation &op : *block) {
        if (hoisted.contains(&op))
          continue;
        if (auto load = dyn_cast<LoadOp>(op); load && accesses.isVector(load))
          bytes = std::max(bytes, width * graph::byteSize(load.getType()));
        if (auto store = dyn_cast<StoreOp>(op)) {
          whole &= accesses.isVector(store);
          bytes = std::max(bytes, width * graph::byteSize(store.getValue().getType()));
        }
        // A contiguous load that would not fit is better served by a narrower width.
        if (auto load = dyn_cast<LoadOp>(op); load && !accesses.fits(load))
          whole &= !accesses.isContiguous(load);
      }
    }
    if (whole && bytes > 0)
      return width;
  }
  return 1;
}

std::optional<Expr> originOf(ArrayRef<std::pair<Block *, Value>> blocks, Variables &vars) {
  std::optional<Expr> origin;
  for (auto &[block, index] : blocks) {
    const llvm::DenseSet<Operation *> varying = varyingOps(*block, index);
    const std::string var = vars.name(index);
    auto begins = [&](auto access) {
      const Expr position = vars.read(access.getPosition(), access.getIndices());
      const std::optional<Expr> stride = position.coefficient(var);
      if (!stride || !stride->isConstant(1) || !access.getMask().empty() || isIndirect(access.getIndices()))
        return false;
      const Expr first = position - Expr::symbol(var);
      if (!origin)
        origin = first;
      return *origin == first;
    };
    for (Operation &op : *block)
      if (auto load = dyn_cast<LoadOp>(op); load && varying.contains(load) ? !begins(load) : false)
        return std::nullopt;
      else if (auto store = dyn_cast<StoreOp>(op); store && !begins(store))
        return std::nullopt;
  }
  return origin;
}

/// An expression in the kernel's variables, at the first element of the vector. Digits of the
/// variable come apart where it is known how the base is made.
Expr Lowering::atBase(const Expr &e, const Vector &vector) {
  const std::string var = vars.name(vector.index);
  return e.coefficient(var) ? here(e.substitute({{var, vector.first}}))
                            : simplify(here(e.substitute({{var, vector.base}})), vars.ranges());
}

void Lowering::cloneShared(InRangeOp op, const Vector &vector) {
  graph::Exprs exprs =
      llvm::map_to_vector(vars.read(op.getExprs(), op.getIndices()), [&](const Expr &e) { return atBase(e, vector); });
  SmallVector<Value> indices = vars.write(exprs);
  auto copy = InRangeOp::create(builder, loc, op.getType(), graph::exprArray(op.getContext(), exprs), indices);
  values.map(op.getResult(), copy.getResult());
}

LogicalResult Lowering::cloneShared(Operation &op, const Vector &vector) {
  auto base = [&](const Expr &e) { return atBase(e, vector); };
  if (auto load = dyn_cast<LoadOp>(op)) {
    Source from{base(vars.read(load.getPosition(), load.getIndices())),
                llvm::map_to_vector(vars.read(load.getMask(), load.getIndices()), base)};
    if (load.getOther())
      from.other = values.lookupOrDefault(load.getOther());
    values.map(load.getResult(), this->load(values.lookupOrDefault(load.getView()), from));
    return success();
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    Expr expr = base(vars.read(index.getExpr(), index.getIndices())); // which `write` renames
    SmallVector<Value> indices = vars.write(expr);
    values.map(index.getResult(), IndexOp::create(builder, loc, index.getType(), expr, indices).getResult());
    return success();
  }
  return clone(op);
}

int64_t Lowering::accessWidth(Type type, int64_t width) { return std::min(width, accessBytes / graph::byteSize(type)); }

Lowering::Elements Lowering::elementsOf(Type type, int64_t width, int64_t part) {
  return {part == width ? registers({}, type, part) : registers({width / part}, type, part), part, width};
}

graph::Exprs Lowering::Elements::access(int64_t e) const {
  return part == width ? graph::Exprs() : graph::Exprs{e / part};
}

graph::Exprs Lowering::Elements::index(const Expr &e) const {
  graph::Exprs all = before;
  if (part != width && part != 1)
    all.push_back(floorDiv(e, part));
  all.push_back(part != width && part != 1 ? mod(e, part) : e);
  return all;
}

void Lowering::loadVector(LoadOp op, const Vector &vector, Value registers, graph::Exprs index, int64_t first) {
  auto base = [&](const Expr &e) { return atBase(e, vector); };
  Source from{base(vars.read(op.getPosition(), op.getIndices())) + first,
              llvm::map_to_vector(vars.read(op.getMask(), op.getIndices()), base)};
  if (op.getOther())
    from.other = values.lookupOrDefault(op.getOther());
  loadVector(values.lookupOrDefault(op.getView()), from, registers, std::move(index));
}

Lowering::Elements Lowering::cloneVectorLoad(LoadOp op, const Vector &vector) {
  const Elements elements = elementsOf(op.getType(), vector.width, accessWidth(op.getType(), vector.width));
  for (int64_t e = 0; e < vector.width; e += elements.part)
    loadVector(op, vector, elements.registers, elements.access(e), e);
  return elements;
}

SmallVector<LoadOp> Lowering::vectorLoads(Block &block, Value index, int64_t width) {
  const VectorAccesses accesses(block, index, width, vars, divisors);
  SmallVector<LoadOp> loads;
  for (LoadOp load : block.getOps<LoadOp>()) {
    auto constant = load.getOther() ? load.getOther().getDefiningOp<kernel::ConstantOp>() : kernel::ConstantOp();
    if (width > 1 && accesses.fits(load.getType()) && accesses.isVector(load) && (!load.getOther() || constant))
      loads.push_back(load);
  }
  return loads;
}

void Lowering::fetchVectors(ArrayRef<LoadOp> loads, ArrayRef<Value> registers, Value index, const Expr &base,
                            const Expr &extent, int64_t width, const graph::Exprs &at) {
  if (loads.empty())
    return;
  const Vector vector{index, base, let(hintOf(index) + "v", base, extent), extent, width};
  for (auto [op, into] : llvm::zip_equal(loads, registers)) {
    LoadOp load = op;
    if (load.getOther())
      (void)clone(*load.getOther().getDefiningOp());
    loadVector(load, vector, into, at);
  }
}

Lowering::Elements Lowering::unpack(const Nibbles &nibbles, Type type, const Vector &vector) {
  const Elements bytes = cloneVectorLoad(nibbles.bytes, vector);
  Elements elements{registers({}, type, vector.width), vector.width, vector.width};
  Value offset =
      nibbles.offset ? constant(builder.getI8Type(), *nibbles.offset) : values.lookupOrDefault(nibbles.offsetValue);
  UnpackOp::create(builder, loc, bytes.registers, values.lookupOrDefault(nibbles.shift), offset,
                   values.lookupOrDefault(nibbles.scale), elements.registers);
  return elements;
}

bool reducesVectors(Block &block, Value index) {
  llvm::DenseSet<Operation *> varying = varyingOps(block, index);
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

/// One accumulator per element.
LogicalResult Lowering::reduceVector(kernel::ReduceOp op, const Vector &vector, Value &sums) {
  graph::ReduceKind kind = llvm::cast<graph::ReduceKindAttr>(op.getKinds()[0]).getValue();
  Type type = op.getResult(0).getType();
  Value first = neutralValue(*this, kind, type);
  sums = registers({vector.width}, first.getType());
  (void)loop("e", 0, vector.width, 1, /*unroll=*/true, [&](const Expr &e) -> LogicalResult {
    set(first, sums, {e});
    return success();
  });
  Block &body = op.getBody().front();
  return loops(body.getArguments(), op.getExtents(), [&] {
    return cloneElements(body, vector, [&](ValueRange yielded, const Expr &e) {
      cuda::accumulate(*this, {kind, type, sums}, yielded[0], {e});
    });
  });
}

LogicalResult Lowering::cloneVector(Block &block, Value index, const Expr &base, const Expr &extent, int64_t width,
                                    Yield yield) {
  if (width == 1) {
    bind(index, base, extent);
    for (Operation &op : block)
      if (auto held = hoistedVectors.find(&op); held != hoistedVectors.end())
        values.map(op.getResult(0),
                   cast(get(held->second.registers, held->second.index(0)), op.getResult(0).getType()));
      else if (!isa<YieldOp>(op) && failed(clone(op)))
        return failure();
    yield(yielded(block), 0);
    return success();
  }
  Expr first = let(hintOf(index) + "v", base, extent);
  return cloneElements(block, {index, base, first, extent, width}, yield);
}

LogicalResult Lowering::cloneElements(Block &block, const Vector &vector, Yield yield) {
  VectorAccesses accesses(block, vector.index, vector.width, vars, divisors, origin);
  const llvm::DenseSet<Operation *> shared =
      accesses.sharedOps(block, [&](Operation *op) { return hoistedVectors.count(op) != 0; });
  const llvm::DenseMap<Operation *, Nibbles> nibbles = accesses.nibbles(block, shared);
  llvm::DenseSet<Operation *> absorbed;
  for (const auto &[result, found] : nibbles)
    absorbed.insert_range(found.inner);
  llvm::DenseMap<Operation *, Elements> vectors;
  for (Operation &op : block) {
    if (auto found = hoistedVectors.find(&op); found != hoistedVectors.end())
      vectors[&op] = found->second;
    else if (auto found = nibbles.find(&op); found != nibbles.end())
      vectors[&op] = unpack(found->second, op.getResult(0).getType(), vector);
    else if (absorbed.contains(&op))
      continue;
    else if (auto load = dyn_cast<LoadOp>(op); load && accesses.isVector(load))
      vectors[&op] = cloneVectorLoad(load, vector);
    else if (auto inRange = dyn_cast<InRangeOp>(op); inRange && accesses.isShared(inRange))
      cloneShared(inRange, vector);
    else if (auto store = dyn_cast<StoreOp>(op); store && accesses.isVector(store))
      vectors[&op] = {registers({}, store.getValue().getType(), vector.width), vector.width, vector.width};
    else if (auto reduce = dyn_cast<kernel::ReduceOp>(op); reduce && accesses.varying.contains(&op)) {
      vectors[&op] = {Value(), 1, vector.width};
      if (failed(reduceVector(reduce, vector, vectors[&op].registers)))
        return failure();
    } else if (shared.contains(&op)) {
      if (failed(cloneShared(op, vector)))
        return failure();
    } else if (!accesses.varying.contains(&op) && !isa<YieldOp>(op) && failed(clone(op)))
      return failure();
  }
  LogicalResult done = loop("e", 0, vector.width, 1, /*unroll=*/true, [&](const Expr &e) -> LogicalResult {
    bind(vector.index, vector.first + e, vector.extent);
    place = e;
    for (Operation &op : block) {
      if (auto it = vectors.find(&op); it == vectors.end()) {
        auto inRange = dyn_cast<InRangeOp>(op);
        bool isDone = !accesses.varying.contains(&op) || shared.contains(&op) || absorbed.contains(&op) ||
                      (inRange && accesses.isShared(inRange));
        if (!isDone && !isa<YieldOp>(op) && failed(clone(op)))
          return failure();
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        set(values.lookupOrDefault(store.getValue()), it->second.registers, {e});
      } else {
        Value element = get(it->second.registers, it->second.index(e));
        values.map(op.getResult(0), cast(element, op.getResult(0).getType()));
      }
    }
    yield(yielded(block), e);
    place = 0;
    return success();
  });
  if (failed(done))
    return failure();
  for (Operation &op : block)
    if (auto away = diverted.find(&op); away != diverted.end()) {
      storeVector(vectors[&op].registers, {}, away->second.memory, away->second.position());
    } else if (auto store = dyn_cast<StoreOp>(op); store && vectors.count(&op)) {
      const std::map<std::string, Expr> first = {{vars.name(vector.index), vector.first}};
      auto atFirst = [&](const Expr &e) { return here(e.substitute(first)); };
      graph::Exprs mask = llvm::map_to_vector(vars.read(store.getMask(), store.getIndices()), atFirst);
      (void)guard(mask, [&] {
        Expr position = vars.read(store.getPosition(), store.getIndices());
        storeVector(vectors[&op].registers, {}, values.lookup(store.getView()), atFirst(position));
        return success();
      });
    }
  return success();
}

} // namespace cupola::cuda
