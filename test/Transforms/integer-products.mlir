// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-integer-products))' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-fold-constants{keep-quantized=true}))' | FileCheck %s --check-prefix=KEPT
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-fold-constants))' | FileCheck %s --check-prefix=FOLDED

// One scale on the left, one per column on the right, whose matrix is turned; a zero point on the left.
// CHECK-LABEL: @matmul
// CHECK-DAG: %[[Q:.*]] = graph.cast %arg0 : tensor<4x8xui8> -> tensor<4x8xi16>
// CHECK-DAG: %[[W:.*]] = graph.cast %{{.*}} : tensor<6x8xi8> -> tensor<6x8xi16>
// CHECK-DAG: %[[L:.*]] = graph.binary sub %[[Q]], %{{.*}} : tensor<4x8xi16>
// CHECK: %[[R:.*]] = graph.transpose %[[W]] [1, 0] : tensor<6x8xi16> -> tensor<8x6xi16>
// CHECK: %[[S:.*]] = graph.matmul %[[L]], %[[R]] : tensor<4x8xi16>, tensor<8x6xi16> -> tensor<4x6xi32>
// CHECK: %[[F:.*]] = graph.cast %[[S]] : tensor<4x6xi32> -> tensor<4x6xf32>
// CHECK: %[[C:.*]] = graph.reshape %{{.*}} : tensor<6x1xf32> -> tensor<1x6xf32>
// CHECK: %[[B:.*]] = graph.broadcast %[[C]] : tensor<1x6xf32> -> tensor<4x6xf32>
// CHECK: %[[SCALE:.*]] = graph.binary mul %{{.*}}, %[[B]]
// CHECK: %[[Y:.*]] = graph.binary mul %[[F]], %[[SCALE]]
// CHECK: return %[[Y]]
// KEPT-LABEL: @matmul
// KEPT: graph.transpose
// KEPT: graph.matmul
// FOLDED-LABEL: @matmul
// FOLDED-NOT: graph.transpose
// FOLDED: graph.matmul
func.func @matmul(%q: tensor<4x8xui8>) -> tensor<4x6xf32> {
  %c = graph.cast %q : tensor<4x8xui8> -> tensor<4x8xf32>
  %z = graph.constant dense<1.27e2> : tensor<4x8xf32> : tensor<4x8xf32>
  %x = graph.binary sub %c, %z : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %s = graph.constant dense<5.0e-1> : tensor<4x8xf32> : tensor<4x8xf32>
  %l = graph.binary mul %x, %s : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %w = graph.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8],
      [1, 2, 3, 4, 5, 6, 7, 8], [-1, -2, -3, -4, -5, -6, -7, -8]]> : tensor<6x8xi8> : tensor<6x8xi8>
  %wf = graph.cast %w : tensor<6x8xi8> -> tensor<6x8xf32>
  %t = graph.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]> : tensor<6x1xf32> : tensor<6x1xf32>
  %tb = graph.broadcast %t : tensor<6x1xf32> -> tensor<6x8xf32>
  %ws = graph.binary mul %wf, %tb : tensor<6x8xf32>, tensor<6x8xf32> -> tensor<6x8xf32>
  %r = graph.transpose %ws [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %y = graph.matmul %l, %r : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A border of zeros is one of integers.
// CHECK-LABEL: @conv
// CHECK: graph.pad %{{.*}} ["0", "1", "1", "0"] constant 0 : i16 : tensor<1x5x5x3xi16> -> tensor<1x7x7x3xi16>
// CHECK: graph.conv {{.*}} : tensor<1x7x7x3xi16>, tensor<3x3x3x2xi16> -> tensor<1x5x5x2xi32>
func.func @conv(%q: tensor<1x5x5x3xi8>, %w: tensor<3x3x3x2xi8>) -> tensor<1x5x5x2xf32> {
  %x = graph.cast %q : tensor<1x5x5x3xi8> -> tensor<1x5x5x3xf32>
  %s = graph.constant dense<5.0e-1> : tensor<1x5x5x3xf32> : tensor<1x5x5x3xf32>
  %l = graph.binary mul %x, %s : tensor<1x5x5x3xf32>, tensor<1x5x5x3xf32> -> tensor<1x5x5x3xf32>
  %p = graph.pad %l ["0", "1", "1", "0"] constant 0.0 : f32 : tensor<1x5x5x3xf32> -> tensor<1x7x7x3xf32>
  %r = graph.cast %w : tensor<3x3x3x2xi8> -> tensor<3x3x3x2xf32>
  %y = graph.conv %p, %r strides [1, 1] dilations [1, 1] groups 1 : tensor<1x7x7x3xf32>, tensor<3x3x3x2xf32> -> tensor<1x5x5x2xf32>
  return %y : tensor<1x5x5x2xf32>
}

// Stay as they are: a scale per line of the depth, a left scale per row, integers that are no bytes, a border of ones, a second zero point.
// CHECK-LABEL: @refused
// CHECK-NOT: i16
func.func @refused(%q: tensor<4x8xui8>, %w: tensor<8x6xi8>, %wide: tensor<8x6xi32>, %rows: tensor<4x1xf32>, %depth: tensor<8x1xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %x = graph.cast %q : tensor<4x8xui8> -> tensor<4x8xf32>
  %r = graph.cast %w : tensor<8x6xi8> -> tensor<8x6xf32>
  %d = graph.broadcast %depth : tensor<8x1xf32> -> tensor<8x6xf32>
  %rd = graph.binary mul %r, %d : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %0 = graph.matmul %x, %rd : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %e = graph.broadcast %rows : tensor<4x1xf32> -> tensor<4x8xf32>
  %xe = graph.binary mul %x, %e : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.matmul %xe, %r : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %v = graph.cast %wide : tensor<8x6xi32> -> tensor<8x6xf32>
  %2 = graph.matmul %x, %v : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %cut = graph.slice %x ["0", "0"] [1, 1] : tensor<4x8xf32> -> tensor<4x7xf32>
  %ones = graph.pad %cut ["0", "0"] constant 1.0 : f32 : tensor<4x7xf32> -> tensor<4x8xf32>
  %3 = graph.matmul %ones, %r : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %z = graph.constant dense<1.27e2> : tensor<8x6xf32> : tensor<8x6xf32>
  %r1 = graph.binary sub %r, %z : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %r2 = graph.binary sub %r1, %z : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %4 = graph.matmul %x, %r2 : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %0, %1, %2, %3, %4 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Both sides of float8, of one type or two: views of the bytes, and the scales behind the sums.
// CHECK-LABEL: @float8
// CHECK-DAG: %[[X:.*]] = graph.bitcast %arg0 : tensor<4x8xui8> -> tensor<4x8xf8E4M3FN>
// CHECK-DAG: %[[W:.*]] = graph.bitcast %arg1 : tensor<6x8xui8> -> tensor<6x8xf8E5M2>
// CHECK: %[[R:.*]] = graph.transpose %[[W]] [1, 0] : tensor<6x8xf8E5M2> -> tensor<8x6xf8E5M2>
// CHECK: %[[S:.*]] = graph.matmul %[[X]], %[[R]] : tensor<4x8xf8E4M3FN>, tensor<8x6xf8E5M2> -> tensor<4x6xf32>
// CHECK-NOT: graph.cast
// CHECK: %[[SCALE:.*]] = graph.binary mul
// CHECK: %[[Y:.*]] = graph.binary mul %[[S]], %[[SCALE]]
// CHECK: return %[[Y]]
func.func @float8(%q: tensor<4x8xui8>, %w: tensor<6x8xui8>, %t: tensor<6x1xf32>) -> tensor<4x6xf32> {
  %xb = graph.bitcast %q : tensor<4x8xui8> -> tensor<4x8xf8E4M3FN>
  %x = graph.cast %xb : tensor<4x8xf8E4M3FN> -> tensor<4x8xf32>
  %s = graph.constant dense<5.0e-1> : tensor<4x8xf32> : tensor<4x8xf32>
  %l = graph.binary mul %x, %s : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %wb = graph.bitcast %w : tensor<6x8xui8> -> tensor<6x8xf8E5M2>
  %wf = graph.cast %wb : tensor<6x8xf8E5M2> -> tensor<6x8xf32>
  %tb = graph.broadcast %t : tensor<6x1xf32> -> tensor<6x8xf32>
  %ws = graph.binary mul %wf, %tb : tensor<6x8xf32>, tensor<6x8xf32> -> tensor<6x8xf32>
  %r = graph.transpose %ws [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %y = graph.matmul %l, %r : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A border of zeros is one of float8.
// CHECK-LABEL: @float8Conv
// CHECK: graph.pad %{{.*}} ["0", "1", "1", "0"] constant 0.000000e+00 : f8E4M3FN : tensor<1x5x5x3xf8E4M3FN> -> tensor<1x7x7x3xf8E4M3FN>
// CHECK: graph.conv {{.*}} : tensor<1x7x7x3xf8E4M3FN>, tensor<3x3x3x2xf8E4M3FN> -> tensor<1x5x5x2xf32>
func.func @float8Conv(%q: tensor<1x5x5x3xf8E4M3FN>, %w: tensor<3x3x3x2xf8E4M3FN>) -> tensor<1x5x5x2xf32> {
  %x = graph.cast %q : tensor<1x5x5x3xf8E4M3FN> -> tensor<1x5x5x3xf32>
  %p = graph.pad %x ["0", "1", "1", "0"] constant 0.0 : f32 : tensor<1x5x5x3xf32> -> tensor<1x7x7x3xf32>
  %r = graph.cast %w : tensor<3x3x3x2xf8E4M3FN> -> tensor<3x3x3x2xf32>
  %y = graph.conv %p, %r strides [1, 1] dilations [1, 1] groups 1 : tensor<1x7x7x3xf32>, tensor<3x3x3x2xf32> -> tensor<1x5x5x2xf32>
  return %y : tensor<1x5x5x2xf32>
}

// Stay as they are: float8 beside integers, beside f32, less a zero point, with a scale per line of the depth.
// CHECK-LABEL: @float8Refused
// CHECK-NOT: graph.matmul {{.*}}f8
// CHECK: return
func.func @float8Refused(%q: tensor<4x8xf8E4M3FN>, %w: tensor<8x6xi8>, %f: tensor<8x6xf32>, %e: tensor<8x6xf8E4M3FN>, %depth: tensor<8x1xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %x = graph.cast %q : tensor<4x8xf8E4M3FN> -> tensor<4x8xf32>
  %r = graph.cast %w : tensor<8x6xi8> -> tensor<8x6xf32>
  %0 = graph.matmul %x, %r : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.matmul %x, %f : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %z = graph.constant dense<2.0> : tensor<8x6xf32> : tensor<8x6xf32>
  %v = graph.cast %e : tensor<8x6xf8E4M3FN> -> tensor<8x6xf32>
  %less = graph.binary sub %v, %z : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %2 = graph.matmul %x, %less : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %d = graph.broadcast %depth : tensor<8x1xf32> -> tensor<8x6xf32>
  %vd = graph.binary mul %v, %d : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %3 = graph.matmul %x, %vd : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %0, %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
