//===- test/Target/CPU/Inputs/gemm_by_nibbles.mlir - rows, as many as there are, by weights of four bits that lie along the depth ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %w: !kernel.view<ui8, read>, %s: !kernel.view<f32, read>, %c: !kernel.view<f32, read>,
     %o: !kernel.view<f32, write>) {
  %t = kernel.dot [n0, COLUMNS, DEPTH] lhs (%m, %k) {
    %x = kernel.load %a[DEPTH*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %byte = kernel.load %w[BYTES*%n + PLACE] : ui8 from !kernel.view<ui8, read>
    %half = kernel.index 4*HALF
    %by = kernel.cast %half : i64 -> ui8
    %shifted = kernel.binary shift_right %byte, %by : ui8 -> ui8
    %mask = kernel.constant 15 : ui8
    %bits = kernel.binary bitwise_and %shifted, %mask : ui8 -> ui8
    %number = kernel.cast %bits : ui8 -> f32
    %scale = kernel.load %s[BLOCKS*%n + floordiv(%k, 32)] : f32 from !kernel.view<f32, read>
    %y = kernel.binary mul %number, %scale : f32 -> f32
    kernel.yield %y : f32
  } : !kernel.tile<f32, "n0", "COLUMNS">
  kernel.foreach (%i, %j) in [n0, COLUMNS] {
    %r = kernel.extract %t [%i, %j] : f32 from !kernel.tile<f32, "n0", "COLUMNS">
    %b = kernel.load %c[%j] : f32 from !kernel.view<f32, read>
    %z = kernel.binary add %r, %b : f32 -> f32
    kernel.store %z, %o[COLUMNS*%i + %j] : f32 to !kernel.view<f32, write>
  }
}
