//===- test/Target/CPU/Inputs/heads.mlir - [n0, 4, 8] to [4, n0, 8] over one flat loop ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @heads pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [32*n0] {
    %x = kernel.load %a[8*floordiv(%d0, 8*n0) + mod(%d0, 8) + 32*mod(floordiv(%d0, 8), n0)] : f32 from !kernel.view<f32, read>
    kernel.store %x, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}
