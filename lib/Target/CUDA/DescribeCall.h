//===- lib/Target/CUDA/DescribeCall.h - a fusion in cuBLASLt's words ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_DESCRIBECALL_H
#define CUPOLA_LIB_TARGET_CUDA_DESCRIBECALL_H

#include "lib/Runtime/Format/Architectures.h"
#include "lib/Target/CallDescriber.h"

namespace cupola::cuda {

/// A product, `hero`, of static f32, f16 or bf16 tensors, whose operands are views of inputs that keep rows or
/// columns in one piece, and whose epilogue is a sum with a vector and a tensor, then relu or the tanh form of gelu.
CallDescription describeCall(graph::FusionOp fusion, mlir::Operation *hero, const GpuArchitecture &target);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_DESCRIBECALL_H
