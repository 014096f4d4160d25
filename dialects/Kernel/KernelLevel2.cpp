//===- dialects/Kernel/KernelLevel2.cpp - scope, types, verifiers of level 2 ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::exprsOf;

//===----------------------------------------------------------------------===//
// Scope
//===----------------------------------------------------------------------===//

void kernel::addLevel2Scope(Operation *op, Ranges &ranges) {
  auto add = [&](StringRef name, const Expr &lo, const Expr &end) {
    ranges.try_emplace(name.str(), cupola::Range{lo, end - 1});
  };
  if (auto func = dyn_cast<FuncOp>(op)) {
    if (auto launch = func->getAttrOfType<LaunchAttr>("launch")) {
      add("t", 0, launch.getThreads());
      add("b", 0, launch.getBlocks().getValue());
    }
    return;
  }
  if (auto loop = dyn_cast<ForOp>(op))
    add(loop.getName(), loop.getFrom(), loop.getTo());
  if (auto loop = dyn_cast<TileLoopOp>(op)) {
    add(loop.getName(), 0, loop.getTrips());
    add(loop.getStage(), 0, loop.getStages());
  }
  if (!op->getBlock())
    return;
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
    if (auto let = dyn_cast<LetOp>(before))
      add(let.getName(), 0, let.getExtent());
}

namespace {

/// The definition of `name` that `op` sees: a let before it or a loop around it.
Operation *definition(Operation *op, StringRef name) {
  for (; op && !isa<FuncOp>(op); op = op->getParentOp()) {
    if (auto loop = dyn_cast<ForOp>(op); loop && loop.getName() == name)
      return op;
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (auto let = dyn_cast<LetOp>(before); let && let.getName() == name)
        return let;
  }
  return nullptr;
}

/// Whether all threads of a group of `threads` consecutive ones see the same value.
bool isUniform(const Expr &expr, Operation *op, int64_t threads) {
  Expr lane = Expr::symbol("lane__"), group = Expr::symbol("group__");
  Expr split = simplify(expr.substitute({{"t", group * threads + lane}}),
                        {{"lane__", cupola::Range{Expr(0), Expr(threads - 1)}}});
  for (const std::string &symbol : split.symbols()) {
    if (symbol == "lane__")
      return false;
    Operation *where = definition(op, symbol);
    if (auto let = dyn_cast_or_null<LetOp>(where))
      if (!let.getIndices().empty() || !isUniform(let.getExpr(), let, threads))
        return false;
    if (auto loop = dyn_cast_or_null<ForOp>(where))
      for (const Expr &part : {loop.getFrom(), loop.getStep()})
        if (!isUniform(part, loop, threads))
          return false;
  }
  return true;
}

/// Threads of a group reach `op` together.
LogicalResult reachedTogether(Operation *op, int64_t threads) {
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    graph::Exprs conditions;
    if (auto guard = dyn_cast<GuardOp>(outer))
      conditions = exprsOf(guard.getExprs());
    if (auto loop = dyn_cast<ForOp>(outer))
      conditions = {loop.getFrom(), loop.getTo(), loop.getStep()};
    for (const Expr &condition : conditions)
      if (!isUniform(condition, outer, threads))
        return op->emitOpError() << "is under '" << condition.text()
                                 << "', which differs between threads that must meet";
  }
  return success();
}

int64_t blockThreads(Operation *op) {
  auto func = op->getParentOfType<FuncOp>();
  auto launch = func ? func->getAttrOfType<LaunchAttr>("launch") : LaunchAttr();
  return launch ? launch.getThreads() : 0;
}

LogicalResult index(Operation *op, RegistersType type, ArrayAttr index, bool element) {
  size_t expected = type.getExtents().size() + (element && type.getVector() > 1);
  if (index.size() != expected)
    return op->emitOpError() << "has " << index.size() << " indices, not " << expected;
  return inScope(op, exprsOf(index));
}

