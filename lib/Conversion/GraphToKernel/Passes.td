//===- Passes.td - from fusions to kernels -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_PASSES_TD
#define CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphToKernel : Pass<"graph-to-kernel", "::mlir::ModuleOp"> {
  let summary = "generate a kernel for every graph.fusion";
  let description = [{
    Each fusion gets the attributes `kernel`, the kernel.func that computes it, and
    `scalars`, what the kernel's n0, n1, .. are in the model's symbols. Equal kernels
    become one.

    ```mlir
    %1 = graph.fusion pointwise(%0) : (tensor<?x8xf32, #graph.shape<"s0", "8">>) -> ... {..}
    // becomes
    %1 = graph.fusion pointwise(%0) attributes {kernel = @k0, scalars = ["s0"]} : ... {..}
    kernel.func @k0 pointwise grid [] scalars [#kernel.scalar<1, 0, 1>]
        (%arg0: !kernel.view<f32, read>, %arg1: !kernel.view<f32, write>) {
      kernel.foreach (%d0, %d1) in [n0, 8] { .. }
    }
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_PASSES_TD
