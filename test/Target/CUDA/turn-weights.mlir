//===- test/Target/CUDA/turn-weights.mlir - weights of few rows along the depth ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-turn-weights)' --split-input-file | FileCheck %s

// Both products' weights are copied in the other order, by one kernel; a third kernel's, of the same extents, too.
// CHECK-LABEL: kernel.func @two
// CHECK-SAME: packed [#kernel.packed<1 bytes <"1048576"> by @turn0>, #kernel.packed<2 bytes <"1048576"> by @turn0>]
// CHECK: kernel.load %{{.*}}[%[[K:.*]] + 512*%[[N:.*]]] : f16
// CHECK: kernel.load %{{.*}}[%{{.*}} + 512*%{{.*}}] : f16
// CHECK-LABEL: kernel.func @part
// CHECK-SAME: packed [#kernel.packed<1 bytes <"524288"> by @turn1>]
// CHECK-LABEL: kernel.func @turn0 pack
// CHECK-SAME: (%[[IN:.*]]: !kernel.view<f16, read>, %[[OUT:.*]]: !kernel.view<f16, write>)
// CHECK: kernel.foreach (%[[D0:.*]], %[[D1:.*]]) in [1024, 512] {
// CHECK: %[[X:.*]] = kernel.load %[[IN]][%[[D0]] + 1024*%[[D1]]] : f16
// CHECK: kernel.store %[[X]], %[[OUT]][512*%[[D0]] + %[[D1]]] : f16
// The columns from 256 on of a matrix of 1024.
// CHECK-LABEL: kernel.func @turn1 pack
// CHECK: in [512, 512] {
// CHECK: kernel.load %{{.*}}[%{{.*}} + 1024*%{{.*}} + 256] : f16
func.func @main(%a: tensor<1x512xf16>) -> (tensor<1x1024xf16>, tensor<1x512xf16>) {
  %w = graph.constant dense<1.0> : tensor<512x1024xf16> : tensor<512x1024xf16>
  %0 = graph.fusion gemm(%a, %w, %w) kernel @two [] : (tensor<1x512xf16>, tensor<512x1024xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>, %z: tensor<512x1024xf16>):
    %1 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %1 : tensor<1x1024xf16>
  }
  %2 = graph.fusion gemm(%a, %w) kernel @part [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x512xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    graph.yield %x : tensor<1x512xf16>
  }
  return %0, %2 : tensor<1x1024xf16>, tensor<1x512xf16>
}
kernel.func @two gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 1024, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
  %1 = kernel.dot [1, 1024, 512] lhs (%d0, %d2) {
    %2 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %2 : f16
  } rhs (%d2, %d1) {
    %2 = kernel.load %in2[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %2 : f16
  } : !kernel.tile<f32, "1", "1024">
  kernel.foreach (%d3, %d4) in [1, 1024] {
    %2 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "1", "1024">
    %3 = kernel.extract %1 [%d3, %d4] : f32 from !kernel.tile<f32, "1", "1024">
    %4 = kernel.binary mul %2, %3 : f32 -> f32
    %5 = kernel.cast %4 : f32 -> f16
    kernel.store %5, %out0[%d4] : f16 to !kernel.view<f16, write>
  }
}
kernel.func @part gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 512, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1 + 256] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "512">
}

// -----

// Refused: weights that are an input of the model, that have many rows to multiply, that lie along the depth already,
// that are short, that are read twice, and that are computed.
// CHECK-NOT: turn0
// CHECK-NOT: pack
func.func @main(%a: tensor<1x512xf16>, %v: tensor<512x1024xf16>) -> (tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>) {
  %w = graph.constant dense<1.0> : tensor<512x1024xf16> : tensor<512x1024xf16>
  %0 = graph.fusion gemm(%a, %v) kernel @input [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    %6 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %6 : tensor<1x1024xf16>
  }
  %1 = graph.fusion gemm(%a, %w) kernel @many [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    %6 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %6 : tensor<1x1024xf16>
  }
  %2 = graph.fusion gemm(%a, %w) kernel @along_depth [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    %6 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %6 : tensor<1x1024xf16>
  }
  %3 = graph.fusion gemm(%a, %w) kernel @short [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    %6 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %6 : tensor<1x1024xf16>
  }
  %4 = graph.fusion gemm(%a, %w) kernel @twice [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    %6 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %6 : tensor<1x1024xf16>
  }
  %5 = graph.fusion gemm(%a, %w) kernel @computed [] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16> {
  ^bb0(%x: tensor<1x512xf16>, %y: tensor<512x1024xf16>):
    %6 = graph.matmul %x, %y : tensor<1x512xf16>, tensor<512x1024xf16> -> tensor<1x1024xf16>
    graph.yield %6 : tensor<1x1024xf16>
  }
  return %0, %1, %2, %3, %4, %5 : tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>, tensor<1x1024xf16>
}
kernel.func @input gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 1024, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
}
kernel.func @many gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [3, 1024, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[512*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "3", "1024">
}
kernel.func @along_depth gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 1024, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[512*%d1 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
}
kernel.func @short gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 1024, 128] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
}
kernel.func @twice gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 1024, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
  kernel.foreach (%d3, %d4) in [1, 1024] {
    %1 = kernel.load %in1[%d4] : f16 from !kernel.view<f16, read>
    kernel.store %1, %out0[%d4] : f16 to !kernel.view<f16, write>
  }
}
kernel.func @computed gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 1024, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1024*%d2 + %d1] : f16 from !kernel.view<f16, read>
    %2 = kernel.binary add %1, %1 : f16 -> f16
    kernel.yield %2 : f16
  } : !kernel.tile<f32, "1", "1024">
}

