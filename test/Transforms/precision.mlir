//===- test/Transforms/precision.mlir - f32 values lie in memory with 16 bits ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-precision,graph-fold-constants))" | FileCheck %s
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-precision{element=bf16}))" | FileCheck %s --check-prefix=BF16
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-precision{interface=true}))" | FileCheck %s --check-prefix=IO
// RUN: cupola-opt %s --split-input-file --mlir-print-debuginfo --pass-pipeline="builtin.module(func.func(graph-precision{keep=/mlp/*,act?}))" | FileCheck %s --check-prefix=KEEP

// Weights become 16-bit constants, inputs and outputs keep their types.
// CHECK-LABEL: @layer
// CHECK-SAME: (%arg0: tensor<2x4xf32>) -> tensor<2x2xf32>
// CHECK-DAG: %[[X:.*]] = graph.cast %arg0 : tensor<2x4xf32> -> tensor<2x4xf16>
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{.*}}> : tensor<4x2xf16>
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[W]] : tensor<2x4xf16>, tensor<4x2xf16> -> tensor<2x2xf16>
// CHECK: %[[A:.*]] = graph.unary relu %[[P]] : tensor<2x2xf16> -> tensor<2x2xf16>
// CHECK: %[[O:.*]] = graph.cast %[[A]] : tensor<2x2xf16> -> tensor<2x2xf32>
// CHECK: return %[[O]]
// CHECK: graph.precision @layer f16 narrowed 2 kept []
// BF16: graph.matmul {{.*}} -> tensor<2x2xbf16>
// BF16: graph.precision @layer bf16 narrowed 2 kept []
// IO-LABEL: @layer
// IO-SAME: (%arg0: tensor<2x4xf16>) -> tensor<2x2xf16>
// IO-NOT: graph.cast %arg0
// IO: %[[A:.*]] = graph.unary relu
// IO: return %[[A]]
// KEEP-LABEL: @layer
// KEEP: graph.matmul {{.*}} : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
// KEEP: graph.precision @layer f16 narrowed 0 kept [#graph.kept<{{.*}} because "it was asked to stay f32">, #graph.kept<{{.*}} because "it was asked to stay f32">]
func.func @layer(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %w = graph.constant dense<[[1.0, 0.5], [2.0, 3.0], [0.0, 1.0], [0.25, 1.5]]> : tensor<4x2xf32> : tensor<4x2xf32>
  %0 = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32> loc("/mlp/fc"("MatMul"))
  %1 = graph.unary relu %0 : tensor<2x2xf32> -> tensor<2x2xf32> loc("act1"("Relu"))
  return %1 : tensor<2x2xf32>
}

// -----

