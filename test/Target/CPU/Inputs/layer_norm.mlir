//===- test/Target/CPU/Inputs/layer_norm.mlir - of rows of 50 halves ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @layer_norm row_reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f16, read>, %o: !kernel.view<f16, write>) {
  %count = kernel.constant 50.0 : f32
  %epsilon = kernel.constant 1.0e-5 : f32
  %x = kernel.map (%d0) in [50] {
    %h = kernel.load %a[%d0 + 50*%g0] : f16 from !kernel.view<f16, read>
    %v = kernel.cast %h : f16 -> f32
    kernel.yield %v : f32
  } : !kernel.tile<f32, "50">
  %sum = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [50] {
    %v = kernel.extract %x [%d1] : f32 from !kernel.tile<f32, "50">
    kernel.yield %v : f32
  } : f32
  %mean = kernel.binary div %sum, %count : f32 -> f32
  %squares = kernel.reduce [#graph<reduce_kind sum>] (%d2) in [50] {
    %v = kernel.extract %x [%d2] : f32 from !kernel.tile<f32, "50">
    %d = kernel.binary sub %v, %mean : f32 -> f32
    %s = kernel.binary mul %d, %d : f32 -> f32
    kernel.yield %s : f32
  } : f32
  %variance = kernel.binary div %squares, %count : f32 -> f32
  %safe = kernel.binary add %variance, %epsilon : f32 -> f32
  %scale = kernel.unary rsqrt %safe : f32 -> f32
  kernel.foreach (%d3) in [50] {
    %v = kernel.extract %x [%d3] : f32 from !kernel.tile<f32, "50">
    %d = kernel.binary sub %v, %mean : f32 -> f32
    %s = kernel.binary mul %d, %scale : f32 -> f32
    %h = kernel.cast %s : f32 -> f16
    kernel.store %h, %o[%d3 + 50*%g0] : f16 to !kernel.view<f16, write>
  }
}
