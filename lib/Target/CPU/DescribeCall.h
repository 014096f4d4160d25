//===- lib/Target/CPU/DescribeCall.h - a fusion in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CPU_DESCRIBECALL_H
#define CUPOLA_LIB_TARGET_CPU_DESCRIBECALL_H

#include "dialects/Graph/Graph.h"
#include "lib/Runtime/Format/LibraryCall.h"

namespace cupola::cpu {

/// A description, or why there is none.
struct CallDescription {
  format::LibraryCall call;          ///< without buffers; of kind None where `refused` says why
  llvm::SmallVector<int64_t> inputs; ///< of the fusion: source, weights, operands of the post-ops
  std::string refused;
};

/// A contraction, `hero`, of static f32 tensors, channels last, with constant weights, whose
/// epilogue is a chain of oneDNN's post-ops. A window of one place is described as a product.
CallDescription describeCall(graph::FusionOp fusion, mlir::Operation *hero);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_DESCRIBECALL_H
