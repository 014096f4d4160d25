// What knows its extents earlier comes earlier: bodies of the plan nest as deep as extents follow from each other.
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-order-extents))" | FileCheck %s

graph.symbol run @s0
graph.symbol run @s1
graph.symbol run @s2

// Two extents that do not follow from each other: their branches stand side by side, behind what knows its extents,
// too; what uses them keeps its order.
// CHECK-LABEL: func.func @beside
// CHECK-NEXT: graph.unary sqrt
// CHECK-NEXT: graph.if {{.*}} symbols [@s0]
// CHECK: graph.if {{.*}} symbols [@s1]
// CHECK: graph.dims ["s0"]
// CHECK-NEXT: graph.unary exp
// CHECK-NEXT: graph.unary abs
// CHECK-NEXT: return
func.func @beside(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<i64>, tensor<?xf32, #graph.shape<"s0">>, tensor<?xf32, #graph.shape<"s1">>) {
  %a = graph.if %c captures(%x) symbols [@s0] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s0">> {
  ^bb0(%p: tensor<4xf32>):
    graph.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    %n = graph.slice %p ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  %d = graph.dims ["s0"] : tensor<i64>
  %e = graph.unary exp %a : tensor<?xf32, #graph.shape<"s0">> -> tensor<?xf32, #graph.shape<"s0">>
  %r = graph.unary sqrt %x : tensor<4xf32> -> tensor<4xf32>
  %b = graph.if %c captures(%r) symbols [@s1] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s1">> {
  ^bb0(%p: tensor<4xf32>):
    graph.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    %n = graph.slice %p ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  %f = graph.unary abs %b : tensor<?xf32, #graph.shape<"s1">> -> tensor<?xf32, #graph.shape<"s1">>
  return %d, %e, %f : tensor<i64>, tensor<?xf32, #graph.shape<"s0">>, tensor<?xf32, #graph.shape<"s1">>
}

// One that follows from another waits for it.
// CHECK-LABEL: func.func @behind
// CHECK-NEXT: graph.if {{.*}} symbols [@s0]
// CHECK: graph.dims ["s0"]
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.broadcast
// CHECK-NEXT: graph.if {{.*}} symbols [@s1]
// CHECK: graph.unary exp {{.*}}"s1"
func.func @behind(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s1">> {
  %a = graph.if %c captures(%x) symbols [@s0] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s0">> {
  ^bb0(%p: tensor<4xf32>):
    graph.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    %n = graph.slice %p ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  %d = graph.dims ["s0"] : tensor<i64>
  %k = graph.cast %d : tensor<i64> -> tensor<f32>
  %l = graph.reshape %k : tensor<f32> -> tensor<1xf32>
  %w = graph.broadcast %l : tensor<1xf32> -> tensor<4xf32>
  %b = graph.if %c captures(%w) symbols [@s1] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s1">> {
  ^bb0(%p: tensor<4xf32>):
    graph.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    %n = graph.slice %p ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  %e = graph.unary exp %b : tensor<?xf32, #graph.shape<"s1">> -> tensor<?xf32, #graph.shape<"s1">>
  return %e : tensor<?xf32, #graph.shape<"s1">>
}

// A single one: nothing moves.
// CHECK-LABEL: func.func @single
// CHECK-NEXT: graph.if
// CHECK: graph.dims
// CHECK-NEXT: graph.unary sqrt
func.func @single(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  %a = graph.if %c captures(%x) symbols [@s2] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s2">> {
  ^bb0(%p: tensor<4xf32>):
    graph.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    %n = graph.slice %p ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  %d = graph.dims ["s2"] : tensor<i64>
  %r = graph.unary sqrt %x : tensor<4xf32> -> tensor<4xf32>
  return %d, %r : tensor<i64>, tensor<4xf32>
}
