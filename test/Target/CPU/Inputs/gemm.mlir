//===- test/Target/CPU/Inputs/gemm.mlir - o = relu(a * b + bias) ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %bias: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [ROWS, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %x = kernel.load %a[LHS] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[RHS] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "ROWS", "COLUMNS">
  kernel.foreach (%d3, %d4) in [ROWS, COLUMNS] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "ROWS", "COLUMNS">
    %c = kernel.load %bias[%d4] : f32 from !kernel.view<f32, read>
    %p = kernel.binary add %s, %c : f32 -> f32
    %r = kernel.unary relu %p : f32 -> f32
    kernel.store %r, %o[OUT] : f32 to !kernel.view<f32, write>
  }
}
