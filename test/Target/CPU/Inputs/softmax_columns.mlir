//===- test/Target/CPU/Inputs/softmax_columns.mlir - softmax of columns, with a weight for each row that is stored, too ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @softmax row_reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %weights = kernel.map (%d0) in [ROWS] {
    %v = kernel.load %b[%d0] : f32 from !kernel.view<f32, read>
    %w = kernel.unary exp %v : f32 -> f32
    kernel.yield %w : f32
  } : !kernel.tile<f32, "ROWS">
  %powers = kernel.map (%d1) in [ROWS] {
    %v = kernel.load %a[%d1*n0 + %g0] : f32 from !kernel.view<f32, read>
    %e = kernel.unary exp %v : f32 -> f32
    %w = kernel.extract %weights[%d1] : f32 from !kernel.tile<f32, "ROWS">
    %p = kernel.binary mul %e, %w : f32 -> f32
    kernel.yield %p : f32
  } : !kernel.tile<f32, "ROWS">
  %t = kernel.reduce [#graph<reduce_kind sum>] (%d2) in [ROWS] {
    %v = kernel.extract %powers[%d2] : f32 from !kernel.tile<f32, "ROWS">
    kernel.yield %v : f32
  } : f32
  kernel.foreach (%d3) in [ROWS] {
    %v = kernel.extract %powers[%d3] : f32 from !kernel.tile<f32, "ROWS">
    %q = kernel.binary div %v, %t : f32 -> f32
    kernel.store %q, %o[%d3*n0 + %g0] : f32 to !kernel.view<f32, write>
  }
}
