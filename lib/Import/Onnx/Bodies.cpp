//===- lib/Import/Onnx/Bodies.cpp - the bodies of If, Loop and Scan --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Bodies.h"
#include "dialects/Graph/Control.h"

#include "onnx/onnx_pb.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace cupola::onnx_import {

namespace {

/// Leaves the scope that is current, also by an exception.
class Leave {
public:
  explicit Leave(Scopes &scopes) : scopes(scopes) {}
  ~Leave() { scopes.leave(); }

private:
  Scopes &scopes;
};

/// Gives both bodies the captures of either, in one order.
void shareCaptures(Body &a, Body &b) {
  llvm::SetVector<Value> all(a.captures.begin(), a.captures.end());
  all.insert(b.captures.begin(), b.captures.end());
  for (Body *body : {&a, &b}) {
    Block &block = body->block();
    const unsigned own = body->captures.size(); // one value may be several of them, under several names
    llvm::DenseMap<Value, Value> arguments;
    for (Value value : all)
      arguments[value] = block.addArgument(value.getType(), value.getLoc());
    for (unsigned i = 0; i < own; ++i) {
      const Value before = block.getArgument(i), after = arguments.lookup(body->captures[i]);
      Value(before).replaceAllUsesWith(after);
      std::replace(body->yielded.begin(), body->yielded.end(), before, after);
    }
    block.eraseArguments(0, own);
    body->captures.assign(all.begin(), all.end());
  }
}

} // namespace

std::vector<Tensor> Bodies::inPlace(const onnx::GraphProto &graph, ArrayRef<Tensor> inputs) {
  nodes += graph.node_size();
  return import(graph, inputs);
}

void Bodies::requireRoom(const OpBinder &op, const onnx::GraphProto &graph, int64_t times) const {
  const int64_t each = std::max(graph.node_size(), 1), most = op.limits.bodyNodes;
  if (times > most / each)
    op.b.fail(exceeds(op.limits, &Limits::bodyNodes, "making its body " + std::to_string(times) + " times"),
              ErrorKind::Limit);
}

Body Bodies::asRegion(llvm::function_ref<std::vector<Tensor>(Block &)> make,
                      llvm::function_ref<bool(size_t, Tensor)> isDropped) {
  Body body;
  body.region = std::make_unique<Region>();
  Scope &scope = scopes.enter(&body.region->emplaceBlock());
  const Leave leave(scopes);
  body.outputs = make(*scope.block);
  for (auto [i, output] : llvm::enumerate(body.outputs)) {
    output = scopes.here(output);
    if (output->poisoned)
      throw BodyError();
    if (!isDropped(i, output))
      body.yielded.push_back(pool.materialize(output));
  }
  body.captures = scope.captures;
  return body;
}

Body Bodies::ofOperation(OpBinder &op, ArrayRef<Value> values, llvm::function_ref<Value(ValueRange)> make) {
  std::vector<Tensor> around, operands;
  for (Value value : values)
    around.push_back(pool.ofValue(value));
  for (size_t i = 0; i < op.inputCount(); ++i)
    operands.push_back(op.has(i) ? op.operand(i, "") : nullptr);
  const auto restore = llvm::scope_exit([&] {
    for (auto [i, operand] : llvm::enumerate(operands))
      op.setOperand(i, operand);
  });
  return asRegion(
      [&](Block &) {
        for (auto [i, operand] : llvm::enumerate(operands))
          op.setOperand(i, scopes.here(operand));
        SmallVector<Value> inside;
        for (Tensor tensor : around)
          inside.push_back(pool.materialize(scopes.here(tensor)));
        return std::vector<Tensor>{pool.ofValue(make(inside))};
      },
      [](size_t, Tensor) { return false; });
}

graph::IfOp Bodies::branch(GraphBuilder &b, Value condition, TypeRange types, Body &taken, Body &other,
                           ArrayRef<std::string> symbols) {
  shareCaptures(taken, other);
  auto op =
      graph::IfOp::create(ops, b.location(), types, condition, taken.captures, graph::symbolRefs(b.context(), symbols));
  finish(taken, op.getThenRegion(), b.location());
  finish(other, op.getElseRegion(), b.location());
  return op;
}

void Bodies::finish(Body &body, Region &region, Location location) {
  region.takeBody(*body.region);
  OpBuilder atEnd = OpBuilder::atBlockEnd(&region.front());
  graph::YieldOp::create(atEnd, location, body.yielded);
}

} // namespace cupola::onnx_import
