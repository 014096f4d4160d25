//===- test/Conversion/graph-to-kernel-norms.mlir - products with norms of rows before and behind them ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(graph-to-kernel)' | FileCheck %s

// Mean and scale of each row come before the product, as tiles of the rows; rows of equal numbers have scale 0. What the
// product makes is kept for the moments of its parts.
// CHECK: kernel.func @k0 gemm grid () in [] scalars []
// CHECK-SAME: (%{{.*}}: !kernel.view<f16, read>, %{{.*}}: !kernel.view<f16, read>, %[[MOMENTS:.*]]: !kernel.view<f32, read>, %[[OUT:.*]]: !kernel.view<f16, write>, %[[PARTS:.*]]: !kernel.view<f32, write>) {
// CHECK: %[[ROWS:.*]]:2 = kernel.map (%[[ROW:.*]]) in [16] {
// CHECK: %[[SUM:.*]] = kernel.reduce [#graph<reduce_kind sum>] (%[[P:.*]]) in [3] {
// CHECK-NEXT: kernel.load %[[MOMENTS]][6*%[[ROW]] + 2*%[[P]]]
// CHECK: %[[MEAN:.*]] = kernel.binary div %[[SUM]]
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[P:.*]]) in [3] {
// CHECK-NEXT: %[[OF:.*]] = kernel.load %[[MOMENTS]][6*%[[ROW]] + 2*%[[P]]]
// CHECK-NEXT: %[[APART:.*]] = kernel.binary sub %[[OF]], %[[MEAN]]
// CHECK-NEXT: %[[VARIANCE:.*]] = kernel.load %[[MOMENTS]][6*%[[ROW]] + 2*%[[P]] + 1]
// CHECK-NEXT: %[[SQUARE:.*]] = kernel.binary mul %[[APART]], %[[APART]]
// CHECK-NEXT: kernel.binary add %[[VARIANCE]], %[[SQUARE]]
// CHECK: %[[ROOT:.*]] = kernel.unary rsqrt
// CHECK: %[[EQUAL:.*]] = kernel.binary equal
// CHECK: %[[SCALE:.*]] = kernel.select %[[EQUAL]], %{{.*}}, %[[ROOT]]
// CHECK: kernel.yield %[[MEAN]], %[[SCALE]]
// CHECK: %[[DOT:.*]] = kernel.dot [16, 64, 96]
// CHECK: %[[KEPT:.*]] = kernel.map (%[[M:.*]], %[[N:.*]]) in [16, 64] {
// CHECK: kernel.extract %[[DOT]] [%[[M]], %[[N]]]
// CHECK: kernel.extract %[[ROWS]]#1 [%[[M]]]
// CHECK: kernel.store %{{.*}}, %[[OUT]][64*%[[M]] + %[[N]]]
// CHECK: kernel.yield
// CHECK: kernel.foreach (%[[M:.*]], %[[P:.*]]) in [16, 2] {
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[I:.*]]) in [32] {
// CHECK-NEXT: kernel.extract %[[KEPT]] [%[[M]], 32*%[[P]] + %[[I]]]
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[I:.*]]) in [32] {
// CHECK-NEXT: kernel.extract %[[KEPT]] [%[[M]], 32*%[[P]] + %[[I]]]
// CHECK: kernel.store %{{.*}}, %[[PARTS]][4*%[[M]] + 2*%[[P]]]
// CHECK: kernel.store %{{.*}}, %[[PARTS]][4*%[[M]] + 2*%[[P]] + 1]
func.func @main(%x: tensor<16x96xf16>, %w: tensor<96x64xf16>, %p: tensor<16x3x1x2xf32>)
    -> (tensor<16x64xf16>, tensor<16x2x1x2xf32>) {
  %0:2 = graph.fusion gemm(%x, %w, %p) : (tensor<16x96xf16>, tensor<96x64xf16>, tensor<16x3x1x2xf32>)
      -> (tensor<16x64xf16>, tensor<16x2x1x2xf32>) {
  ^bb0(%a: tensor<16x96xf16>, %b: tensor<96x64xf16>, %c: tensor<16x3x1x2xf32>):
    %s = graph.statistics %c axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<16x3x1x2xf32> -> tensor<16x1x1x2xf32>
    %i = graph.slice %s ["0", "0", "0", "1"] [1, 1, 1, 1] : tensor<16x1x1x2xf32> -> tensor<16x1x1x1xf32>
    %r = graph.reshape %i : tensor<16x1x1x1xf32> -> tensor<16x1xf32>
    %m = graph.matmul %a, %b : tensor<16x96xf16>, tensor<96x64xf16> -> tensor<16x64xf16>
    %f = graph.cast %m : tensor<16x64xf16> -> tensor<16x64xf32>
    %g = graph.broadcast %r : tensor<16x1xf32> -> tensor<16x64xf32>
    %h = graph.binary mul %f, %g : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
    %n = graph.cast %h : tensor<16x64xf32> -> tensor<16x64xf16>
    %o = graph.cast %n : tensor<16x64xf16> -> tensor<16x64xf32>
    %q = graph.reshape %o : tensor<16x64xf32> -> tensor<16x2x32xf32>
    %t = graph.moments %q axes [2] : tensor<16x2x32xf32> -> tensor<16x2x1x2xf32>
    graph.yield %n, %t : tensor<16x64xf16>, tensor<16x2x1x2xf32>
  }
  return %0#0, %0#1 : tensor<16x64xf16>, tensor<16x2x1x2xf32>
}
