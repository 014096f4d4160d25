//===- lib/Import/Onnx/Bodies.h - the bodies of If, Loop and Scan ----------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_BODIES_H
#define CUPOLA_LIB_IMPORT_ONNX_BODIES_H

#include "lib/Import/Onnx/Scopes.h"

namespace cupola::onnx_import {

/// Something in a body cannot be imported; its nodes have said what.
struct BodyError {};

/// A body whose arguments are its captures, then its inputs.
struct Body {
  std::unique_ptr<mlir::Region> region;
  llvm::SmallVector<Value> captures;
  std::vector<Tensor> outputs;      ///< in the body's scope, made of values or known
  llvm::SmallVector<Value> yielded; ///< their values, but for those that are dropped

  mlir::Block &block() const { return region->front(); }
};

class Bodies {
public:
  /// Imports the nodes of a graph where ops are made, with these inputs; its outputs.
  using Import = std::function<std::vector<Tensor>(const onnx::GraphProto &, llvm::ArrayRef<Tensor> inputs)>;
  /// Remembers how far the import is; the function that it returns takes back everything since.
  using Checkpoint = std::function<std::function<void()>()>;

  /// `readsData`: see mayReadData.
  Bodies(mlir::OpBuilder &ops, TensorPool &pool, bool readsData, Import import, Checkpoint checkpoint)
      : mayReadData(readsData), scopes(ops, pool), ops(ops), pool(pool), import(std::move(import)),
        checkpoint(std::move(checkpoint)) {}

  /// Whether operands that neither shapes nor elements of inputs decide may be read while the model runs
  /// (NumbersOfData.h).
  const bool mayReadData;
  bool wantsData = false; ///< an operand could have been

  /// Where ops are made now; its outputs.
  std::vector<Tensor> inPlace(const onnx::GraphProto &graph, llvm::ArrayRef<Tensor> inputs = {});

  /// Before a graph is imported so many times: throws where that is too much work.
  void requireRoom(const OpBinder &op, const onnx::GraphProto &graph, int64_t times) const;

  /// As a region. `make` adds arguments to the empty block, makes the ops there, and says what the outputs are.
  /// `isDropped`: of an output that is known, whether it needs no value. Throws BodyError.
  Body asRegion(llvm::function_ref<std::vector<Tensor>(mlir::Block &)> make,
                llvm::function_ref<bool(size_t output, Tensor)> isDropped);

  /// What an op makes of its operands and of some values, as a region: `op` has operands of the body while `make` runs.
  Body ofOperation(OpBinder &op, llvm::ArrayRef<Value> values, llvm::function_ref<Value(mlir::ValueRange)> make);

  /// graph.if of two bodies, whose captures become those of both; `symbols` that it gives values.
  graph::IfOp branch(GraphBuilder &b, Value condition, mlir::TypeRange types, Body &taken, Body &other,
                     llvm::ArrayRef<std::string> symbols = {});
  /// Ends the body and moves it to where it belongs.
  void finish(Body &body, mlir::Region &region, mlir::Location location);

  /// See Checkpoint.
  std::function<void()> remember() const { return checkpoint(); }
  /// Nodes of graphs so far, also of those that were taken back.
  int64_t importedNodes() const { return nodes; }
  /// Those since there were `before` are imported again; all such nodes so far.
  int64_t countAgain(int64_t before) { return again += nodes - before; }

  /// How many nodes that draw numbers had no seed so far.
  uint32_t nextUnseeded() { return unseeded++; }

  Scopes scopes;
  mlir::OpBuilder &ops; ///< at the end of the innermost body

private:
  TensorPool &pool;
  Import import;
  Checkpoint checkpoint;
  int64_t nodes = 0, again = 0;
  uint32_t unseeded = 0;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_BODIES_H
