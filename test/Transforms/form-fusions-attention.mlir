//===- test/Transforms/form-fusions-attention.mlir - two products around a softmax, in one kernel or not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{attention=false})" | FileCheck %s --check-prefix=APART --implicit-check-not="graph.fusion attention"

graph.symbol @s0
graph.symbol @s1

// CHECK-LABEL: graph.verdicts @plain
// CHECK-SAME: <fused attention : loc("scores") -> loc("softmax") because "the scores of attention stay within its kernel">
// CHECK-SAME: <fused attention : loc("softmax") -> loc("result") because "the scores of attention stay within its kernel">
// CHECK: func.func @plain
// CHECK: %[[R:.*]] = graph.fusion attention(%arg0, %arg1, %arg2)
// CHECK-COUNT-2: graph.matmul
// CHECK: return %[[R]]
// APART-LABEL: graph.verdicts @plain
// APART-SAME: <apart hero : loc("scores") -> loc("softmax") because "a kernel has one hero">
// APART-SAME: <apart hero : loc("softmax") -> loc("result") because
func.func @plain(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %2 : tensor<2x5x6xf32>
}

// Rows and keys may be of any number, and what follows is the epilogue.
// CHECK-LABEL: graph.verdicts @dynamic
// CHECK-SAME: <fused attention : loc("scores") -> loc("softmax") because
// CHECK-SAME: <fused attention : loc("softmax") -> loc("result") because
// CHECK-SAME: <fused epilogue : loc("result") -> loc("sum") because
// CHECK: func.func @dynamic
// CHECK: %[[R:.*]] = graph.fusion attention(%arg0, %arg1, %arg2, %arg3)
// CHECK: return %[[R]]
func.func @dynamic(%q: tensor<?x4x?x8xf32, #graph.shape<"s0", "4", "s1", "8">>, %k: tensor<?x4x8x?xf32, #graph.shape<"s0", "4", "8", "s1">>, %v: tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">>, %r: tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">>) -> tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">> {
  %0 = graph.matmul %q, %k : tensor<?x4x?x8xf32, #graph.shape<"s0", "4", "s1", "8">>, tensor<?x4x8x?xf32, #graph.shape<"s0", "4", "8", "s1">> -> tensor<?x4x?x?xf32, #graph.shape<"s0", "4", "s1", "s1">> loc("scores")
  %1 = graph.softmax %0 axis 3 : tensor<?x4x?x?xf32, #graph.shape<"s0", "4", "s1", "s1">> -> tensor<?x4x?x?xf32, #graph.shape<"s0", "4", "s1", "s1">> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<?x4x?x?xf32, #graph.shape<"s0", "4", "s1", "s1">>, tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">> -> tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">> loc("result")
  %3 = graph.binary add %2, %r : tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">>, tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">> -> tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">> loc("sum")
  return %3 : tensor<?x4x?x6xf32, #graph.shape<"s0", "4", "s1", "6">>
}

// CHECK-LABEL: graph.verdicts @half
// CHECK-SAME: <fused attention : loc("scores") -> loc("softmax") because
// CHECK: graph.fusion attention(
func.func @half(%q: tensor<2x5x8xf16>, %k: tensor<2x8x7xf16>, %v: tensor<2x7x6xf16>) -> tensor<2x5x6xf16> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf16>, tensor<2x8x7xf16> -> tensor<2x5x7xf16> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf16> -> tensor<2x5x7xf16> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf16>, tensor<2x7x6xf16> -> tensor<2x5x6xf16> loc("result")
  return %2 : tensor<2x5x6xf16>
}

// Scores that are rounded and widened around the softmax.
// CHECK-LABEL: graph.verdicts @widened
// CHECK-SAME: <fused attention : loc("scores") -> loc("wide") because
// CHECK-SAME: <fused attention : loc("wide") -> loc("softmax") because
// CHECK-SAME: <fused attention : loc("softmax") -> loc("narrow") because
// CHECK-SAME: <fused attention : loc("narrow") -> loc("result") because
// CHECK: graph.fusion attention(
func.func @widened(%q: tensor<2x5x8xf16>, %k: tensor<2x8x7xf16>, %v: tensor<2x7x6xf16>) -> tensor<2x5x6xf16> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf16>, tensor<2x8x7xf16> -> tensor<2x5x7xf16> loc("scores")
  %1 = graph.cast %0 : tensor<2x5x7xf16> -> tensor<2x5x7xf32> loc("wide")
  %2 = graph.softmax %1 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %3 = graph.cast %2 : tensor<2x5x7xf32> -> tensor<2x5x7xf16> loc("narrow")
  %4 = graph.matmul %3, %v : tensor<2x5x7xf16>, tensor<2x7x6xf16> -> tensor<2x5x6xf16> loc("result")
  return %4 : tensor<2x5x6xf16>
}