// A mask that f16 does not hold: scores and mask add up in f32 for the softmax alone.
// CHECK-LABEL: @masked
// CHECK: %[[S:.*]] = graph.matmul {{.*}} -> tensor<1x8x8xf16>
// CHECK: %[[W:.*]] = graph.cast %[[S]] : tensor<1x8x8xf16> -> tensor<1x8x8xf32>
// CHECK: %[[A:.*]] = graph.binary add %[[W]], %{{.*}} : tensor<1x8x8xf32>
// CHECK: %[[P:.*]] = graph.softmax %[[A]] axis 2 {graph.stored = f16} : tensor<1x8x8xf32> -> tensor<1x8x8xf32>
// CHECK: %[[N:.*]] = graph.cast %[[P]] : tensor<1x8x8xf32> -> tensor<1x8x8xf16>
// CHECK: graph.matmul %[[N]], %{{.*}} -> tensor<1x8x4xf16>
// CHECK: graph.precision @masked f16 narrowed 2 kept [#graph.kept<{{.*}} because "its results lie in [-3.4028e+38, 0], which 16 bits do not hold">
// BF16-LABEL: @masked
// BF16: graph.binary mul {{.*}} -> tensor<1x8x8xf32>
// BF16: graph.precision @masked bf16 narrowed 2 kept [#graph.kept<{{.*}} because "its results lie in [-3.4028e+38, 0], which 16 bits do not hold">
func.func @masked(%q: tensor<1x8x4xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x8x4xf32>, %hidden: tensor<1x8x8xi1>) -> tensor<1x8x4xf32> {
  %low = graph.constant dense<-3.4028e+38> : tensor<1x8x8xf32> : tensor<1x8x8xf32>
  %m = graph.cast %hidden : tensor<1x8x8xi1> -> tensor<1x8x8xf32>
  %mask = graph.binary mul %m, %low : tensor<1x8x8xf32>, tensor<1x8x8xf32> -> tensor<1x8x8xf32>
  %0 = graph.matmul %q, %k : tensor<1x8x4xf32>, tensor<1x4x8xf32> -> tensor<1x8x8xf32>
  %1 = graph.binary add %0, %mask : tensor<1x8x8xf32>, tensor<1x8x8xf32> -> tensor<1x8x8xf32>
  %2 = graph.softmax %1 axis 2 : tensor<1x8x8xf32> -> tensor<1x8x8xf32>
  %3 = graph.matmul %2, %v : tensor<1x8x8xf32>, tensor<1x8x4xf32> -> tensor<1x8x4xf32>
  return %3 : tensor<1x8x4xf32>
}

// -----

// Integers in the order of floats say no more of them than comparisons do: what is sorted may have 16 bits, as what is
// searched for the largest.
// CHECK-LABEL: @order
// CHECK: %[[A:.*]] = graph.matmul %{{.*}} -> tensor<4x8xf16>
// CHECK: graph.bitcast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xi32>
// CHECK: graph.precision @order f16 narrowed 1 kept []
func.func @order(%x: tensor<4x4xf32>, %w: tensor<4x8xf32>) -> tensor<4x8xi64> {
  %zero = graph.constant dense<0> : tensor<4x8xi32> : tensor<4x8xi32>
  %least = graph.constant dense<-2147483648> : tensor<4x8xi32> : tensor<4x8xi32>
  %most = graph.constant dense<2147483647> : tensor<4x8xi32> : tensor<4x8xi32>
  %0 = graph.matmul %x, %w : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.bitcast %0 : tensor<4x8xf32> -> tensor<4x8xi32>
  %2 = graph.binary less %1, %zero : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi1>
  %3 = graph.binary sub %least, %1 : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  %4 = graph.select %2, %3, %1 : tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  %5 = graph.unary is_nan %0 : tensor<4x8xf32> -> tensor<4x8xi1>
  %6 = graph.select %5, %most, %4 : tensor<4x8xi1>, tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  %7 = graph.cast %6 : tensor<4x8xi32> -> tensor<4x8xi64>
  return %7 : tensor<4x8xi64>
}

// -----

