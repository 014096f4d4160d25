// What branches and loops do not need goes, and passes go into bodies.
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-simplify))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-cse))" | FileCheck %s --check-prefix=CSE
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=FUSED

// A capture that nobody reads is dropped, a constant is copied into the bodies that read it.
// CHECK-LABEL: func.func @captures
// CHECK: graph.if %arg0 captures(%arg1) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%arg3: tensor<4xf32>):
// CHECK-NEXT: %[[K:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK-NEXT: graph.binary add %arg3, %[[K]]
// CHECK: } else {
// CHECK-NOT: graph.constant
// CHECK: graph.yield %arg3
func.func @captures(%c: tensor<i1>, %x: tensor<4xf32>, %unread: tensor<4xf32>) -> tensor<4xf32> {
  %k = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> : tensor<4xf32>
  %y = graph.if %c captures(%unread, %k, %x)
      : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%u: tensor<4xf32>, %l: tensor<4xf32>, %a: tensor<4xf32>):
    %s = graph.binary add %a, %l : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  } else {
  ^bb0(%u: tensor<4xf32>, %l: tensor<4xf32>, %a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @results
// CHECK: graph.if %arg0 captures(%arg1) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK: graph.unary exp
// CHECK-NEXT: graph.yield
// CHECK: graph.unary abs
// CHECK-NEXT: graph.yield
func.func @results(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y:2 = graph.if %c captures(%x) : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %e = graph.unary exp %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %a, %e : tensor<4xf32>, tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.unary abs %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %n, %n : tensor<4xf32>, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}

// The symbol gets its value with the result, so that the result stays.
// CHECK-LABEL: func.func @symbol
// CHECK: graph.if %arg0 captures(%arg1) symbols [@s0]
// CHECK: graph.dims ["s0"]
graph.symbol run @s0
func.func @symbol(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<i64> {
  %y = graph.if %c captures(%x) symbols [@s0] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s0">> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.slice %a ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  %d = graph.dims ["s0"] : tensor<i64>
  return %d : tensor<i64>
}

// CHECK-LABEL: func.func @decided
// CHECK-NOT: graph.if
// CHECK: graph.unary abs %arg0
func.func @decided(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<false> : tensor<i1> : tensor<i1>
  %y = graph.if %c captures(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.unary abs %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Equal ops are one in each body; a body has nothing of another.
// CSE-LABEL: func.func @loop
// CSE: graph.unary exp
// CSE: graph.loop
// CSE: graph.unary exp
// CSE-NOT: graph.unary exp
// CSE: graph.yield
// A loop reads memory: what it is handed is computed before it, and what a body computes is a kernel of its own.
// FUSED-LABEL: func.func @loop
// FUSED: %[[E:.*]] = graph.fusion pointwise(%arg0)
// FUSED: graph.loop limit "8" carried(%[[E]]) captures(%arg0)
// FUSED: ^bb0(%[[X:.*]]: tensor<4xf32>, %[[A:.*]]: tensor<4xf32>):
// FUSED: %[[S:.*]] = graph.fusion pointwise(%[[A]], %[[X]])
// FUSED: graph.yield %[[S]]
// FUSED: graph.fusion pointwise(
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  %y = graph.loop limit "8" carried(%e) captures(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>, %a: tensor<4xf32>):
    %f = graph.unary exp %b : tensor<4xf32> -> tensor<4xf32>
    %g = graph.unary exp %b : tensor<4xf32> -> tensor<4xf32>
    %p = graph.binary mul %f, %g : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %n = graph.binary add %a, %p : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }
  %z = graph.unary neg %y : tensor<4xf32> -> tensor<4xf32>
  return %z : tensor<4xf32>
}
