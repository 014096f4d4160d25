//===- test/Conversion/graph-to-kernel-few-rows.mlir - the norm of a row and two products in one kernel ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions{few-rows=8},graph-to-kernel)" | FileCheck %s

// The norm's number comes first; both products read the row's elements times it, rounded as the row would be stored.
// CHECK: kernel.func @k0 gemm
// CHECK: %[[X:.*]] = kernel.map (%[[D:.*]]) in [64]
// CHECK: %[[SUM:.*]] = kernel.reduce [#graph<reduce_kind sum>]
// CHECK: %[[SCALE:.*]] = kernel.unary rsqrt
// CHECK: %[[GATE:.*]] = kernel.dot [1, 48, 64] lhs (%{{.*}}, %[[K:.*]]) {
// CHECK: %[[E:.*]] = kernel.extract %[[X]] [%[[K]]]
// CHECK: %[[N:.*]] = kernel.binary mul %[[E]], %[[SCALE]]
// CHECK: %[[S:.*]] = kernel.cast %[[N]] : f32 -> f16
// CHECK: kernel.yield %[[S]]
// CHECK: kernel.load %arg1
// CHECK: %[[UP:.*]] = kernel.dot [1, 48, 64] lhs (%{{.*}}, %[[K:.*]]) {
// CHECK: kernel.extract %[[X]] [%[[K]]]
// CHECK: kernel.load %arg2
// CHECK: kernel.foreach (%[[M:.*]], %[[C:.*]]) in [1, 48]
// CHECK-DAG: %[[G:.*]] = kernel.extract %[[GATE]] [%[[M]], %[[C]]]
// CHECK-DAG: %[[U:.*]] = kernel.extract %[[UP]] [%[[M]], %[[C]]]
// CHECK: %[[A:.*]] = kernel.unary silu %[[G]]
// CHECK: %[[B:.*]] = kernel.binary mul %[[A]], %[[U]]
// CHECK: kernel.store
func.func @main(%x: tensor<1x64xf16>, %gate: tensor<64x48xf16>, %up: tensor<64x48xf16>) -> tensor<1x48xf16> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64, rms = true} : tensor<1x64xf16> -> tensor<1x64xf16>
  %1 = graph.matmul %0, %gate : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16>
  %2 = graph.unary silu %1 : tensor<1x48xf16> -> tensor<1x48xf16>
  %3 = graph.matmul %0, %up : tensor<1x64xf16>, tensor<64x48xf16> -> tensor<1x48xf16>
  %4 = graph.binary mul %2, %3 : tensor<1x48xf16>, tensor<1x48xf16> -> tensor<1x48xf16>
  return %4 : tensor<1x48xf16>
}
