// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-to-simt)' --verify-diagnostics
// Blocks share a depth by whole tiles alone.
kernel.func @k gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 32x32x32, warps 1x1, slices 1, stages 2, mma_k 16, async false, split 2>
    (%in0: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  // expected-error @below {{a depth of 9 tiles is none of 2 equal parts}}
  %0 = kernel.dot [32, 32, 288] lhs (%d0, %d2) {
    %1 = kernel.load %in0[288*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in0[288*%d1 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "32", "32">
}