Type elementOf(Value memory) {
  if (auto view = dyn_cast<ViewType>(memory.getType()))
    return view.getElement();
  return cast<SmemType>(memory.getType()).getElement();
}

int64_t byteSize(Type type) { return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8; }

LogicalResult access(Operation *op, RegistersType registers, Value memory, const Expr &position, size_t indices) {
  if (registers.getElement() != elementOf(memory))
    return op->emitOpError("moves another type than the memory holds");
  int64_t bytes = registers.getVector() * byteSize(registers.getElement());
  if (!llvm::isPowerOf2_64(bytes) || bytes > 16)
    return op->emitOpError() << "moves " << bytes << " bytes, not 1, 2, 4, 8 or 16";
  return inScope(op, {position}, indices);
}

} // namespace

//===----------------------------------------------------------------------===//
// Types: <2x4xf32>, <2xf32, vector 4>, <4096xf32>
//===----------------------------------------------------------------------===//

Type RegistersType::parse(AsmParser &parser) {
  SmallVector<int64_t> extents;
  Type element;
  int64_t vector = 1;
  if (parser.parseLess() || parser.parseDimensionList(extents, /*allowDynamic=*/false) || parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("vector") || parser.parseInteger(vector)))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), extents, element, vector);
}

void RegistersType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getExtents())
    printer << extent << 'x';
  printer << getElement();
  if (getVector() > 1)
    printer << ", vector " << getVector();
  printer << '>';
}

Type SmemType::parse(AsmParser &parser) {
  SmallVector<int64_t> extents;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(extents, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseGreater())
    return {};
  if (extents.size() != 1) {
    parser.emitError(parser.getNameLoc(), "shared memory has one extent");
    return {};
  }
  return get(parser.getContext(), extents[0], element);
}

void SmemType::print(AsmPrinter &printer) const { printer << '<' << getCount() << 'x' << getElement() << '>'; }

