//===- lib/Target/CUDA/Lowering.cpp - structure, registers, clones ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"

#include "dialects/Graph/Neutral.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::exprOf;

SmallVector<std::string> cuda::names(ArrayAttr texts) {
  SmallVector<std::string> result;
  for (auto text : texts.getAsRange<StringAttr>())
    result.push_back(text.str());
  return result;
}

int64_t cuda::byteSize(Type type) { return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8; }

/// The attributes of kernel ops that hold expressions.
static constexpr StringRef expressionNames[] = {"position", "mask", "expr", "exprs",  "index", "extent",
                                                "extents",  "from", "to",   "target", "trips"};

static Attribute mapExpressions(Attribute attr, llvm::function_ref<Expr(const Expr &)> change) {
  if (auto expr = dyn_cast<graph::ExprAttr>(attr))
    return graph::exprAttr(attr.getContext(), change(expr.getValue()));
  SmallVector<Attribute> changed;
  for (Attribute element : cast<ArrayAttr>(attr))
    changed.push_back(mapExpressions(element, change));
  return ArrayAttr::get(attr.getContext(), changed);
}

bool cuda::usesVariable(Operation *op, StringRef var) {
  bool uses = false;
  for (StringRef name : expressionNames)
    if (Attribute attr = op->getAttr(name))
      mapExpressions(attr, [&](const Expr &e) { return uses |= e.uses(var), e; });
  return uses;
}

SmallVector<Expr> cuda::expressions(Operation *op) {
  SmallVector<Expr> result;
  for (StringRef name : expressionNames)
    if (Attribute attr = op->getAttr(name))
      mapExpressions(attr, [&](const Expr &e) { return result.push_back(e), e; });
  return result;
}

static void substituteOne(Operation *op, const std::map<std::string, Expr> &values) {
  for (StringRef name : expressionNames)
    if (Attribute attr = op->getAttr(name))
      op->setAttr(name, mapExpressions(attr, [&](const Expr &e) { return e.substitute(values); }));
}

void cuda::substitute(Operation *op, const std::map<std::string, Expr> &values) {
  if (!values.empty())
    op->walk([&](Operation *inner) { substituteOne(inner, values); });
}

namespace cupola::cuda {

Lowering::Lowering(FuncOp func)
    : func(func), builder(func.getContext()), divisors(scalarDivisors(func)), old(std::make_unique<Block>()),
      gridExtents(graph::exprsOf(func.getGrid())), loc(func.getLoc()) {
  Block &body = func.getBody().front();
  old->getOperations().splice(old->end(), body.getOperations());
  builder.setInsertionPointToEnd(&body);
}

Lowering::~Lowering() { old->clear(); }

void Lowering::launch(int64_t threads, const Expr &blocks) {
  func.setGridAttr(builder.getArrayAttr({}));
  mayHaveSurplus = !blocks.constant();
  func->setAttr("launch", LaunchAttr::get(func.getContext(), threads, graph::exprAttr(func.getContext(), blocks)));
}

void Lowering::let(StringRef name, const Expr &value, const Expr &extent) {
  LetOp::create(builder, loc, name, value, ValueRange(), extent);
}

void Lowering::letCoordinates(ArrayRef<std::string> vars, ArrayRef<Expr> extents, const Expr &flat) {
  Expr rest = flat;
  SmallVector<Expr> coordinates(vars.size());
  for (size_t i = vars.size(); i-- > 0;) {
    coordinates[i] = i == 0 ? rest : mod(rest, extents[i]);
    rest = floorDiv(rest, extents[i]);
  }
  for (auto [var, coordinate, extent] : llvm::zip_equal(vars, coordinates, extents))
    let(var, coordinate, extent);
}

void Lowering::letGrid(const Expr &flat) {
  SmallVector<std::string> vars;
  for (size_t i = 0; i < gridExtents.size(); ++i)
    vars.push_back("g" + std::to_string(i));
  letCoordinates(vars, gridExtents, flat);
}

LogicalResult Lowering::loop(StringRef name, const Expr &from, const Expr &to, const Expr &step, bool unroll,
                             Body body) {
  OpBuilder::InsertionGuard saved(builder);
  auto op = ForOp::create(builder, loc, name, from, to, step, unroll);
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  return body();
}

Ranges Lowering::rangesHere() {
  Block *block = builder.getInsertionBlock();
  if (block->empty())
    return rangesAt(block->getParentOp());
  Ranges ranges = rangesAt(&block->back());
  if (auto let = dyn_cast<LetOp>(block->back()))
    ranges[let.getName().str()] = {Expr(0), let.getExtent() - 1};
  return ranges;
}

LogicalResult Lowering::guard(ArrayRef<Expr> conditions, Body body) {
  SmallVector<Expr> open;
  Ranges ranges = rangesHere();
  if (mayHaveSurplus)
    ranges["b"].hi.reset();
  for (const Expr &condition : conditions)
    if (proveLessEqual(0, condition, ranges) != true)
      open.push_back(condition);
  if (open.empty())
    return body();
  OpBuilder::InsertionGuard saved(builder);
  auto op = GuardOp::create(builder, loc, graph::exprArray(func.getContext(), open));
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  return body();
}

LogicalResult Lowering::guardBlocks(const Expr &blocks, Body body) {
  if (blocks.constant())
    return body();
  OpBuilder::InsertionGuard saved(builder);
  auto op = GuardOp::create(builder, loc, graph::exprArray(func.getContext(), {blocks - 1 - symbol("b")}));
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  mayHaveSurplus = false;
  LogicalResult done = body();
  mayHaveSurplus = true;
  return done;
}

Value Lowering::registers(ArrayRef<int64_t> extents, Type element, int64_t vector, bool zero) {
  auto type = RegistersType::get(func.getContext(), extents, element, vector);
  return RegistersOp::create(builder, loc, type, zero, Value());
}

Value Lowering::variable(Value init) {
  auto type = RegistersType::get(func.getContext(), {}, init.getType(), 1);
  return RegistersOp::create(builder, loc, type, /*zero=*/false, init);
}

Value Lowering::get(Value registers, ArrayRef<Expr> index) {
  Type element = llvm::cast<RegistersType>(registers.getType()).getElement();
  return GetOp::create(builder, loc, element, registers, graph::exprArray(func.getContext(), index));
}

void Lowering::set(Value value, Value registers, ArrayRef<Expr> index) {
  SetOp::create(builder, loc, value, registers, graph::exprArray(func.getContext(), index));
}

Value Lowering::constant(Type type, double number) {
  if (auto real = llvm::dyn_cast<FloatType>(type))
    return ConstantOp::create(builder, loc, builder.getFloatAttr(real, number));
  return ConstantOp::create(builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(number)));
}

