//===- lib/Import/Onnx/Ops/Microsoft/ExpertLayer.h - two projections of experts and what is between ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_EXPERTLAYER_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_EXPERTLAYER_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import::microsoft {

/// Operands of a projection of all experts: [experts, out, in], perhaps as integers of `bits` bits in bytes with scales
/// and zero points, and perhaps [experts, out].
struct ExpertProjection {
  std::string name;
  size_t weights, bias, scales = 0, points = 0;
  int64_t bits = 0; ///< 0: numbers
};

/// Where a node has its operands, and what its integers are.
struct ExpertForm {
  ExpertProjection fc1, fc2, fc3;
  size_t shares;     ///< of experts, where they are not the router's numbers
  int64_t block = 0; ///< how many integers along `in` share a scale; 0: all
};

/// x, [batch, rows, in], through the expert of each of the batch, which `chosen` names, int64 [batch]: [batch, rows,
/// out], where `in` and `out` are those of the first and the last projection. There are so many experts.
Value throughExperts(OpBinder &op, const ExpertForm &form, Value x, Value chosen, const Expr &experts);

} // namespace cupola::onnx_import::microsoft

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_EXPERTLAYER_H
