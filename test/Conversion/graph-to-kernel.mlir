//===- test/Conversion/graph-to-kernel.mlir - fusions become kernels ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(graph-form-fusions,graph-to-kernel)" | FileCheck %s

// A contraction with a bias: the views of the bias are addresses, n0 is the symbol.
// CHECK: kernel.func @k0 gemm
// CHECK: %[[T:.*]] = kernel.dot [n0, 6, 8] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %arg0[8*%[[M]] + %[[K]]]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg1[6*%[[K]] + %[[N]]]
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [n0, 6]
// CHECK: %[[E:.*]] = kernel.extract %[[T]] [%[[M]], %[[N]]]
// CHECK: %[[B:.*]] = kernel.load %arg2[%[[N]]]
// CHECK: %[[S:.*]] = kernel.binary add %[[E]], %[[B]]
// CHECK: kernel.store %[[S]], %arg3[6*%[[M]] + %[[N]]]
graph.symbol @s0
func.func @main(%x: tensor<?x8xf32, #graph.shape<"s0", "8">>, %w: tensor<8x6xf32>, %r: tensor<6xf32>)
    -> tensor<?x6xf32, #graph.shape<"s0", "6">> {
  %0 = graph.matmul %x, %w : tensor<?x8xf32, #graph.shape<"s0", "8">>, tensor<8x6xf32> -> tensor<?x6xf32, #graph.shape<"s0", "6">>
  %1 = graph.reshape %r : tensor<6xf32> -> tensor<1x6xf32>
  %2 = graph.broadcast %1 : tensor<1x6xf32> -> tensor<?x6xf32, #graph.shape<"s0", "6">>
  %3 = graph.binary add %0, %2 : tensor<?x6xf32, #graph.shape<"s0", "6">>, tensor<?x6xf32, #graph.shape<"s0", "6">> -> tensor<?x6xf32, #graph.shape<"s0", "6">>
  return %3 : tensor<?x6xf32, #graph.shape<"s0", "6">>
}

// -----

// Merged columns are read in place: a slice and the split into heads are one address.
// CHECK: kernel.func @k0 gemm grid (%[[G:.*]]) in [2]
// CHECK: kernel.dot [5, 5, 4] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %arg0[4*%[[G]] + 16*%[[M]] + %[[K]]]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg0[4*%[[G]] + %[[K]] + 16*%[[N]] + 8]
func.func @main(%qk: tensor<5x16xf32>) -> tensor<2x5x5xf32> {
  %0 = graph.slice %qk ["0", "0"] [1, 1] : tensor<5x16xf32> -> tensor<5x8xf32>
  %1 = graph.slice %qk ["0", "8"] [1, 1] : tensor<5x16xf32> -> tensor<5x8xf32>
  %2 = graph.reshape %0 : tensor<5x8xf32> -> tensor<5x2x4xf32>
  %3 = graph.transpose %2 [1, 0, 2] : tensor<5x2x4xf32> -> tensor<2x5x4xf32>
  %4 = graph.reshape %1 : tensor<5x8xf32> -> tensor<5x2x4xf32>
  %5 = graph.transpose %4 [1, 2, 0] : tensor<5x2x4xf32> -> tensor<2x4x5xf32>
  %6 = graph.matmul %3, %5 : tensor<2x5x4xf32>, tensor<2x4x5xf32> -> tensor<2x5x5xf32>
  return %6 : tensor<2x5x5xf32>
}

// -----

