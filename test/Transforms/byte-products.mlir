// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-byte-products))' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-byte-products{signed-left}))' | FileCheck %s --check-prefix=SIGNED

// The zero point comes behind; its share is a constant per column.
// CHECK-LABEL: @matmul
// CHECK: %[[C:.*]] = graph.constant dense<{{.*}}> : tensor<2x3xi8>
// CHECK: %[[W:.*]] = graph.transpose %[[C]] [1, 0]
// CHECK: %[[R:.*]] = graph.matmul %arg0, %[[W]] : tensor<4x3xui8>, tensor<3x2xi8> -> tensor<4x2xi32>
// CHECK: %[[Z:.*]] = graph.cast %{{.*}} : tensor<1x1xi16> -> tensor<1x1xi32>
// CHECK: graph.constant dense<{{\[}}[9, 12]]> : tensor<1x2xi32>
// CHECK: %[[SHARE:.*]] = graph.binary mul
// CHECK: %[[Y:.*]] = graph.binary sub %[[R]], %[[SHARE]]
// CHECK-NEXT: return %[[Y]]
func.func @matmul(%q: tensor<4x3xui8>, %z: tensor<i16>) -> tensor<4x2xi32> {
  %x = graph.cast %q : tensor<4x3xui8> -> tensor<4x3xi16>
  %z1 = graph.reshape %z : tensor<i16> -> tensor<1x1xi16>
  %zb = graph.broadcast %z1 : tensor<1x1xi16> -> tensor<4x3xi16>
  %l = graph.binary sub %x, %zb : tensor<4x3xi16>, tensor<4x3xi16> -> tensor<4x3xi16>
  %w = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16> : tensor<3x2xi16>
  %y = graph.matmul %l, %w : tensor<4x3xi16>, tensor<3x2xi16> -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// A border is one of zero points.
// CHECK-LABEL: @conv
// CHECK: graph.pad %arg0 ["0", "1", "0"] constant 7 : ui8 : tensor<1x5x1xui8> -> tensor<1x7x1xui8>
// CHECK: graph.conv {{.*}} : tensor<1x7x1xui8>, tensor<3x1x2xi8> -> tensor<1x5x2xi32>
func.func @conv(%q: tensor<1x5x1xui8>) -> tensor<1x5x2xi32> {
  %x = graph.cast %q : tensor<1x5x1xui8> -> tensor<1x5x1xi16>
  %z = graph.constant dense<7> : tensor<1x5x1xi16> : tensor<1x5x1xi16>
  %l = graph.binary sub %x, %z : tensor<1x5x1xi16>, tensor<1x5x1xi16> -> tensor<1x5x1xi16>
  %p = graph.pad %l ["0", "1", "0"] constant 0 : i16 : tensor<1x5x1xi16> -> tensor<1x7x1xi16>
  %w = graph.constant dense<[[[1, -2]], [[3, 4]], [[-128, 127]]]> : tensor<3x1x2xi16> : tensor<3x1x2xi16>
  %y = graph.conv %p, %w strides [1] dilations [1] groups 1 : tensor<1x7x1xi16>, tensor<3x1x2xi16> -> tensor<1x5x2xi32>
  return %y : tensor<1x5x2xi32>
}

// Weights of a byte less a zero point in its middle take more than i8 holds: the bytes less one number for all, whose share of a sum is
// itself times the sum of the row. A known zero point's share is a constant.
// CHECK-LABEL: @offset
// CHECK: graph.constant dense<{{\[\[}}-128, 127], [30, 18]]> : tensor<2x2xi8>
// CHECK: %[[P:.*]] = graph.matmul %arg0, %{{.*}} : tensor<4x2xui8>, tensor<2x2xi8> -> tensor<4x2xi32>
// CHECK: %[[WIDE:.*]] = graph.cast %arg0 : tensor<4x2xui8> -> tensor<4x2xi32>
// CHECK: %[[ROWS:.*]] = graph.reduce sum %[[WIDE]] [1] : tensor<4x2xi32> -> tensor<4x1xi32>
// CHECK: %[[EACH:.*]] = graph.broadcast %[[ROWS]]
// CHECK: %[[NINE:.*]] = graph.constant dense<9> : tensor<4x2xi32>
// CHECK: %[[SHARE:.*]] = graph.binary mul %[[EACH]], %[[NINE]]
// CHECK: %[[SUM:.*]] = graph.binary add %[[P]], %[[SHARE]]
// CHECK: %[[ZEROS:.*]] = graph.constant dense<{{\[\[}}51, 198]]> : tensor<1x2xi32>
// CHECK: %[[ZERO:.*]] = graph.broadcast %[[ZEROS]]
// CHECK: graph.binary sub %[[SUM]], %[[ZERO]]
func.func @offset(%q: tensor<4x2xui8>) -> tensor<4x2xi32> {
  %x = graph.cast %q : tensor<4x2xui8> -> tensor<4x2xi16>
  %z = graph.constant dense<3> : tensor<4x2xi16> : tensor<4x2xi16>
  %l = graph.binary sub %x, %z : tensor<4x2xi16>, tensor<4x2xi16> -> tensor<4x2xi16>
  %w = graph.constant dense<[[-119, 39], [136, 27]]> : tensor<2x2xi16> : tensor<2x2xi16>
  %y = graph.matmul %l, %w : tensor<4x2xi16>, tensor<2x2xi16> -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// Columns that lie further apart have a number each, 0 where i8 holds them, and so do those of every matrix.
// CHECK-LABEL: @offsets
// CHECK: graph.constant dense<{{\[\[\[}}-128, -125], [5, -6]], {{\[\[}}-128, -118], [-1, 2]]]> : tensor<2x2x2xi8>
// CHECK: graph.constant dense<{{\[\[\[}}328, 0]], {{\[\[}}-172, 0]]]> : tensor<2x1x2xi32>
// CHECK: return
func.func @offsets(%q: tensor<2x4x2xui8>) -> tensor<2x4x2xi32> {
  %x = graph.cast %q : tensor<2x4x2xui8> -> tensor<2x4x2xi16>
  %w = graph.constant dense<[[[200, 5], [203, -6]], [[-300, -1], [-290, 2]]]> : tensor<2x2x2xi16> : tensor<2x2x2xi16>
  %y = graph.matmul %x, %w : tensor<2x4x2xi16>, tensor<2x2x2xi16> -> tensor<2x4x2xi32>
  return %y : tensor<2x4x2xi32>
}

// A row, or a matrix, may have a zero point of its own.
// CHECK-LABEL: @rows
// CHECK: %[[P:.*]] = graph.matmul %arg0, %{{.*}} : tensor<4x2xui8>, tensor<2x2xi8> -> tensor<4x2xi32>
// CHECK: %[[Z:.*]] = graph.cast %arg1 : tensor<4x1xi16> -> tensor<4x1xi32>
// CHECK: graph.broadcast %[[Z]] : tensor<4x1xi32> -> tensor<4x2xi32>
func.func @rows(%q: tensor<4x2xui8>, %rows: tensor<4x1xi16>) -> tensor<4x2xi32> {
  %x = graph.cast %q : tensor<4x2xui8> -> tensor<4x2xi16>
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16> : tensor<2x2xi16>
  %r = graph.broadcast %rows : tensor<4x1xi16> -> tensor<4x2xi16>
  %l = graph.binary sub %x, %r : tensor<4x2xi16>, tensor<4x2xi16> -> tensor<4x2xi16>
  %y = graph.matmul %l, %w : tensor<4x2xi16>, tensor<2x2xi16> -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// A border beside a zero point that is known when the model runs, and what a window sums up.
// CHECK-LABEL: @border
// CHECK: %[[INNER:.*]] = graph.pad %arg0 ["0", "1", "0"] constant 0 : ui8 : tensor<1x5x1xui8> -> tensor<1x7x1xui8>
// CHECK: %[[INSIDE:.*]] = graph.pad %{{.*}} ["0", "1", "0"] constant false : tensor<1x5x1xi1> -> tensor<1x7x1xi1>
// CHECK: %[[ZERO:.*]] = graph.cast %{{.*}} : tensor<1x1x1xi16> -> tensor<1x1x1xui8>
// CHECK: %[[ZEROS:.*]] = graph.broadcast %[[ZERO]]
// CHECK: %[[PADDED:.*]] = graph.select %[[INSIDE]], %[[INNER]], %[[ZEROS]]
// CHECK: graph.conv %[[PADDED]], %{{.*}} strides [2] {{.*}} : tensor<1x7x1xui8>, tensor<3x1x2xi8> -> tensor<1x3x2xi32>
// CHECK: %[[WIDE:.*]] = graph.cast %[[PADDED]] : tensor<1x7x1xui8> -> tensor<1x7x1xi32>
// CHECK: %[[WINDOWS:.*]] = graph.window %[[WIDE]] axis 1 sizes [3] strides [2] dilations [1] : tensor<1x7x1xi32> -> tensor<1x3x3x1xi32>
// CHECK: graph.reduce sum %[[WINDOWS]] [2] : tensor<1x3x3x1xi32> -> tensor<1x3x1x1xi32>
func.func @border(%q: tensor<1x5x1xui8>, %z: tensor<i16>) -> tensor<1x3x2xi32> {
  %x = graph.cast %q : tensor<1x5x1xui8> -> tensor<1x5x1xi16>
  %z1 = graph.reshape %z : tensor<i16> -> tensor<1x1x1xi16>
  %zb = graph.broadcast %z1 : tensor<1x1x1xi16> -> tensor<1x5x1xi16>
  %l = graph.binary sub %x, %zb : tensor<1x5x1xi16>, tensor<1x5x1xi16> -> tensor<1x5x1xi16>
  %p = graph.pad %l ["0", "1", "0"] constant 0 : i16 : tensor<1x5x1xi16> -> tensor<1x7x1xi16>
  %w = graph.constant dense<[[[200, 1]], [[3, 4]], [[100, 5]]]> : tensor<3x1x2xi16> : tensor<3x1x2xi16>
  %y = graph.conv %p, %w strides [2] dilations [1] groups 1 : tensor<1x7x1xi16>, tensor<3x1x2xi16> -> tensor<1x3x2xi32>
  return %y : tensor<1x3x2xi32>
}

// One tap has no window: what it reads.
// CHECK-LABEL: @tap
// CHECK: %[[SUMS:.*]] = graph.reduce sum %{{.*}} [2] : tensor<1x5x2xi32> -> tensor<1x5x1xi32>
// CHECK: graph.slice %[[SUMS]] ["0", "0", "0"] [1, 2, 1] : tensor<1x5x1xi32> -> tensor<1x3x1xi32>
// CHECK-NOT: graph.window
// CHECK: return
func.func @tap(%q: tensor<1x5x2xui8>) -> tensor<1x3x1xi32> {
  %x = graph.cast %q : tensor<1x5x2xui8> -> tensor<1x5x2xi16>
  %w = graph.constant dense<[[[200], [3]]]> : tensor<1x2x1xi16> : tensor<1x2x1xi16>
  %y = graph.conv %x, %w strides [2] dilations [1] groups 1 : tensor<1x5x2xi16>, tensor<1x2x1xi16> -> tensor<1x3x1xi32>
  return %y : tensor<1x3x1xi32>
}

// Stay as they are: weights of which a column spreads over more than a byte or that are no constant, signed bytes on the left, zero points
// along the depth or of rows behind a view or before a convolution, a border of another number, offsets of groups.
// CHECK-LABEL: @refused
// CHECK-NOT: ui8>, tensor
// CHECK: return
func.func @refused(%q: tensor<4x2xui8>, %s: tensor<4x2xi8>, %rows: tensor<4x1xi16>, %depth: tensor<1x2xi16>, %v: tensor<2x2xi16>,
                   %c: tensor<4x5x2xui8>, %images: tensor<4x1x1xi16>)
    -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<6x2xi32>, tensor<6x2xi32>, tensor<4x5x2xi32>, tensor<4x5x2xi32>) {
  %x = graph.cast %q : tensor<4x2xui8> -> tensor<4x2xi16>
  %wide = graph.constant dense<[[1, -128], [3, 128]]> : tensor<2x2xi16> : tensor<2x2xi16>
  %0 = graph.matmul %x, %wide : tensor<4x2xi16>, tensor<2x2xi16> -> tensor<4x2xi32>
  %1 = graph.matmul %x, %v : tensor<4x2xi16>, tensor<2x2xi16> -> tensor<4x2xi32>
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16> : tensor<2x2xi16>
  %t = graph.cast %s : tensor<4x2xi8> -> tensor<4x2xi16>
  %2 = graph.matmul %t, %w : tensor<4x2xi16>, tensor<2x2xi16> -> tensor<4x2xi32>
  %d = graph.broadcast %depth : tensor<1x2xi16> -> tensor<4x2xi16>
  %k = graph.binary sub %x, %d : tensor<4x2xi16>, tensor<4x2xi16> -> tensor<4x2xi16>
  %3 = graph.matmul %k, %w : tensor<4x2xi16>, tensor<2x2xi16> -> tensor<4x2xi32>
  %r = graph.broadcast %rows : tensor<4x1xi16> -> tensor<4x2xi16>
  %l = graph.binary sub %x, %r : tensor<4x2xi16>, tensor<4x2xi16> -> tensor<4x2xi16>
  %p = graph.pad %l ["1", "0"] constant 0 : i16 : tensor<4x2xi16> -> tensor<6x2xi16>
  %4 = graph.matmul %p, %w : tensor<6x2xi16>, tensor<2x2xi16> -> tensor<6x2xi32>
  %n = graph.pad %x ["1", "0"] constant 9 : i16 : tensor<4x2xi16> -> tensor<6x2xi16>
  %5 = graph.matmul %n, %w : tensor<6x2xi16>, tensor<2x2xi16> -> tensor<6x2xi32>
  %cx = graph.cast %c : tensor<4x5x2xui8> -> tensor<4x5x2xi16>
  %cz = graph.broadcast %images : tensor<4x1x1xi16> -> tensor<4x5x2xi16>
  %cl = graph.binary sub %cx, %cz : tensor<4x5x2xi16>, tensor<4x5x2xi16> -> tensor<4x5x2xi16>
  %cw = graph.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi16> : tensor<1x2x2xi16>
  %6 = graph.conv %cl, %cw strides [1] dilations [1] groups 1 : tensor<4x5x2xi16>, tensor<1x2x2xi16> -> tensor<4x5x2xi32>
  %gw = graph.constant dense<[[[200, 2]]]> : tensor<1x1x2xi16> : tensor<1x1x2xi16>
  %7 = graph.conv %cx, %gw strides [1] dilations [1] groups 2 : tensor<4x5x2xi16>, tensor<1x1x2xi16> -> tensor<4x5x2xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<6x2xi32>, tensor<6x2xi32>, tensor<4x5x2xi32>, tensor<4x5x2xi32>
}

// Weights lie along the depth and are read turned; signed bytes may stand on the left, too, where it says so.
// SIGNED-LABEL: @along
// SIGNED-DAG: %[[M:.*]] = graph.constant dense<{{\[}}[1, 3, 5], [2, 4, 6]]> : tensor<2x3xi8>
// SIGNED-DAG: %[[C:.*]] = graph.constant dense<{{\[}}{{\[}}[1], [3], [-128]], {{\[}}[-2], [4], [127]]]> : tensor<2x3x1xi8>
// SIGNED-DAG: %[[B:.*]] = graph.constant dense<{{\[}}{{\[}}[1, 3], [2, 4]], {{\[}}[5, 7], [6, 8]]]> : tensor<2x2x2xi8>
// SIGNED-DAG: %[[MT:.*]] = graph.transpose %[[M]] [1, 0] : tensor<2x3xi8> -> tensor<3x2xi8>
// SIGNED-DAG: %[[CT:.*]] = graph.transpose %[[C]] [1, 2, 0] : tensor<2x3x1xi8> -> tensor<3x1x2xi8>
// SIGNED-DAG: %[[BT:.*]] = graph.transpose %[[B]] [0, 2, 1] : tensor<2x2x2xi8> -> tensor<2x2x2xi8>
// SIGNED-DAG: graph.matmul %arg0, %[[MT]] : tensor<4x3xi8>, tensor<3x2xi8> -> tensor<4x2xi32>
// SIGNED-DAG: graph.conv %arg1, %[[CT]] {{.*}} : tensor<1x5x1xi8>, tensor<3x1x2xi8> -> tensor<1x3x2xi32>
// SIGNED-DAG: graph.matmul %arg2, %[[BT]] : tensor<2x4x2xui8>, tensor<2x2x2xi8> -> tensor<2x4x2xi32>
// CHECK-LABEL: @along
// CHECK-NOT: tensor<4x3xi8>, tensor
// CHECK: return
func.func @along(%m: tensor<4x3xi8>, %c: tensor<1x5x1xi8>, %b: tensor<2x4x2xui8>)
    -> (tensor<4x2xi32>, tensor<1x3x2xi32>, tensor<2x4x2xi32>) {
  %ml = graph.cast %m : tensor<4x3xi8> -> tensor<4x3xi16>
  %mr = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16> : tensor<3x2xi16>
  %0 = graph.matmul %ml, %mr : tensor<4x3xi16>, tensor<3x2xi16> -> tensor<4x2xi32>
  %cl = graph.cast %c : tensor<1x5x1xi8> -> tensor<1x5x1xi16>
  %cr = graph.constant dense<[[[1, -2]], [[3, 4]], [[-128, 127]]]> : tensor<3x1x2xi16> : tensor<3x1x2xi16>
  %1 = graph.conv %cl, %cr strides [1] dilations [1] groups 1 : tensor<1x5x1xi16>, tensor<3x1x2xi16> -> tensor<1x3x2xi32>
  %bl = graph.cast %b : tensor<2x4x2xui8> -> tensor<2x4x2xi16>
  %br = graph.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi16> : tensor<2x2x2xi16>
  %2 = graph.matmul %bl, %br : tensor<2x4x2xi16>, tensor<2x2x2xi16> -> tensor<2x4x2xi32>
  return %0, %1, %2 : tensor<4x2xi32>, tensor<1x3x2xi32>, tensor<2x4x2xi32>
}

// Weights that are all the same number are bytes, too.
// CHECK-LABEL: @same
// CHECK: graph.matmul {{.*}} : tensor<4x3xui8>, tensor<3x2xi8> -> tensor<4x2xi32>
func.func @same(%q: tensor<4x3xui8>) -> tensor<4x2xi32> {
  %x = graph.cast %q : tensor<4x3xui8> -> tensor<4x3xi16>
  %w = graph.constant dense<-3> : tensor<3x2xi16> : tensor<3x2xi16>
  %y = graph.matmul %x, %w : tensor<4x3xi16>, tensor<3x2xi16> -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// Weights of float8 lie along their depth; a splat lies any way, and others that are no constant stay.
// CHECK-LABEL: @float8
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf8E4M3FN>
// CHECK: %[[T:.*]] = graph.transpose %[[W]] [1, 0] : tensor<2x2xf8E4M3FN> -> tensor<2x2xf8E4M3FN>
// CHECK: graph.matmul %arg0, %[[T]]
// CHECK: %[[B:.*]] = graph.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf8E4M3FN>
// CHECK: %[[N:.*]] = graph.transpose %[[B]] [1, 0]
// CHECK: graph.matmul %arg0, %[[N]]
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @float8(%x: tensor<4x2xf8E4M3FN>, %v: tensor<2x2xf8E4M3FN>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf8E4M3FN> : tensor<2x2xf8E4M3FN>
  %0 = graph.matmul %x, %w : tensor<4x2xf8E4M3FN>, tensor<2x2xf8E4M3FN> -> tensor<4x2xf32>
  %s = graph.constant dense<1.0> : tensor<2x2xf8E4M3FN> : tensor<2x2xf8E4M3FN>
  %b = graph.constant dense<[[56, 64], [68, 72]]> : tensor<2x2xui8> : tensor<2x2xui8>
  %n = graph.bitcast %b : tensor<2x2xui8> -> tensor<2x2xf8E4M3FN>
  %3 = graph.matmul %x, %n : tensor<4x2xf8E4M3FN>, tensor<2x2xf8E4M3FN> -> tensor<4x2xf32>
  %1 = graph.matmul %x, %s : tensor<4x2xf8E4M3FN>, tensor<2x2xf8E4M3FN> -> tensor<4x2xf32>
  %2 = graph.matmul %x, %v : tensor<4x2xf8E4M3FN>, tensor<2x2xf8E4M3FN> -> tensor<4x2xf32>
  return %0, %1, %2, %3 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