// -----

// With any rows: those whose rows begin anywhere, where what lies along the depth has vectors. Left as they are where that has none, either,
// where they have vectors, numbers of 32 bits, and what a few rows read that are no matter for the matrix units.
// CHECK-LABEL: kernel.func @odd_columns
// CHECK-SAME: packed [#kernel.packed<1 bytes <"1054720"> by @turn0>]
// CHECK: kernel.load %{{.*}}[%{{.*}} + 512*%{{.*}}] : f16
// CHECK-NOT: packed
// CHECK: kernel.func @turn0 pack
func.func @main(%a0: tensor<64x512xf16>, %a1: tensor<64x510xf16>, %a2: tensor<64x512xf16>, %a3: tensor<64x512xf32>, %a4: tensor<8x256xf16>) -> (tensor<64x1030xf16>, tensor<64x1030xf16>, tensor<64x1032xf16>, tensor<64x1030xf32>, tensor<8x1030xf16>) {
  %w0 = graph.constant dense<1.0> : tensor<512x1030xf16> : tensor<512x1030xf16>
  %w1 = graph.constant dense<1.0> : tensor<510x1030xf16> : tensor<510x1030xf16>
  %w2 = graph.constant dense<1.0> : tensor<512x1032xf16> : tensor<512x1032xf16>
  %w3 = graph.constant dense<1.0> : tensor<512x1030xf32> : tensor<512x1030xf32>
  %0 = graph.fusion gemm(%a0, %w0) kernel @odd_columns [] : (tensor<64x512xf16>, tensor<512x1030xf16>) -> tensor<64x1030xf16> {
  ^bb0(%x: tensor<64x512xf16>, %y: tensor<512x1030xf16>):
    %6 = graph.matmul %x, %y : tensor<64x512xf16>, tensor<512x1030xf16> -> tensor<64x1030xf16>
    graph.yield %6 : tensor<64x1030xf16>
  }
  %1 = graph.fusion gemm(%a1, %w1) kernel @odd_both [] : (tensor<64x510xf16>, tensor<510x1030xf16>) -> tensor<64x1030xf16> {
  ^bb0(%x: tensor<64x510xf16>, %y: tensor<510x1030xf16>):
    %6 = graph.matmul %x, %y : tensor<64x510xf16>, tensor<510x1030xf16> -> tensor<64x1030xf16>
    graph.yield %6 : tensor<64x1030xf16>
  }
  %2 = graph.fusion gemm(%a2, %w2) kernel @even_columns [] : (tensor<64x512xf16>, tensor<512x1032xf16>) -> tensor<64x1032xf16> {
  ^bb0(%x: tensor<64x512xf16>, %y: tensor<512x1032xf16>):
    %6 = graph.matmul %x, %y : tensor<64x512xf16>, tensor<512x1032xf16> -> tensor<64x1032xf16>
    graph.yield %6 : tensor<64x1032xf16>
  }
  %3 = graph.fusion gemm(%a3, %w3) kernel @odd_wide [] : (tensor<64x512xf32>, tensor<512x1030xf32>) -> tensor<64x1030xf32> {
  ^bb0(%x: tensor<64x512xf32>, %y: tensor<512x1030xf32>):
    %6 = graph.matmul %x, %y : tensor<64x512xf32>, tensor<512x1030xf32> -> tensor<64x1030xf32>
    graph.yield %6 : tensor<64x1030xf32>
  }
  %w4 = graph.constant dense<1.0> : tensor<256x1030xf16> : tensor<256x1030xf16>
  %4 = graph.fusion gemm(%a4, %w4) kernel @shallow [] : (tensor<8x256xf16>, tensor<256x1030xf16>) -> tensor<8x1030xf16> {
  ^bb0(%x: tensor<8x256xf16>, %y: tensor<256x1030xf16>):
    %6 = graph.matmul %x, %y : tensor<8x256xf16>, tensor<256x1030xf16> -> tensor<8x1030xf16>
    graph.yield %6 : tensor<8x1030xf16>
  }
  return %0, %1, %2, %3, %4 : tensor<64x1030xf16>, tensor<64x1030xf16>, tensor<64x1032xf16>, tensor<64x1030xf32>, tensor<8x1030xf16>
}
kernel.func @shallow gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [8, 1030, 256] lhs (%d0, %d2) {
    %1 = kernel.load %in0[256*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1030*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "8", "1030">
}
kernel.func @odd_columns gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 1030, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[512*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1030*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "1030">
}
kernel.func @odd_both gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 1030, 510] lhs (%d0, %d2) {
    %1 = kernel.load %in0[510*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1030*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "1030">
}
kernel.func @even_columns gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 1032, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[512*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1032*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "1032">
}
kernel.func @odd_wide gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [64, 1030, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[512*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1030*%d2 + %d1] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "64", "1030">
}
