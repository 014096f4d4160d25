//===- test/Target/CUDA/keep-recurrences.mlir - loops over states as one kernel ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions,func.func(cuda-keep-recurrences))" | FileCheck %s
// RUN: not cupola-opt %s --pass-pipeline="builtin.module(func.func(cuda-keep-recurrences{arch=sm_1}))" 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: architecture 'sm_1' is not known

graph.symbol run @s0 {min = 0 : i64}

// h = tanh(x[t] + h W), with the directions in front. The body's weights become an input, its fusions ops; a result that nobody reads is none.
// CHECK-LABEL: @kept
// CHECK-DAG: %[[W:.*]] = graph.constant
// CHECK: %[[F:.*]] = graph.fusion recurrence(%arg1, %arg0, %[[W]])
// CHECK-SAME: -> tensor<5x2x3x2xf32>
// CHECK: ^bb0(%[[H:.*]]: tensor<2x3x2xf32>, %[[X:.*]]: tensor<5x2x3x2xf32>, %[[R:.*]]: tensor<2x2x2xf32>):
// CHECK: %[[L:.*]]:2 = graph.loop limit "5" carried(%[[H]]) captures(%[[X]], %[[R]]) index @s0
// CHECK: ^bb0(%{{.*}}: tensor<5x2x3x2xf32>, %[[WEIGHTS:.*]]: tensor<2x2x2xf32>, %[[STATE:.*]]: tensor<2x3x2xf32>):
// CHECK-NOT: graph.fusion
// CHECK: graph.matmul %[[STATE]], %[[WEIGHTS]]
// CHECK: graph.unary tanh
// CHECK: graph.yield %[[L]]#1
// CHECK: return %[[F]]
func.func @kept(%x: tensor<5x2x3x2xf32>, %h: tensor<2x3x2xf32>) -> tensor<5x2x3x2xf32> {
  %last, %all = graph.loop limit "5" carried(%h) captures(%x) index @s0
      : (tensor<2x3x2xf32>, tensor<5x2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<5x2x3x2xf32>) {
  ^bb0(%in: tensor<5x2x3x2xf32>, %state: tensor<2x3x2xf32>):
    %w = graph.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32> : tensor<2x2x2xf32>
    %0 = graph.slice %in ["s0", "0", "0", "0"] [1, 1, 1, 1] : tensor<5x2x3x2xf32> -> tensor<1x2x3x2xf32>
    %1 = graph.reshape %0 : tensor<1x2x3x2xf32> -> tensor<2x3x2xf32>
    %2 = graph.matmul %state, %w : tensor<2x3x2xf32>, tensor<2x2x2xf32> -> tensor<2x3x2xf32>
    %3 = graph.binary add %1, %2 : tensor<2x3x2xf32>, tensor<2x3x2xf32> -> tensor<2x3x2xf32>
    %4 = graph.unary tanh %3 : tensor<2x3x2xf32> -> tensor<2x3x2xf32>
    graph.yield %4, %4 : tensor<2x3x2xf32>, tensor<2x3x2xf32>
  }
  return %all : tensor<5x2x3x2xf32>
}

// Without directions the product is one of matrices. It is of what a gate has made of the state, and gates are parts of the first product.
// CHECK-LABEL: @gates
// CHECK: graph.fusion recurrence
// CHECK: graph.matmul {{.*}} tensor<3x8xf32>, tensor<8x16xf32>
// CHECK: graph.matmul {{.*}} tensor<3x8xf32>, tensor<8x8xf32>
func.func @gates(%w: tensor<8x16xf32>, %v: tensor<8x8xf32>, %h: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %last = graph.loop limit "5" carried(%h) captures(%w, %v)
      : (tensor<1x3x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<8x8xf32>, %state: tensor<1x3x8xf32>):
    %rows = graph.reshape %state : tensor<1x3x8xf32> -> tensor<3x8xf32>
    %0 = graph.matmul %rows, %a : tensor<3x8xf32>, tensor<8x16xf32> -> tensor<3x16xf32>
    %1 = graph.slice %0 ["0", "8"] [1, 1] : tensor<3x16xf32> -> tensor<3x8xf32>
    %2 = graph.unary sigmoid %1 : tensor<3x8xf32> -> tensor<3x8xf32>
    %3 = graph.binary mul %2, %rows : tensor<3x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
    %4 = graph.matmul %3, %b : tensor<3x8xf32>, tensor<8x8xf32> -> tensor<3x8xf32>
    %5 = graph.slice %0 ["0", "0"] [1, 1] : tensor<3x16xf32> -> tensor<3x8xf32>
    %6 = graph.binary add %4, %5 : tensor<3x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
    %7 = graph.reshape %6 : tensor<3x8xf32> -> tensor<1x3x8xf32>
    graph.yield %7 : tensor<1x3x8xf32>
  }
  return %last : tensor<1x3x8xf32>
}

