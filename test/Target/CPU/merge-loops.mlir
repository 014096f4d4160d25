//===- test/Target/CPU/merge-loops.mlir - planes of pointwise kernels are rows ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-merge-loops))' | FileCheck %s

// CHECK-LABEL: @planes
// CHECK: kernel.foreach (%[[P:.*]], %[[C:.*]]) in [49, 512]
// CHECK-NEXT: kernel.load %{{.*}}[%[[P]] + 49*%[[C]]]
// CHECK-NEXT: kernel.store %{{.*}}[512*%[[P]] + %[[C]]]
kernel.func @planes pointwise grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1, %d2) in [7, 7, 512] {
    %x = kernel.load %a[7*%d0 + %d1 + 49*%d2] : f32 from <f32, read>
    kernel.store %x, %o[3584*%d0 + 512*%d1 + %d2] : f32 to <f32, write>
  }
}

// A reduction keeps the loops it has.
// CHECK-LABEL: @reduction
// CHECK: kernel.reduce {{.*}} in [7, 7]
kernel.func @reduction reduction grid (%g) in [512] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [7, 7] {
    %x = kernel.load %a[49*%g + 7*%d0 + %d1] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[%g] : f32 to <f32, write>
}
