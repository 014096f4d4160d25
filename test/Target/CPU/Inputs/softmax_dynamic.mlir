//===- test/Target/CPU/Inputs/softmax_dynamic.mlir - softmax of rows that are computed again ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @softmax row_reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %m = kernel.reduce [#graph<reduce_kind max>] (%d1) in [n1] {
    %v = kernel.load %a[%g0*n1 + %d1] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : f32
  %t = kernel.reduce [#graph<reduce_kind sum>] (%d3) in [n1] {
    %v = kernel.load %a[%g0*n1 + %d3] : f32 from !kernel.view<f32, read>
    %s = kernel.binary sub %v, %m : f32 -> f32
    %w = kernel.unary exp %s : f32 -> f32
    kernel.yield %w : f32
  } : f32
  kernel.foreach (%d4) in [n1] {
    %v = kernel.load %a[%g0*n1 + %d4] : f32 from !kernel.view<f32, read>
    %s = kernel.binary sub %v, %m : f32 -> f32
    %w = kernel.unary exp %s : f32 -> f32
    %q = kernel.binary div %w, %t : f32 -> f32
    kernel.store %q, %o[%g0*n1 + %d4] : f32 to !kernel.view<f32, write>
  }
}
