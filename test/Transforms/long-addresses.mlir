//===- test/Transforms/long-addresses.mlir - views whose addresses grow too long ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions,graph-to-kernel)" | FileCheck %s --check-prefix=KERNEL

// Every reshape between unrelated extents doubles the address of what it reads. Before it is too long for a kernel the
// value is stored; a reshape of what lies in memory costs nothing.
// CHECK: <apart address :
// CHECK: %[[STORED:.*]] = graph.fusion
// CHECK: graph.transpose
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK: graph.fusion pointwise(%[[STORED]])
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.reshape
// CHECK: graph.unary  exp
// KERNEL: kernel.load %{{.*}}[{{.*}}floordiv
// KERNEL: kernel.func
// KERNEL: kernel.load %{{[a-z0-9]*}}[n{{[0-9]*}}*n{{[0-9]*}}*%{{[a-z0-9]*}} + n{{[0-9]*}}*%{{[a-z0-9]*}} + %{{[a-z0-9]*}}]
graph.symbol @s0
graph.symbol @s1
graph.symbol @s2
graph.symbol @s3
graph.symbol @s4
graph.symbol @s5
graph.symbol @s6
graph.symbol @s7
graph.symbol @s8
func.func @main(%x: tensor<?x?x?xf32, #graph.shape<"s0", "s1", "s2">>) -> tensor<?x?x?xf32, #graph.shape<"s0", "s2", "s1">> {
  %0 = graph.transpose %x [1, 0, 2] : tensor<?x?x?xf32, #graph.shape<"s0", "s1", "s2">> -> tensor<?x?x?xf32, #graph.shape<"s1", "s0", "s2">>
  %1 = graph.reshape %0 : tensor<?x?x?xf32, #graph.shape<"s1", "s0", "s2">> -> tensor<?x?x?xf32, #graph.shape<"s3", "s4", "s5">>
  %2 = graph.transpose %1 [1, 2, 0] : tensor<?x?x?xf32, #graph.shape<"s3", "s4", "s5">> -> tensor<?x?x?xf32, #graph.shape<"s4", "s5", "s3">>
  %3 = graph.reshape %2 : tensor<?x?x?xf32, #graph.shape<"s4", "s5", "s3">> -> tensor<?x?x?xf32, #graph.shape<"s6", "s7", "s8">>
  %4 = graph.transpose %3 [1, 0, 2] : tensor<?x?x?xf32, #graph.shape<"s6", "s7", "s8">> -> tensor<?x?x?xf32, #graph.shape<"s7", "s6", "s8">>
  %5 = graph.reshape %4 : tensor<?x?x?xf32, #graph.shape<"s7", "s6", "s8">> -> tensor<?x?x?xf32, #graph.shape<"s2", "s0", "s1">>
  %6 = graph.transpose %5 [1, 0, 2] : tensor<?x?x?xf32, #graph.shape<"s2", "s0", "s1">> -> tensor<?x?x?xf32, #graph.shape<"s0", "s2", "s1">>
  %7 = graph.unary exp %6 : tensor<?x?x?xf32, #graph.shape<"s0", "s2", "s1">> -> tensor<?x?x?xf32, #graph.shape<"s0", "s2", "s1">>
  return %7 : tensor<?x?x?xf32, #graph.shape<"s0", "s2", "s1">>
}
