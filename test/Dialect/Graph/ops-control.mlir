//===- test/Dialect/Graph/ops-control.mlir - branches and loops, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// CHECK: graph.symbol run @s0 {min = 0 : i64}
graph.symbol run @s0 {min = 0 : i64}
graph.symbol run @s1
graph.symbol run @s2
graph.symbol run @s3

// CHECK-LABEL: func.func @branch
// CHECK: graph.if %arg0 captures(%arg1) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK: } else {
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.if %c captures(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.unary neg %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @nothing
// CHECK: graph.if %arg0 : (tensor<i1>) -> () {
// CHECK-NEXT: graph.yield{{$}}
// CHECK-NEXT: } else {
// CHECK-NEXT: graph.yield{{$}}
func.func @nothing(%c: tensor<i1>) {
  graph.if %c : (tensor<i1>) -> () {
    graph.yield
  } else {
    graph.yield
  }
  return
}

// CHECK-LABEL: func.func @extent
// CHECK: graph.if %arg0 captures(%arg1) symbols [@s0]
func.func @extent(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s0">> {
  %y = graph.if %c captures(%x) symbols [@s0] : (tensor<i1>, tensor<4xf32>) -> tensor<?xf32, #graph.shape<"s0">> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.slice %a ["1"] [1] : tensor<4xf32> -> tensor<3xf32>
    graph.yield %n : tensor<3xf32>
  }
  return %y : tensor<?xf32, #graph.shape<"s0">>
}

// CHECK-LABEL: func.func @loop
// CHECK: graph.loop limit "8" carried(%arg0) captures(%arg1) index @s1
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %s, %all = graph.loop limit "8" carried(%x) captures(%w) index @s1
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%b: tensor<4xf32>, %a: tensor<4xf32>):
    %n = graph.binary add %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %n, %n : tensor<4xf32>, tensor<4xf32>
  }
  return %s, %all : tensor<4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @grow
// CHECK: graph.loop trip %arg0 while %arg1 proceeds carried(%arg2) count @s1 symbols [@s2, @s3]
func.func @grow(%m: tensor<i64>, %c: tensor<i1>, %x: tensor<1xi1>) -> tensor<?xi1, #graph.shape<"s3">> {
  %s = graph.loop trip %m while %c proceeds carried(%x) count @s1 symbols [@s2, @s3]
      : (tensor<i64>, tensor<i1>, tensor<1xi1>) -> tensor<?xi1, #graph.shape<"s3">> {
  ^bb0(%a: tensor<?xi1, #graph.shape<"s2">>):
    %t = graph.constant dense<true> : tensor<1xi1> : tensor<1xi1>
    %n = graph.concat %a, %t axis 0
        : tensor<?xi1, #graph.shape<"s2">>, tensor<1xi1> -> tensor<?xi1, #graph.shape<"s2 + 1">>
    graph.yield %t, %n : tensor<1xi1>, tensor<?xi1, #graph.shape<"s2 + 1">>
  }
  return %s : tensor<?xi1, #graph.shape<"s3">>
}

// CHECK-LABEL: func.func @rows
// CHECK: graph.loop limit "4*s0" captures(%arg0) : (tensor<2xf32>) -> tensor<?x2xf32, #graph.shape<"4*s0", "2">> {
// CHECK: graph.yield %{{.*}} : tensor<2xf32>
func.func @rows(%x: tensor<2xf32>) -> tensor<?x2xf32, #graph.shape<"4*s0", "2">> {
  %y = graph.loop limit "4*s0" captures(%x) : (tensor<2xf32>) -> tensor<?x2xf32, #graph.shape<"4*s0", "2">> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return %y : tensor<?x2xf32, #graph.shape<"4*s0", "2">>
}