// The guard of a softmax is computed with the quotient.
// CHECK: kernel.func @k0 row_reduction grid (%{{.*}}) in [4]
// CHECK: kernel.reduce [#graph<reduce_kind max>]
// CHECK: kernel.reduce [#graph<reduce_kind sum>]
// CHECK: %[[Q:.*]] = kernel.binary div
// CHECK: %[[N:.*]] = kernel.unary is_nan %[[Q]]
// CHECK: %[[G:.*]] = kernel.select %[[N]], %{{.*}}, %[[Q]]
// CHECK: kernel.store %[[G]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 1 {guard = #graph<softmax_guard nan>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A guard of hidden rows asks their largest element, so what is NaN beside stays.
// CHECK: kernel.func @k0 row_reduction grid (%{{.*}}) in [4]
// CHECK: %[[M:.*]] = kernel.reduce [#graph<reduce_kind max>]
// CHECK: %[[Q:.*]] = kernel.binary div
// CHECK: %[[L:.*]] = kernel.constant 0xFF800000
// CHECK: %[[N:.*]] = kernel.binary equal %[[M]], %[[L]]
// CHECK: %[[G:.*]] = kernel.select %[[N]], %{{.*}}, %[[Q]]
// CHECK: kernel.store %[[G]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 1 {guard = #graph<softmax_guard hidden>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A transpose swaps the load's address; the store stays in order.
// CHECK: kernel.func @k0 pointwise
// CHECK: kernel.foreach (%[[D0:.*]], %[[D1:.*]]) in [8, 4]
// CHECK: kernel.load %arg0[%[[D0]] + 8*%[[D1]]]
// CHECK: kernel.unary exp
// CHECK: kernel.store %{{.*}}, %arg1[4*%[[D0]] + %[[D1]]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = graph.unary exp %0 : tensor<8x4xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// A convolution is a dot whose left operand is computed from the place; the border is a
// masked load that gives 0.
// CHECK: kernel.func @k0 conv
// CHECK: kernel.dot [64, 6, 36] lhs
// CHECK: kernel.load %arg0[{{.*}}] mask
// CHECK-NOT: kernel.select
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg1[6*%[[K]] + %[[N]]]
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [64, 6]
// CHECK: kernel.store %{{.*}}, %arg2[6*%[[M]] + %[[N]]]
func.func @main(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = graph.pad %x ["0", "1", "1", "0"] constant 0.0 : f32 : tensor<1x8x8x4xf32> -> tensor<1x10x10x4xf32>
  %1 = graph.conv %0, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x10x10x4xf32>, tensor<3x3x4x6xf32> -> tensor<1x8x8x6xf32>
  return %1 : tensor<1x8x8x6xf32>
}

// -----

// A window of one element is a matrix product.
// CHECK: kernel.func @k0 conv
// CHECK: kernel.dot [128, 6, 4] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %arg0[4*%[[M]] + %[[K]]]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg1[6*%[[K]] + %[[N]]]
func.func @main(%x: tensor<2x8x8x4xf32>, %w: tensor<1x1x4x6xf32>) -> tensor<2x8x8x6xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<2x8x8x4xf32>, tensor<1x1x4x6xf32> -> tensor<2x8x8x6xf32>
  return %0 : tensor<2x8x8x6xf32>
}

// -----