Value Lowering::cast(Value value, Type type) {
  return value.getType() == type ? value : CastOp::create(builder, loc, type, value).getResult();
}

Value Lowering::smem(int64_t count, Type element) {
  return SmemOp::create(builder, loc, SmemType::get(func.getContext(), count, element), IntegerAttr());
}

LogicalResult Lowering::clone(Block &block) {
  for (Operation &op : block)
    if (!isa<YieldOp>(op) && failed(clone(op)))
      return failure();
  return success();
}

LogicalResult Lowering::hoistInvariant(Block &block, ArrayRef<std::string> vars) {
  llvm::DenseSet<Operation *> varying = varyingOps(block, vars);
  for (Operation &op : block) {
    if (varying.contains(&op) || isa<YieldOp>(op))
      continue;
    if (failed(clone(op)))
      return failure();
    hoisted.insert(&op);
  }
  return success();
}

LogicalResult Lowering::clone(Operation &op) {
  if (hoisted.contains(&op))
    return success();
  if (auto extract = dyn_cast<ExtractOp>(op))
    return cloneExtract(extract);
  if (isa<ForeachOp, kernel::ReduceOp, MapOp, ArgReduceOp>(op))
    return cloneSerial(op);
  if (op.getNumRegions() != 0)
    return op.emitOpError("has no place inside an iteration on a GPU");
  builder.clone(op, values);
  return success();
}

SmallVector<Value> Lowering::yielded(Block &block) {
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return values.lookupOrDefault(value); });
}

