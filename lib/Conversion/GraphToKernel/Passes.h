//===- lib/Conversion/GraphToKernel/Passes.h - from fusions to kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_PASSES_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_PASSES_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/Pass/Pass.h"

namespace cupola {

#define GEN_PASS_DECL
#include "lib/Conversion/GraphToKernel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/GraphToKernel/Passes.h.inc"

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_PASSES_H
