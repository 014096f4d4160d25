//===- test/Target/CPU/Inputs/gemm_integers.mlir - o = a * b, of words or bytes in i32 ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, DIVISOR>]
    (%a: !kernel.view<LEFT, read>, %b: !kernel.view<RIGHT, read>, %o: !kernel.view<i32, write>) {
  %t = kernel.dot [ROWS, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %x = kernel.load %a[LHS] : LEFT from !kernel.view<LEFT, read>
    PROLOGUE
    kernel.yield %VALUE : FACTOR
  } rhs (%d2, %d1) {
    %y = kernel.load %b[RHS] : RIGHT from !kernel.view<RIGHT, read>
    kernel.yield %y : RIGHT
  } : !kernel.tile<i32, "ROWS", "COLUMNS">
  kernel.foreach (%d3, %d4) in [ROWS, COLUMNS] {
    %s = kernel.extract %t [%d3, %d4] : i32 from !kernel.tile<i32, "ROWS", "COLUMNS">
    kernel.store %s, %o[OUT] : i32 to !kernel.view<i32, write>
  }
}