// Channels first: the depth runs over the channels of a group, then the window, as the weights have it.
// CHECK: kernel.func @k0 conv grid (%[[G:.*]]) in [2]
// CHECK: kernel.dot [18, 3, 18] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %arg0[128*%[[G]] + 256*floordiv(%[[M]], 9) + 64*floordiv(%[[K]], 9) + 2*mod(%[[M]], 3) + mod(%[[K]], 3) + 16*mod(floordiv(%[[M]], 3), 3) + 8*mod(floordiv(%[[K]], 3), 3)]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg1[54*%[[G]] + %[[K]] + 18*%[[N]]]
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [18, 3]
// CHECK: kernel.store %{{.*}}, %arg2[27*%[[G]] + 9*%[[N]] + 54*floordiv(%[[M]], 9) + mod(%[[M]], 9)]
func.func @main(%x: tensor<2x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<2x6x3x3xf32> {
  %0 = graph.conv %x, %w layout channels_first strides [2, 2] dilations [1, 1] groups 2 : tensor<2x4x8x8xf32>, tensor<6x2x3x3xf32> -> tensor<2x6x3x3xf32>
  return %0 : tensor<2x6x3x3xf32>
}

// -----

// A maximum over windows: places and windows are one position.
// CHECK: kernel.func @k0 reduction grid (%[[G0:.*]], %[[G1:.*]]) in [4, 16]
// CHECK: kernel.reduce [#graph<reduce_kind max>] (%[[D:.*]]) in [3]
// CHECK: kernel.load %arg0[32*%[[G0]] + %[[G1]] + 16*%[[D]]]
func.func @main(%x: tensor<1x9x16xf32>) -> tensor<1x4x1x16xf32> {
  %0 = graph.window %x axis 1 sizes [3] strides [2] dilations [1] : tensor<1x9x16xf32> -> tensor<1x4x3x16xf32>
  %1 = graph.reduce max %0 [2] : tensor<1x4x3x16xf32> -> tensor<1x4x1x16xf32>
  return %1 : tensor<1x4x1x16xf32>
}

// -----

// The two stages of a norm: a row of each part, then one loop in which every element
// combines the moments of its row's parts.
// CHECK: kernel.func @k0 row_reduction grid (%[[G0:.*]], %[[G1:.*]]) in [4, 3]
// CHECK: kernel.map (%{{.*}}, %{{.*}}) in [8, 2]
// CHECK-COUNT-2: kernel.reduce [#graph<reduce_kind sum>]
// CHECK: kernel.store %{{.*}}, %arg1[6*%[[G0]] + 2*%[[G1]]]
// CHECK: kernel.store %{{.*}}, %arg1[6*%[[G0]] + 2*%[[G1]] + 1]
// CHECK: kernel.func @k1 pointwise grid () in []
// CHECK: kernel.foreach (%[[D0:.*]], %[[D1:.*]], %[[D2:.*]], %[[D3:.*]]) in [4, 8, 3, 2]
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[P:.*]]) in [4]
// CHECK: kernel.load %arg1[2*%[[D2]] + 6*%[[P]]] : f32
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[P:.*]]) in [4]
// CHECK: kernel.load %arg1[2*%[[D2]] + 6*%[[P]] + 1] : f32
// CHECK: kernel.unary rsqrt
// CHECK: kernel.store %{{.*}}, %arg2[48*%[[D0]] + 6*%[[D1]] + 2*%[[D2]] + %[[D3]]] : f16
func.func @main(%x: tensor<4x8x3x2xf16>) -> tensor<4x8x3x2xf16> {
  %0 = graph.moments %x axes [1, 3] : tensor<4x8x3x2xf16> -> tensor<4x1x3x1x2xf32>
  %1 = graph.normalize %x moments %0 axes [0, 1, 3] {epsilon = 1.0e-5 : f64} : tensor<4x8x3x2xf16>, tensor<4x1x3x1x2xf32> -> tensor<4x8x3x2xf16>
  return %1 : tensor<4x8x3x2xf16>
}

// -----

