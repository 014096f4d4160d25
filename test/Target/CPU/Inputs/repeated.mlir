//===- test/Target/CPU/Inputs/repeated.mlir - lanes that repeat neighbours, some under a mask ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @repeated pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%t: !kernel.view<f32, read>, %h: !kernel.view<f16, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, n1] {
    %two = kernel.load %t[n2*%d0 + floordiv(%d1, 2)] : f32 from !kernel.view<f32, read>
    %eight = kernel.load %h[floordiv(%d1, 8)] : f16 from !kernel.view<f16, read>
    %wide = kernel.cast %eight : f16 -> f32
    %none = kernel.constant 5.0 : f32
    %four = kernel.load %t[floordiv(%d1, 4) + 1] mask [%d1 - 6] else %none : f32 : f32 from !kernel.view<f32, read>
    %three = kernel.load %t[floordiv(%d1, 3)] : f32 from !kernel.view<f32, read>
    %0 = kernel.binary add %two, %wide : f32 -> f32
    %1 = kernel.binary add %0, %four : f32 -> f32
    %2 = kernel.binary add %1, %three : f32 -> f32
    kernel.store %2, %o[n1*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}
