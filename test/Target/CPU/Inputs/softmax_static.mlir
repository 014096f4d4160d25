//===- test/Target/CPU/Inputs/softmax_static.mlir - softmax of rows kept in a tile ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @softmax row_reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %x = kernel.map (%d0) in [COLUMNS] {
    %v = kernel.load %a[%d0 + COLUMNS*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : !kernel.tile<f32, "COLUMNS">
  %m = kernel.reduce [#graph<reduce_kind max>] (%d1) in [COLUMNS] {
    %v = kernel.extract %x [%d1] : f32 from !kernel.tile<f32, "COLUMNS">
    kernel.yield %v : f32
  } : f32
  %e = kernel.map (%d2) in [COLUMNS] {
    %v = kernel.extract %x [%d2] : f32 from !kernel.tile<f32, "COLUMNS">
    %s = kernel.binary sub %v, %m : f32 -> f32
    %w = kernel.unary exp %s : f32 -> f32
    kernel.yield %w : f32
  } : !kernel.tile<f32, "COLUMNS">
  %t = kernel.reduce [#graph<reduce_kind sum>] (%d3) in [COLUMNS] {
    %v = kernel.extract %e [%d3] : f32 from !kernel.tile<f32, "COLUMNS">
    kernel.yield %v : f32
  } : f32
  kernel.foreach (%d4) in [COLUMNS] {
    %v = kernel.extract %e [%d4] : f32 from !kernel.tile<f32, "COLUMNS">
    %q = kernel.binary div %v, %t : f32 -> f32
    kernel.store %q, %o[%d4 + COLUMNS*%g0] : f32 to !kernel.view<f32, write>
  }
}
