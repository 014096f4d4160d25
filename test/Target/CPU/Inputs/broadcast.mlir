//===- test/Target/CPU/Inputs/broadcast.mlir - o[i, j] = a[i] + b[j] ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @broadcast pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, n1] {
    %x = kernel.load %a[%d0] : f32 from !kernel.view<f32, read>
    %y = kernel.load %b[%d1] : f32 from !kernel.view<f32, read>
    %q = kernel.binary add %x, %y : f32 -> f32
    kernel.store %q, %o[%d0*n1 + %d1] : f32 to !kernel.view<f32, write>
  }
}
