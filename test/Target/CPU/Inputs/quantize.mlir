//===- test/Target/CPU/Inputs/quantize.mlir - bytes of floats, and what they stand for ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @quantize pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %q: !kernel.view<TYPE, write>, %y: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.constant SCALE : f32
    %z = kernel.constant ZERO : f32
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %d = kernel.binary add %c, %z : f32 -> f32
    %e = kernel.cast %d : f32 -> TYPE
    kernel.store %e, %q[%d0] : TYPE to !kernel.view<TYPE, write>
    %f = kernel.cast %e : TYPE -> f32
    %g = kernel.binary sub %f, %z : f32 -> f32
    kernel.store %g, %y[%d0] : f32 to !kernel.view<f32, write>
  }
}
