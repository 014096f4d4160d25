//===- test/Target/CPU/unsupported.mlir - what has no code is named ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: not cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v3 2>&1 | FileCheck %s

// CHECK: the CPU target has no code for exp in kernel integers
kernel.func @integers pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<i32, read>, %o: !kernel.view<i32, write>) {
  kernel.foreach (%d0) in [n0] {
    %x = kernel.load %a[%d0] : i32 from !kernel.view<i32, read>
    %e = kernel.unary exp %x : i32 -> i32
    kernel.store %e, %o[%d0] : i32 to !kernel.view<i32, write>
  }
}
