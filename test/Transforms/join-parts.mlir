//===- test/Transforms/join-parts.mlir - many computed parts are written in place ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-join-parts))" | FileCheck %s

// A growing list is one memory: every concat is the beginning of the next.
// CHECK-LABEL: @growing
// CHECK: %[[TWO:.*]] = graph.join %{{.*}}, %{{.*}} axis 1
// CHECK: %[[FOUR:.*]] = graph.join %[[TWO]], %{{.*}}, %{{.*}} axis 1
// CHECK: %[[FIVE:.*]] = graph.join %[[FOUR]], %{{.*}} axis 1
// CHECK-NOT: graph.concat
// CHECK: return
func.func @growing(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %v: tensor<12x6xf32>, %u: tensor<24x6xf32>) -> tensor<4x1xf32> {
  %a = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %s = graph.softmax %a axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %b = graph.unary exp %s : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = graph.concat %a, %b axis 1 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x12xf32>
  %c = graph.matmul %2, %v : tensor<4x12xf32>, tensor<12x6xf32> -> tensor<4x6xf32>
  %d = graph.softmax %c axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %4 = graph.concat %a, %b, %c, %d axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x24xf32>
  %e = graph.matmul %4, %u : tensor<4x24xf32>, tensor<24x6xf32> -> tensor<4x6xf32>
  %5 = graph.concat %a, %b, %c, %d, %e axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x30xf32>
  %r = graph.reduce sum %5 [1] : tensor<4x30xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// Four parts are read where they are.
// CHECK-LABEL: @four
// CHECK: graph.concat
// CHECK-NOT: graph.join
// CHECK: return
func.func @four(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x1xf32> {
  %a = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %b = graph.softmax %a axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %c = graph.softmax %b axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %d = graph.softmax %c axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %4 = graph.concat %a, %b, %c, %d axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x24xf32>
  %r = graph.reduce sum %4 [1] : tensor<4x24xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// An input would have to be copied.
// CHECK-LABEL: @input
// CHECK-NOT: graph.join
// CHECK: return
func.func @input(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x1xf32> {
  %a = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %b = graph.softmax %a axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %c = graph.softmax %b axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %d = graph.softmax %c axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = graph.concat %a, %b, %c, %d, %x axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x8xf32> -> tensor<4x32xf32>
  %r = graph.reduce sum %5 [1] : tensor<4x32xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// What is a result of the model, or stands twice in the concat, needs memory of its own.
// CHECK-LABEL: @shared
// CHECK-NOT: graph.join
// CHECK: return
func.func @shared(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %a = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %b = graph.softmax %a axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %c = graph.softmax %b axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %d = graph.softmax %c axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %e = graph.softmax %d axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = graph.concat %a, %b, %c, %d, %e axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x30xf32>
  %6 = graph.concat %b, %c, %d, %b, %c axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x30xf32>
  %r = graph.reduce sum %5 [1] : tensor<4x30xf32> -> tensor<4x1xf32>
  %s = graph.reduce sum %6 [1] : tensor<4x30xf32> -> tensor<4x1xf32>
  return %e, %r, %s : tensor<4x6xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// Arithmetic on inputs is computed where it is read.
// CHECK-LABEL: @arithmetic
// CHECK-NOT: graph.join
// CHECK: return
func.func @arithmetic(%x: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %a = graph.unary exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %b = graph.unary sin %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %c = graph.unary cos %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %d = graph.unary neg %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %e = graph.unary abs %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = graph.concat %a, %b, %c, %d, %e axis 1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x30xf32>
  %r = graph.reduce sum %5 [1] : tensor<4x30xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// What is interpolated is written where it stands, however few parts there are; the input is copied.
// CHECK-LABEL: @interpolated
// CHECK: %[[MIXED:.*]] = graph.transpose
// CHECK: graph.join %[[MIXED]], %arg1 axis 1
// CHECK-NOT: graph.concat
// CHECK: return
func.func @interpolated(%x: tensor<6x4xf32>, %y: tensor<4x3xf32>, %low: tensor<8xi32>, %high: tensor<8xi32>) -> tensor<4x1xf32> {
  %l = graph.gather %x, %low axis 0 {in_range} : tensor<6x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
  %h = graph.gather %x, %high axis 0 {in_range} : tensor<6x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
  %m = graph.binary add %l, %h : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %t = graph.transpose %m [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %c = graph.concat %t, %y axis 1 : tensor<4x8xf32>, tensor<4x3xf32> -> tensor<4x11xf32>
  %r = graph.reduce sum %c [1] : tensor<4x11xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// What is looked up once, and what another reader needs in memory of its own, stay parts.
// CHECK-LABEL: @lookedUp
// CHECK-COUNT-2: graph.concat
// CHECK-NOT: graph.join
// CHECK: return
func.func @lookedUp(%x: tensor<6x4xf32>, %y: tensor<3x4xf32>, %low: tensor<8xi32>, %high: tensor<8xi32>) -> (tensor<8x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %l = graph.gather %x, %low axis 0 {in_range} : tensor<6x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
  %h = graph.gather %x, %high axis 0 {in_range} : tensor<6x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
  %m = graph.binary add %l, %h : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %c = graph.concat %l, %y axis 0 : tensor<8x4xf32>, tensor<3x4xf32> -> tensor<11x4xf32>
  %d = graph.concat %m, %y axis 0 : tensor<8x4xf32>, tensor<3x4xf32> -> tensor<11x4xf32>
  %r = graph.reduce sum %c [0] : tensor<11x4xf32> -> tensor<1x4xf32>
  %s = graph.reduce sum %d [0] : tensor<11x4xf32> -> tensor<1x4xf32>
  return %m, %r, %s : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}
