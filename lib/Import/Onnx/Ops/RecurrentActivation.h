//===- lib/Import/Onnx/Ops/RecurrentActivation.h - functions of cells ------===//
// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU and RNN name the functions of their gates in an attribute, and give the parameters of all
// of them in two others.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATION_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATION_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid, Softplus, Softsign, Tanh or ThresholdedRelu.
struct RecurrentActivation {
  Value (*apply)(GraphBuilder &b, Value x, double alpha, double beta);
  double alpha, beta;

  Value of(GraphBuilder &b, Value x) const { return apply(b, x, alpha, beta); }
  bool operator==(const RecurrentActivation &other) const {
    return apply == other.apply && alpha == other.alpha && beta == other.beta;
  }
};

/// Those of all directions: as the attributes say, or `defaults`, the names for one direction, for each.
std::vector<RecurrentActivation> activationsOf(const OpBinder &op, llvm::ArrayRef<llvm::StringRef> defaults,
                                               size_t directions);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATION_H
