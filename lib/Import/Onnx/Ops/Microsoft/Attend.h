//===- lib/Import/Onnx/Ops/Microsoft/Attend.h - the core of all attentions -===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_ATTEND_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_ATTEND_H

#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

namespace cupola::onnx_import::microsoft {

/// What is done to scores before the softmax. All of it broadcasts to [batch, heads, queries, keys].
struct Scores {
  double softcap = 0;        ///< 0: none
  std::vector<Value> biases; ///< added
  Value allowed;             ///< bool: what is not is hidden; null: all are
  /// [heads]: the score of a key more, whose value is 0; `allowed` has one more, too. Null: none.
  Value sink;
};

/// softmax(scale * q k^T ..) v of [batch, heads, sequence, size]: [batch, queries, heads * size]. Keys and values may
/// have fewer heads. `scale` is an attribute; 0 or absent: 1 / sqrt(size).
Value attend(OpBinder &op, Value q, Value k, Value v, Scores scores);

/// Of [batch, heads, sequence, size].
struct Projections {
  Value q, k, v;
};

/// Operand `index`, one of query, key and value, as [batch, heads, sequence, size]. It may be that already; else
/// operand `bias`, where there is one, has what is added to it behind `before` elements.
Value headsOf(OpBinder &op, size_t index, llvm::StringRef name, size_t bias, const Expr &before);
/// `count` zeros behind dimension `axis`.
Value lengthened(OpBinder &op, Value value, int64_t axis, const Expr &count);
/// What a mask of integers adds to scores [batch, heads, queries, keys]: operand `index`, of [batch] numbers of keys
/// (behind those perhaps [batch] first keys), [batch, keys] or [batch, queries, keys] that tell whether a key counts.
Value maskBias(OpBinder &op, size_t index, llvm::StringRef name, llvm::ArrayRef<Expr> scores, Type type);

/// Operand `index`, where there is one, is added to the scores as it is.
void addAttentionBias(OpBinder &op, size_t index, Scores &scores);

/// An int64 tensor [queries, 1] or [1, keys] of positions from `first` on.
Value positionsOfQueries(OpBinder &op, const Expr &queries, const Expr &first);
Value positionsOfKeys(OpBinder &op, const Expr &keys);

/// Operands that only kernels for GPUs, or none, know: unsupported where they are used.
void refuseInputs(OpBinder &op, llvm::ArrayRef<std::pair<size_t, llvm::StringRef>> inputs);
/// The same of attributes that have other values than these, which are those of absent ones.
void refuseAttributes(OpBinder &op, llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> usual);
/// Throws unless the operand is a tensor of floats of this rank.
void requireRank(OpBinder &op, size_t index, llvm::StringRef name, int64_t rank);
/// Half of the elements that are turned: the columns of the cosines, operand `index`. The sines stand behind it.
int64_t halfOfRotary(OpBinder &op, size_t index);

} // namespace cupola::onnx_import::microsoft

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_ATTEND_H
