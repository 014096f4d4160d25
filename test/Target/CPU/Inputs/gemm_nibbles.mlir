//===- test/Target/CPU/Inputs/gemm_nibbles.mlir - weights of four bits by few columns, which vectors along the depth compute ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars []
    (%w: !kernel.view<ui8, read>, %s: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [ROWS, COLUMNS, DEPTH] lhs (%m, %k) {
    %byte = kernel.load %w[BYTES*%m + PLACE] : ui8 from !kernel.view<ui8, read>
    %wide = kernel.cast %byte : ui8 -> i32
    %half = kernel.index 4*HALF
    %by = kernel.cast %half : i64 -> i32
    %shifted = kernel.binary shift_right %wide, %by : i32 -> i32
    %mask = kernel.constant 15 : i32
    %number = kernel.binary bitwise_and %shifted, %mask : i32 -> i32
    %x = kernel.cast %number : i32 -> f32
    %scale = kernel.load %s[BLOCKS*%m + floordiv(%k, 32)] : f32 from !kernel.view<f32, read>
    %y = kernel.binary mul %x, %scale : f32 -> f32
    kernel.yield %y : f32
  } rhs (%k, %n) {
    %z = kernel.load %b[DEPTH*%n + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %z : f32
  } : !kernel.tile<f32, "ROWS", "COLUMNS">
  kernel.foreach (%i, %j) in [ROWS, COLUMNS] {
    %r = kernel.extract %t [%i, %j] : f32 from !kernel.tile<f32, "ROWS", "COLUMNS">
    kernel.store %r, %o[COLUMNS*%i + %j] : f32 to !kernel.view<f32, write>
  }
}
