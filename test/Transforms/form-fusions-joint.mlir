//===- test/Transforms/form-fusions-joint.mlir - reductions of the same values, in one kernel or not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{epilogues=false})" | FileCheck %s --check-prefix=OFF

// What a quantiser asks for: both ends of the range, of them the step and the zero point. The kernel has two results, one of which the
// other is computed from; what reads them stands where it may.
// CHECK-LABEL: graph.verdicts @range
// CHECK-SAME: <fused joint : loc("least") -> loc("low") because "reductions of the same values are one kernel">
// CHECK-SAME: <fused joint : loc("largest") -> loc("high")
// CHECK-SAME: <fused epilogue : loc("low") -> loc("range")
// CHECK-SAME: <fused epilogue : loc("step") -> loc("zero")
// CHECK: func.func @range
// CHECK: %[[R:.*]]:2 = graph.fusion reduction(%arg0) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-DAG: graph.reduce min
// CHECK-DAG: graph.reduce max
// CHECK: }
// CHECK: graph.fusion pointwise(
// CHECK: return
// OFF-LABEL: func.func @range
// OFF-COUNT-2: graph.fusion reduction(
func.func @range(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<f32>) {
  %none = graph.constant dense<0.0> : tensor<1x1xf32> : tensor<1x1xf32>
  %0 = graph.reduce min %x [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32> loc("least")
  %1 = graph.binary min %0, %none : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32> loc("low")
  %2 = graph.reshape %1 : tensor<1x1xf32> -> tensor<f32>
  %3 = graph.reduce max %x [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32> loc("largest")
  %4 = graph.binary max %3, %none : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32> loc("high")
  %5 = graph.reshape %4 : tensor<1x1xf32> -> tensor<f32>
  %6 = graph.binary sub %5, %2 : tensor<f32>, tensor<f32> -> tensor<f32> loc("range")
  %7 = graph.unary sqrt %6 : tensor<f32> -> tensor<f32> loc("step")
  %8 = graph.reshape %7 : tensor<f32> -> tensor<1x1xf32>
  %9 = graph.broadcast %8 : tensor<1x1xf32> -> tensor<4x8xf32>
  %10 = graph.binary div %x, %9 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %11 = graph.binary div %2, %7 : tensor<f32>, tensor<f32> -> tensor<f32> loc("zero")
  return %10, %11 : tensor<4x8xf32>, tensor<f32>
}

// Each goes its own way: three results, what follows them is in the kernel.
// CHECK-LABEL: func.func @three
// CHECK: %[[R:.*]]:3 = graph.fusion reduction(%arg0) : (tensor<4x8xf16>) -> (tensor<4x1xf16>, tensor<4x1xf16>, tensor<4x1xf16>)
// CHECK: graph.reduce
// CHECK: graph.unary exp
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @three(%x: tensor<4x8xf16>) -> (tensor<4x1xf16>, tensor<4x1xf16>, tensor<4x1xf16>) {
  %0 = graph.reduce mean %x [1] : tensor<4x8xf16> -> tensor<4x1xf16>
  %1 = graph.unary exp %0 : tensor<4x1xf16> -> tensor<4x1xf16>
  %2 = graph.reduce max %x [1] : tensor<4x8xf16> -> tensor<4x1xf16>
  %3 = graph.reduce sum %x [1] : tensor<4x8xf16> -> tensor<4x1xf16>
  return %1, %2, %3 : tensor<4x1xf16>, tensor<4x1xf16>, tensor<4x1xf16>
}

// What reads one result before the other is computed comes behind the kernel, also through a view that is part of it.
// CHECK-LABEL: func.func @behind
// CHECK: %[[R:.*]]:2 = graph.fusion reduction(%arg0) : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<1x4xf32>) {
// CHECK: %[[P:.*]] = graph.fusion gemm(%[[R]]#1, %arg1)
// CHECK-NOT: graph.reduce
// CHECK: return %[[P]], %[[R]]#0
func.func @behind(%x: tensor<4x8xf32>, %w: tensor<4x3xf32>) -> (tensor<1x3xf32>, tensor<4x1xf32>) {
  %0 = graph.reduce mean %x [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %3 = graph.reshape %0 : tensor<4x1xf32> -> tensor<1x4xf32>
  %1 = graph.matmul %3, %w : tensor<1x4xf32>, tensor<4x3xf32> -> tensor<1x3xf32>
  %2 = graph.reduce max %x [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %1, %2 : tensor<1x3xf32>, tensor<4x1xf32>
}

// Other values, other axes and windows stay apart.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-6: graph.fusion reduction(
// CHECK: return
func.func @apart(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<1x1xf32>, tensor<4x6x1xf32>, tensor<4x6x1xf32>) {
  %0 = graph.reduce min %x [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.reduce max %y [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.reduce max %x [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  %3 = graph.reduce max %x [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %4 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<4x8xf32> -> tensor<4x6x3xf32>
  %5 = graph.reduce max %4 [2] : tensor<4x6x3xf32> -> tensor<4x6x1xf32>
  %6 = graph.reduce mean %4 [2] : tensor<4x6x3xf32> -> tensor<4x6x1xf32>
  return %0, %1, %2, %3, %5, %6 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<1x1xf32>, tensor<4x6x1xf32>, tensor<4x6x1xf32>
}

// A thread has one element of each result: what meets, of which one is turned, is of two.
// CHECK-LABEL: func.func @turned
// CHECK: graph.fusion reduction(%arg0)
// CHECK-NOT: graph.binary
// CHECK: graph.fusion pointwise
// CHECK: graph.binary add
func.func @turned(%x: tensor<4x4x8xf32>) -> tensor<4x4x1xf32> {
  %0 = graph.reduce max %x [2] : tensor<4x4x8xf32> -> tensor<4x4x1xf32>
  %1 = graph.reduce min %x [2] : tensor<4x4x8xf32> -> tensor<4x4x1xf32>
  %2 = graph.transpose %0 [1, 0, 2] : tensor<4x4x1xf32> -> tensor<4x4x1xf32>
  %3 = graph.binary add %2, %1 : tensor<4x4x1xf32>, tensor<4x4x1xf32> -> tensor<4x4x1xf32>
  return %3 : tensor<4x4x1xf32>
}

// Turned alike, they are of one place.
// CHECK-LABEL: func.func @both_turned
// CHECK: graph.fusion reduction(%arg0)
// CHECK: graph.binary add
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @both_turned(%x: tensor<4x6x8xf32>) -> tensor<6x4x1xf32> {
  %0 = graph.reduce max %x [2] : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  %1 = graph.reduce min %x [2] : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  %2 = graph.transpose %0 [1, 0, 2] : tensor<4x6x1xf32> -> tensor<6x4x1xf32>
  %3 = graph.transpose %1 [1, 0, 2] : tensor<4x6x1xf32> -> tensor<6x4x1xf32>
  %4 = graph.binary add %2, %3 : tensor<6x4x1xf32>, tensor<6x4x1xf32> -> tensor<6x4x1xf32>
  return %4 : tensor<6x4x1xf32>
}

// Kernels of several results do not read each other: one of the two sums is a kernel of its own.
// CHECK-LABEL: func.func @crossing
// CHECK-COUNT-2: graph.fusion reduction(
// CHECK: graph.fusion pointwise(
// CHECK: graph.binary sub
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @crossing(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0 = graph.reduce max %x [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.reduce min %x [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.reduce max %y [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %3 = graph.reduce min %y [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = graph.binary add %1, %2 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %5 = graph.binary sub %3, %0 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  return %0, %4, %2, %5 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}