/// A tile element is read where this thread made it, or computed once more.
LogicalResult Lowering::cloneExtract(ExtractOp op) {
  auto place = tiles.find(op.getTile());
  if (place != tiles.end() && op.getIndex() == pointOf(space) &&
      llvm::equal(op.getTile().getType().getExtents(), spaceExtents.getAsRange<graph::ExprAttr>())) {
    const TilePlace &at = place->second;
    values.map(op.getResult(), at.element ? at.element : get(at.registers, at.index));
    return success();
  }
  auto map = op.getTile().getDefiningOp<MapOp>();
  if (!map)
    return op.emitOpError("reads a product's tile at another point than its own");
  // The clone of the map's body takes the index expressions for its variables.
  std::map<std::string, Expr> point;
  for (auto [var, index] : llvm::zip_equal(names(map.getVars()), graph::exprsOf(op.getIndex())))
    point[var] = index;
  OwningOpRef<MapOp> copy(map.clone());
  Block &body = copy->getBody().front();
  for (Operation &inner : body)
    substitute(&inner, point);
  if (failed(clone(body)))
    return failure();
  size_t result = llvm::cast<OpResult>(op.getTile()).getResultNumber();
  values.map(op.getResult(), yielded(body)[result]);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops of one thread
//===----------------------------------------------------------------------===//

/// Loops of one thread with fewer iterations are unrolled: the taps of a window.
static constexpr int64_t longLoop = 9;

LogicalResult Lowering::loops(ArrayAttr vars, ArrayAttr extents, Body body, size_t depth) {
  if (depth == vars.size())
    return body();
  StringRef name = llvm::cast<StringAttr>(vars[depth]).getValue();
  Expr extent = graph::exprOf(extents[depth]);
  bool unroll = depth + 1 == vars.size() && extent.constant().value_or(longLoop) < longLoop;
  return loop(name, 0, extent, 1, unroll, [&] { return loops(vars, extents, body, depth + 1); });
}

LogicalResult Lowering::cloneSerial(Operation &op) {
  if (auto each = dyn_cast<ForeachOp>(op))
    return loops(each.getVars(), each.getExtents(), [&] { return clone(each.getBody().front()); });
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
    return cloneReduce(reduce);
  if (auto reduce = dyn_cast<ArgReduceOp>(op))
    return cloneArgReduce(reduce);
  return success(); // A map is computed where it is read.
}

LogicalResult Lowering::cloneReduce(kernel::ReduceOp op) {
  SmallVector<Accumulator> accumulators;
  for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
    accumulators.push_back(makeAccumulator(*this, kind.getValue(), type));
  Block &body = op.getBody().front();
  LogicalResult done = loops(op.getVars(), op.getExtents(), [&]() -> LogicalResult {
    if (failed(clone(body)))
      return failure();
    for (auto [accumulator, value] : llvm::zip_equal(accumulators, yielded(body)))
      accumulate(*this, accumulator, value);
    return success();
  });
  for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
    values.map(result, cast(get(accumulator.registers), accumulator.type));
  return done;
}

/// Keeps the best value and its position; NaN beats every number, as in numpy.
LogicalResult Lowering::cloneArgReduce(ArgReduceOp op) {
  Block &body = op.getBody().front();
  Type type = body.getTerminator()->getOperand(0).getType();
  Type i64 = builder.getI64Type(), boolean = builder.getI1Type();
  bool isMax = op.getKind() == graph::ReduceKind::Max;
  using graph::BinaryKind;
  BinaryKind better = isMax ? (op.getLast() ? BinaryKind::GreaterEqual : BinaryKind::Greater)
                            : (op.getLast() ? BinaryKind::LessEqual : BinaryKind::Less);
  Value best = variable(constant(type, 0)), where = variable(constant(i64, -1));
  Expr position = 0;
  for (auto [var, extent] : llvm::zip_equal(names(op.getVars()), graph::exprsOf(op.getExtents())))
    position = position * extent + symbol(var);
  LogicalResult done = loops(op.getVars(), op.getExtents(), [&]() -> LogicalResult {
    if (failed(clone(body)))
      return failure();
    Value value = yielded(body)[0], old = get(best), place = get(where);
    auto binary = [&](BinaryKind kind, Value lhs, Value rhs) -> Value {
      return BinaryOp::create(builder, loc, boolean, kind, lhs, rhs);
    };
    Value wins = binary(BinaryKind::Or, binary(BinaryKind::Less, place, constant(i64, 0)), binary(better, value, old));
    if (llvm::isa<FloatType>(type)) {
      auto predicate = [&](graph::UnaryKind kind, Value v) -> Value {
        llvm::APFloat none(0.0);
        return UnaryOp::create(builder, loc, boolean, kind, v, none, none);
      };
      Value isNaN = predicate(graph::UnaryKind::IsNaN, value);
      if (!op.getLast()) { // The first NaN stays.
        Value open = predicate(graph::UnaryKind::Not, predicate(graph::UnaryKind::IsNaN, old));
        isNaN = binary(BinaryKind::And, isNaN, open);
        wins = binary(BinaryKind::And, wins, open);
      }
      wins = binary(BinaryKind::Or, isNaN, wins);
    }
    Value here = IndexOp::create(builder, loc, i64, position, ValueRange());
    set(SelectOp::create(builder, loc, type, wins, value, old), best);
    set(SelectOp::create(builder, loc, i64, wins, here, place), where);
    return success();
  });
  values.map(op.getResult(), get(where));
  return done;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// f32 for f16 and bf16, 32 bits for smaller integers: threads exchange words.
static Type wordType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  if (auto integer = llvm::dyn_cast<IntegerType>(type); integer && integer.getWidth() < 32)
    return IntegerType::get(type.getContext(), 32, integer.getSignedness());
  return type;
}

Accumulator makeAccumulator(Lowering &lowering, graph::ReduceKind kind, Type type) {
  return {kind, type, lowering.variable(neutralValue(lowering, kind, type))};
}

Value neutralValue(Lowering &lowering, graph::ReduceKind kind, Type type) {
  return ConstantOp::create(lowering.builder, lowering.func.getLoc(), graph::neutralElement(kind, wordType(type)));
}

void accumulate(Lowering &lowering, const Accumulator &accumulator, Value value, ArrayRef<Expr> index) {
  Type word = llvm::cast<RegistersType>(accumulator.registers.getType()).getElement();
  AccumulateOp::create(lowering.builder, lowering.func.getLoc(), accumulator.kind, lowering.cast(value, word),
                       accumulator.registers, graph::exprArray(lowering.func.getContext(), index));
}

} // namespace cupola::cuda
