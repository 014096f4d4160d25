//===- test/Target/CPU/Inputs/attention_scores.mlir - q k^T of heads in one [n0, n1, 384] ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @scores gemm grid (%g0, %g1) in [n0, 12] scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<1, 0, 1>]
    (%q: !kernel.view<f32, read>, %k: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [n1, n1, 32] lhs (%d0, %d2) {
    %x = kernel.load %q[384*%g0*n1 + 384*%d0 + %d2 + 32*%g1] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %k[384*%g0*n1 + 384*%d1 + %d2 + 32*%g1] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "n1", "n1">
  kernel.foreach (%d3, %d4) in [n1, n1] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "n1", "n1">
    kernel.store %s, %o[12*%g0*n1*n1 + %g1*n1*n1 + %d3*n1 + %d4] : f32 to !kernel.view<f32, write>
  }
}
