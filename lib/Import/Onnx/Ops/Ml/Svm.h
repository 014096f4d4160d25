//===- lib/Import/Onnx/Ops/Ml/Svm.h - what support vector machines share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_SVM_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_SVM_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import::ml {

/// The attribute `support_vectors`: [count, features] of the type of x, [rows, features].
Value supportVectors(OpBinder &op, int64_t count, Value x);
/// The kernel function, which attributes choose, of each row of x and each of `vectors`: [rows, vectors].
Value kernelOf(OpBinder &op, Value x, Value vectors);

/// Probabilities of classes, [rows, classes], from the values by which pairs of classes are told apart,
/// [rows, pairs], and the attributes `prob_a` and `prob_b`.
Value coupledProbabilities(OpBinder &op, Value values, int64_t classes);

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_SVM_H