void LoadVectorOp::build(OpBuilder &builder, OperationState &state, Value memory, const Expr &position, Value registers,
                         ArrayRef<Expr> index) {
  build(builder, state, memory, graph::exprAttr(builder.getContext(), position), ValueRange(), builder.getArrayAttr({}),
        Value(), registers, graph::exprArray(builder.getContext(), index));
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult LetOp::verify() {
  if (!Expr::isSymbolName(getName()))
    return emitOpError() << "'" << getName() << "' is no name";
  return inScope(*this, {getExpr(), getExtent()}, getIndices().size());
}

LogicalResult ForOp::verify() { return inScope(*this, {getFrom(), getTo(), getStep()}); }

LogicalResult GuardOp::verify() { return inScope(*this, exprsOf(getExprs())); }

LogicalResult TileLoopOp::verify() {
  if (getStages() < 1)
    return emitOpError("needs at least one stage");
  if (getAsync() && !getStore().front().empty())
    return emitOpError("copies asynchronously, there is nothing to store");
  return inScope(*this, {getTrips()});
}

LogicalResult RegistersOp::verify() {
  RegistersType type = getRegisters().getType();
  if (!getInit())
    return success();
  if (!type.getExtents().empty() || type.getVector() > 1 || getInit().getType() != type.getElement())
    return emitOpError("a first value of its own type is for a variable");
  return success();
}

LogicalResult GetOp::verify() {
  if (getResult().getType() != getRegisters().getType().getElement())
    return emitOpError("reads another type than the registers hold");
  return index(*this, getRegisters().getType(), getIndex(), /*element=*/true);
}

LogicalResult SetOp::verify() {
  if (getValue().getType() != getRegisters().getType().getElement())
    return emitOpError("writes another type than the registers hold");
  return index(*this, getRegisters().getType(), getIndex(), /*element=*/true);
}

LogicalResult AccumulateOp::verify() {
  if (getValue().getType() != getRegisters().getType().getElement())
    return emitOpError("combines another type than the registers hold");
  return index(*this, getRegisters().getType(), getIndex(), /*element=*/true);
}

LogicalResult LoadVectorOp::verify() {
  if (getMask().empty() != !getOther())
    return emitOpError("needs a mask and a value for where it fails, or neither");
  if (failed(index(*this, getRegisters().getType(), getIndex(), /*element=*/false)) ||
      failed(inScope(*this, exprsOf(getMask()), getIndices().size())))
    return failure();
  return access(*this, getRegisters().getType(), getMemory(), getPosition(), getIndices().size());
}

LogicalResult StoreVectorOp::verify() {
  if (failed(index(*this, getRegisters().getType(), getIndex(), /*element=*/false)))
    return failure();
  return access(*this, getRegisters().getType(), getMemory(), getPosition(), 0);
}

LogicalResult SmemOp::verify() {
  if (getOffset() && *getOffset() % 16 != 0)
    return emitOpError() << "offset " << *getOffset() << " is no multiple of 16";
  return success();
}

LogicalResult LoadSharedOp::verify() {
  if (getResult().getType() != getSmem().getType().getElement())
    return emitOpError("loads another type than the memory holds");
  return inScope(*this, {getPosition()});
}

LogicalResult StoreSharedOp::verify() {
  if (getValue().getType() != getSmem().getType().getElement())
    return emitOpError("stores another type than the memory holds");
  return inScope(*this, {getPosition()});
}

LogicalResult AsyncCopyOp::verify() {
  if (getView().getType().getElement() != getSmem().getType().getElement())
    return emitOpError("copies between different types");
  if (getBytes() != 4 && getBytes() != 8 && getBytes() != 16)
    return emitOpError() << "copies " << getBytes() << " bytes, not 4, 8 or 16";
  graph::Exprs all = exprsOf(getMask());
  all.append({getPosition(), getTarget()});
  return inScope(*this, all);
}

LogicalResult BarrierOp::verify() { return reachedTogether(*this, blockThreads(*this)); }

LogicalResult BlockReduceOp::verify() {
  if (getScratch().getType().getCount() < blockThreads(*this) / 32)
    return emitOpError("needs scratch for one value per warp");
  return reachedTogether(*this, blockThreads(*this));
}

LogicalResult LoadFragmentOp::verify() {
  auto type = getFragment().getType();
  if (type.getExtents().size() != 1 || type.getExtents()[0] % getWidth() != 0)
    return emitOpError() << "fragment " << type << " is not made of vectors of " << getWidth();
  return inScope(*this, {getPosition()});
}

LogicalResult FmaTileOp::verify() {
  ArrayRef<int64_t> acc = getAcc().getType().getExtents();
  ArrayRef<int64_t> a = getA().getType().getExtents(), b = getB().getType().getExtents();
  if (acc.size() != 2 || a.size() != 1 || b.size() != 1 || acc[0] != a[0] || acc[1] != b[0])
    return emitOpError("accumulators are not lhs by rhs");
  return success();
}

LogicalResult MmaLoadOp::verify() {
  if (getFragment().getType().getExtents().size() != 2)
    return emitOpError("fragments are [tiles][registers]");
  if (getStride() % 8 != 0)
    return emitOpError() << "rows " << getStride() << " apart are not aligned to 16 bytes";
  if (failed(reachedTogether(*this, 32)))
    return failure();
  return inScope(*this, {getPosition()});
}

LogicalResult MmaOp::verify() {
  ArrayRef<int64_t> acc = getAcc().getType().getExtents();
  ArrayRef<int64_t> a = getA().getType().getExtents(), b = getB().getType().getExtents();
  if (acc.size() != 3 || a.size() != 2 || b.size() != 2 || acc[0] != a[0] || acc[1] != b[0] || acc[2] != 4)
    return emitOpError("accumulators are not lhs tiles by rhs tiles by 4");
  if (a[1] != 2 * b[1] || (b[1] != 1 && b[1] != 2))
    return emitOpError("fragments are neither of K 8 nor of K 16");
  return reachedTogether(*this, 32);
}

LogicalResult WarpReduceOp::verify() { return reachedTogether(*this, 32); }
