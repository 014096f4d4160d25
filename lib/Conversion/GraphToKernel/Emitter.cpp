//===- lib/Conversion/GraphToKernel/Emitter.cpp - loops, chains, stores ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToKernel/Emitter.h"

using namespace mlir;
using namespace cupola;
using graph::Exprs;

Emitter::Emitter(graph::FusionOp fusion, OpBuilder &builder, StringRef name, graph::KernelKind kind)
    : theFusion(fusion), b(builder), known(graph::symbolRanges(fusion->getParentOfType<ModuleOp>())),
      divisors(graph::symbolDivisors(fusion->getParentOfType<ModuleOp>())) {
  declareScalars();
  for (const std::string &symbol : scalarSymbols)
    scalarValues.push_back(Expr::symbol(symbol));
  declareSliceBegins();
  for (unsigned i = 0; i < theFusion.getNumResults(); ++i)
    declareBegin(i);
  createFunc(name, kind);
}

/// Symbols become n0, n1, .. in the order of their first use, so that equal kernels of
/// different places in a model, and of different models, are equal.
void Emitter::declareScalars() {
  auto visit = [&](const Expr &expr) {
    for (const std::string &symbol : expr.symbols())
      if (toKernel.emplace(symbol, Expr::symbol("n" + std::to_string(scalarSymbols.size()))).second)
        scalarSymbols.push_back(symbol);
  };
  auto visitType = [&](Type type) {
    for (const Expr &dim : graph::shapeOf(type))
      visit(dim);
  };
  auto visitPlace = [&](Value value) {
    const graph::Placement place = graph::placementOf(value);
    llvm::for_each(place.storage, visit);
    llvm::for_each(place.offset, visit);
  };
  for (Value input : theFusion.getInputs()) {
    visitType(input.getType());
    visitPlace(input);
  }
  theFusion.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<graph::LoopOp>(op)) { // its index is no scalar of a launch
      if (std::optional<StringRef> index = loop.getIndex())
        toKernel[index->str()] = Expr::symbol(index->str());
      visit(graph::exprOf(loop.getLimitAttr()));
    }
    for (Type type : op->getResultTypes())
      visitType(type);
    for (StringRef name : {"starts", "low", "exprs"})
      if (auto exprs = op->getAttrOfType<ArrayAttr>(name))
        for (const Expr &expr : graph::exprsOf(exprs))
          visit(expr);
  });
  for (Value result : theFusion.getResults())
    visitPlace(result);
}

/// The element type of an input's view: all that reads it may take its bytes as float8 of one type, which a product can
/// only read from where they lie.
static Type elementRead(Value input, BlockArgument inBody) {
  Type read;
  for (Operation *user : inBody.getUsers()) {
    auto bits = dyn_cast<graph::BitcastOp>(user);
    const Type element = bits ? graph::elementOf(bits.getResult()) : Type();
    if (!bits || !graph::isFloat8(element) || (read && element != read))
      return graph::elementOf(input);
    read = element;
  }
  return read ? read : graph::elementOf(input);
}

