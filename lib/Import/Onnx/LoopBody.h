//===- lib/Import/Onnx/LoopBody.h - a graph.loop and what is in it ---------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_LOOPBODY_H
#define CUPOLA_LIB_IMPORT_ONNX_LOOPBODY_H

#include "lib/Import/Onnx/Bodies.h"

namespace cupola::onnx_import {

/// How long a loop goes on; what is not there sets no limit.
struct LoopBounds {
  std::optional<Expr> limit; ///< iterations at most
  Value trip;                ///< the same, one int64 of data
  Value condition;           ///< one bool: whether to begin
};

/// What a loop does again and again: its outputs are the condition if there is one, the carried values and rows.
///
/// The shapes of carried values are found by trying: first every iteration is taken to have the shapes of
/// the first one. Extents that the body does not hand on as it got them become run symbols, and it is
/// made again.
class LoopBody {
public:
  /// Makes the ops of an iteration; its outputs.
  using Iteration = llvm::function_ref<std::vector<Tensor>(const Expr &index, llvm::ArrayRef<Tensor> carried)>;

  /// `elements`: TensorRecord::element of the carried values; empty: those of the values.
  LoopBody(OpBinder &op, std::vector<Value> initial, LoopBounds bounds, bool hasCondition,
           std::vector<Type> elements = {});

  void make(Iteration iteration);
  /// Of all iterations: the last carried values, then the rows, stacked in front.
  std::vector<Value> create();
  /// Of a result, as the model has it.
  Type elementOf(size_t result) const { return body.outputs[result + hasCondition]->element; }

private:
  bool proceeds() const { return body.yielded.size() == body.outputs.size() && hasCondition; }
  llvm::ArrayRef<Value> next() const { return llvm::ArrayRef(body.yielded).drop_front(proceeds()); }
  bool isChanging(const Expr &extent) const;
  bool findChanges();
  void nameChanges();
  Type lastType(size_t carried);
  Type rowsType(Value row, const Expr &count);
  bool isKnownOutside(const Expr &extent) const;

  OpBinder &op;
  const std::vector<Value> initial;
  const LoopBounds bounds;
  std::vector<Type> elements; ///< of the carried values, as the model has them
  const bool hasCondition;
  const std::set<std::string> outside; ///< run symbols that had a meaning before
  const Expr index;
  std::vector<Exprs> shapes; ///< of the carried values in the body
  Body body;
  /// By extent before and after an iteration: carried value and dimension.
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<size_t, size_t>>> changes;
  std::map<std::string, Expr> last;       ///< of the symbols of changing extents: those that have the last values
  std::map<std::string, Expr> rowExtents; ///< by the expression in the body
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_LOOPBODY_H
