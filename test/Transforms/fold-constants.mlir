//===- test/Transforms/fold-constants.mlir - what becomes a constant, and what does not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-fold-constants))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-fold-constants{max-bytes=8}))" | FileCheck %s --check-prefix=CAP

// Only what something left reads; nothing is left of the ops in between.
// CHECK-LABEL: @chain
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<{{\[}}[4.000000e+00], [5.000000e+00], [6.000000e+00]]> : tensor<3x1xf32>
// CHECK-NEXT: graph.binary add %arg0, %[[C]]
// CHECK-NEXT: return
// CAP-LABEL: @chain
// CAP: graph.unary sqrt
// CAP: graph.reshape
func.func @chain(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = graph.constant dense<[16.0, 25.0, 36.0]> : tensor<3xf32> : tensor<3xf32>
  %1 = graph.unary sqrt %0 : tensor<3xf32> -> tensor<3xf32>
  %2 = graph.reshape %1 : tensor<3xf32> -> tensor<3x1xf32>
  %3 = graph.binary add %x, %2 : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  return %3 : tensor<3x1xf32>
}

// A big repetition stays in the kernel; what it repeats is computed.
// CHECK-LABEL: @repetition
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<[{{.*}}-1.000000e+00, -2.000000e+00{{.*}}]> : tensor<1x2xf32>
// CHECK-NEXT: %[[B:.*]] = graph.broadcast %[[C]]
// CHECK-NEXT: graph.binary mul %arg0, %[[B]]
func.func @repetition(%x: tensor<4096x2xf32>) -> tensor<4096x2xf32> {
  %0 = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %1 = graph.unary neg %0 : tensor<1x2xf32> -> tensor<1x2xf32>
  %2 = graph.broadcast %1 : tensor<1x2xf32> -> tensor<4096x2xf32>
  %3 = graph.binary mul %x, %2 : tensor<4096x2xf32>, tensor<4096x2xf32> -> tensor<4096x2xf32>
  return %3 : tensor<4096x2xf32>
}

// A number for all elements is one, whatever the shape of it.
// CHECK-LABEL: @splat
// CHECK: %[[S:.*]] = graph.binary sub
// CHECK-NEXT: graph.binary mul %arg0, %[[S]]
func.func @splat(%x: tensor<4096x2xf32>) -> tensor<4096x2xf32> {
  %0 = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %1 = graph.broadcast %0 : tensor<1x2xf32> -> tensor<4096x2xf32>
  %2 = graph.constant dense<8.0> : tensor<4096x2xf32> : tensor<4096x2xf32>
  %3 = graph.binary sub %1, %2 : tensor<4096x2xf32>, tensor<4096x2xf32> -> tensor<4096x2xf32>
  %4 = graph.binary mul %x, %3 : tensor<4096x2xf32>, tensor<4096x2xf32> -> tensor<4096x2xf32>
  return %4 : tensor<4096x2xf32>
}

// Its sum is small again: the repetition is computed on the way.
// CHECK-LABEL: @collapsed
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<{{.*}}4.096000e+03, 8.192000e+03{{.*}}> : tensor<1x2xf32>
// CHECK-NEXT: graph.binary mul %arg0, %[[C]]
func.func @collapsed(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %0 = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %1 = graph.broadcast %0 : tensor<1x2xf32> -> tensor<4096x2xf32>
  %2 = graph.reduce sum %1 [0] : tensor<4096x2xf32> -> tensor<1x2xf32>
  %3 = graph.binary mul %x, %2 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
}

// Equal elements are one; an index out of range is an error of the run.
// CHECK-LABEL: @edges
// CHECK-DAG: graph.constant dense<7> : tensor<2x2xi64>
// CHECK-DAG: graph.gather
// CHECK: return
func.func @edges() -> (tensor<2x2xi64>, tensor<2xi64>) {
  %0 = graph.constant dense<[7, 7, 7, 7]> : tensor<4xi64> : tensor<4xi64>
  %1 = graph.reshape %0 : tensor<4xi64> -> tensor<2x2xi64>
  %2 = graph.constant dense<[0, 4]> : tensor<2xi64> : tensor<2xi64>
  %3 = graph.gather %0, %2 axis 0 : tensor<4xi64>, tensor<2xi64> -> tensor<2xi64>
  return %1, %3 : tensor<2x2xi64>, tensor<2xi64>
}

// Positions that a gather looks up stay positions: it only checks the index.
// CHECK-LABEL: @positions
// CHECK: %[[P:.*]] = graph.iota 0
// CHECK: graph.gather %[[P]], %arg0
func.func @positions(%i: tensor<3xi64>) -> tensor<3xi64> {
  %0 = graph.iota 0 : tensor<5xi64>
  %1 = graph.gather %0, %i axis 0 : tensor<5xi64>, tensor<3xi64> -> tensor<3xi64>
  return %1 : tensor<3xi64>
}

// A weight with fewer bits takes the place of the wider one, however large it is.
// CAP-LABEL: @narrowed
// CAP: graph.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<6xf16>
// CAP-NOT: graph.cast
// CAP: return
func.func @narrowed(%x: tensor<6xf16>) -> tensor<6xf16> {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32> : tensor<6xf32>
  %1 = graph.cast %0 : tensor<6xf32> -> tensor<6xf16>
  %2 = graph.binary add %x, %1 : tensor<6xf16>, tensor<6xf16> -> tensor<6xf16>
  return %2 : tensor<6xf16>
}

