//===- test/Target/CPU/Inputs/reductions.mlir - of [n0, n1, n2]: sum along the middle, max along the last ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @columns reduction grid (%g0, %g1) in [n0, n2] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [n1] {
    %v = kernel.load %a[%g0*n1*n2 + %d0*n2 + %g1] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : f32
  kernel.store %t, %o[%g0*n2 + %g1] : f32 to !kernel.view<f32, write>
}
kernel.func @rows reduction grid (%g0, %g1) in [n0, n1] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.reduce [#graph<reduce_kind max>] (%d0) in [n2] {
    %v = kernel.load %a[%g0*n1*n2 + %g1*n2 + %d0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : f32
  kernel.store %t, %o[%g0*n1 + %g1] : f32 to !kernel.view<f32, write>
}
