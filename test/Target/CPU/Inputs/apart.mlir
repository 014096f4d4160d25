//===- test/Target/CPU/Inputs/apart.mlir - lanes that are a few neighbours apart, some under a mask ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @apart pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%t: !kernel.view<f32, read>, %b: !kernel.view<ui8, read>, %i: !kernel.view<i64, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, n1] {
    %two = kernel.load %t[2*n1*%d0 + 2*%d1 + 1] : f32 from !kernel.view<f32, read>
    %three = kernel.load %b[3*%d1 + 2] : ui8 from !kernel.view<ui8, read>
    %four = kernel.load %i[4*%d1] : i64 from !kernel.view<i64, read>
    %none = kernel.constant 5.0 : f32
    %masked = kernel.load %t[2*%d1 - 12] mask [%d1 - 6] else %none : f32 : f32 from !kernel.view<f32, read>
    %zero = kernel.constant 0 : ui8
    %inner = kernel.load %b[3*%d1 - 6] mask [%d1 - 2, n1 - 3 - %d1, %d0 - 1] else %zero : ui8 : ui8 from !kernel.view<ui8, read>
    %z = kernel.cast %inner : ui8 -> f32
    %five = kernel.load %t[floordiv(5*%d1, 3)] : f32 from !kernel.view<f32, read>
    %x = kernel.cast %three : ui8 -> f32
    %y = kernel.cast %four : i64 -> f32
    %0 = kernel.binary add %two, %x : f32 -> f32
    %1 = kernel.binary add %0, %y : f32 -> f32
    %2 = kernel.binary add %1, %masked : f32 -> f32
    %3 = kernel.binary add %2, %five : f32 -> f32
    %4 = kernel.binary add %3, %z : f32 -> f32
    kernel.store %4, %o[n1*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}