// What is joined is written where it stands: after the n1 rows of the input, in memory with room for n0 rows.
// CHECK: kernel.func @k0 pointwise
// CHECK: kernel.foreach (%[[D0:.*]], %[[D1:.*]], %[[D2:.*]]) in [3, 2, 8]
// CHECK: kernel.load %arg0[16*%[[D0]] + 8*%[[D1]] + %[[D2]]]
// CHECK: kernel.store %{{.*}}, %arg1[8*n0*%[[D0]] + 8*n1 + 8*%[[D1]] + %[[D2]]]
// What reads it reads all rows.
// CHECK: kernel.func @k1 reduction grid (%[[G0:.*]], %[[G1:.*]]) in [3, 8]
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[D:.*]]) in [n0 + 2]
// CHECK: kernel.load %arg0[8*n1*%[[G0]] + %[[G1]] + 8*%[[D]]]
graph.symbol @s0 {min = 0 : i64, max = 0 : i64, divisor = 1 : i64}
graph.symbol @s1 {min = 1 : i64, max = 0 : i64, divisor = 1 : i64}
func.func @main(%past: tensor<3x?x8xf32, #graph.shape<"3", "s0", "8">> {graph.storage = [#graph.expr<"3">, #graph.expr<"s1">, #graph.expr<"8">]}, %x: tensor<3x2x8xf32>)
    -> (tensor<3x?x8xf32, #graph.shape<"3", "s0 + 2", "8">> {graph.storage = [#graph.expr<"3">, #graph.expr<"s1">, #graph.expr<"8">], graph.alias = 0 : i64},
        tensor<3x1x8xf32>) {
  %0 = graph.unary exp %x : tensor<3x2x8xf32> -> tensor<3x2x8xf32>
  %1 = graph.join %past, %0 axis 1 : tensor<3x?x8xf32, #graph.shape<"3", "s0", "8">>, tensor<3x2x8xf32>
      -> tensor<3x?x8xf32, #graph.shape<"3", "s0 + 2", "8">>
  %2 = graph.reduce sum %1 [1] : tensor<3x?x8xf32, #graph.shape<"3", "s0 + 2", "8">> -> tensor<3x1x8xf32>
  return %1, %2 : tensor<3x?x8xf32, #graph.shape<"3", "s0 + 2", "8">>, tensor<3x1x8xf32>
}

// -----

// Attention keeps no scores: steps over 64 keys each carry the largest score of a row, the sum of exponentials and the
// weighted sum of values. Keys beyond the last are 0 in products and -inf in scores.
// CHECK: kernel.func @k0 attention grid (%[[G:.*]]) in [2]
// CHECK: %[[LOW:.*]] = kernel.map (%{{.*}}) in [5]
// CHECK: %[[ZERO:.*]] = kernel.map (%{{.*}}) in [5]
// CHECK: %[[NONE:.*]] = kernel.map (%{{.*}}, %{{.*}}) in [5, 6]
// CHECK: %[[R:.*]]:3 = kernel.for (%[[J:.*]]) below 2 carry (%[[MAX:.*]] = %[[LOW]], %[[SUM:.*]] = %[[ZERO]], %[[OUT:.*]] = %[[NONE]])
// CHECK: %[[QK:.*]] = kernel.dot [5, 64, 8] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %arg0[40*%[[G]] + 8*%[[M]] + %[[K]]] : f32
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg1[560*%[[G]] + 64*%[[J]] + 70*%[[K]] + %[[N]]] mask [-64*%[[J]] - %[[N]] + 69] else
// CHECK: %[[S:.*]] = kernel.map (%[[M:.*]], %[[N:.*]]) in [5, 64] {
// CHECK: kernel.extract %[[QK]]
// CHECK: kernel.load %arg2[64*%[[J]] + 70*%[[M]] + %[[N]]] mask [-64*%[[J]] - %[[N]] + 69] else
// CHECK: %[[IN:.*]] = kernel.in_range [-64*%[[J]] - %[[N]] + 69]
// CHECK: kernel.select %[[IN]]
// CHECK: %[[ROW:.*]]:3 = kernel.map (%[[M:.*]]) in [5] {
// CHECK: %[[BEFORE:.*]] = kernel.extract %[[MAX]] [%[[M]]]
// CHECK: %[[LARGEST:.*]] = kernel.reduce [#graph<reduce_kind max>] (%{{.*}}) in [64] {
// CHECK: kernel.extract %[[S]]
// CHECK: %[[NOW:.*]] = kernel.binary max %[[BEFORE]], %[[LARGEST]]
// CHECK: %[[SHIFT:.*]] = kernel.select %{{.*}}, %{{.*}}, %[[NOW]]
// CHECK: %[[LESS:.*]] = kernel.binary sub %{{.*}}, %[[SHIFT]]
// CHECK: %[[FACTOR:.*]] = kernel.unary exp %[[LESS]]
// CHECK: kernel.yield %[[NOW]], %[[SHIFT]], %[[FACTOR]]
// CHECK: %[[P:.*]] = kernel.map (%{{.*}}, %{{.*}}) in [5, 64] {
// CHECK: kernel.unary exp
// CHECK: %[[TOTAL:.*]] = kernel.map (%[[M:.*]]) in [5] {
// CHECK: kernel.reduce [#graph<reduce_kind sum>]
// CHECK: %[[SCALED:.*]] = kernel.map (%{{.*}}, %{{.*}}) in [5, 6] {
// CHECK: kernel.extract %[[OUT]]
// CHECK: %[[PV:.*]] = kernel.dot [5, 6, 64] init %[[SCALED]] : !kernel.tile<f32, "5", "6"> lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.extract %[[P]] [%[[M]], %[[K]]]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg3[420*%[[G]] + 384*%[[J]] + 6*%[[K]] + %[[N]]] mask [-64*%[[J]] - %[[K]] + 69] else
// CHECK: kernel.yield %[[ROW]]#0, %[[TOTAL]], %[[PV]]
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [5, 6] {
// CHECK: %[[D:.*]] = kernel.extract %[[R]]#1 [%[[M]]]
// CHECK: %[[V:.*]] = kernel.extract %[[R]]#2 [%[[M]], %[[N]]]
// CHECK: %[[Q:.*]] = kernel.binary div %[[V]], %[[D]]
// CHECK: kernel.store %[[Q]], %arg4[30*%[[G]] + 6*%[[M]] + %[[N]]]
func.func @main(%q: tensor<2x5x8xf32>, %k: tensor<2x8x70xf32>, %m: tensor<1x5x70xf32>, %v: tensor<2x70x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x70xf32> -> tensor<2x5x70xf32>
  %1 = graph.broadcast %m : tensor<1x5x70xf32> -> tensor<2x5x70xf32>
  %2 = graph.binary add %0, %1 : tensor<2x5x70xf32>, tensor<2x5x70xf32> -> tensor<2x5x70xf32>
  %3 = graph.softmax %2 axis 2 : tensor<2x5x70xf32> -> tensor<2x5x70xf32>
  %4 = graph.matmul %3, %v : tensor<2x5x70xf32>, tensor<2x70x6xf32> -> tensor<2x5x6xf32>
  return %4 : tensor<2x5x6xf32>
}

// -----

// Weights are stored as the second product takes them, no key is masked where blocks are whole, and a row of which
// all scores are -inf is 0.
// CHECK: kernel.func @k0 attention grid () in []
// CHECK: kernel.for (%{{.*}}) below 2 carry
// CHECK: kernel.dot [5, 32, 8]
// CHECK-NOT: mask
// CHECK: kernel.unary exp coarse
// CHECK: kernel.dot [5, 160, 32] init
// CHECK: %[[W:.*]] = kernel.extract
// CHECK-NEXT: %[[H:.*]] = kernel.cast %[[W]] : f32 -> f16
// CHECK-NEXT: kernel.yield %[[H]] : f16
// Two parts of the keys: both are scaled to the larger of the largest scores.
// CHECK: } meet (%[[L0:.*]], %[[S0:.*]], %[[R0:.*]]) (%[[L1:.*]], %[[S1:.*]], %[[R1:.*]]) {
// CHECK: %[[F:.*]]:3 = kernel.map
// CHECK: %[[X:.*]] = kernel.extract %[[L0]]
// CHECK: %[[Y:.*]] = kernel.extract %[[L1]]
// CHECK: kernel.binary max %[[X]], %[[Y]]
// CHECK: %[[SUMS:.*]] = kernel.map
// CHECK: kernel.extract %[[S0]]
// CHECK: kernel.extract %[[F]]#1
// CHECK: kernel.extract %[[S1]]
// CHECK: kernel.extract %[[F]]#2
// CHECK: %[[RESULTS:.*]] = kernel.map
// CHECK: kernel.extract %[[R0]]
// CHECK: kernel.yield %[[F]]#0, %[[SUMS]], %[[RESULTS]]
// A reciprocal per row.
// CHECK: %[[INVERSE:.*]] = kernel.map
// CHECK: %[[SUM:.*]] = kernel.extract
// CHECK: %[[EMPTY:.*]] = kernel.binary equal %[[SUM]], %{{.*}} : f32 -> i1
// CHECK: %[[DIVISOR:.*]] = kernel.select %[[EMPTY]], %{{.*}}, %[[SUM]] : f32
// CHECK: kernel.binary div %{{.*}}, %[[DIVISOR]]
// CHECK: kernel.foreach
// CHECK: kernel.extract %[[INVERSE]]
// CHECK-NOT: is_nan
func.func @main(%q: tensor<5x8xf16>, %k: tensor<8x64xf16>, %v: tensor<64x160xf16>) -> tensor<5x160xf16> {
  %0 = graph.matmul %q, %k : tensor<5x8xf16>, tensor<8x64xf16> -> tensor<5x64xf16>
  %1 = graph.softmax %0 axis 1 {guard = #graph<softmax_guard hidden>} : tensor<5x64xf16> -> tensor<5x64xf16>
  %2 = graph.matmul %1, %v : tensor<5x64xf16>, tensor<64x160xf16> -> tensor<5x160xf16>
  return %2 : tensor<5x160xf16>
}

// -----

// Bits are those of the number that is stored, not of the wider one that sums would take.
// CHECK: kernel.func @k0 pointwise
// CHECK: %[[X:.*]] = kernel.load %arg0[%{{.*}}] : f16
// CHECK: %[[B:.*]] = kernel.bitcast %[[X]] : f16 -> bf16
// CHECK: kernel.store %[[B]], %arg1
func.func @main(%x: tensor<8xf16>) -> tensor<8xbf16> {
  %0 = graph.bitcast %x : tensor<8xf16> -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// A product reads float8 where its bytes lie: the view is of that type. What reads bytes as two types reads bytes.
// CHECK: kernel.func @k0 gemm {{.*}}(%arg0: !kernel.view<f8E4M3FN, read>, %arg1: !kernel.view<f8E5M2, read>, %arg2: !kernel.view<f32, write>)
// CHECK: %[[X:.*]] = kernel.load %arg0[{{.*}}] : f8E4M3FN
// CHECK: kernel.yield %[[X]] : f8E4M3FN
// CHECK: %[[Y:.*]] = kernel.load %arg1[{{.*}}] : f8E5M2
// CHECK: kernel.yield %[[Y]] : f8E5M2
// CHECK: kernel.func @k1 pointwise {{.*}}(%arg0: !kernel.view<ui8, read>
// CHECK: %[[B:.*]] = kernel.load %arg0[{{.*}}] : ui8
// CHECK: kernel.bitcast %[[B]] : ui8 -> f8E4M3FN
// CHECK: kernel.bitcast %[[B]] : ui8 -> f8E5M2
func.func @main(%x: tensor<4x8xui8>, %y: tensor<8x6xui8>, %z: tensor<8xui8>) -> (tensor<4x6xf32>, tensor<8xf32>) {
  %0 = graph.bitcast %x : tensor<4x8xui8> -> tensor<4x8xf8E4M3FN>
  %1 = graph.bitcast %y : tensor<8x6xui8> -> tensor<8x6xf8E5M2>
  %2 = graph.matmul %0, %1 : tensor<4x8xf8E4M3FN>, tensor<8x6xf8E5M2> -> tensor<4x6xf32>
  %3 = graph.bitcast %z : tensor<8xui8> -> tensor<8xf8E4M3FN>
  %4 = graph.bitcast %z : tensor<8xui8> -> tensor<8xf8E5M2>
  %5 = graph.cast %3 : tensor<8xf8E4M3FN> -> tensor<8xf32>
  %6 = graph.cast %4 : tensor<8xf8E5M2> -> tensor<8xf32>
  %7 = graph.binary add %5, %6 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %2, %7 : tensor<4x6xf32>, tensor<8xf32>
}

// -----

// Parts of a concat of halves go to its place as they are.
// CHECK: kernel.func @k0 pointwise
// CHECK: %[[Y:.*]] = kernel.load %arg1
// CHECK: %[[X:.*]] = kernel.load %arg0
// CHECK: %[[E:.*]] = kernel.select %{{.*}}, %[[X]], %[[Y]] : f16
// CHECK-NEXT: kernel.store %[[E]]
func.func @main(%x: tensor<3x8xf16>, %y: tensor<2x8xf16>) -> tensor<8x5xf16> {
  %0 = graph.concat %x, %y axis 0 : tensor<3x8xf16>, tensor<2x8xf16> -> tensor<5x8xf16>
  %1 = graph.transpose %0 [1, 0] : tensor<5x8xf16> -> tensor<8x5xf16>
  return %1 : tensor<8x5xf16>
}

// -----

// A matrix that an index chooses: the index is read before the product, and is a part of its addresses.
// CHECK: kernel.func @k0 gemm grid (%[[G:.*]]) in [3]
// CHECK: %[[RAW:.*]] = kernel.load %arg{{.*}}[%[[G]]] : i64
// CHECK: %[[I:.*]] = kernel.checked_index %[[RAW]] {{.*}}5
// CHECK: kernel.dot [1, 6, 8] lhs
// CHECK-NOT: kernel.checked_index
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK-NEXT: kernel.load %arg{{.*}}[48*%[[I]] + 6*%[[K]] + %[[N]]]
func.func @main(%w: tensor<5x8x6xf32>, %i: tensor<3xi64>, %x: tensor<3x1x8xf32>) -> tensor<3x1x6xf32> {
  %0 = graph.gather %w, %i axis 0 : tensor<5x8x6xf32>, tensor<3xi64> -> tensor<3x8x6xf32>
  %1 = graph.matmul %x, %0 : tensor<3x1x8xf32>, tensor<3x8x6xf32> -> tensor<3x1x6xf32>
  return %1 : tensor<3x1x6xf32>
}
