//===- test/Target/CPU/Inputs/transposed_work.mlir - pointwise work on what is transposed ---===//
// SPDX-License-Identifier: Apache-2.0

// o[i, j] = relu(a[j, i] + b[i] + c[j]) + d[i, j]; p[i, j] = round(o[i, j]) as a byte
kernel.func @sums pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, read>,
     %d: !kernel.view<f32, read>, %o: !kernel.view<f32, write>, %p: !kernel.view<i8, write>) {
  kernel.foreach (%d0, %d1) in [n0, n1] {
    %x = kernel.load %a[%d0 + %d1*n0] : f32 from !kernel.view<f32, read>
    %y = kernel.load %b[%d0] : f32 from !kernel.view<f32, read>
    %z = kernel.load %c[%d1] : f32 from !kernel.view<f32, read>
    %w = kernel.load %d[%d0*n1 + %d1] : f32 from !kernel.view<f32, read>
    %s0 = kernel.binary add %x, %y : f32 -> f32
    %s1 = kernel.binary add %s0, %z : f32 -> f32
    %s2 = kernel.unary relu %s1 : f32 -> f32
    %s3 = kernel.binary add %s2, %w : f32 -> f32
    kernel.store %s3, %o[%d0*n1 + %d1] : f32 to !kernel.view<f32, write>
    %r = kernel.unary round %s3 : f32 -> f32
    %q = kernel.cast %r : f32 -> i8
    kernel.store %q, %p[%d0*n1 + %d1] : i8 to !kernel.view<i8, write>
  }
}

// o[i, j] = a[j, i] + b[j, i], which is a byte, with a border of 9 around a
kernel.func @border pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<ui8, read>, %o: !kernel.view<f32, write>) {
  %nine = kernel.constant 9.0 : f32
  kernel.foreach (%d0, %d1) in [n0 + 2, n1 + 2] {
    %x = kernel.load %a[%d0 - 1 + (%d1 - 1)*n0] mask [%d0 - 1, n0 - %d0, %d1 - 1, n1 - %d1] else %nine : f32
        : f32 from !kernel.view<f32, read>
    %y = kernel.load %b[%d0 + %d1*(n0 + 2)] : ui8 from !kernel.view<ui8, read>
    %z = kernel.cast %y : ui8 -> f32
    %s = kernel.binary add %x, %z : f32 -> f32
    kernel.store %s, %o[%d0*(n1 + 2) + %d1] : f32 to !kernel.view<f32, write>
  }
}