// A scale and a mask that is added; the mask is computed where it is read.
// CHECK-LABEL: graph.verdicts @masked
// CHECK-SAME: <fused attention : loc("scores") -> loc("scaled") because
// CHECK-SAME: <fused attention : loc("scaled") -> loc("masked") because
// CHECK-SAME: <fused prologue : loc("bias") -> loc("masked") through[loc("heads")] because
// CHECK-SAME: <fused attention : loc("masked") -> loc("softmax") because
// CHECK: graph.fusion attention(%arg0, %arg1, %arg3, %arg2)
func.func @masked(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>, %m: tensor<1x5x7xi64>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %c = graph.constant dense<0.25> : tensor<2x5x7xf32> : tensor<2x5x7xf32>
  %1 = graph.binary mul %0, %c : tensor<2x5x7xf32>, tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("scaled")
  %b = graph.cast %m : tensor<1x5x7xi64> -> tensor<1x5x7xf32> loc("bias")
  %h = graph.broadcast %b : tensor<1x5x7xf32> -> tensor<2x5x7xf32> loc("heads")
  %2 = graph.binary add %1, %h : tensor<2x5x7xf32>, tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("masked")
  %3 = graph.softmax %2 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %4 = graph.matmul %3, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %4 : tensor<2x5x6xf32>
}

// CHECK-LABEL: graph.verdicts @selected
// CHECK-SAME: <fused attention : loc("scores") -> loc("kept") because
// CHECK-SAME: <fused attention : loc("kept") -> loc("softmax") because
// CHECK: graph.fusion attention(
func.func @selected(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>, %m: tensor<2x5x7xi1>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %c = graph.constant dense<0xFF800000> : tensor<2x5x7xf32> : tensor<2x5x7xf32>
  %1 = graph.select %m, %0, %c : tensor<2x5x7xi1>, tensor<2x5x7xf32>, tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("kept")
  %2 = graph.softmax %1 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %3 = graph.matmul %2, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %3 : tensor<2x5x6xf32>
}

// Heads of q that share k and v read them through a view.
// CHECK-LABEL: graph.verdicts @grouped
// CHECK-SAME: <fused attention : loc("scores") -> loc("softmax") because
// CHECK: func.func @grouped
// CHECK-NEXT: %[[R:.*]] = graph.fusion attention(%arg0, %arg1, %arg2)
// CHECK: return %[[R]]
func.func @grouped(%q: tensor<4x5x8xf32>, %k: tensor<2x1x8x7xf32>, %v: tensor<2x1x7x6xf32>) -> tensor<4x5x6xf32> {
  %0 = graph.broadcast %k : tensor<2x1x8x7xf32> -> tensor<2x2x8x7xf32>
  %1 = graph.reshape %0 : tensor<2x2x8x7xf32> -> tensor<4x8x7xf32>
  %2 = graph.broadcast %v : tensor<2x1x7x6xf32> -> tensor<2x2x7x6xf32>
  %3 = graph.reshape %2 : tensor<2x2x7x6xf32> -> tensor<4x7x6xf32>
  %4 = graph.matmul %q, %1 : tensor<4x5x8xf32>, tensor<4x8x7xf32> -> tensor<4x5x7xf32> loc("scores")
  %5 = graph.softmax %4 axis 2 : tensor<4x5x7xf32> -> tensor<4x5x7xf32> loc("softmax")
  %6 = graph.matmul %5, %3 : tensor<4x5x7xf32>, tensor<4x7x6xf32> -> tensor<4x5x6xf32> loc("result")
  return %6 : tensor<4x5x6xf32>
}

// Queries are computed in the kernel, which takes each of them through all keys.
// CHECK-LABEL: graph.verdicts @scaled_before
// CHECK-SAME: <fused prologue : loc("scaled") -> loc("scores") because
// CHECK-SAME: <fused attention : loc("scores") -> loc("softmax") because
// CHECK: func.func @scaled_before
// CHECK-NEXT: graph.fusion attention(%arg0, %arg1, %arg2)
func.func @scaled_before(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %c = graph.constant dense<0.25> : tensor<2x5x8xf32> : tensor<2x5x8xf32>
  %s = graph.binary mul %q, %c : tensor<2x5x8xf32>, tensor<2x5x8xf32> -> tensor<2x5x8xf32> loc("scaled")
  %0 = graph.matmul %s, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %2 : tensor<2x5x6xf32>
}

