//===- test/Target/CPU/Inputs/gemm_batched.mlir - o[h, g] = a[h, g] * b[g] ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid (%g0, %g1) in [n0, 3] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [5, 70, 33] lhs (%d0, %d2) {
    %x = kernel.load %a[495*%g0 + 165*%g1 + 33*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[2310*%g1 + 70*%d2 + %d1] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "5", "70">
  kernel.foreach (%d3, %d4) in [5, 70] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "5", "70">
    kernel.store %s, %o[1050*%g0 + 350*%g1 + 70*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
