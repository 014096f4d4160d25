//===- test/Target/CPU/Inputs/gemm_block_nibbles.mlir - the same as gemm_blocks.mlir, with a right operand of four bits ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<i8, read>, %b: !kernel.view<ui8, read>, %z: !kernel.view<i32, read>, %r: !kernel.view<f32, read>,
     %c: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [n0, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %x = kernel.load %a[LHS] : i8 from !kernel.view<i8, read>
    kernel.yield %x : i8
  } rhs (%d2, %d1) {
    %byte = kernel.load %b[4*COLUMNS*floordiv(%d2, 8) + COLUMNS*mod(%d2, 4) + %d1] : ui8 from !kernel.view<ui8, read>
    %half = kernel.index 4*mod(floordiv(%d2, 4), 2)
    %by = kernel.cast %half : i64 -> ui8
    %shifted = kernel.binary shift_right %byte, %by : ui8 -> ui8
    %mask = kernel.constant 15 : ui8
    %y = kernel.binary bitwise_and %shifted, %mask : ui8 -> ui8
    kernel.yield %y : ui8
  } blocks SIZE start (%d0, %d5) {
    %s = kernel.load %z[STARTS] : i32 from !kernel.view<i32, read>
    kernel.yield %s : i32
  } scales (%d0, %d5) {
    %s = kernel.load %r[ROWS] : f32 from !kernel.view<f32, read>
    kernel.yield %s : f32
  } by (%d5, %d1) {
    %s = kernel.load %c[SCALES] : f32 from !kernel.view<f32, read>
    %two = kernel.constant 2.0 : f32
    %p = kernel.binary mul %s, %two : f32 -> f32
    kernel.yield %p : f32
  } : !kernel.tile<f32, "n0", "COLUMNS">
  kernel.foreach (%d3, %d4) in [n0, COLUMNS] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "n0", "COLUMNS">
    kernel.store %s, %o[OUT] : f32 to !kernel.view<f32, write>
  }
}
