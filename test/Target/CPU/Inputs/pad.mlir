//===- test/Target/CPU/Inputs/pad.mlir - two 9s before a, three after ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @pad pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0 + 5] {
    %nine = kernel.constant 9.0 : f32
    %x = kernel.load %a[%d0 - 2] mask [%d0 - 2, -%d0 + n0 + 1] else %nine : f32 : f32 from !kernel.view<f32, read>
    kernel.store %x, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}
