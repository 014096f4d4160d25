//===- test/Transforms/simplify.mlir - what `simplify` drops, merges and moves ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-simplify))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-simplify,graph-fold-constants))" | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @identities
// CHECK-NEXT: return %arg0
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.transpose %0 [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.broadcast %1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.slice %2 ["0", "0"] [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.cast %3 : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = graph.pad %4 ["0", "0"] constant 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = graph.concat %5 axis 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// A transpose of equal extents and a slice with a step are no identities.
// CHECK-LABEL: @no_identities
// CHECK: graph.transpose
// CHECK: graph.slice
func.func @no_identities(%x: tensor<3x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = graph.slice %0 ["0", "0"] [1, 2] : tensor<3x3xf32> -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @merged_views
// CHECK-NEXT: graph.slice %arg0 ["1", "s0 + 6"] [2, 2] : {{.*}} -> tensor<2x2xf32>
// CHECK-NEXT: graph.transpose {{.*}} [1, 0]
// CHECK-NEXT: graph.reshape {{.*}} -> tensor<4x1x1xf32>
// CHECK-NEXT: graph.broadcast {{.*}} -> tensor<4x3x5xf32>
// CHECK-NEXT: return
graph.symbol @s0
func.func @merged_views(%x: tensor<8x?xf32, #graph.shape<"8", "s0 + 20">>) -> tensor<4x3x5xf32> {
  %0 = graph.slice %x ["1", "s0"] [1, 2] : tensor<8x?xf32, #graph.shape<"8", "s0 + 20">> -> tensor<4x8xf32>
  %1 = graph.slice %0 ["0", "3"] [2, 1] : tensor<4x8xf32> -> tensor<2x2xf32>
  %2 = graph.reshape %1 : tensor<2x2xf32> -> tensor<1x2x2xf32>
  %3 = graph.reshape %2 : tensor<1x2x2xf32> -> tensor<2x2xf32>
  %4 = graph.transpose %3 [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %5 = graph.reshape %4 : tensor<2x2xf32> -> tensor<4xf32>
  %6 = graph.reshape %5 : tensor<4xf32> -> tensor<4x1x1xf32>
  %7 = graph.broadcast %6 : tensor<4x1x1xf32> -> tensor<4x3x1xf32>
  %8 = graph.broadcast %7 : tensor<4x3x1xf32> -> tensor<4x3x5xf32>
  return %8 : tensor<4x3x5xf32>
}

// CHECK-LABEL: @transposes_cancel
// CHECK-NEXT: return %arg0
func.func @transposes_cancel(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = graph.transpose %0 [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @unit_transpose
// CHECK-NEXT: graph.reshape %arg0
// CHECK-NEXT: return
func.func @unit_transpose(%x: tensor<1x3x1x4xf32>) -> tensor<3x1x1x4xf32> {
  %0 = graph.transpose %x [1, 2, 0, 3] : tensor<1x3x1x4xf32> -> tensor<3x1x1x4xf32>
  return %0 : tensor<3x1x1x4xf32>
}

// CHECK-LABEL: @neutral
// CHECK-NEXT: return %arg0, %arg1
func.func @neutral(%x: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %one = graph.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %ones = graph.broadcast %one : tensor<1xf32> -> tensor<4xf32>
  %zeros = graph.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %true = graph.constant dense<true> : tensor<4xi1> : tensor<4xi1>
  %0 = graph.binary mul %ones, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary add %0, %zeros : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary div %1, %ones : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.unary neg %2 : tensor<4xf32> -> tensor<4xf32>
  %4 = graph.unary neg %3 : tensor<4xf32> -> tensor<4xf32>
  %5 = graph.select %true, %4, %zeros : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary and %c, %true : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  %7 = graph.unary not %6 : tensor<4xi1> -> tensor<4xi1>
  %8 = graph.unary not %7 : tensor<4xi1> -> tensor<4xi1>
  return %5, %8 : tensor<4xf32>, tensor<4xi1>
}

// A zero point of zeros, as wide as what it is taken from.
// CHECK-LABEL: @neutral_behind_casts
// CHECK-NEXT: return %arg0
func.func @neutral_behind_casts(%x: tensor<4x2xi16>) -> tensor<4x2xi16> {
  %zeros = graph.constant dense<0> : tensor<4x1xi8> : tensor<4x1xi8>
  %0 = graph.cast %zeros : tensor<4x1xi8> -> tensor<4x1xi16>
  %1 = graph.broadcast %0 : tensor<4x1xi16> -> tensor<4x2xi16>
  %2 = graph.binary sub %x, %1 : tensor<4x2xi16>, tensor<4x2xi16> -> tensor<4x2xi16>
  return %2 : tensor<4x2xi16>
}
// CHECK-LABEL: @not_behind_casts
// CHECK: graph.binary sub
func.func @not_behind_casts(%x: tensor<4xi8>) -> tensor<4xi8> {
  %many = graph.constant dense<257> : tensor<4xi32> : tensor<4xi32>
  %0 = graph.cast %many : tensor<4xi32> -> tensor<4xi8>
  %1 = graph.binary sub %x, %0 : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// 0 - x, 1 / x and x * 0 (NaN!) are something else.
// CHECK-LABEL: @not_neutral
// CHECK: graph.binary sub
// CHECK: graph.binary div
// CHECK: graph.binary mul
func.func @not_neutral(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ones = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %zeros = graph.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary sub %zeros, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary div %ones, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary mul %1, %zeros : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @reductions
// CHECK-NEXT: %[[R:.*]] = graph.reduce sum %arg0 [0, 1]
// CHECK-NEXT: return %arg0, %[[R]]
func.func @reductions(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<1x1xf32>) {
  %0 = graph.reduce mean %x [1] : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = graph.reduce sum %x [0, 1] : tensor<4x1xf32> -> tensor<1x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<1x1xf32>
}

// CHECK-LABEL: @factors
// CHECK: graph.constant dense<1.500000e+00>
// CHECK-NEXT: graph.binary mul %arg0
// CHECK-NEXT: return
func.func @factors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %six = graph.constant dense<6.0> : tensor<4xf32> : tensor<4xf32>
  %four = graph.constant dense<4.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %x, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary div %0, %four : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @square
// CHECK: graph.binary mul %arg0, %arg0
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary pow %x, %two : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Gathers at constant places: one, from the end, and a progression.
// CHECK-LABEL: @gathers
// CHECK: graph.slice %arg0 ["0", "1", "0"] [1, 1, 1] : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
// CHECK: graph.slice %arg0 ["0", "0", "3"] [1, 1, 1] : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
// CHECK: graph.slice %arg0 ["0", "0", "3"] [1, 1, -2] : tensor<2x3x4xf32> -> tensor<2x3x2xf32>
// CHECK: return
func.func @gathers(%x: tensor<2x3x4xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3x2xf32>) {
  %one = graph.constant dense<1> : tensor<i64> : tensor<i64>
  %last = graph.constant dense<-1> : tensor<i64> : tensor<i64>
  %down = graph.constant dense<[3, 1]> : tensor<2xi64> : tensor<2xi64>
  %0 = graph.gather %x, %one axis 1 : tensor<2x3x4xf32>, tensor<i64> -> tensor<2x4xf32>
  %1 = graph.gather %x, %last axis 2 : tensor<2x3x4xf32>, tensor<i64> -> tensor<2x3xf32>
  %2 = graph.gather %x, %down axis 2 : tensor<2x3x4xf32>, tensor<2xi64> -> tensor<2x3x2xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3x2xf32>
}

// Out of range, which is an error of the run; no progression; a place that may not exist.
// CHECK-LABEL: @gathers_refused
// CHECK-COUNT-3: graph.gather
// CHECK: return
func.func @gathers_refused(%x: tensor<4x2xf32>, %y: tensor<?x2xf32, #graph.shape<"s0", "2">>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) {
  %four = graph.constant dense<4> : tensor<i64> : tensor<i64>
  %any = graph.constant dense<[0, 1, 3]> : tensor<3xi64> : tensor<3xi64>
  %0 = graph.gather %x, %four axis 0 : tensor<4x2xf32>, tensor<i64> -> tensor<2xf32>
  %1 = graph.gather %x, %any axis 0 : tensor<4x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
  %2 = graph.gather %y, %four axis 0 : tensor<?x2xf32, #graph.shape<"s0", "2">>, tensor<i64> -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>
}

// Constants side by side are one part: splats of one value, and weights of which all elements are equal, are a
// splat; others a concat of their own, unless something else reads them.
// CHECK-LABEL: @constant_parts
// CHECK-DAG: %[[ZEROS:.*]] = graph.constant dense<0.000000e+00> : tensor<5x2xf32>
// CHECK-DAG: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<1x2xf32>
// CHECK: %[[OTHERS:.*]] = graph.concat %{{.*}}, %{{.*}} axis 0 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
// CHECK: %[[ALL:.*]] = graph.concat %[[ZEROS]], %[[ONES]], %arg0, %[[OTHERS]], %[[READ:.*]] axis 0
// CHECK: return %[[ALL]], %[[READ]]
// FOLDED-LABEL: @constant_parts
// FOLDED: graph.constant dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// FOLDED: graph.concat {{.*}} -> tensor<10x2xf32>
// FOLDED-NEXT: return
func.func @constant_parts(%x: tensor<1x2xf32>) -> (tensor<10x2xf32>, tensor<1x2xf32>) {
  %0 = graph.constant dense<0.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %1 = graph.constant dense_resource<zeros> : tensor<3x2xf32> : tensor<3x2xf32>
  %2 = graph.constant dense<1.0> : tensor<1x2xf32> : tensor<1x2xf32>
  %3 = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %4 = graph.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %5 = graph.constant dense<[[5.0, 6.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %6 = graph.concat %0, %1, %2, %x, %3, %4, %5 axis 0 : tensor<2x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32> -> tensor<10x2xf32>
  return %6, %5 : tensor<10x2xf32>, tensor<1x2xf32>
}

// CHECK-LABEL: @only_splats
// CHECK-NEXT: %[[ALL:.*]] = graph.constant dense<true> : tensor<2x3xi1>
// CHECK-NEXT: return %[[ALL]]
func.func @only_splats() -> tensor<2x3xi1> {
  %0 = graph.constant dense<true> : tensor<2x1xi1> : tensor<2x1xi1>
  %1 = graph.constant dense<true> : tensor<2x2xi1> : tensor<2x2xi1>
  %2 = graph.concat %0, %1 axis 1 : tensor<2x1xi1>, tensor<2x2xi1> -> tensor<2x3xi1>
  return %2 : tensor<2x3xi1>
}

{-#
  dialect_resources: {
    builtin: { zeros: "0x04000000000000000000000000000000000000000000000000000000" }
  }
#-}
