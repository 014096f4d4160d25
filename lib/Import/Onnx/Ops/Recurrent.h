//===- lib/Import/Onnx/Ops/Recurrent.h - what LSTM, GRU and RNN share ------===//
// SPDX-License-Identifier: Apache-2.0
//
// The products of all steps' inputs are one contraction before the loop. The loop's body makes a step
// of both directions at once: whatever it computes has the directions in front, as ONNX's weights have,
// and the backward one is as far from the end as the forward one is from the beginning.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_RECURRENT_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_RECURRENT_H

#include "lib/Import/Onnx/Ops/ByteWeights.h"
#include "lib/Import/Onnx/Ops/RecurrentActivation.h"

namespace cupola::onnx_import {

/// One node. Its first six operands are those of all three ops.
class Recurrence {
public:
  /// ONNX's, or bytes (ByteWeights.h) whose blocks are columns.
  enum class Weights { Floats, Bytes };
  /// W and R have `gates` blocks of rows; `functions` are the names of one direction's activations.
  Recurrence(OpBinder &op, int64_t gates, llvm::ArrayRef<llvm::StringRef> functions, Weights weights = Weights::Floats);

  /// An operand of [directions, parts * hidden]; null where it is absent.
  Tensor rows(size_t index, llvm::StringRef name, int64_t parts) const;
  /// A state at the beginning: zeros where the operand is absent.
  Value initialState(size_t index, llvm::StringRef name) const;
  /// To the products of the inputs of the first `both` gates both biases are added, of the others that of W.
  void multiplyInputs(int64_t both);

  /// What comes in is [directions, batch, gates * hidden], the states and the new ones are [directions, batch, hidden];
  /// all are of a type in which formulas are computed.
  using Step = llvm::function_ref<std::vector<Value>(Value input, llvm::ArrayRef<Value> states)>;
  /// All steps, and the node's results: Y, which shows the first state, and the last states.
  void run(llvm::ArrayRef<Value> initial, Step step);

  // Of a step.
  /// The products of a state and the weights R of `count` gates; of bytes, of all gates.
  Value multiplyState(Value state, int64_t gate, int64_t count) const;
  /// One of the parts of `hidden` elements that stand one after the other.
  Value part(Value parts, int64_t number) const;
  Value part(Tensor rows, int64_t number) const; ///< [directions, 1, hidden]
  /// The function with this number in the list of each direction.
  Value activate(size_t function, Value value) const;
  /// Of a sum of products, which is clipped before.
  Value activateSum(size_t function, Value sum) const;

private:
  Tensor operand(size_t index, llvm::StringRef name, llvm::ArrayRef<Expr> dims) const;
  Exprs shapeOf(size_t index, llvm::StringRef name) const; ///< of rank 3
  void readDirection();
  void readClip();
  void readLengths();
  Value productsOfInputs(Value x) const;
  bool isBackward(int64_t direction) const { return direction == 1 || firstIsBackward; }

  Value addBiases(Value products, int64_t both) const;
  std::vector<Value> iterate(const Expr &index, llvm::ArrayRef<Value> carried, Step step) const;
  Value inputsAt(llvm::ArrayRef<Expr> places) const;
  Value isWithin(llvm::ArrayRef<Expr> places) const;
  Value inOrder(Value rows) const;
  void setResults(Value rows, llvm::ArrayRef<Value> states);

  Value here(Tensor tensor) const;
  Value piece(Value value, int64_t axis, const Expr &start, const Expr &size) const;

  OpBinder &op;
  const int64_t gates;
  const bool batchFirst;
  int64_t directions = 1;
  bool firstIsBackward = false;
  Expr length, batch, width, hidden;
  std::vector<RecurrentActivation> activations; ///< of one direction after the other
  std::optional<double> clip;
  std::optional<ByteWeights> bytes; ///< in place of the operands W and R
  Type element, compute;
  Tensor lengths = nullptr; ///< of the sequences; null where all are as long as the input
  Tensor inputs = nullptr;  ///< products, [length, batch, directions, gates * hidden]
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_RECURRENT_H
