//===- test/Dialect/Kernel/positions.mlir - expressions as they are written and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s

// What is written in any way is printed in the canonical one; products of sums are multiplied out.
// CHECK-LABEL: kernel.func @canonical
// CHECK: kernel.foreach (%[[D:.*]]) in [n0*n0] {
// CHECK-NEXT: kernel.index 6*%[[D]] - 3
// CHECK-NEXT: kernel.index -%[[D]] + ceildiv(%[[D]], n0)
// CHECK-NEXT: kernel.index 7
kernel.func @canonical pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>] () {
  kernel.foreach (%d0) in [n0*n0] {
    %0 = kernel.index -3 + (%d0 + %d0)*3
    %1 = kernel.index ceildiv(%d0, n0) - %d0
    %2 = kernel.index %d0 + 7 - %d0
  }
}
