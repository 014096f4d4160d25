//===- test/Transforms/form-fusions-few-rows.mlir - products of few rows and the norm before them, in one kernel or not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{few-rows=8})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=OFF --implicit-check-not="few-rows"
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{few-rows=8 epilogues=false prologues=false})" | FileCheck %s --check-prefix=OFF --implicit-check-not="few-rows"

// Gate and up of a feed-forward layer, and the norm of their only row.
// CHECK-LABEL: graph.verdicts @feed_forward
// CHECK-SAME: <fused "few-rows" : loc("norm") -> loc("gate") because "every block of the product computes the norm of its only row">
// CHECK-SAME: <fused "few-rows" : loc("gate") -> loc("silu") because "products of the same few rows are one kernel">
// CHECK-SAME: <fused "few-rows" : loc("norm") -> loc("up") because "every block of the product computes the norm of its only row">
// CHECK-SAME: <fused "few-rows" : loc("silu") -> loc("both") because "products of the same few rows are one kernel">
// CHECK-SAME: <fused "few-rows" : loc("up") -> loc("both") because "products of the same few rows are one kernel">
// CHECK: func.func @feed_forward
// CHECK: %[[R:.*]] = graph.fusion gemm(%arg0, %arg1, %arg2)
// CHECK: graph.layer_norm
// CHECK-COUNT-2: graph.matmul
// CHECK-NOT: graph.fusion
// CHECK: return %[[R]]
// OFF-LABEL: func.func @feed_forward
// OFF: graph.fusion row_reduction
// OFF-COUNT-2: graph.fusion gemm
func.func @feed_forward(%x: tensor<1x64xf16>, %wg: tensor<64x48xf16>, %wu: tensor<64x48xf16>) -> tensor<1x48xf16> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x64xf16> -> tensor<1x64xf16> loc("norm")
  %1 = graph.matmul %0, %wg : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("gate")
  %2 = graph.unary silu %1 : tensor<1x48xf16> -> tensor<1x48xf16> loc("silu")
  %3 = graph.matmul %0, %wu : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("up")
  %4 = graph.binary mul %2, %3 : tensor<1x48xf16>, tensor<1x48xf16> -> tensor<1x48xf16> loc("both")
  return %4 : tensor<1x48xf16>
}

// Of several rows only the products; what follows where they met is the epilogue.
// CHECK-LABEL: graph.verdicts @rows
// CHECK-SAME: <apart hero : loc("norm") -> loc("gate")
// CHECK-SAME: <fused "few-rows" : loc("gate") -> loc("both") because "products of the same few rows are one kernel">
// CHECK-SAME: <fused epilogue : loc("both") -> loc("sum")
// CHECK: func.func @rows
// CHECK: graph.fusion row_reduction
// CHECK: graph.fusion gemm
// CHECK-COUNT-2: graph.matmul
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @rows(%x: tensor<8x64xf16>, %wg: tensor<64x48xf16>, %wu: tensor<64x48xf16>, %r: tensor<8x48xf16>) -> tensor<8x48xf16> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<8x64xf16> -> tensor<8x64xf16> loc("norm")
  %1 = graph.matmul %0, %wg : tensor<8x64xf16>, tensor<64x48xf16> -> tensor<8x48xf16> loc("gate")
  %3 = graph.matmul %0, %wu : tensor<8x64xf16>, tensor<64x48xf16> -> tensor<8x48xf16> loc("up")
  %4 = graph.binary mul %1, %3 : tensor<8x48xf16>, tensor<8x48xf16> -> tensor<8x48xf16> loc("both")
  %5 = graph.binary add %4, %r : tensor<8x48xf16>, tensor<8x48xf16> -> tensor<8x48xf16> loc("sum")
  return %5 : tensor<8x48xf16>
}

// What lies between the norm and the product goes along.
// CHECK-LABEL: graph.verdicts @scaled
// CHECK-SAME: <fused "few-rows" : loc("norm") -> loc("scaled") because "every block of the product computes the norm of its only row">
// CHECK-SAME: <fused "few-rows" : loc("scaled") -> loc("product") because "every block of the product computes the norm of its only row">
// CHECK: func.func @scaled
// CHECK: graph.fusion gemm(
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @scaled(%x: tensor<1x64xf16>, %g: tensor<1x64xf16>, %w: tensor<64x48xf16>) -> tensor<1x48xf16> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x64xf16> -> tensor<1x64xf16> loc("norm")
  %1 = graph.binary mul %0, %g : tensor<1x64xf16>, tensor<1x64xf16> -> tensor<1x64xf16> loc("scaled")
  %2 = graph.matmul %1, %w : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("product")
  return %2 : tensor<1x48xf16>
}

