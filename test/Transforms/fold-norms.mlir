//===- test/Transforms/fold-norms.mlir - norms between products are no kernels ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-fold-norms{part=2 least-rows=1}))' --split-input-file | FileCheck %s

// A layer of a transformer: the norm's readers are a product, whose bias takes the norm's shift, and another product's
// kernel that adds it.
// CHECK-LABEL: func.func @layer
// CHECK: %[[MADE:.*]]:2 = graph.fusion gemm(%arg0, %{{.*}}) : (tensor<3x4xf16>, tensor<4x4xf16>) -> (tensor<3x4xf16>, tensor<3x2x1x2xf32>) {
// CHECK: %[[NARROW:.*]] = graph.cast %{{.*}} : tensor<3x4xf32> -> tensor<3x4xf16>
// CHECK-NEXT: %[[WIDE:.*]] = graph.cast %[[NARROW]] : tensor<3x4xf16> -> tensor<3x4xf32>
// CHECK-NEXT: %[[PARTS:.*]] = graph.reshape %[[WIDE]] : tensor<3x4xf32> -> tensor<3x2x2xf32>
// CHECK-NEXT: %[[MOMENTS:.*]] = graph.moments %[[PARTS]] axes [2]
// CHECK-NEXT: graph.yield %[[NARROW]], %[[MOMENTS]]
// CHECK-NOT: graph.layer_norm
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[}}[5.000000e-01, 1.000000e+00], [3.000000e+00, 4.000000e+00], [1.000000e+01, 1.200000e+01], [7.000000e+00, 8.000000e+00]]> : tensor<4x2xf16>
// CHECK-DAG: %[[SUMS:.*]] = graph.constant dense<{{\[}}[2.050000e+01, 2.500000e+01]]> : tensor<1x2xf32>
// CHECK-DAG: %[[BIAS:.*]] = graph.constant dense<{{\[}}[1.700000e+01, 2.800000e+01]]> : tensor<1x2xf32>
// CHECK: graph.fusion gemm(%[[MADE]]#0, %[[W]], %[[BIAS]], %[[MADE]]#1, %[[SUMS]])
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<3x4xf16>, %[[OWN:.*]]: tensor<4x2xf16>, %[[B:.*]]: tensor<1x2xf32>, %[[M:.*]]: tensor<3x2x1x2xf32>, %[[S:.*]]: tensor<1x2xf32>):
// CHECK-NEXT: %[[STATISTICS:.*]] = graph.statistics %[[M]] axes [1, 2] {epsilon = 1.000000e-05 : f64}
// CHECK: %[[MEAN:.*]] = graph.reshape %{{.*}} : tensor<3x1x1x1xf32> -> tensor<3x1xf32>
// CHECK: graph.slice %[[STATISTICS]] ["0", "0", "0", "1"]
// CHECK-NEXT: %[[SCALE:.*]] = graph.reshape
// CHECK-NEXT: %[[PRODUCT:.*]] = graph.matmul %[[X]], %[[OWN]]
// CHECK-NEXT: %[[SUM:.*]] = graph.cast %[[PRODUCT]]
// CHECK-NEXT: %[[MEANS:.*]] = graph.broadcast %[[MEAN]]
// CHECK-NEXT: %[[COLUMNS:.*]] = graph.broadcast %[[S]]
// CHECK-NEXT: %[[SHARE:.*]] = graph.binary mul %[[MEANS]], %[[COLUMNS]]
// CHECK-NEXT: %[[CENTRED:.*]] = graph.binary sub %[[SUM]], %[[SHARE]]
// CHECK-NEXT: %[[SCALES:.*]] = graph.broadcast %[[SCALE]]
// CHECK-NEXT: %[[SCALED:.*]] = graph.binary mul %[[CENTRED]], %[[SCALES]]
// CHECK-NEXT: %[[SHIFT:.*]] = graph.broadcast %[[B]]
// CHECK-NEXT: graph.binary add %[[SCALED]], %[[SHIFT]]
// CHECK: graph.fusion gemm(%{{.*}}, %{{.*}}, %[[MADE]]#0, %[[MADE]]#1, %{{.*}}, %{{.*}})
// CHECK: graph.matmul
// CHECK-NEXT: %[[SUM:.*]] = graph.cast
// CHECK-NEXT: %[[ROWS:.*]] = graph.cast
// CHECK: graph.binary sub %[[ROWS]]
// CHECK: graph.binary mul
// CHECK: graph.binary mul
// CHECK: %[[NORM:.*]] = graph.binary add
// CHECK-NEXT: graph.binary add %[[SUM]], %[[NORM]]
func.func @layer(%x: tensor<3x4xf16>, %y: tensor<3x2xf16>) -> (tensor<3x2xf16>, tensor<3x4xf16>) {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %u = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf16> : tensor<2x4xf16>
  %f = graph.constant dense<[[0.5, 1.0, 2.0, 1.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %s = graph.constant dense<[[0.0, 0.0, 1.0, 1.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %b = graph.constant dense<[[5.0, 14.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %m : tensor<3x4xf16> -> tensor<3x4xf32>
    %r = graph.unary relu %c : tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %r : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f, %s) : (tensor<3x4xf16>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf32>, %a2: tensor<1x4xf32>):
    %c = graph.cast %a0 : tensor<3x4xf16> -> tensor<3x4xf32>
    %l = graph.layer_norm %c axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf32> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<1x4xf32> -> tensor<3x4xf32>
    %p = graph.binary mul %l, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %h = graph.broadcast %a2 : tensor<1x4xf32> -> tensor<3x4xf32>
    %q = graph.binary add %p, %h : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %q : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w, %b) : (tensor<3x4xf16>, tensor<4x2xf16>, tensor<1x2xf32>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>, %a2: tensor<1x2xf32>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    %c = graph.cast %m : tensor<3x2xf16> -> tensor<3x2xf32>
    %h = graph.broadcast %a2 : tensor<1x2xf32> -> tensor<3x2xf32>
    %q = graph.binary add %c, %h : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x2xf32>
    %n = graph.cast %q : tensor<3x2xf32> -> tensor<3x2xf16>
    graph.yield %n : tensor<3x2xf16>
  }
  %3 = graph.fusion gemm(%y, %u, %1) : (tensor<3x2xf16>, tensor<2x4xf16>, tensor<3x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x2xf16>, %a1: tensor<2x4xf16>, %a2: tensor<3x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x2xf16>, tensor<2x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %m : tensor<3x4xf16> -> tensor<3x4xf32>
    %r = graph.cast %a2 : tensor<3x4xf16> -> tensor<3x4xf32>
    %q = graph.binary add %c, %r : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %q : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  return %2, %3 : tensor<3x2xf16>, tensor<3x4xf16>
}

// -----

// A norm by the root of squares has no means, and here no shift. What is used in 16 bits is put right in 32.
// CHECK-LABEL: func.func @squares
// CHECK: graph.fusion gemm(%{{.*}}#0, %{{.*}}, %{{.*}}#1) :
// CHECK: graph.statistics %{{.*}} axes [1, 2] {epsilon = 1.000000e-05 : f64, rms = true}
// CHECK: %[[PRODUCT:.*]] = graph.matmul
// CHECK-NEXT: %[[SUM:.*]] = graph.cast %[[PRODUCT]] : tensor<3x2xf16> -> tensor<3x2xf32>
// CHECK-NEXT: %[[SCALES:.*]] = graph.broadcast
// CHECK-NEXT: %[[SCALED:.*]] = graph.binary mul %[[SUM]], %[[SCALES]]
// CHECK-NEXT: %[[NARROW:.*]] = graph.cast %[[SCALED]]
// CHECK-NEXT: graph.unary relu %[[NARROW]]
func.func @squares(%x: tensor<3x4xf16>) -> tensor<3x2xf16> {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %f = graph.constant dense<[[0.5, 1.0, 2.0, 1.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f) : (tensor<3x4xf16>, tensor<1x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64, rms = true} : tensor<3x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %l : tensor<3x4xf16> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<1x4xf32> -> tensor<3x4xf32>
    %p = graph.binary mul %c, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %p : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    %r = graph.unary relu %m : tensor<3x2xf16> -> tensor<3x2xf16>
    graph.yield %r : tensor<3x2xf16>
  }
  return %2 : tensor<3x2xf16>
}

// -----

// The same in 16 bits throughout, as models are exported: the bias that takes the shift becomes one of 32, and so do the
// norm's factor and shift where its elements are added.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: graph.layer_norm
// CHECK: %[[BIAS:.*]] = graph.constant dense<{{\[}}[1.700000e+01, 2.800000e+01]]> : tensor<1x2xf32>
// CHECK: graph.fusion gemm(%{{.*}}#0, %{{.*}}, %[[BIAS]], %{{.*}}#1, %{{.*}})
// CHECK: %[[PRODUCT:.*]] = graph.matmul
// CHECK: graph.cast %[[PRODUCT]] : tensor<3x2xf16> -> tensor<3x2xf32>
// CHECK: graph.binary sub
// CHECK: %[[SCALED:.*]] = graph.binary mul
// CHECK-NEXT: %[[SUM:.*]] = graph.binary add %[[SCALED]], %{{.*}} : tensor<3x2xf32>
// CHECK-NEXT: %[[NARROW:.*]] = graph.cast %[[SUM]] : tensor<3x2xf32> -> tensor<3x2xf16>
// CHECK-NEXT: graph.unary relu %[[NARROW]]
// CHECK: graph.fusion gemm(%{{.*}}, %{{.*}}, %{{.*}}#0, %{{.*}}#1, %{{.*}}, %{{.*}}) : ({{.*}}, tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK: %[[PRODUCT:.*]] = graph.matmul
// CHECK-NEXT: graph.cast %{{.*}} : tensor<3x4xf16> -> tensor<3x4xf32>
// CHECK: %[[NORM:.*]] = graph.cast %{{.*}} : tensor<3x4xf32> -> tensor<3x4xf16>
// CHECK-NEXT: graph.binary add %[[PRODUCT]], %[[NORM]] : tensor<3x4xf16>
func.func @halves(%x: tensor<3x4xf16>, %y: tensor<3x2xf16>) -> (tensor<3x2xf16>, tensor<3x4xf16>) {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %u = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf16> : tensor<2x4xf16>
  %f = graph.constant dense<[[0.5, 1.0, 2.0, 1.0]]> : tensor<1x4xf16> : tensor<1x4xf16>
  %s = graph.constant dense<[[0.0, 0.0, 1.0, 1.0]]> : tensor<1x4xf16> : tensor<1x4xf16>
  %b = graph.constant dense<[[5.0, 14.0]]> : tensor<1x2xf16> : tensor<1x2xf16>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f, %s) : (tensor<3x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf16>, %a2: tensor<1x4xf16>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    %g = graph.broadcast %a1 : tensor<1x4xf16> -> tensor<3x4xf16>
    %p = graph.binary mul %l, %g : tensor<3x4xf16>, tensor<3x4xf16> -> tensor<3x4xf16>
    %h = graph.broadcast %a2 : tensor<1x4xf16> -> tensor<3x4xf16>
    %q = graph.binary add %p, %h : tensor<3x4xf16>, tensor<3x4xf16> -> tensor<3x4xf16>
    graph.yield %q : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w, %b) : (tensor<3x4xf16>, tensor<4x2xf16>, tensor<1x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>, %a2: tensor<1x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    %h = graph.broadcast %a2 : tensor<1x2xf16> -> tensor<3x2xf16>
    %q = graph.binary add %m, %h : tensor<3x2xf16>, tensor<3x2xf16> -> tensor<3x2xf16>
    %r = graph.unary relu %q : tensor<3x2xf16> -> tensor<3x2xf16>
    graph.yield %r : tensor<3x2xf16>
  }
  %3 = graph.fusion gemm(%y, %u, %1) : (tensor<3x2xf16>, tensor<2x4xf16>, tensor<3x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x2xf16>, %a1: tensor<2x4xf16>, %a2: tensor<3x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x2xf16>, tensor<2x4xf16> -> tensor<3x4xf16>
    %q = graph.binary add %m, %a2 : tensor<3x4xf16>, tensor<3x4xf16> -> tensor<3x4xf16>
    graph.yield %q : tensor<3x4xf16>
  }
  return %2, %3 : tensor<3x2xf16>, tensor<3x4xf16>
}

// -----

// The model returns the norm; rows of f32; weights that are no constant; columns that are no whole parts.
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-4: graph.layer_norm
// CHECK-NOT: graph.statistics
// CHECK: return
func.func @refused(%x: tensor<3x4xf16>, %w: tensor<4x2xf16>, %y: tensor<3x3xf16>)
    -> (tensor<3x2xf16>, tensor<3x4xf16>, tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>) {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %u = graph.constant dense<[[1.0, 2.0, 3.0], [5.0, 6.0, 7.0], [1.0, 0.0, 0.0]]> : tensor<3x3xf16> : tensor<3x3xf16>
  %k = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %t = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16> : tensor<3x2xf16>
  %made = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %wide = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf32> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %m : tensor<3x4xf16> -> tensor<3x4xf32>
    graph.yield %c : tensor<3x4xf32>
  }
  %odd = graph.fusion gemm(%y, %u) : (tensor<3x3xf16>, tensor<3x3xf16>) -> tensor<3x3xf16> {
  ^bb0(%a0: tensor<3x3xf16>, %a1: tensor<3x3xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x3xf16>, tensor<3x3xf16> -> tensor<3x3xf16>
    graph.yield %m : tensor<3x3xf16>
  }
  %returned = graph.fusion row_reduction(%made) : (tensor<3x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    graph.yield %l : tensor<3x4xf16>
  }
  %ofWide = graph.fusion row_reduction(%wide) : (tensor<3x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %l : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %plain = graph.fusion row_reduction(%made) : (tensor<3x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 2.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    graph.yield %l : tensor<3x4xf16>
  }
  %ofOdd = graph.fusion row_reduction(%odd) : (tensor<3x3xf16>) -> tensor<3x3xf16> {
  ^bb0(%a0: tensor<3x3xf16>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x3xf16> -> tensor<3x3xf16>
    graph.yield %l : tensor<3x3xf16>
  }
  %0 = graph.fusion gemm(%returned, %k) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  %1 = graph.fusion gemm(%ofWide, %k) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  %2 = graph.fusion gemm(%plain, %w) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  %3 = graph.fusion gemm(%ofOdd, %t) : (tensor<3x3xf16>, tensor<3x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x3xf16>, %a1: tensor<3x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x3xf16>, tensor<3x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  return %0, %returned, %1, %2, %3 : tensor<3x2xf16>, tensor<3x4xf16>, tensor<3x2xf16>, tensor<3x2xf16>, tensor<3x2xf16>
}

// -----

// A factor for each row.
// CHECK-LABEL: func.func @rows
// CHECK: graph.layer_norm
func.func @rows(%x: tensor<3x4xf16>) -> tensor<3x2xf16> {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %f = graph.constant dense<[[0.5], [1.0], [2.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f) : (tensor<3x4xf16>, tensor<3x1xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<3x1xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %l : tensor<3x4xf16> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<3x1xf32> -> tensor<3x4xf32>
    %p = graph.binary mul %c, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %p : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  return %2 : tensor<3x2xf16>
}

// -----

// Weights that f16 does not hold times the factor, and those of which it holds few bits.
// CHECK-LABEL: func.func @large
// CHECK: graph.layer_norm
func.func @large(%x: tensor<3x4xf16>) -> tensor<3x2xf16> {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %f = graph.constant dense<[[0.5, 1.0, 2.0, 1.0e4]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f) : (tensor<3x4xf16>, tensor<1x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %l : tensor<3x4xf16> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<1x4xf32> -> tensor<3x4xf32>
    %p = graph.binary mul %c, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %p : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  return %2 : tensor<3x2xf16>
}

// -----

// CHECK-LABEL: func.func @small
// CHECK: graph.layer_norm
func.func @small(%x: tensor<3x4xf16>) -> tensor<3x2xf16> {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %f = graph.constant dense<[[1.1e-7, 1.2e-7, 1.3e-7, 1.1e-7]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f) : (tensor<3x4xf16>, tensor<1x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %l : tensor<3x4xf16> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<1x4xf32> -> tensor<3x4xf32>
    %p = graph.binary mul %c, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %p : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w) : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    graph.yield %m : tensor<3x2xf16>
  }
  return %2 : tensor<3x2xf16>
}

// -----

// A bias that the kernel reads again stays what it is.
// CHECK-LABEL: func.func @biasReadTwice
// CHECK-DAG: %[[BIAS:.*]] = graph.constant dense<{{\[}}[5.000000e+00, 1.400000e+01]]> : tensor<1x2xf32>
// CHECK-DAG: %[[SHIFT:.*]] = graph.constant dense<{{\[}}[1.700000e+01, 2.200000e+01]]> : tensor<1x2xf32>
// CHECK: graph.fusion gemm(%{{.*}}#0, %{{.*}}, %[[BIAS]], %{{.*}}#1, %{{.*}}, %[[SHIFT]])
func.func @biasReadTwice(%x: tensor<3x4xf16>) -> tensor<3x2xf16> {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16> : tensor<4x2xf16>
  %f = graph.constant dense<[[1.0, 1.0, 1.0, 1.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %s = graph.constant dense<[[2.0, 0.0, 3.0, 0.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %b = graph.constant dense<[[5.0, 14.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %s) : (tensor<3x4xf16>, tensor<1x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %l : tensor<3x4xf16> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<1x4xf32> -> tensor<3x4xf32>
    %p = graph.binary add %c, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %p : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%1, %w, %b) : (tensor<3x4xf16>, tensor<4x2xf16>, tensor<1x2xf32>) -> tensor<3x2xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x2xf16>, %a2: tensor<1x2xf32>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x2xf16> -> tensor<3x2xf16>
    %c = graph.cast %m : tensor<3x2xf16> -> tensor<3x2xf32>
    %h = graph.broadcast %a2 : tensor<1x2xf32> -> tensor<3x2xf32>
    %q = graph.binary add %c, %h : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x2xf32>
    %p = graph.binary mul %q, %h : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x2xf32>
    %n = graph.cast %p : tensor<3x2xf32> -> tensor<3x2xf16>
    graph.yield %n : tensor<3x2xf16>
  }
  return %2 : tensor<3x2xf16>
}

// -----

// What adds the norm lies in another order.
// CHECK-LABEL: func.func @turned
// CHECK: graph.layer_norm
func.func @turned(%x: tensor<3x4xf16>, %y: tensor<3x2xf16>) -> tensor<4x3xf16> {
  %v = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 2.0]]> : tensor<4x4xf16> : tensor<4x4xf16>
  %f = graph.constant dense<[[0.5, 1.0, 2.0, 1.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %u = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf16> : tensor<2x4xf16>
  %0 = graph.fusion gemm(%x, %v) : (tensor<3x4xf16>, tensor<4x4xf16>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<4x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x4xf16>, tensor<4x4xf16> -> tensor<3x4xf16>
    graph.yield %m : tensor<3x4xf16>
  }
  %1 = graph.fusion row_reduction(%0, %f) : (tensor<3x4xf16>, tensor<1x4xf32>) -> tensor<3x4xf16> {
  ^bb0(%a0: tensor<3x4xf16>, %a1: tensor<1x4xf32>):
    %l = graph.layer_norm %a0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<3x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %l : tensor<3x4xf16> -> tensor<3x4xf32>
    %g = graph.broadcast %a1 : tensor<1x4xf32> -> tensor<3x4xf32>
    %p = graph.binary mul %c, %g : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %p : tensor<3x4xf32> -> tensor<3x4xf16>
    graph.yield %n : tensor<3x4xf16>
  }
  %2 = graph.fusion gemm(%y, %u, %1) : (tensor<3x2xf16>, tensor<2x4xf16>, tensor<3x4xf16>) -> tensor<4x3xf16> {
  ^bb0(%a0: tensor<3x2xf16>, %a1: tensor<2x4xf16>, %a2: tensor<3x4xf16>):
    %m = graph.matmul %a0, %a1 : tensor<3x2xf16>, tensor<2x4xf16> -> tensor<3x4xf16>
    %c = graph.cast %m : tensor<3x4xf16> -> tensor<3x4xf32>
    %r = graph.cast %a2 : tensor<3x4xf16> -> tensor<3x4xf32>
    %q = graph.binary add %c, %r : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %n = graph.cast %q : tensor<3x4xf32> -> tensor<3x4xf16>
    %t = graph.transpose %n [1, 0] : tensor<3x4xf16> -> tensor<4x3xf16>
    graph.yield %t : tensor<4x3xf16>
  }
  return %2 : tensor<4x3xf16>
}