void Emitter::createFunc(StringRef name, graph::KernelKind kind) {
  SmallVector<Attribute> scalarAttrs;
  for (const std::string &symbol : scalarSymbols) {
    const Range &range = known[symbol];
    scalarAttrs.push_back(kernel::ScalarAttr::get(b.getContext(),
                                                  range.lo ? range.lo->constant().value_or(0) : graph::anyNumber,
                                                  range.hi ? range.hi->constant().value_or(0) : 0, divisors[symbol]));
  }
  kernelFunc =
      kernel::FuncOp::create(b, loc(), name, kind, b.getArrayAttr({}), b.getArrayAttr(scalarAttrs), /*schedule=*/{},
                             /*packed=*/{});
  Block &body = kernelFunc.getBody().emplaceBlock();
  auto add = [&](Type element, kernel::Access access) {
    body.addArgument(kernel::ViewType::get(b.getContext(), element, access), loc());
  };
  for (auto [input, inBody] : llvm::zip_equal(theFusion.getInputs(), theFusion.getBody().getArguments()))
    add(elementRead(input, inBody), kernel::Access::Read);
  for (Value result : theFusion.getResults())
    add(graph::elementOf(result), kernel::Access::Write);
  b.setInsertionPointToStart(&body);
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

Expr Emitter::addGrid(const Expr &extent) {
  if (extent.isConstant(1))
    return Expr(0);
  std::string name = "g" + std::to_string(gridExtents.size());
  gridExtents.push_back(extent);
  known[name] = {Expr(0), extent - 1};
  bind(Expr::symbol(name), kernelFunc.getBody().addArgument(b.getIndexType(), loc()));
  return Expr::symbol(name);
}

void Emitter::finishGrid() {
  auto extents = llvm::map_to_vector(gridExtents, [&](const Expr &extent) { return inKernel(extent); });
  kernelFunc.setGridAttr(graph::exprArray(b.getContext(), extents));
}

Emitter::Loop Emitter::makeLoop(Index extents, bool keepOnes) {
  Loop loop;
  Exprs counts;
  for (const Expr &extent : extents) {
    if (extent.isConstant(1) && !keepOnes) {
      loop.index.push_back(Expr(0));
      continue;
    }
    std::string name = "d" + std::to_string(loopVariables++);
    known[name] = {Expr(0), extent - 1};
    loop.index.push_back(Expr::symbol(name));
    loop.kept.push_back(extent);
    loop.vars.push_back(loop.index.back());
    counts.push_back(inKernel(extent));
  }
  loop.extents = graph::exprArray(b.getContext(), counts);
  return loop;
}

void Emitter::inRegion(Region &region, Index vars, function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(b);
  auto outerMemo = std::move(memo);
  auto outerForward = std::move(forward);
  auto outerChain = std::move(chain);
  memo.clear();
  forward.clear();
  chain.clear();
  Block &block = region.emplaceBlock();
  for (const Expr &var : vars)
    bind(var, block.addArgument(b.getIndexType(), loc()));
  b.setInsertionPointToStart(&block);
  body();
  memo = std::move(outerMemo);
  forward = std::move(outerForward);
  chain = std::move(outerChain);
}

void Emitter::foreach (const Loop &loop, function_ref<void()> body) {
  auto op = kernel::ForeachOp::create(b, loc(), loop.extents);
  inRegion(op.getBody(), loop.vars, body);
}

SmallVector<Value> Emitter::map(const Loop &loop, function_ref<SmallVector<Value>()> body) {
  OperationState state(loc(), kernel::MapOp::getOperationName());
  state.addAttribute("extents", loop.extents);
  Region *region = state.addRegion();
  const Exprs extents = graph::exprsOf(loop.extents);
  inRegion(*region, loop.vars, [&] {
    SmallVector<Value> scalars = body();
    for (Value scalar : scalars)
      state.addTypes(kernel::tileType(scalar.getType(), extents));
    kernel::YieldOp::create(b, loc(), scalars);
  });
  return SmallVector<Value>(b.create(state)->getResults());
}

SmallVector<Value> Emitter::reduce(const Loop &loop, ArrayRef<graph::ReduceKind> kinds, function_ref<Value()> body) {
  OperationState state(loc(), kernel::ReduceOp::getOperationName());
  const auto attributes = llvm::map_to_vector(
      kinds, [&](graph::ReduceKind kind) -> Attribute { return graph::ReduceKindAttr::get(b.getContext(), kind); });
  state.addAttribute("kinds", b.getArrayAttr(attributes));
  state.addAttribute("extents", loop.extents);
  Region *region = state.addRegion();
  inRegion(*region, loop.vars, [&] {
    const SmallVector<Value> scalars(kinds.size(), body());
    state.addTypes(ValueRange(scalars).getTypes());
    kernel::YieldOp::create(b, loc(), scalars);
  });
  return SmallVector<Value>(b.create(state)->getResults());
}

Value Emitter::reduce(const Loop &loop, graph::ReduceKind kind, function_ref<Value()> body) {
  return reduce(loop, ArrayRef(kind), body).front();
}

kernel::ForOp Emitter::createSteps(const Expr &count, const std::string &name, ValueRange inits,
                                   function_ref<SmallVector<Value>(const Expr &, ValueRange)> body) {
  known[name] = {Expr(0), count - 1};
  auto op = kernel::ForOp::create(b, loc(), inits.getTypes(), inKernel(count), inits, /*visible=*/nullptr);
  inRegion(op.getBody(), Expr::symbol(name), [&] {
    Block *block = b.getInsertionBlock();
    for (Value init : inits)
      block->addArgument(init.getType(), loc());
    kernel::YieldOp::create(b, loc(), body(Expr::symbol(name), block->getArguments().drop_front()));
  });
  return op;
}

SmallVector<Value> Emitter::steps(const Expr &count, const std::string &index, ValueRange inits,
                                  function_ref<SmallVector<Value>(const Expr &, ValueRange)> body) {
  const std::string name = index.empty() ? "j" + std::to_string(loopVariables++) : index;
  return SmallVector<Value>(createSteps(count, name, inits, body).getResults());
}

SmallVector<Value> Emitter::steps(const Expr &count, ValueRange inits,
                                  function_ref<SmallVector<Value>(const Expr &, ValueRange)> body,
                                  function_ref<SmallVector<Value>(ValueRange, ValueRange)> meet) {
  std::string name = "j" + std::to_string(loopVariables++); // "s0", .. are symbols of the model
  kernel::ForOp op = createSteps(count, name, inits, body);
  inRegion(op.getMeet(), {}, [&] {
    Block *block = b.getInsertionBlock();
    for (int state = 0; state < 2; ++state)
      for (Value init : inits)
        block->addArgument(init.getType(), loc());
    kernel::YieldOp::create(b, loc(), meet(op.getBefore(), op.getBehind()));
  });
  return SmallVector<Value>(op.getResults());
}

Value Emitter::dot(const Loop &mnk, Type element, Value init, function_ref<Value()> lhs, function_ref<Value()> rhs) {
  Type tile = kernel::tileType(element, ArrayRef(graph::exprsOf(mnk.extents)).take_front(2));
  auto op =
      kernel::DotOp::create(b, loc(), tile, mnk.extents, init, /*tf32=*/nullptr, /*block=*/nullptr, /*partsCount=*/0);
  const Expr &m = mnk.vars[0], &n = mnk.vars[1], &k = mnk.vars[2];
  auto operand = [&](Region &region, Index vars, function_ref<Value()> body) {
    inRegion(region, vars, [&] { kernel::YieldOp::create(b, loc(), body()); });
  };
  operand(op.getLhs(), {m, k}, lhs);
  operand(op.getRhs(), {k, n}, rhs);
  return op.getTile();
}

//===----------------------------------------------------------------------===//
// After the hero
//===----------------------------------------------------------------------===//

void Emitter::setHeroes(ValueRange results, Index index, ValueRange scalars) {
  forward.clear();
  chain.clear();
  for (auto [result, scalar] : llvm::zip_equal(results, scalars)) {
    forward.insert({result, Exprs(index)});
    chain[result] = scalar;
  }
  bool after = false;
  for (Operation &op : theFusion.getBody().front()) {
    after |= &op == results.front().getDefiningOp();
    if (!after || op.getNumResults() != 1 || forward.count(op.getResult(0)) || isa<graph::MomentsOp>(op))
      continue;
    for (Value operand : op.getOperands()) {
      auto found = forward.find(operand);
      if (found == forward.end())
        continue;
      Exprs at = found->second; // a copy: the insertion below moves the table
      if (isa<graph::ReshapeOp, graph::TransposeOp>(op))
        at = *cast<graph::IndexingInterface>(op).mapIndexForward(at, known);
      forward.insert({op.getResult(0), at});
      break;
    }
  }
}

Value Emitter::emitChain(Value value) {
  if (Value known = chain.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  if (isa<graph::ReshapeOp, graph::TransposeOp>(op)) {
    result = emitChain(op->getOperand(0));
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(forward.count(operand) ? emitChain(operand) : emit(operand, forward.find(value)->second));
    result = emitPointwise(op, operands);
  }
  return chain[value] = result;
}

Value Emitter::emitAfterHero(Value value, Index conditions) {
  size_t outer = mask.size();
  llvm::append_range(mask, conditions);
  Value result = emitChain(value);
  mask.truncate(outer);
  return result;
}

void Emitter::storeResults() {
  auto yield = cast<graph::YieldOp>(theFusion.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (auto after = forward.find(value); after != forward.end())
      store(i, Exprs(after->second), emitChain(value));
}

bool Emitter::isViewOfResult(Value operand) {
  auto yield = cast<graph::YieldOp>(theFusion.getBody().front().getTerminator());
  while (!llvm::is_contained(yield.getValues(), operand)) {
    Operation *view = operand.getDefiningOp();
    if (!view || !isa<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp>(view))
      return false;
    operand = view->getOperand(0);
  }
  return true;
}

void Emitter::storeOrigin(Value operand, Index index) {
  auto yield = cast<graph::YieldOp>(theFusion.getBody().front().getTerminator());
  Exprs at(index), conditions;
  while (!llvm::is_contained(yield.getValues(), operand)) {
    Operation *view = operand.getDefiningOp();
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(view))
      for (auto [i, extent] : llvm::zip_equal(at, graph::shapeOf(broadcast.getInput())))
        if (extent.isConstant(1) && !i.isConstant(0))
          conditions.push_back(-i);
    at = mlir::cast<graph::IndexingInterface>(view).mapIndex(0, at, known).index;
    operand = view->getOperand(0);
  }
  auto result = llvm::find(yield.getValues(), operand) - yield.getValues().begin();
  store(result, at, emit(operand, at), conditions);
}

void Emitter::store(unsigned i, Index index, Value scalar, Index conditions) {
  Value result = theFusion.getResult(i);
  Value view = kernelFunc.getBody().getArgument(theFusion.getInputs().size() + i);
  scalar = convert(scalar, graph::elementOf(result));
  graph::Placement place = graph::placementOf(result);
  if (toKernel.count(beginOf(i)))
    place.offset[graph::joinOf(result).getAxis()] = Expr::symbol(beginOf(i));
  Exprs exprs{simplify(place.positionOf(index), known)};
  llvm::append_range(exprs, conditions);
  SmallVector<Value> operands = operandsOf(exprs);
  kernel::StoreOp::create(b, loc(), scalar, view, exprs[0],
                          graph::exprArray(b.getContext(), ArrayRef(exprs).drop_front()), operands);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Emitter::bind(const Expr &variable, Value value) {
  kernel::Variable unbound{{}, variables.size()};
  variables.try_emplace(*variable.asSymbol(), unbound).first->second.value = value;
}

SmallVector<Value> Emitter::operandsOf(MutableArrayRef<Expr> exprs) const {
  for (Expr &expr : exprs)
    expr = inKernel(expr);
  return kernel::takeOperands(exprs, [&](const std::string &symbol) {
    auto found = variables.find(symbol);
    return found == variables.end() ? kernel::Variable() : found->second;
  });
}