// Not where that costs much: on plain cores they are computed for every block of keys. Nor are keys.
// CHECK-LABEL: graph.verdicts @computed_before
// CHECK-SAME: <apart "contraction-operand" : loc("queries") -> loc("scores") because
// CHECK-SAME: <apart "contraction-operand" : loc("keys") -> loc("scores") because
// CHECK: func.func @computed_before
func.func @computed_before(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %s = graph.unary exp %q {alpha = 0.0, beta = 0.0} : tensor<2x5x8xf32> -> tensor<2x5x8xf32> loc("queries")
  %t = graph.unary neg %k {alpha = 0.0, beta = 0.0} : tensor<2x8x7xf32> -> tensor<2x8x7xf32> loc("keys")
  %0 = graph.matmul %s, %t : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %2 : tensor<2x5x6xf32>
}

//===--- Refused, and why ---===//

// CHECK-LABEL: graph.verdicts @read_elsewhere
// CHECK-SAME: <fused epilogue : loc("scores") -> loc("scaled") because
// CHECK-SAME: <apart attention : loc("scaled") -> loc("softmax") because "scores are read by other ops, too">
// CHECK-SAME: <apart attention : loc("softmax") -> loc("result") because "scores are read by other ops, too">
// CHECK-NOT: graph.fusion attention
func.func @read_elsewhere(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> (tensor<2x5x6xf32>, tensor<2x5x7xf32>) {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.binary add %0, %0 : tensor<2x5x7xf32>, tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("scaled")
  %2 = graph.softmax %1 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %3 = graph.matmul %2, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %3, %1 : tensor<2x5x6xf32>, tensor<2x5x7xf32>
}

// CHECK-LABEL: graph.verdicts @large_head
// CHECK-SAME: <apart attention : loc("scores") -> loc("softmax") because "heads of over 256 elements, or of an unknown number, do not fit into registers">
// CHECK-NOT: graph.fusion attention
func.func @large_head(%q: tensor<2x5x320xf32>, %k: tensor<2x320x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x320xf32>, tensor<2x320x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %2 : tensor<2x5x6xf32>
}

// CHECK-LABEL: graph.verdicts @unknown_head
// CHECK-SAME: <apart attention : loc("softmax") -> loc("result") because "heads of over 256 elements, or of an unknown number, do not fit into registers">
// CHECK-NOT: graph.fusion attention
func.func @unknown_head(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x?xf32, #graph.shape<"7", "s0">>) -> tensor<5x?xf32, #graph.shape<"5", "s0">> {
  %0 = graph.matmul %q, %k : tensor<5x8xf32>, tensor<8x7xf32> -> tensor<5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 1 : tensor<5x7xf32> -> tensor<5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<5x7xf32>, tensor<7x?xf32, #graph.shape<"7", "s0">> -> tensor<5x?xf32, #graph.shape<"5", "s0">> loc("result")
  return %2 : tensor<5x?xf32, #graph.shape<"5", "s0">>
}

// CHECK-LABEL: graph.verdicts @double
// CHECK-SAME: <apart attention : loc("scores") -> loc("softmax") because "only scores of f32, f16 and bf16 stay within a kernel">
// CHECK-NOT: graph.fusion attention
func.func @double(%q: tensor<2x5x8xf64>, %k: tensor<2x8x7xf64>, %v: tensor<2x7x6xf64>) -> tensor<2x5x6xf64> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf64>, tensor<2x8x7xf64> -> tensor<2x5x7xf64> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf64> -> tensor<2x5x7xf64> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf64>, tensor<2x7x6xf64> -> tensor<2x5x6xf64> loc("result")
  return %2 : tensor<2x5x6xf64>
}

//===--- No attention ---===//

// CHECK-LABEL: graph.verdicts @logarithm
// CHECK-NOT: attention
// CHECK: func.func @logarithm
// CHECK-NOT: graph.fusion attention
func.func @logarithm(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 {log = true} : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %2 : tensor<2x5x6xf32>
}

// CHECK-LABEL: graph.verdicts @columns
// CHECK-NOT: attention
// CHECK: func.func @columns
// CHECK-NOT: graph.fusion attention
func.func @columns(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 1 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32> loc("result")
  return %2 : tensor<2x5x6xf32>
}

// The second product takes the softmax as its columns.
// CHECK-LABEL: graph.verdicts @turned
// CHECK-NOT: attention
// CHECK: func.func @turned
// CHECK-NOT: graph.fusion attention
func.func @turned(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x6x7xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32> loc("softmax")
  %2 = graph.matmul %v, %1 : tensor<2x6x5xf32>, tensor<2x5x7xf32> -> tensor<2x6x7xf32> loc("result")
  return %2 : tensor<2x6x7xf32>
}