// More rows than few have tiles for themselves.
// CHECK-LABEL: graph.verdicts @many
// CHECK-SAME: loc("gate")
// CHECK: func.func @many
// CHECK-COUNT-2: graph.fusion gemm
// CHECK: return
func.func @many(%x: tensor<9x64xf16>, %wg: tensor<64x48xf16>, %wu: tensor<64x48xf16>) -> tensor<9x48xf16> {
  %1 = graph.matmul %x, %wg : tensor<9x64xf16>, tensor<64x48xf16> -> tensor<9x48xf16> loc("gate")
  %3 = graph.matmul %x, %wu : tensor<9x64xf16>, tensor<64x48xf16> -> tensor<9x48xf16> loc("up")
  %4 = graph.binary mul %1, %3 : tensor<9x48xf16>, tensor<9x48xf16> -> tensor<9x48xf16> loc("both")
  return %4 : tensor<9x48xf16>
}

// A result that something else reads, too, is in memory: the products do not meet.
// CHECK-LABEL: graph.verdicts @read
// CHECK-SAME: loc("gate")
// CHECK: func.func @read
// CHECK-COUNT-2: graph.fusion gemm
// CHECK: return
func.func @read(%x: tensor<1x64xf16>, %wg: tensor<64x48xf16>, %wu: tensor<64x48xf16>) -> (tensor<1x48xf16>, tensor<1x48xf16>) {
  %1 = graph.matmul %x, %wg : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("gate")
  %3 = graph.matmul %x, %wu : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("up")
  %4 = graph.binary mul %1, %3 : tensor<1x48xf16>, tensor<1x48xf16> -> tensor<1x48xf16> loc("both")
  return %1, %4 : tensor<1x48xf16>, tensor<1x48xf16>
}

// So is a norm that other kernels read, or of which the model returns the result.
// CHECK-LABEL: graph.verdicts @norm_read
// CHECK-SAME: <apart hero : loc("norm") -> loc("first")
// CHECK: func.func @norm_read
// CHECK: graph.fusion row_reduction
// CHECK-COUNT-2: graph.fusion gemm
// CHECK: return
func.func @norm_read(%x: tensor<1x64xf16>, %wg: tensor<64x48xf16>, %wu: tensor<64x48xf16>) -> (tensor<1x48xf16>, tensor<1x48xf16>) {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x64xf16> -> tensor<1x64xf16> loc("norm")
  %1 = graph.matmul %0, %wg : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("first")
  %3 = graph.matmul %0, %wu : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("second")
  return %1, %3 : tensor<1x48xf16>, tensor<1x48xf16>
}

// Weights that lie turned are not read along their columns.
// CHECK-LABEL: graph.verdicts @turned
// CHECK-SAME: loc("norm")
// CHECK: func.func @turned
// CHECK: graph.fusion row_reduction
// CHECK: graph.fusion gemm
// CHECK: return
func.func @turned(%x: tensor<1x64xf16>, %w: tensor<48x64xf16>) -> tensor<1x48xf16> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x64xf16> -> tensor<1x64xf16> loc("norm")
  %1 = graph.transpose %w [1, 0] : tensor<48x64xf16> -> tensor<64x48xf16> loc("turned")
  %2 = graph.matmul %0, %1 : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16> loc("product")
  return %2 : tensor<1x48xf16>
}

// The second product multiplies by what comes of the first.
// CHECK-LABEL: graph.verdicts @chained
// CHECK-SAME: loc("first")
// CHECK: func.func @chained
// CHECK-COUNT-2: graph.fusion gemm
// CHECK: return
func.func @chained(%x: tensor<1x1xf16>, %w: tensor<1x48xf16>) -> tensor<1x48xf16> {
  %0 = graph.matmul %x, %w : tensor<1x1xf16>, tensor<1x48xf16> -> tensor<1x48xf16> loc("first")
  %1 = graph.unary silu %0 : tensor<1x48xf16> -> tensor<1x48xf16> loc("silu")
  %2 = graph.matmul %x, %1 : tensor<1x1xf16>, tensor<1x48xf16> -> tensor<1x48xf16> loc("second")
  %3 = graph.binary mul %1, %2 : tensor<1x48xf16>, tensor<1x48xf16> -> tensor<1x48xf16> loc("both")
  return %3 : tensor<1x48xf16>
}

// Sums of other types than f32 have no schedule for few rows.
// CHECK-LABEL: graph.verdicts @double
// CHECK-SAME: <apart hero : loc("norm") -> loc("product")
// CHECK: func.func @double
// CHECK: graph.fusion row_reduction
// CHECK: graph.fusion gemm
// CHECK: return
func.func @double(%x: tensor<1x64xf64>, %w: tensor<64x48xf64>) -> tensor<1x48xf64> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x64xf64> -> tensor<1x64xf64> loc("norm")
  %1 = graph.matmul %0, %w : tensor<1x64xf64>, tensor<64x48xf64> -> tensor<1x48xf64> loc("product")
  return %1 : tensor<1x48xf64>
}
