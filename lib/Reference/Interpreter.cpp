//===- lib/Reference/Interpreter.cpp - runs a graph op by op ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Interpreter.h"
#include "lib/Reference/Ops.h"

#include "dialects/Graph/Interface.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Planner/SolveDim.h"
#include "lib/Runtime/Format/ShapeElements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::reference {

namespace {

struct OpRow {
  StringRef name;
  OpFunction function;
};

constexpr OpRow opTable[] = {
    {"graph.constant", computeConstant},
    {"graph.dims", computeDims},
    {"graph.iota", computeIota},
    {"graph.unary", computeUnary},
    {"graph.binary", computeBinary},
    {"graph.select", computeSelect},
    {"graph.bitcast", computeBitcast},
    {"graph.cast", computeCast},
    {"graph.call", computeCall},
    {"graph.reshape", computeReshape},
    {"graph.transpose", computeTranspose},
    {"graph.broadcast", computeBroadcast},
    {"graph.slice", computeSlice},
    {"graph.pad", computePad},
    {"graph.concat", computeConcat},
    {"graph.join", computeConcat},
    {"graph.window", computeWindow},
    {"graph.gather", computeGather},
    {"graph.gather_elements", computeGatherElements},
    {"graph.gather_nd", computeGatherND},
    {"graph.reduce", computeReduce},
    {"graph.arg_reduce", computeArgReduce},
    {"graph.softmax", computeSoftmax},
    {"graph.layer_norm", computeLayerNorm},
    {"graph.moments", computeMoments},
    {"graph.normalize", computeNormalize},
    {"graph.statistics", computeStatistics},
    {"graph.host", computeHost},
    {"graph.matmul", computeMatMul},
    {"graph.block_matmul", computeBlockMatMul},
    {"graph.conv", computeConv},
};

OpFunction functionOf(Operation *op) {
  const StringRef name = op->getName().getStringRef();
  for (const OpRow &row : opTable)
    if (row.name == name)
      return row.function;
  return nullptr;
}

} // namespace

Result<Shape> shapeFor(Type type, const Symbols &symbols) {
  Shape shape;
  for (const Expr &dim : graph::shapeOf(type)) {
    const std::optional<int64_t> extent = dim.evaluate(symbols);
    if (!extent || *extent < 0)
      return Status::usage("extent " + dim.text() + " is " +
                           (extent ? std::to_string(*extent) : std::string("not determined")));
    shape.push_back(*extent);
  }
  return shape;
}

namespace {

/// The values of the symbols that the shapes of `inputs` give.
Symbols solveSymbols(func::FuncOp main, ArrayRef<Tensor> inputs) {
  Symbols symbols;
  bool progress = true;
  while (progress) {
    progress = false;
    for (auto [argument, input] : llvm::zip_equal(main.getArguments(), inputs))
      for (auto [dim, extent] : llvm::zip_equal(graph::declaredShapeOf(argument), input.shape()))
        progress |= solveDim(dim, extent, symbols).has_value();
  }
  return symbols;
}

/// Those that are elements of inputs, and those that are defined by others.
Status defineSymbols(func::FuncOp main, ArrayRef<Tensor> inputs, Symbols &symbols) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    const auto elements = main.getArgAttrOfType<ArrayAttr>(i, graph::elementsAttr);
    if (!elements)
      continue;
    const auto values = format::symbolValues(input.dtype(), input.data(), input.count());
    if (!values || values->size() != elements.size())
      return Status::usage("input " + std::to_string(i) + ": no extent can follow from its elements");
    for (auto [e, symbol] : llvm::enumerate(graph::exprsOf(elements)))
      if (format::hasValue(input.dtype(), *values, e))
        symbols[symbol.text()] = (*values)[e];
  }
  for (auto symbol : main->getParentOfType<ModuleOp>().getOps<graph::SymbolOp>())
    if (const auto definition = symbol.getDefinitionAttr())
      if (const auto value = definition.getValue().evaluate(symbols))
        symbols[symbol.getSymName().str()] = *value;
  return {};
}

bool holds(graph::AssumeOp fact, int64_t lhs, int64_t rhs) {
  if (fact.getRelation() == graph::Relation::LessEqual)
    return lhs <= rhs;
  return lhs == rhs || (fact.getRelation() == graph::Relation::Broadcast && (lhs == 1 || rhs == 1));
}

Status checkAssumption(graph::AssumeOp fact, const Symbols &symbols) {
  const auto lhs = fact.getLhs().evaluate(symbols);
  const auto rhs = fact.getRhs().evaluate(symbols);
  if (lhs && rhs && holds(fact, *lhs, *rhs))
    return {};
  return Status::usage(fact.getReason().getText().str() + ": " + fact.getLhs().text() + " = " +
                       (lhs ? std::to_string(*lhs) : "?") + ", and " + fact.getRhs().text() + " = " +
                       (rhs ? std::to_string(*rhs) : "?"));
}

Status checkInputs(func::FuncOp main, ArrayRef<Tensor> inputs, const Symbols &symbols) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    const Type type = main.getArgument(i).getType();
    const format::DType dtype = graph::dtypeOf(cast<RankedTensorType>(type).getElementType());
    const std::string where = "input " + std::to_string(i);
    CUPOLA_ASSIGN(const Shape shape, shapeFor(type, symbols).within(where));
    if (input.dtype() != dtype || input.shape() != shape)
      return Status::usage(where + " is " + format::dtypeName(input.dtype()) + shapeText(input.shape()) +
                           ", expected " + format::dtypeName(dtype) + shapeText(shape));
  }
  return {};
}

} // namespace

