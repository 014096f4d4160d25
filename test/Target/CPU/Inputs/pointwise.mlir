//===- test/Target/CPU/Inputs/pointwise.mlir - o = a * b + a ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @pointwise pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %x = kernel.load %a[%d0] : f32 from !kernel.view<f32, read>
    %y = kernel.load %b[%d0] : f32 from !kernel.view<f32, read>
    %p = kernel.binary mul %x, %y : f32 -> f32
    %q = kernel.binary add %p, %x : f32 -> f32
    kernel.store %q, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}
