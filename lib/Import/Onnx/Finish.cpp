//===- lib/Import/Onnx/Finish.cpp - the last steps of an import ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Finish.h"

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Import/Onnx/Text.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace cupola::onnx_import {

void eraseDeadOps(func::FuncOp function) {
  const SmallVector<Block *> bodies = graph::bodiesOf(function);
  for (Block *body : llvm::reverse(bodies)) // what dead ops in a body keep alive is outside
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

Location makerOf(Value value, Location otherwise) {
  Operation *maker = value.getDefiningOp();
  const bool isNode = maker && llvm::any_of(graph::nodesOf(maker->getLoc()),
                                            [](const graph::NodeRef &node) { return !node.op.getValue().empty(); });
  return isNode ? maker->getLoc() : otherwise;
}

void nameEntryOps(func::FuncOp function, Location otherwise) {
  Block &body = function.getBody().front();
  llvm::DenseSet<Location> ofInputs;
  for (BlockArgument argument : body.getArguments())
    ofInputs.insert(argument.getLoc());
  for (Operation &op : llvm::reverse(body)) {
    if (isa<graph::ConstantOp>(op) || !ofInputs.contains(op.getLoc()))
      continue;
    Operation *first = *op.user_begin();
    for (Operation *user : op.getUsers())
      first = user->isBeforeInBlock(first) ? user : first;
    op.setLoc(isa<func::ReturnOp>(first) ? otherwise : first->getLoc());
  }
}

static Type current(Type type, const Symbols &symbols) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.getEncoding())
    return type;
  return graph::tensorType(symbols.current(graph::shapeOf(type)), tensor.getElementType());
}

static ArrayAttr current(ArrayAttr exprs, const Symbols &symbols) {
  return graph::exprArray(exprs.getContext(), symbols.current(graph::exprsOf(exprs)));
}

static void retype(Block &body, const Symbols &symbols) {
  if (!isa<func::FuncOp>(body.getParentOp()))
    for (BlockArgument argument : body.getArguments())
      argument.setType(current(argument.getType(), symbols));
  for (Operation &op : body) {
    for (OpResult result : op.getResults())
      result.setType(current(result.getType(), symbols));
    if (auto slice = dyn_cast<graph::SliceOp>(op))
      slice.setStartsAttr(current(slice.getStarts(), symbols));
    if (auto pad = dyn_cast<graph::PadOp>(op))
      pad.setLowAttr(current(pad.getLow(), symbols));
    if (auto dims = dyn_cast<graph::DimsOp>(op))
      dims.setExprsAttr(current(dims.getExprs(), symbols));
    if (auto loop = dyn_cast<graph::LoopOp>(op); loop && loop.getLimitAttr())
      loop.setLimitAttr(graph::ExprAttr::get(op.getContext(), symbols.current(loop.getLimitAttr().getValue())));
  }
}

void retype(func::FuncOp function, const Symbols &symbols) {
  Block &body = function.getBody().front();
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : body.getArguments()) {
    NamedAttrList list(function.getArgAttrDict(argument.getArgNumber()));
    if (const Type next = current(argument.getType(), symbols); next != argument.getType()) {
      list.set("graph.dims", graph::exprArray(function.getContext(), graph::shapeOf(argument)));
      argument.setType(next);
    }
    attributes.push_back(list.getDictionary(function.getContext()));
  }
  function.setAllArgAttrs(attributes);
  for (Block *block : graph::bodiesOf(function))
    retype(*block, symbols);
  function.setFunctionType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
}

static std::string firstProblemOf(ModuleOp module) {
  std::string first;
  ScopedDiagnosticHandler handler(module->getContext(), [&](mlir::Diagnostic &problem) {
    if (first.empty())
      first = problem.str();
    return success();
  });
  return succeeded(mlir::verify(module)) ? "" : first.empty() ? "no reason" : first;
}

bool isValid(ModuleOp module, Diagnostics &diagnostics) {
  const std::string problem = firstProblemOf(module);
  if (!problem.empty())
    diagnostics.error(ErrorKind::Internal,
                      "the imported graph is not valid: " + printable(problem, 400, /*quotes=*/true));
  return problem.empty();
}

} // namespace cupola::onnx_import