//===--- The ops of a body ---===//

void Interpreter::define(Value value, Tensor tensor) {
  const auto uses = std::distance(value.use_begin(), value.use_end());
  if (uses != 0)
    alive[value] = {std::move(tensor), uses};
}

Status Interpreter::defineAll(ValueRange values, Result<std::vector<Tensor>> tensors) {
  CUPOLA_TRY(tensors.status());
  for (auto [value, tensor] : llvm::zip_equal(values, *tensors))
    define(value, tensor);
  return {};
}

/// The operands of `op`; those that nobody else reads are not kept here any longer.
std::vector<Tensor> Interpreter::takeOperands(Operation *op) {
  std::vector<Tensor> operands;
  for (Value operand : op->getOperands()) {
    auto it = alive.find(operand);
    operands.push_back(it->second.tensor);
    if (--it->second.uses == 0)
      alive.erase(it);
  }
  return operands;
}

Status Interpreter::run(Operation *op) {
  if (auto fusion = dyn_cast<graph::FusionOp>(op))
    return defineAll(fusion.getResults(), runBlock(fusion.getBody().front(), takeOperands(fusion)));
  if (auto branch = dyn_cast<graph::IfOp>(op))
    return defineAll(branch.getResults(), runIf(branch));
  if (auto loop = dyn_cast<graph::LoopOp>(op))
    return defineAll(loop.getResults(), runLoop(loop));
  if (auto fact = dyn_cast<graph::AssumeOp>(op))
    return checkAssumption(fact, symbols);
  const std::vector<Tensor> operands = takeOperands(op);
  CUPOLA_ASSIGN(Tensor result, evaluate(op, operands, symbols, &strings));
  if (observer)
    observer({op, operands, symbols, result});
  define(op->getResult(0), std::move(result));
  return {};
}

Result<std::vector<Tensor>> Interpreter::runBlock(Block &block, ArrayRef<Tensor> arguments) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    define(argument, value);
  for (Operation &op : block.without_terminator())
    CUPOLA_TRY(run(&op));
  return takeOperands(block.getTerminator());
}

Result<std::vector<int64_t>> Call::numbers(ArrayAttr exprs) const {
  std::vector<int64_t> values;
  for (const Expr &expr : graph::exprsOf(exprs)) {
    const std::optional<int64_t> value = expr.evaluate(symbols);
    if (!value)
      return Status::usage(expr.text() + " is not determined by the inputs' shapes");
    values.push_back(*value);
  }
  return values;
}

static std::string nameOf(Operation *op) { return "node '" + graph::displayName(op->getLoc()) + "'"; }

static Result<Tensor> compute(Operation *op, ArrayRef<Tensor> operands, Shape shape, const Symbols &symbols,
                              Strings *strings) {
  const std::string where = nameOf(op);
  const OpFunction function = functionOf(op);
  if (!function)
    return Status::unsupported(where + ": " + op->getName().getStringRef().str() +
                               " is not an op of an imported graph");
  const format::DType dtype = graph::dtypeOf(graph::elementOf(op->getResult(0)));
  // Ops that only pass memory on get none of their own.
  const bool isInPlace = isa<graph::ConstantOp, graph::ReshapeOp>(op);
  Result<Tensor> made =
      isInPlace ? Tensor::borrow(dtype, std::move(shape), nullptr) : Tensor::make(dtype, std::move(shape));
  CUPOLA_ASSIGN(Tensor result, std::move(made).within(where));
  Call call{op, operands, symbols, std::move(result), strings};
  CUPOLA_TRY(function(call).within(where));
  return call.result;
}

Result<Tensor> evaluate(Operation *op, ArrayRef<Tensor> operands, const Symbols &symbols, Strings *strings) {
  CUPOLA_ASSIGN(Shape shape, shapeFor(op->getResult(0).getType(), symbols).within(nameOf(op)));
  return compute(op, operands, std::move(shape), symbols, strings);
}

Result<Tensor> evaluateAs(Operation *op, ArrayRef<Tensor> operands, Shape shape) {
  return compute(op, operands, std::move(shape), /*symbols=*/{}, /*strings=*/nullptr);
}

Result<std::vector<Tensor>> interpret(ModuleOp module, ArrayRef<Tensor> inputs, Observer observer, Strings *strings) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (inputs.size() != main.getNumArguments())
    return Status::usage(std::to_string(inputs.size()) + " inputs were given, the model has " +
                         std::to_string(main.getNumArguments()));
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.shape().size() != graph::rankOf(main.getArgument(i)))
      return Status::usage("input " + std::to_string(i) + " has rank " + std::to_string(input.shape().size()) +
                           ", expected " + std::to_string(graph::rankOf(main.getArgument(i))));
  Symbols symbols = solveSymbols(main, inputs);
  CUPOLA_TRY(defineSymbols(main, inputs, symbols));
  CUPOLA_TRY(checkInputs(main, inputs, symbols));
  for (auto fact : module.getOps<graph::AssumeOp>())
    CUPOLA_TRY(checkAssumption(fact, symbols));
  Strings own(module);
  return Interpreter(symbols, observer, strings ? *strings : own).runBlock(main.getBody().front(), inputs);
}

} // namespace cupola::reference
