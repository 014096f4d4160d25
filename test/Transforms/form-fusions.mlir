//===- test/Transforms/form-fusions.mlir - which ops become one kernel, and why not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions{epilogues=false prologues=false})" | FileCheck %s --check-prefix=OFF

// Bias and residual join the contraction; a transpose after it composes into the store.
// CHECK-LABEL: @epilogue
// CHECK-COUNT-1: graph.fusion gemm
// CHECK: graph.matmul
// CHECK: graph.binary add
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return
// OFF-LABEL: @epilogue
// OFF: graph.fusion gemm
// OFF: graph.fusion pointwise
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %r: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.binary add %0, %r : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = graph.transpose %1 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// A gather and pointwise ops are computed where the row kernel reads them.
// CHECK-LABEL: @prologue
// CHECK: graph.fusion row_reduction
// CHECK: graph.gather
// CHECK: graph.binary add
// CHECK: graph.layer_norm
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @prologue(%table: tensor<9x8xf32>, %i: tensor<4xi64>, %p: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.gather %table, %i axis 0 : tensor<9x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %1 = graph.binary add %0, %p : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.layer_norm %1 axes [1] {epsilon = 1.0e-5 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Arithmetic on a contraction's operand would be repeated for every tile.
// CHECK-LABEL: graph.verdicts @contraction_operand
// CHECK-SAME: <apart "contraction-operand" :
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion gemm
func.func @contraction_operand(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A gate is multiplied with what the tiles read; what makes the operand besides is computed once.
// CHECK-LABEL: @gate
// CHECK: graph.fusion pointwise
// CHECK: graph.unary exp
// CHECK: graph.fusion gemm
// CHECK: graph.binary mul
// CHECK: graph.matmul
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @gate(%x: tensor<4x8xf32>, %g: tensor<1x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.broadcast %g : tensor<1x8xf32> -> tensor<4x8xf32>
  %2 = graph.binary mul %0, %1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.matmul %2, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// No gate: a product of two matrices, many columns, the right operand, several taps.
// CHECK-LABEL: @no_gates
// CHECK-COUNT-4: graph.fusion pointwise
// CHECK: return
func.func @no_gates(%x: tensor<4x8xf32>, %g: tensor<1x8xf32>, %w: tensor<8x6xf32>, %many: tensor<8x512xf32>, %wide: tensor<6x4xf32>,
                    %image: tensor<1x4x4x8xf32>, %gates: tensor<1x1x1x8xf32>, %taps: tensor<3x3x8x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x512xf32>, tensor<6x8xf32>, tensor<1x2x2x6xf32>) {
  %0 = graph.binary mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %2 = graph.broadcast %g : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = graph.binary mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = graph.matmul %3, %many : tensor<4x8xf32>, tensor<8x512xf32> -> tensor<4x512xf32>
  %5 = graph.unary neg %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %6 = graph.binary mul %5, %2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %7 = graph.matmul %wide, %6 : tensor<6x4xf32>, tensor<4x8xf32> -> tensor<6x8xf32>
  %8 = graph.broadcast %gates : tensor<1x1x1x8xf32> -> tensor<1x4x4x8xf32>
  %9 = graph.binary mul %image, %8 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32> -> tensor<1x4x4x8xf32>
  %10 = graph.conv %9, %taps strides [1, 1] dilations [1, 1] groups 1 : tensor<1x4x4x8xf32>, tensor<3x3x8x6xf32> -> tensor<1x2x2x6xf32>
  return %1, %4, %7, %10 : tensor<4x6xf32>, tensor<4x512xf32>, tensor<6x8xf32>, tensor<1x2x2x6xf32>
}

// Two kernels read the exponential: it is computed once.
// CHECK-LABEL: graph.verdicts @several_readers
// CHECK-SAME: <apart "several-readers" :
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion reduction
// CHECK: graph.fusion reduction
func.func @several_readers(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<1x8xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce sum %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.reduce sum %0 [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  return %1, %2 : tensor<4x1xf32>, tensor<1x8xf32>
}

// What is costly is not computed again for every element of a broadcast.
// CHECK-LABEL: @broadcast
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion pointwise
func.func @broadcast(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.unary exp %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = graph.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = graph.binary mul %1, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Two heroes are two kernels.
// CHECK-LABEL: graph.verdicts @two_heroes
// CHECK-SAME: <apart hero :
// CHECK: graph.fusion gemm
// CHECK: graph.fusion row_reduction
func.func @two_heroes(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.softmax %0 axis 1 : tensor<4x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Rows of a contraction are turned before the residual: a division per element costs
// less than another kernel.
// CHECK-LABEL: @turned_residual
// CHECK-COUNT-1: graph.fusion gemm
// CHECK: graph.transpose
// CHECK: graph.binary add
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @turned_residual(%x: tensor<12x8xf32>, %w: tensor<8x6xf32>, %r: tensor<3x4x6xf32>) -> tensor<3x4x6xf32> {
  %0 = graph.matmul %x, %w : tensor<12x8xf32>, tensor<8x6xf32> -> tensor<12x6xf32>
  %1 = graph.reshape %0 : tensor<12x6xf32> -> tensor<4x3x6xf32>
  %2 = graph.transpose %1 [1, 0, 2] : tensor<4x3x6xf32> -> tensor<3x4x6xf32>
  %3 = graph.binary add %2, %r : tensor<3x4x6xf32>, tensor<3x4x6xf32> -> tensor<3x4x6xf32>
  return %3 : tensor<3x4x6xf32>
}

// Sine and cosine side by side are one kernel, although a contraction reads them.
// CHECK-LABEL: @joined_parts
// CHECK: graph.fusion pointwise
// CHECK: graph.unary sin
// CHECK: graph.unary cos
// CHECK: graph.concat
// CHECK: graph.fusion gemm
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @joined_parts(%x: tensor<4x8xf32>, %w: tensor<16x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.unary sin %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.unary cos %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.concat %0, %1 axis 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  %3 = graph.matmul %2, %w : tensor<4x16xf32>, tensor<16x6xf32> -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// A cast of an input is computed by both kernels that read it: neither stores it.
// CHECK-LABEL: graph.verdicts @twice
// CHECK-COUNT-2: <fused prologue :
// CHECK: graph.fusion reduction
// CHECK: graph.cast
// CHECK: graph.fusion reduction
// CHECK: graph.cast
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @twice(%x: tensor<4x8xi64>) -> (tensor<4x1xf32>, tensor<1x8xf32>) {
  %0 = graph.cast %x : tensor<4x8xi64> -> tensor<4x8xf32>
  %1 = graph.reduce sum %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.reduce sum %0 [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  return %1, %2 : tensor<4x1xf32>, tensor<1x8xf32>
}

// Sines cost too much; three readers would read more than they do; two products would have to stay in memory for their sum.
// CHECK-LABEL: @stored
// CHECK: graph.fusion pointwise
// CHECK: graph.unary sin
// CHECK: graph.fusion pointwise
// CHECK: graph.cast
// CHECK: graph.fusion pointwise
// CHECK: graph.binary add
// CHECK: return
func.func @stored(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>, %w: tensor<8x8xf32>)
    -> (tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<1x8xf32>,
        tensor<4x1xf32>) {
  %0 = graph.unary sin %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce sum %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.reduce sum %0 [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  %3 = graph.cast %i : tensor<4x8xi64> -> tensor<4x8xf32>
  %4 = graph.reduce sum %3 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %5 = graph.reduce sum %3 [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  %6 = graph.reduce max %3 [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %7 = graph.softmax %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = graph.softmax %x axis 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %9 = graph.matmul %8, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %10 = graph.matmul %7, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %11 = graph.reduce max %9 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %12 = graph.reduce max %10 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %13 = graph.binary add %9, %10 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %14 = graph.reduce sum %13 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %15 = graph.reduce sum %13 [0] : tensor<4x8xf32> -> tensor<1x8xf32>
  %16 = graph.binary add %11, %12 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  return %1, %2, %4, %5, %6, %14, %15, %16 : tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x1xf32>
}

// Positions are made where they are read, by both kernels.
// CHECK-LABEL: @positions
// CHECK: graph.fusion reduction
// CHECK: graph.iota
// CHECK: graph.fusion reduction
// CHECK: graph.iota
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @positions(%x: tensor<4x8xi64>) -> (tensor<4x1xi64>, tensor<1x8xi64>) {
  %0 = graph.iota 1 : tensor<4x8xi64>
  %1 = graph.binary add %x, %0 : tensor<4x8xi64>, tensor<4x8xi64> -> tensor<4x8xi64>
  %2 = graph.binary mul %x, %0 : tensor<4x8xi64>, tensor<4x8xi64> -> tensor<4x8xi64>
  %3 = graph.reduce sum %1 [1] : tensor<4x8xi64> -> tensor<4x1xi64>
  %4 = graph.reduce sum %2 [0] : tensor<4x8xi64> -> tensor<1x8xi64>
  return %3, %4 : tensor<4x1xi64>, tensor<1x8xi64>
}

// Results that are moved only, and why.
// CHECK-LABEL: @copies
// CHECK: copies uncomputed
// CHECK: copies joined
// CHECK: copies part
func.func @copies(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = graph.concat %x, %0 axis 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %3 = graph.slice %0 ["0", "4"] [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
  %4 = graph.reduce sum %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %1, %2, %3, %4 : tensor<8x4xf32>, tensor<8x8xf32>, tensor<4x4xf32>, tensor<4x1xf32>
}

// A value that is both given out and read on leaves the contraction as it is given out: heads split off by a division, too.
// CHECK-LABEL: @given_out_and_read
// CHECK: graph.fusion gemm
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK: graph.fusion row_reduction
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @given_out_and_read(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %2 = graph.transpose %1 [1, 0, 2] : tensor<4x2x3xf32> -> tensor<2x4x3xf32>
  %3 = graph.softmax %2 axis 2 : tensor<2x4x3xf32> -> tensor<2x4x3xf32>
  return %2, %3 : tensor<2x4x3xf32>, tensor<2x4x3xf32>
}

// An index that is looked up in positions is only checked: its reader does so for every element.
// CHECK-LABEL: @checked
// CHECK-COUNT-1: graph.fusion
// CHECK: graph.gather
// CHECK: graph.reduce
func.func @checked(%i: tensor<3xi64>) -> tensor<5x1xi64> {
  %0 = graph.iota 0 : tensor<5xi64>
  %1 = graph.gather %0, %i axis 0 : tensor<5xi64>, tensor<3xi64> -> tensor<3xi64>
  %2 = graph.reshape %1 : tensor<3xi64> -> tensor<1x3xi64>
  %3 = graph.broadcast %2 : tensor<1x3xi64> -> tensor<5x3xi64>
  %4 = graph.reduce max %3 [1] : tensor<5x3xi64> -> tensor<5x1xi64>
  return %4 : tensor<5x1xi64>
}

// A joined tensor has no kernel: those of its parts write into it. What is no kernel's result, or has to lie
// elsewhere, too, is copied there.
// CHECK-LABEL: @join
// CHECK: %[[SUM:.*]] = graph.fusion gemm
// CHECK: %[[PART:.*]] = graph.fusion pointwise(%arg2)
// CHECK: graph.unary exp
// CHECK: graph.slice
// CHECK: %[[IN:.*]] = graph.fusion pointwise(%arg3) copies uncomputed
// CHECK: %[[BOTH:.*]] = graph.fusion pointwise(%[[SUM]]) copies shared
// CHECK: %[[JOIN:.*]] = graph.join %[[PART]], %[[IN]], %[[BOTH]] axis 0
// CHECK: graph.fusion reduction(%[[JOIN]])
// CHECK: return
func.func @join(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %y: tensor<9x6xf32>, %z: tensor<2x6xf32>) -> (tensor<4x6xf32>, tensor<8x1xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.unary exp %y : tensor<9x6xf32> -> tensor<9x6xf32>
  %2 = graph.slice %1 ["1", "0"] [4, 1] : tensor<9x6xf32> -> tensor<2x6xf32>
  %3 = graph.join %2, %z, %0 axis 0 : tensor<2x6xf32>, tensor<2x6xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %4 = graph.reduce sum %3 [1] : tensor<8x6xf32> -> tensor<8x1xf32>
  return %0, %4 : tensor<4x6xf32>, tensor<8x1xf32>
}

// A window would choose among the parts again for every tap: a kernel of its own joins them.
// CHECK-LABEL: @window_of_parts
// CHECK: graph.fusion pointwise
// CHECK: graph.concat
// CHECK: graph.fusion conv
// CHECK-NOT: graph.concat
// CHECK: return
func.func @window_of_parts(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x6x6x16xf32> {
  %0 = graph.slice %x ["0", "0", "0", "2"] [1, 1, 1, 1] : tensor<1x8x8x4xf32> -> tensor<1x8x8x2xf32>
  %1 = graph.concat %0, %x, %0 axis 3 : tensor<1x8x8x2xf32>, tensor<1x8x8x4xf32>, tensor<1x8x8x2xf32> -> tensor<1x8x8x8xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x8xf32>, tensor<3x3x8x16xf32> -> tensor<1x6x6x16xf32>
  return %2 : tensor<1x6x6x16xf32>
}

// One tap reads each element once.
// CHECK-LABEL: @places_of_parts
// CHECK: graph.fusion conv
// CHECK: graph.concat
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @places_of_parts(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = graph.slice %x ["0", "0", "0", "2"] [1, 1, 1, 1] : tensor<1x8x8x4xf32> -> tensor<1x8x8x2xf32>
  %1 = graph.concat %0, %x, %0 axis 3 : tensor<1x8x8x2xf32>, tensor<1x8x8x4xf32>, tensor<1x8x8x2xf32> -> tensor<1x8x8x8xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x8xf32>, tensor<1x1x8x16xf32> -> tensor<1x8x8x16xf32>
  return %2 : tensor<1x8x8x16xf32>
}
