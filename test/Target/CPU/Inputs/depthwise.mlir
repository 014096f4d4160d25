//===- test/Target/CPU/Inputs/depthwise.mlir - one 3x3 filter per channel, zeros around ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @depthwise reduction grid (%g0, %g1, %g2) in [SIZE, SIZE, CHANNELS] scalars [SCALARS]
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [3, 3] {
    %zero = kernel.constant 0.0 : f32
    %a = kernel.load %x[INPUT] mask [%d0 + %g0 - 1, -%d0 - %g0 + SIZE, %d1 + %g1 - 1, -%d1 - %g1 + SIZE] else %zero : f32
        : f32 from !kernel.view<f32, read>
    %b = kernel.load %w[WEIGHT] : f32 from !kernel.view<f32, read>
    %p = kernel.binary mul %a, %b : f32 -> f32
    kernel.yield %p : f32
  } : f32
  kernel.store %s, %o[OUT] : f32 to !kernel.view<f32, write>
}
