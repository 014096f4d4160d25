//===- test/Transforms/form-fusions-window-image.mlir - images that windows read transposed are written first ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{window-bytes=2 window-channels=16})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=READ

// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{window-bytes=8 window-channels=3 short-runs=true})" | FileCheck %s --check-prefix=ALL

// The image is written channels last, with what makes it; another convolution of one tap reads it there, too.
// CHECK-LABEL: graph.verdicts @image
// CHECK-SAME: <apart "window-image" : {{.*}} because "a window would gather channels that lie apart, for every tap"
// CHECK-LABEL: func.func @image
// CHECK: %[[IMAGE:.*]] = graph.fusion {{.*}}(%arg0) : (tensor<2x32x9x9xf32>) -> tensor<2x9x9x32xf16> {
// CHECK: graph.cast
// CHECK: graph.transpose
// CHECK: graph.fusion conv(%[[IMAGE]], %arg1)
// CHECK-NOT: graph.transpose
// CHECK: graph.fusion conv(%[[IMAGE]], %arg2)
// CHECK-NOT: graph.transpose
// CHECK: return
// READ-LABEL: func.func @image
// READ-NOT: graph.transpose
// READ: graph.fusion conv
// READ: graph.transpose
// READ: graph.conv
func.func @image(%x: tensor<2x32x9x9xf32>, %w: tensor<3x3x32x8xf16>, %v: tensor<1x1x32x8xf16>) -> (tensor<2x7x7x8xf16>, tensor<2x9x9x8xf16>) {
  %0 = graph.cast %x : tensor<2x32x9x9xf32> -> tensor<2x32x9x9xf16>
  %1 = graph.transpose %0 [0, 2, 3, 1] : tensor<2x32x9x9xf16> -> tensor<2x9x9x32xf16>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x32xf16>, tensor<3x3x32x8xf16> -> tensor<2x7x7x8xf16>
  %3 = graph.conv %1, %v strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x32xf16>, tensor<1x1x32x8xf16> -> tensor<2x9x9x8xf16>
  return %2, %3 : tensor<2x7x7x8xf16>, tensor<2x9x9x8xf16>
}

// A single tap; f32; three channels; channels that lie side by side before and behind; groups.
// CHECK-LABEL: graph.verdicts @refused
// CHECK-NOT: <apart
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-5: graph.fusion {{[a-z]+}}(%arg
// Where these are wanted, too, the first three have images that are written first.
// ALL-LABEL: func.func @refused
// ALL-COUNT-3: graph.fusion {{ ?}}pointwise(%arg
// ALL-NOT: pointwise
// ALL: return
func.func @refused(%x: tensor<2x32x9x9xf16>, %y: tensor<2x32x9x9xf32>, %z: tensor<2x3x9x9xf16>, %u: tensor<9x2x9x32xf16>,
                   %w: tensor<3x3x32x8xf16>, %v: tensor<1x1x32x8xf16>, %f: tensor<3x3x32x8xf32>, %s: tensor<3x3x3x8xf16>, %g: tensor<3x3x1x32xf16>)
    -> (tensor<2x9x9x8xf16>, tensor<2x7x7x8xf32>, tensor<2x7x7x8xf16>, tensor<2x7x7x8xf16>, tensor<2x7x7x32xf16>) {
  %0 = graph.transpose %x [0, 2, 3, 1] : tensor<2x32x9x9xf16> -> tensor<2x9x9x32xf16>
  %1 = graph.conv %0, %v strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x32xf16>, tensor<1x1x32x8xf16> -> tensor<2x9x9x8xf16>
  %2 = graph.transpose %y [0, 2, 3, 1] : tensor<2x32x9x9xf32> -> tensor<2x9x9x32xf32>
  %3 = graph.conv %2, %f strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x32xf32>, tensor<3x3x32x8xf32> -> tensor<2x7x7x8xf32>
  %4 = graph.transpose %z [0, 2, 3, 1] : tensor<2x3x9x9xf16> -> tensor<2x9x9x3xf16>
  %5 = graph.conv %4, %s strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x3xf16>, tensor<3x3x3x8xf16> -> tensor<2x7x7x8xf16>
  %6 = graph.transpose %u [1, 0, 2, 3] : tensor<9x2x9x32xf16> -> tensor<2x9x9x32xf16>
  %7 = graph.conv %6, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x32xf16>, tensor<3x3x32x8xf16> -> tensor<2x7x7x8xf16>
  %8 = graph.conv %0, %g strides [1, 1] dilations [1, 1] groups 32 : tensor<2x9x9x32xf16>, tensor<3x3x1x32xf16> -> tensor<2x7x7x32xf16>
  return %1, %3, %5, %7, %8 : tensor<2x9x9x8xf16>, tensor<2x7x7x8xf32>, tensor<2x7x7x8xf16>, tensor<2x7x7x8xf16>, tensor<2x7x7x32xf16>
}

// A single tap reads the parts of a concat where they lie, and few places of an image, or places side by side, too.
// ALL-LABEL: func.func @parts
// ALL-NOT: pointwise
// ALL: graph.fusion {{ ?}}conv(%arg0, %arg1
// ALL-NOT: pointwise
// ALL: return
func.func @parts(%x: tensor<2x16x9x9xf32>, %y: tensor<2x16x9x9xf32>, %v: tensor<1x1x32x8xf32>, %z: tensor<2x16x64x64xf32>,
                 %t: tensor<1x1x16x8xf32>, %p: tensor<8x8x16x8xf32>)
    -> (tensor<2x9x9x8xf32>, tensor<2x32x32x8xf32>, tensor<2x8x8x8xf32>) {
  %0 = graph.concat %x, %y axis 1 : tensor<2x16x9x9xf32>, tensor<2x16x9x9xf32> -> tensor<2x32x9x9xf32>
  %1 = graph.transpose %0 [0, 2, 3, 1] : tensor<2x32x9x9xf32> -> tensor<2x9x9x32xf32>
  %2 = graph.conv %1, %v strides [1, 1] dilations [1, 1] groups 1 : tensor<2x9x9x32xf32>, tensor<1x1x32x8xf32> -> tensor<2x9x9x8xf32>
  %3 = graph.transpose %z [0, 2, 3, 1] : tensor<2x16x64x64xf32> -> tensor<2x64x64x16xf32>
  %4 = graph.conv %3, %t strides [2, 2] dilations [1, 1] groups 1 : tensor<2x64x64x16xf32>, tensor<1x1x16x8xf32> -> tensor<2x32x32x8xf32>
  %5 = graph.conv %3, %p strides [8, 8] dilations [1, 1] groups 1 : tensor<2x64x64x16xf32>, tensor<8x8x16x8xf32> -> tensor<2x8x8x8xf32>
  return %2, %4, %5 : tensor<2x9x9x8xf32>, tensor<2x32x32x8xf32>, tensor<2x8x8x8xf32>
}
