//===- test/Target/CPU/Inputs/gemm_blocks.mlir - o = a * b of bytes, with a start and scales for blocks of the depth ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<i8, read>, %b: !kernel.view<RIGHT, read>, %z: !kernel.view<i32, read>, %r: !kernel.view<f32, read>,
     %c: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [n0, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %x = kernel.load %a[LHS] : i8 from !kernel.view<i8, read>
    kernel.yield %x : i8
  } rhs (%d2, %d1) {
    %y = kernel.load %b[RHS] : RIGHT from !kernel.view<RIGHT, read>
    kernel.yield %y : RIGHT
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
