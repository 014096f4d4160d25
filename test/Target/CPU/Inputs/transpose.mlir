//===- test/Target/CPU/Inputs/transpose.mlir - o[j, i] = a[i, j] ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @transpose pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n1, n0] {
    %x = kernel.load %a[%d1*n1 + %d0] : f32 from !kernel.view<f32, read>
    kernel.store %x, %o[%d0*n0 + %d1] : f32 to !kernel.view<f32, write>
  }
}