// Refused: a state of the other direction.
// CHECK-LABEL: @crossed
// CHECK-NOT: graph.fusion recurrence
func.func @crossed(%w: tensor<2x8x8xf32>, %h: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %last = graph.loop limit "5" carried(%h) captures(%w) : (tensor<2x3x8xf32>, tensor<2x8x8xf32>) -> tensor<2x3x8xf32> {
  ^bb0(%a: tensor<2x8x8xf32>, %state: tensor<2x3x8xf32>):
    %0 = graph.slice %state ["1", "0", "0"] [-1, 1, 1] : tensor<2x3x8xf32> -> tensor<2x3x8xf32>
    %1 = graph.matmul %0, %a : tensor<2x3x8xf32>, tensor<2x8x8xf32> -> tensor<2x3x8xf32>
    graph.yield %1 : tensor<2x3x8xf32>
  }
  return %last : tensor<2x3x8xf32>
}

// Part of a product that is no whole state.
// CHECK-LABEL: @shifted
// CHECK-NOT: graph.fusion recurrence
func.func @shifted(%w: tensor<2x8x16xf32>, %h: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %last = graph.loop limit "5" carried(%h) captures(%w) : (tensor<2x3x8xf32>, tensor<2x8x16xf32>) -> tensor<2x3x8xf32> {
  ^bb0(%a: tensor<2x8x16xf32>, %state: tensor<2x3x8xf32>):
    %0 = graph.matmul %state, %a : tensor<2x3x8xf32>, tensor<2x8x16xf32> -> tensor<2x3x16xf32>
    %1 = graph.slice %0 ["0", "0", "4"] [1, 1, 1] : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
    graph.yield %1 : tensor<2x3x8xf32>
  }
  return %last : tensor<2x3x8xf32>
}

// Weights of each iteration.
// CHECK-LABEL: @moving
// CHECK-NOT: graph.fusion recurrence
func.func @moving(%w: tensor<5x8x8xf32>, %h: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %last = graph.loop limit "5" carried(%h) captures(%w) index @s0 : (tensor<1x3x8xf32>, tensor<5x8x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%a: tensor<5x8x8xf32>, %state: tensor<1x3x8xf32>):
    %0 = graph.slice %a ["s0", "0", "0"] [1, 1, 1] : tensor<5x8x8xf32> -> tensor<1x8x8xf32>
    %1 = graph.matmul %state, %0 : tensor<1x3x8xf32>, tensor<1x8x8xf32> -> tensor<1x3x8xf32>
    graph.yield %1 : tensor<1x3x8xf32>
  }
  return %last : tensor<1x3x8xf32>
}

// Weights times the iteration, and some of two matrices by the iteration: the index is the same in all, what stands there is not.
// CHECK-LABEL: @stepping
// CHECK-NOT: graph.fusion recurrence
func.func @stepping(%w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %h: tensor<1x3x8xf32>) -> (tensor<1x3x8xf32>, tensor<1x3x8xf32>) {
  %0 = graph.loop limit "5" carried(%h) captures(%w) index @s0 : (tensor<1x3x8xf32>, tensor<8x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%a: tensor<8x8xf32>, %state: tensor<1x3x8xf32>):
    %2 = graph.dims ["s0"] : tensor<1x1xf32>
    %3 = graph.broadcast %2 : tensor<1x1xf32> -> tensor<8x8xf32>
    %4 = graph.binary mul %a, %3 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %5 = graph.reshape %state : tensor<1x3x8xf32> -> tensor<3x8xf32>
    %6 = graph.matmul %5, %4 : tensor<3x8xf32>, tensor<8x8xf32> -> tensor<3x8xf32>
    %7 = graph.reshape %6 : tensor<3x8xf32> -> tensor<1x3x8xf32>
    graph.yield %7 : tensor<1x3x8xf32>
  }
  %1 = graph.loop limit "5" carried(%h) captures(%w, %v) index @s0
      : (tensor<1x3x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %state: tensor<1x3x8xf32>):
    %2 = graph.slice %a ["0", "0"] [1, 1] : tensor<8x8xf32> -> tensor<?x8xf32, #graph.shape<"s0", "8">>
    %3 = graph.slice %b ["s0", "0"] [1, 1] : tensor<8x8xf32> -> tensor<?x8xf32, #graph.shape<"-s0 + 8", "8">>
    %4 = graph.concat %2, %3 axis 0 : tensor<?x8xf32, #graph.shape<"s0", "8">>, tensor<?x8xf32, #graph.shape<"-s0 + 8", "8">> -> tensor<8x8xf32>
    %5 = graph.reshape %state : tensor<1x3x8xf32> -> tensor<3x8xf32>
    %6 = graph.matmul %5, %4 : tensor<3x8xf32>, tensor<8x8xf32> -> tensor<3x8xf32>
    %7 = graph.reshape %6 : tensor<3x8xf32> -> tensor<1x3x8xf32>
    graph.yield %7 : tensor<1x3x8xf32>
  }
  return %0, %1 : tensor<1x3x8xf32>, tensor<1x3x8xf32>
}

