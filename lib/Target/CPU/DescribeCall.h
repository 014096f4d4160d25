//===- lib/Target/CPU/DescribeCall.h - a fusion in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CPU_DESCRIBECALL_H
#define CUPOLA_LIB_TARGET_CPU_DESCRIBECALL_H

#include "lib/Target/CallDescriber.h"

namespace cupola::cpu {

/// A contraction, `hero`, of static f32 tensors, channels last, with constant weights, whose
/// epilogue is a chain of oneDNN's post-ops. A window of one place is described as a product.
CallDescription describeCall(graph::FusionOp fusion, mlir::Operation *hero);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_DESCRIBECALL_H
