//===- test/Transforms/form-fusions-kept.mlir - attention writes keys and values that are returned ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{prologues=false})" | FileCheck %s --check-prefix=APART

// Both caches: past rows and the new one.
// CHECK-LABEL: func.func @cache
// CHECK: %[[A:.*]]:3 = graph.fusion attention(%{{.*}}) : (tensor<2x1x8xf32>, tensor<2x6x8xf32>, tensor<2x1x8xf32>, tensor<2x6x4xf32>, tensor<2x1x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) {
// CHECK: graph.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>
// CHECK-NOT: graph.fusion
// CHECK: return %[[A]]#0, %[[A]]#1, %[[A]]#2
// APART-LABEL: func.func @cache
// APART-COUNT-3: graph.fusion
func.func @cache(%q: tensor<2x1x8xf32>, %pk: tensor<2x6x8xf32>, %k: tensor<2x1x8xf32>, %pv: tensor<2x6x4xf32>, %v: tensor<2x1x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) {
  %0 = graph.concat %pk, %k axis 1 : tensor<2x6x8xf32>, tensor<2x1x8xf32> -> tensor<2x7x8xf32>
  %1 = graph.transpose %0 [0, 2, 1] : tensor<2x7x8xf32> -> tensor<2x8x7xf32>
  %2 = graph.concat %pv, %v axis 1 : tensor<2x6x4xf32>, tensor<2x1x4xf32> -> tensor<2x7x4xf32>
  %3 = graph.matmul %q, %1 : tensor<2x1x8xf32>, tensor<2x8x7xf32> -> tensor<2x1x7xf32>
  %4 = graph.softmax %3 axis 2 : tensor<2x1x7xf32> -> tensor<2x1x7xf32>
  %5 = graph.matmul %4, %2 : tensor<2x1x7xf32>, tensor<2x7x4xf32> -> tensor<2x1x4xf32>
  return %5, %0, %2 : tensor<2x1x4xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>
}

// Four heads share one of keys; what is appended is computed.
// CHECK-LABEL: func.func @shared
// CHECK: %[[A:.*]]:2 = graph.fusion attention
// CHECK: graph.binary add
// CHECK-NOT: graph.fusion
// CHECK: return %[[A]]#0, %[[A]]#1
func.func @shared(%q: tensor<4x1x8xf32>, %pk: tensor<1x6x8xf32>, %a: tensor<1x1x8xf32>, %b: tensor<1x1x8xf32>, %v: tensor<4x7x4xf32>) -> (tensor<4x1x4xf32>, tensor<1x7x8xf32>) {
  %n = graph.binary add %a, %b : tensor<1x1x8xf32>, tensor<1x1x8xf32> -> tensor<1x1x8xf32>
  %0 = graph.concat %pk, %n axis 1 : tensor<1x6x8xf32>, tensor<1x1x8xf32> -> tensor<1x7x8xf32>
  %1 = graph.broadcast %0 : tensor<1x7x8xf32> -> tensor<4x7x8xf32>
  %2 = graph.transpose %1 [0, 2, 1] : tensor<4x7x8xf32> -> tensor<4x8x7xf32>
  %3 = graph.matmul %q, %2 : tensor<4x1x8xf32>, tensor<4x8x7xf32> -> tensor<4x1x7xf32>
  %4 = graph.softmax %3 axis 2 : tensor<4x1x7xf32> -> tensor<4x1x7xf32>
  %5 = graph.matmul %4, %v : tensor<4x1x7xf32>, tensor<4x7x4xf32> -> tensor<4x1x4xf32>
  return %5, %0 : tensor<4x1x4xf32>, tensor<1x7x8xf32>
}

// Many rows would compute it again and again.
// CHECK-LABEL: func.func @many_rows
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion attention({{.*}}) : (tensor<2x65x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) -> tensor<2x65x4xf32>
func.func @many_rows(%q: tensor<2x65x8xf32>, %a: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x65x4xf32>, tensor<2x7x8xf32>) {
  %0 = graph.unary neg %a {alpha = 0.0, beta = 0.0} : tensor<2x7x8xf32> -> tensor<2x7x8xf32>
  %1 = graph.transpose %0 [0, 2, 1] : tensor<2x7x8xf32> -> tensor<2x8x7xf32>
  %3 = graph.matmul %q, %1 : tensor<2x65x8xf32>, tensor<2x8x7xf32> -> tensor<2x65x7xf32>
  %4 = graph.softmax %3 axis 2 : tensor<2x65x7xf32> -> tensor<2x65x7xf32>
  %5 = graph.matmul %4, %v : tensor<2x65x7xf32>, tensor<2x7x4xf32> -> tensor<2x65x4xf32>
  return %5, %0 : tensor<2x65x4xf32>, tensor<2x7x8xf32>
}

// So would a costly function; and what others read is stored for all.
// CHECK-LABEL: func.func @costly
// CHECK: graph.fusion pointwise
// CHECK: graph.unary exp
// CHECK: graph.fusion attention({{.*}}) : (tensor<2x1x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) -> tensor<2x1x4xf32>
func.func @costly(%q: tensor<2x1x8xf32>, %a: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x7x8xf32>) {
  %0 = graph.unary exp %a {alpha = 0.0, beta = 0.0} : tensor<2x7x8xf32> -> tensor<2x7x8xf32>
  %1 = graph.transpose %0 [0, 2, 1] : tensor<2x7x8xf32> -> tensor<2x8x7xf32>
  %3 = graph.matmul %q, %1 : tensor<2x1x8xf32>, tensor<2x8x7xf32> -> tensor<2x1x7xf32>
  %4 = graph.softmax %3 axis 2 : tensor<2x1x7xf32> -> tensor<2x1x7xf32>
  %5 = graph.matmul %4, %v : tensor<2x1x7xf32>, tensor<2x7x4xf32> -> tensor<2x1x4xf32>
  return %5, %0 : tensor<2x1x4xf32>, tensor<2x7x8xf32>
}

// CHECK-LABEL: func.func @read_twice
// CHECK: graph.fusion attention({{.*}}) : (tensor<2x1x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>) -> tensor<2x1x4xf32>
func.func @read_twice(%q: tensor<2x1x8xf32>, %a: tensor<2x7x8xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x7x8xf32>, tensor<2x7x1xf32>) {
  %0 = graph.unary neg %a {alpha = 0.0, beta = 0.0} : tensor<2x7x8xf32> -> tensor<2x7x8xf32>
  %1 = graph.transpose %0 [0, 2, 1] : tensor<2x7x8xf32> -> tensor<2x8x7xf32>
  %3 = graph.matmul %q, %1 : tensor<2x1x8xf32>, tensor<2x8x7xf32> -> tensor<2x1x7xf32>
  %4 = graph.softmax %3 axis 2 : tensor<2x1x7xf32> -> tensor<2x1x7xf32>
  %5 = graph.matmul %4, %v : tensor<2x1x7xf32>, tensor<2x7x4xf32> -> tensor<2x1x4xf32>
  %6 = graph.reduce sum %0 [2] : tensor<2x7x8xf32> -> tensor<2x7x1xf32>
  return %5, %0, %6 : tensor<2x1x4xf32>, tensor<2x7x8xf32>, tensor<2x7x1xf32>
}
