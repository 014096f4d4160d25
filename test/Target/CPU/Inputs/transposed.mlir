//===- test/Target/CPU/Inputs/transposed.mlir - o[i, j, k] = a[i, k, j], of every element ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @moved pointwise grid () in [] scalars SCALARS
    (%a: !kernel.view<TYPE, read>, %o: !kernel.view<TYPE, write>) {
  kernel.foreach (%d0, %d1, %d2) in [BATCH, ROWS, COLUMNS] {
    %x = kernel.load %a[%d0*ROWS*COLUMNS + %d1 + %d2*ROWS] : TYPE from !kernel.view<TYPE, read>
    kernel.store %x, %o[%d0*ROWS*COLUMNS + %d1*COLUMNS + %d2] : TYPE to !kernel.view<TYPE, write>
  }
}
