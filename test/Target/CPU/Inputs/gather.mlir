//===- test/Target/CPU/Inputs/gather.mlir - rows of a [n1, n2] table ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gather pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%table: !kernel.view<f32, read>, %ids: !kernel.view<i64, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, n2] {
    %id = kernel.load %ids[%d0] : i64 from !kernel.view<i64, read>
    %row = kernel.checked_index %id below n1 : i64
    %v = kernel.load %table[n2*%row + %d1] : f32 from !kernel.view<f32, read>
    kernel.store %v, %o[%d0*n2 + %d1] : f32 to !kernel.view<f32, write>
  }
}