// A mask by position stays: its elements are cheaper made than read, and what it hides can be seen.
// CHECK-LABEL: func.func @mask
// CHECK: graph.iota
// CHECK: graph.select
func.func @mask() -> tensor<200x200xf32> {
  %row = graph.iota 0 : tensor<200x200xi64>
  %key = graph.iota 1 : tensor<200x200xi64>
  %seen = graph.binary less_equal %key, %row : tensor<200x200xi64>, tensor<200x200xi64> -> tensor<200x200xi1>
  %zero = graph.constant dense<0.0> : tensor<200x200xf32> : tensor<200x200xf32>
  %low = graph.constant dense<0xFF800000> : tensor<200x200xf32> : tensor<200x200xf32>
  %mask = graph.select %seen, %zero, %low : tensor<200x200xi1>, tensor<200x200xf32>, tensor<200x200xf32> -> tensor<200x200xf32>
  return %mask : tensor<200x200xf32>
}

// A table of sines is cheaper read than made; what it is repeated to is not held.
// CHECK-LABEL: func.func @sines
// CHECK-NEXT: %[[TABLE:.*]] = graph.constant {{.*}} : tensor<1x200x64xf32>
// CHECK-NEXT: graph.broadcast %[[TABLE]]
// CHECK-NEXT: graph.binary mul
// CHECK-NEXT: return
func.func @sines(%x: tensor<12x200x64xf32>) -> tensor<12x200x64xf32> {
  %place = graph.iota 0 : tensor<200x64xi64>
  %angle = graph.cast %place : tensor<200x64xi64> -> tensor<200x64xf32>
  %sine = graph.unary sin %angle : tensor<200x64xf32> -> tensor<200x64xf32>
  %shaped = graph.reshape %sine : tensor<200x64xf32> -> tensor<1x200x64xf32>
  %all = graph.broadcast %shaped : tensor<1x200x64xf32> -> tensor<12x200x64xf32>
  %y = graph.binary mul %x, %all : tensor<12x200x64xf32>, tensor<12x200x64xf32> -> tensor<12x200x64xf32>
  return %y : tensor<12x200x64xf32>
}

// Nor is one of more than 8 MiB.
// CHECK-LABEL: func.func @manySines
// CHECK: graph.iota
// CHECK: graph.unary sin
func.func @manySines(%x: tensor<40000x64xf32>) -> tensor<40000x64xf32> {
  %place = graph.iota 0 : tensor<40000x64xi64>
  %angle = graph.cast %place : tensor<40000x64xi64> -> tensor<40000x64xf32>
  %sine = graph.unary sin %angle : tensor<40000x64xf32> -> tensor<40000x64xf32>
  %y = graph.binary mul %x, %sine : tensor<40000x64xf32>, tensor<40000x64xf32> -> tensor<40000x64xf32>
  return %y : tensor<40000x64xf32>
}

// Integers of a block from its start on, times both scales: 0.5 * (125 - 128) + 2 * 0.25 * (392 - 384).
// CHECK-LABEL: @blocks
// CHECK: graph.constant dense<2.500000e+00> : tensor<1x1xf32>
// CHECK-NOT: graph.block_matmul
func.func @blocks() -> tensor<1x1xf32> {
  %q = graph.constant dense<[[3, -2, 0, 2]]> : tensor<1x4xi8> : tensor<1x4xi8>
  %w = graph.constant dense<[[129], [131], [131], [196]]> : tensor<4x1xui8> : tensor<4x1xui8>
  %z = graph.constant dense<[[-128, -384]]> : tensor<1x2xi32> : tensor<1x2xi32>
  %s = graph.constant dense<[[0.5, 2.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %t = graph.constant dense<[[1.0], [0.25]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %y = graph.block_matmul %q, %w start %z scales %s, %t : tensor<1x4xi8>, tensor<4x1xui8>, tensor<1x2xi32>, tensor<1x2xf32>, tensor<2x1xf32>
      -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// What the host does with numbers, whatever says the same; strings wait for a run.
// CHECK-LABEL: @host
// CHECK-DAG:  %[[SUMS:.*]] = graph.constant dense<[1.000000e+00, 3.000000e+00, 6.000000e+00, 1.000000e+01]>
// CHECK-NOT:  graph.unary
// CHECK:      %[[RANKS:.*]] = graph.host "string_rank"
// CHECK-NEXT: return %[[SUMS]], %[[RANKS]]
func.func @host() -> (tensor<4xf32>, tensor<2xi64>) {
  %x = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> : tensor<4xf32>
  %dims = graph.constant dense<[1, 4, 1]> : tensor<3xi64> : tensor<3xi64>
  %same = graph.unary neg %x : tensor<4xf32> -> tensor<4xf32>
  %y = graph.host "cumulate" ["f32", "add", "inclusive", "forward"] (%x, %dims) same %same : tensor<4xf32>
      : (tensor<4xf32>, tensor<3xi64>) -> tensor<4xf32>
  %words = graph.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %z = graph.host "string_rank" [] (%words) : (tensor<2xi64>) -> tensor<2xi64>
  return %y, %z : tensor<4xf32>, tensor<2xi64>
}
