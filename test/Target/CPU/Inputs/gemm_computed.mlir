//===- test/Target/CPU/Inputs/gemm_computed.mlir - a right operand for each batch, made of bytes, scales and places ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid (%g0, %g1) in [n0, 3] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [5, 70, 33] lhs (%d0, %d2) {
    %x = kernel.load %a[33*%d0 + %d2 + 495*%g0 + 165*%g1] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[33*%d1 + %d2 + 2310*%g1] : ui8 from !kernel.view<ui8, read>
    %z = kernel.cast %y : ui8 -> f32
    %i = kernel.index %d2 - 16
    %j = kernel.cast %i : i64 -> f32
    %c = kernel.binary add %z, %j : f32 -> f32
    %m = kernel.load %s[%d1 + 70*%g1] : f32 from !kernel.view<f32, read>
    %w = kernel.binary mul %c, %m : f32 -> f32
    kernel.yield %w : f32
  } : !kernel.tile<f32, "5", "70">
  kernel.foreach (%d3, %d4) in [5, 70] {
    %r = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "5", "70">
    kernel.store %r, %o[70*%d3 + %d4 + 1050*%g0 + 350*%g1] : f32 to !kernel.view<f32, write>
  }
}
