//===- test/Transforms/graph-cse.mlir - equal ops are computed once ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-cse))" --mlir-print-debuginfo | FileCheck %s

// Two constants of one value make their readers equal; both nodes stay in the location.
// CHECK-LABEL: @equal
// CHECK: %[[S:.*]] = graph.binary add %arg0, %{{.*}} loc(#[[L:.*]])
// CHECK-NEXT: graph.binary mul %[[S]], %[[S]]
func.func @equal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32> loc("c0"("Constant"))
  %c1 = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32> loc("c1"("Constant"))
  %0 = graph.binary add %x, %c0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> loc("first"("Add"))
  %1 = graph.binary add %x, %c1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> loc("second"("Add"))
  %2 = graph.binary mul %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @different
// CHECK: graph.unary exp
// CHECK: graph.unary log
// CHECK: graph.unary leaky_relu
// CHECK: graph.unary leaky_relu
func.func @different(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary log %x : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.unary leaky_relu %x {alpha = 0.1 : f64} : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.unary leaky_relu %x {alpha = 0.2 : f64} : tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Splats stay apart as long as somebody reads them. One whose reader was merged gives its node to the splat that is left,
// here by the view and by the constant.
// CHECK-LABEL: @unread
// CHECK: graph.constant {{.*}} loc(#[[C:.*]])
// CHECK-NEXT: graph.broadcast {{.*}} loc(#[[V:.*]])
// CHECK-NEXT: graph.binary pow
// CHECK-NEXT: graph.binary mul
func.func @unread(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = graph.constant dense<3.0> : tensor<1xf32> : tensor<1xf32> loc("c2"("ConstantOfShape"))
  %v0 = graph.broadcast %c0 : tensor<1xf32> -> tensor<4xf32> loc("view0"("Expand"))
  %c1 = graph.constant dense<3.0> : tensor<1xf32> : tensor<1xf32> loc("c3"("ConstantOfShape"))
  %v1 = graph.broadcast %c1 : tensor<1xf32> -> tensor<4xf32> loc("view1"("Expand"))
  %0 = graph.binary pow %x, %v0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary pow %x, %v1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary mul %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-DAG: #[[A:.*]] = loc("first"
// CHECK-DAG: #[[B:.*]] = loc("second"
// CHECK-DAG: #[[C2:.*]] = loc("c2"
// CHECK-DAG: #[[C3:.*]] = loc("c3"
// CHECK-DAG: #[[V0:.*]] = loc("view0"
// CHECK-DAG: #[[V1:.*]] = loc("view1"
// CHECK-DAG: #[[L]] = loc(fused[#[[A]], #[[B]]])
// CHECK-DAG: #[[C]] = loc(fused[#[[C2]], #[[C3]]])
// CHECK-DAG: #[[V]] = loc(fused[#[[V0]], #[[V1]]])