// Weights that are a state.
// CHECK-LABEL: @squared
// CHECK-NOT: graph.fusion recurrence
func.func @squared(%h: tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  %last = graph.loop limit "5" carried(%h) : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  ^bb0(%state: tensor<1x8x8xf32>):
    %0 = graph.matmul %state, %state : tensor<1x8x8xf32>, tensor<1x8x8xf32> -> tensor<1x8x8xf32>
    graph.yield %0 : tensor<1x8x8xf32>
  }
  return %last : tensor<1x8x8xf32>
}

// A sum over a state's rows; no product; data that ends the loop.
// CHECK-LABEL: @others
// CHECK-NOT: graph.fusion recurrence
func.func @others(%w: tensor<1x8x8xf32>, %h: tensor<1x3x8xf32>, %trip: tensor<i64>)
    -> (tensor<1x3x8xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>) {
  %0 = graph.loop limit "5" carried(%h) captures(%w) : (tensor<1x3x8xf32>, tensor<1x8x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%a: tensor<1x8x8xf32>, %state: tensor<1x3x8xf32>):
    %4 = graph.reduce sum %state [1] : tensor<1x3x8xf32> -> tensor<1x1x8xf32>
    %6 = graph.broadcast %4 : tensor<1x1x8xf32> -> tensor<1x3x8xf32>
    %7 = graph.matmul %6, %a : tensor<1x3x8xf32>, tensor<1x8x8xf32> -> tensor<1x3x8xf32>
    graph.yield %7 : tensor<1x3x8xf32>
  }
  %1 = graph.loop limit "5" carried(%h) : (tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%state: tensor<1x3x8xf32>):
    %4 = graph.unary tanh %state : tensor<1x3x8xf32> -> tensor<1x3x8xf32>
    graph.yield %4 : tensor<1x3x8xf32>
  }
  %2 = graph.loop limit "5" trip %trip carried(%h) captures(%w)
      : (tensor<i64>, tensor<1x3x8xf32>, tensor<1x8x8xf32>) -> tensor<1x3x8xf32> {
  ^bb0(%a: tensor<1x8x8xf32>, %state: tensor<1x3x8xf32>):
    %4 = graph.matmul %state, %a : tensor<1x3x8xf32>, tensor<1x8x8xf32> -> tensor<1x3x8xf32>
    graph.yield %4 : tensor<1x3x8xf32>
  }
  return %0, %1, %2 : tensor<1x3x8xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>
}

// Weights for which there are no registers; so many rows that steps have work for all multiprocessors; sums that no schedule has.
// CHECK-LABEL: @large
// CHECK-NOT: graph.fusion recurrence
func.func @large(%w: tensor<1x2048x8192xf32>, %h: tensor<1x3x2048xf32>, %v: tensor<1x8x8xf32>, %g: tensor<1x64x8xf32>, %u: tensor<1x8x8xf64>,
                 %f: tensor<1x3x8xf64>) -> (tensor<1x3x2048xf32>, tensor<1x64x8xf32>, tensor<1x3x8xf64>) {
  %0 = graph.loop limit "5" carried(%h) captures(%w) : (tensor<1x3x2048xf32>, tensor<1x2048x8192xf32>) -> tensor<1x3x2048xf32> {
  ^bb0(%a: tensor<1x2048x8192xf32>, %state: tensor<1x3x2048xf32>):
    %4 = graph.matmul %state, %a : tensor<1x3x2048xf32>, tensor<1x2048x8192xf32> -> tensor<1x3x8192xf32>
    %5 = graph.slice %4 ["0", "0", "2048"] [1, 1, 1] : tensor<1x3x8192xf32> -> tensor<1x3x2048xf32>
    graph.yield %5 : tensor<1x3x2048xf32>
  }
  %1 = graph.loop limit "5" carried(%g) captures(%v) : (tensor<1x64x8xf32>, tensor<1x8x8xf32>) -> tensor<1x64x8xf32> {
  ^bb0(%a: tensor<1x8x8xf32>, %state: tensor<1x64x8xf32>):
    %4 = graph.matmul %state, %a : tensor<1x64x8xf32>, tensor<1x8x8xf32> -> tensor<1x64x8xf32>
    graph.yield %4 : tensor<1x64x8xf32>
  }
  %2 = graph.loop limit "5" carried(%f) captures(%u) : (tensor<1x3x8xf64>, tensor<1x8x8xf64>) -> tensor<1x3x8xf64> {
  ^bb0(%a: tensor<1x8x8xf64>, %state: tensor<1x3x8xf64>):
    %4 = graph.matmul %state, %a : tensor<1x3x8xf64>, tensor<1x8x8xf64> -> tensor<1x3x8xf64>
    graph.yield %4 : tensor<1x3x8xf64>
  }
  return %0, %1, %2 : tensor<1x3x2048xf32>, tensor<1x64x8xf32>, tensor<1x3x8xf64>
}
