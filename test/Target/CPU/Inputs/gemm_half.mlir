//===- test/Target/CPU/Inputs/gemm_half.mlir - batches of halves, the left through an exp ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [19, 35, 70] lhs (%d0, %d2) {
    %x = kernel.load %a[70*%d0 + %d2 + 1330*%g0] : f16 from !kernel.view<f16, read>
    %w = kernel.cast %x : f16 -> f32
    %e = kernel.unary exp %w : f32 -> f32
    kernel.yield %e : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 35*%d2 + 2450*%g0] : f16 from !kernel.view<f16, read>
    kernel.yield %y : f16
  } : !kernel.tile<f32, "19", "35">
  kernel.foreach (%d3, %d4) in [19, 35] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "19", "35">
    kernel.store %s, %o[35*%d3 + %d4 + 665*%g0] : f32 to !kernel.view<f32, write>
  }
}
