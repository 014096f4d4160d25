//===- test/Target/CPU/Inputs/gemm_i16.mlir - o = a * b, of i16 in i32 ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, DIVISOR>]
    (%a: !kernel.view<LEFT, read>, %b: !kernel.view<i16, read>, %o: !kernel.view<i32, write>) {
  %t = kernel.dot [ROWS, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %x = kernel.load %a[LHS] : LEFT from !kernel.view<LEFT, read>
    PROLOGUE
    kernel.yield %VALUE : i16
  } rhs (%d2, %d1) {
    %y = kernel.load %b[RHS] : i16 from !kernel.view<i16, read>
    kernel.yield %y : i16
  } : !kernel.tile<i32, "ROWS", "COLUMNS">
  kernel.foreach (%d3, %d4) in [ROWS, COLUMNS] {
    %s = kernel.extract %t [%d3, %d4] : i32 from !kernel.tile<i32, "ROWS", "COLUMNS">
    kernel.store %s, %o[OUT] : i32 to !kernel.view<i32, write>
  }
}