// Bits are those of the type that the model says, of what is read and of what is made.
// CHECK-LABEL: @bits
// CHECK: %[[A:.*]] = graph.binary add %{{.*}}, %{{.*}} -> tensor<4x8xf32>
// CHECK: %[[B:.*]] = graph.bitcast %[[A]] : tensor<4x8xf32> -> tensor<4x8xi32>
// CHECK: graph.bitcast %{{.*}} : tensor<4x8xi32> -> tensor<4x8xf32>
// CHECK: graph.precision @bits f16 narrowed 0 kept [#graph.kept<{{.*}} because "positions, angles or bits are computed from it">, #graph.kept<{{.*}} because "its numbers are bits of another type">]
func.func @bits(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.binary add %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.bitcast %0 : tensor<4x8xf32> -> tensor<4x8xi32>
  %2 = graph.binary add %1, %1 : tensor<4x8xi32>, tensor<4x8xi32> -> tensor<4x8xi32>
  %3 = graph.bitcast %2 : tensor<4x8xi32> -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// Angles stay f32 back to where they come from, through a product that sums nothing; sines are of size 1.
// CHECK-LABEL: @rotary
// CHECK: %[[T:.*]] = graph.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: %[[S:.*]] = graph.unary sin %[[T]] : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: %[[N:.*]] = graph.cast %[[S]] : tensor<4x8xf32> -> tensor<4x8xf16>
// CHECK: graph.binary mul %{{.*}}, %[[N]] : tensor<4x8xf16>
// CHECK: graph.binary add %{{.*}}, %[[N]] : tensor<4x8xf16>
// CHECK: graph.precision @rotary f16 narrowed 3 kept [#graph.kept<{{.*}} because "positions, angles or bits are computed from it">, #graph.kept<{{.*}} because "positions, angles or bits are computed from it">]
func.func @rotary(%ids: tensor<4x1xi64>, %x: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %f = graph.constant dense<0.5> : tensor<1x8xf32> : tensor<1x8xf32>
  %p = graph.cast %ids : tensor<4x1xi64> -> tensor<4x1xf32>
  %t = graph.matmul %p, %f : tensor<4x1xf32>, tensor<1x8xf32> -> tensor<4x8xf32>
  %s = graph.unary sin %t : tensor<4x8xf32> -> tensor<4x8xf32>
  %0 = graph.matmul %x, %y : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.binary mul %0, %s : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.binary add %1, %s : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Squares, their mean and a root with an epsilon below f16's numbers: f32, until they meet a 16-bit tensor.
// CHECK-LABEL: @written_out_norm
// CHECK: %[[H:.*]] = graph.matmul {{.*}} -> tensor<4x8xf16>
// CHECK: graph.binary mul %{{.*}}, %{{.*}} : tensor<4x8xf32>
// CHECK: graph.reduce mean %{{.*}} [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK: graph.binary add {{.*}} : tensor<4x1xf32>
// CHECK: graph.unary rsqrt {{.*}} -> tensor<4x1xf32>
// CHECK: %[[Q:.*]] = graph.binary mul %{{.*}}, %{{.*}} : tensor<4x8xf32>
// CHECK: %[[N:.*]] = graph.cast %[[Q]] : tensor<4x8xf32> -> tensor<4x8xf16>
// CHECK: graph.matmul %[[N]]
// CHECK: kept [#graph.kept<{{.*}} because "its results may be far larger or smaller than what it reads">, #graph.kept<{{.*}} because "it reads numbers in [1e-12, 1e-12], which 16 bits do not hold">, #graph.kept<{{.*}} because "its results may be far larger or smaller than what it reads">]
func.func @written_out_norm(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %eps = graph.constant dense<1.0e-12> : tensor<4x1xf32> : tensor<4x1xf32>
  %h = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %0 = graph.binary mul %h, %h : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce mean %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = graph.binary add %1, %eps : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %3 = graph.unary rsqrt %2 : tensor<4x1xf32> -> tensor<4x1xf32>
  %4 = graph.broadcast %3 : tensor<4x1xf32> -> tensor<4x8xf32>
  %5 = graph.binary mul %h, %4 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %6 = graph.matmul %5, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// -----

// The memory of a cache is the caller's: it keeps its type, unless the interface has 16 bits.
// CHECK-LABEL: @cache
// CHECK: %[[P:.*]] = graph.matmul {{.*}} -> tensor<1x4xf16>
// CHECK: %[[R:.*]] = graph.cast %[[P]] : tensor<1x4xf16> -> tensor<1x4xf32>
// CHECK: graph.join %arg0, %[[R]] axis 0 : tensor<3x4xf32>, tensor<1x4xf32> -> tensor<4x4xf32>
// IO-LABEL: @cache
// IO: graph.join %arg0, %{{.*}} axis 0 : tensor<3x4xf16>, tensor<1x4xf16> -> tensor<4x4xf16>
func.func @cache(%past: tensor<3x4xf32>, %x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32> -> tensor<1x4xf32>
  %1 = graph.join %past, %0 axis 0 : tensor<3x4xf32>, tensor<1x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// What crosses the border of a body is f32; in it values are narrowed as outside.
// CHECK-LABEL: @branch
// CHECK: %[[H:.*]] = graph.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: %[[C:.*]] = graph.cast %[[H]] : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK: graph.if %arg1 captures(%[[C]]) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: graph.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: graph.yield {{.*}} : tensor<4x4xf32>
func.func @branch(%x: tensor<4x4xf32>, %c: tensor<i1>) -> tensor<4x4xf32> {
  %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.if %c captures(%0) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %2 = graph.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  } else {
  ^bb0(%a: tensor<4x4xf32>):
    graph.yield %a : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// -----

// Nothing to narrow: integers, f64, and what has 16 bits already, whose casts to f32 and back go.
// CHECK-LABEL: @others
// CHECK: %[[S:.*]] = graph.binary add %arg2, %arg2 : tensor<4xf16>
// CHECK: return %arg0, %arg1, %[[S]]
func.func @others(%i: tensor<4xi32>, %d: tensor<4xf64>, %h: tensor<4xf16>) -> (tensor<4xi32>, tensor<4xf64>, tensor<4xf16>) {
  %0 = graph.binary add %h, %h : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  return %i, %d, %0 : tensor<4xi32>, tensor<4xf64>, tensor<4xf16>
}

// Positions and comparisons take values as they lie in memory.
// CHECK-LABEL: @positions
// CHECK: graph.arg_reduce max %{{.*}} axis 1 : tensor<4x4xf16> -> tensor<4x1xi64>
func.func @positions(%x: tensor<4x4xf32>) -> tensor<4x1xi64> {
  %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.arg_reduce max %0 axis 1 : tensor<4x4xf32> -> tensor<4x1xi64>
  return %1 : tensor<4x1xi64>
}

// -----

// Biases and scales stay f32: they take no memory to speak of, and the sum is computed in f32 anyway.
// CHECK-LABEL: @bias
// CHECK: %[[P:.*]] = graph.matmul {{.*}} -> tensor<4x2xf16>
// CHECK: %[[C:.*]] = graph.cast %[[P]] : tensor<4x2xf16> -> tensor<4x2xf32>
// CHECK: graph.binary add %[[C]], %{{.*}} : tensor<4x2xf32>
func.func @bias(%x: tensor<4x4xf32>, %w: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %b = graph.constant dense<[[0.1, 0.2]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %0 = graph.matmul %x, %w : tensor<4x4xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  %1 = graph.broadcast %b : tensor<1x2xf32> -> tensor<4x2xf32>
  %2 = graph.binary add %0, %1 : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// A sum of products with weights is a convolution, whose result has 16 bits for its two readers, each with a cast of its own.
// CHECK-LABEL: @depthwise
// CHECK: %[[S:.*]] = graph.reduce sum
// CHECK: %[[H:.*]] = graph.cast %[[S]] : tensor<1x4x1x2xf32> -> tensor<1x4x1x2xf16>
// CHECK: graph.unary relu %[[H]]
// CHECK: graph.unary sigmoid %[[H]]
// CHECK: graph.precision @depthwise f16 narrowed {{[0-9]+}} kept []
func.func @depthwise(%x: tensor<1x4x2x2xf32>) -> (tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>) {
  %w = graph.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32>
  %0 = graph.broadcast %w : tensor<1x1x2x2xf32> -> tensor<1x4x2x2xf32>
  %1 = graph.binary mul %x, %0 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32> -> tensor<1x4x2x2xf32>
  %2 = graph.reduce sum %1 [2] : tensor<1x4x2x2xf32> -> tensor<1x4x1x2xf32>
  %3 = graph.unary relu %2 : tensor<1x4x1x2xf32> -> tensor<1x4x1x2xf32>
  %4 = graph.unary sigmoid %2 : tensor<1x4x1x2xf32> -> tensor<1x4x1x2xf32>
  return %3, %4 : tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>
}
