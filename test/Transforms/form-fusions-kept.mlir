//===- test/Transforms/form-fusions-kept.mlir - attention writes keys and values that are returned ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{prologues=false})" | FileCheck %s --check-prefix=APART
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{most-kept=60})" | FileCheck %s --check-prefix=SMALL

// Both caches: past rows and the new one. Keys have 112 elements, values 56.
// SMALL-LABEL: func.func @cache
// SMALL: graph.fusion pointwise
// SMALL: %[[A:.*]]:2 = graph.fusion attention({{.*}}) -> (tensor<2x1x4xf32>, tensor<2x7x4xf32>)
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

// What leaves the body and is read element by element by one more kernel is computed and stored by that kernel.
// CHECK-LABEL: func.func @cell
// CHECK: %[[C:.*]]:2 = graph.fusion pointwise(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
// CHECK: %[[S:.*]] = graph.binary add
// CHECK: %[[T:.*]] = graph.unary tanh %[[S]]
// CHECK: %[[H:.*]] = graph.binary mul
// CHECK: graph.yield %[[H]], %[[S]]
// CHECK-NOT: graph.fusion
// CHECK: return %[[C]]#1, %[[C]]#0
// APART-LABEL: func.func @cell
// APART-COUNT-3: graph.fusion
func.func @cell(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %c = graph.binary add %a, %b : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %t = graph.unary tanh %c : tensor<4x8xf32> -> tensor<4x8xf32>
  %h = graph.binary mul %t, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %c, %h : tensor<4x8xf32>, tensor<4x8xf32>
}

// Read through a view, by a hero, by two kernels, or beside a part of a joined tensor, it has a kernel of its own.
// CHECK-LABEL: func.func @turned
// CHECK-COUNT-2: graph.fusion pointwise
func.func @turned(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c = graph.unary tanh %a : tensor<4x4xf32> -> tensor<4x4xf32>
  %t = graph.transpose %c [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %h = graph.binary mul %t, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %c, %h : tensor<4x4xf32>, tensor<4x4xf32>
}
// CHECK-LABEL: func.func @summed
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion reduction
func.func @summed(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %c = graph.unary tanh %a : tensor<4x8xf32> -> tensor<4x8xf32>
  %s = graph.reduce sum %c [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %c, %s : tensor<4x8xf32>, tensor<4x1xf32>
}
// CHECK-LABEL: func.func @several
// CHECK-COUNT-3: graph.fusion pointwise
func.func @several(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %c = graph.unary tanh %a : tensor<4x8xf32> -> tensor<4x8xf32>
  %g = graph.unary exp %c : tensor<4x8xf32> -> tensor<4x8xf32>
  %h = graph.binary mul %c, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %c, %g, %h : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
// CHECK-LABEL: func.func @part
// CHECK-COUNT-2: graph.fusion pointwise
// CHECK: graph.join
func.func @part(%a: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %c = graph.unary tanh %a : tensor<4x8xf32> -> tensor<4x8xf32>
  %h = graph.binary mul %c, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %j = graph.join %c, %h axis 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  return %j, %h : tensor<8x8xf32>, tensor<4x8xf32>
}

// A loop in front of the one kernel needs it before that.
// CHECK-LABEL: func.func @looped
// CHECK: %[[C:.*]] = graph.fusion pointwise
// CHECK: graph.loop limit "8" carried(%[[C]])
// CHECK: graph.fusion pointwise(%arg0, %[[C]])
func.func @looped(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = graph.unary tanh %a : tensor<4xf32> -> tensor<4xf32>
  %y = graph.loop limit "8" carried(%c) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    %s = graph.unary neg %x : tensor<4xf32> -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  }
  %h = graph.binary mul %a, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %y, %h : tensor<4xf32>, tensor<4xf32>
}
