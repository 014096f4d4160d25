//===- test/Transforms/form-fusions-pixels.mlir - images of which pixels are gathered ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{mixed-channels=8})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=ONE

// Channels are turned inward before pixels are found, and outward behind their reduction.
// CHECK-LABEL: graph.verdicts @region
// CHECK-SAME: <apart pixels : {{.*}} because "each lane would find pixels of channels that lie apart"
// CHECK-LABEL: func.func @region
// CHECK: %[[PIXELS:.*]] = graph.fusion {{.*}}(%arg0) {{.*}} -> tensor<20x9xf32> {
// CHECK: %[[FOUND:.*]] = graph.fusion reduction({{.*}}%[[PIXELS]]{{.*}}) {{.*}} -> tensor<5x9xf32> {
// CHECK-NOT: graph.transpose
// CHECK: graph.binary mul
// CHECK: graph.fusion {{.*}}(%[[FOUND]]) {{.*}} -> tensor<9x5xf32> {
// CHECK: graph.transpose
// ONE-LABEL: func.func @region
// ONE-COUNT-1: graph.fusion
// ONE-NOT: graph.fusion
// ONE: return
func.func @region(%x: tensor<9x20xf32>, %at: tensor<5x6xi32>, %scale: tensor<5x9xf32>) -> tensor<9x5xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<9x20xf32> -> tensor<20x9xf32>
  %1 = graph.gather %0, %at axis 0 {in_range} : tensor<20x9xf32>, tensor<5x6xi32> -> tensor<5x6x9xf32>
  %2 = graph.reduce sum %1 [1] : tensor<5x6x9xf32> -> tensor<5x1x9xf32>
  %3 = graph.reshape %2 : tensor<5x1x9xf32> -> tensor<5x9xf32>
  %4 = graph.binary mul %3, %scale : tensor<5x9xf32>, tensor<5x9xf32> -> tensor<5x9xf32>
  %5 = graph.transpose %4 [1, 0] : tensor<5x9xf32> -> tensor<9x5xf32>
  return %5 : tensor<9x5xf32>
}

// Few channels; fewer pixels than there are; rows of a list of indices, as of an embedding; a reduction of something else.
// CHECK-LABEL: graph.verdicts @others
// CHECK-NOT: apart pixels
// CHECK-LABEL: func.func @others
func.func @others(%few: tensor<7x20xf32>, %x: tensor<9x64xf32>, %at: tensor<5x6xi32>, %ids: tensor<90xi32>)
    -> (tensor<5x7xf32>, tensor<5x9xf32>, tensor<90x9xf32>, tensor<9x4xf32>) {
  %0 = graph.transpose %few [1, 0] : tensor<7x20xf32> -> tensor<20x7xf32>
  %1 = graph.gather %0, %at axis 0 {in_range} : tensor<20x7xf32>, tensor<5x6xi32> -> tensor<5x6x7xf32>
  %2 = graph.reduce sum %1 [1] : tensor<5x6x7xf32> -> tensor<5x1x7xf32>
  %3 = graph.reshape %2 : tensor<5x1x7xf32> -> tensor<5x7xf32>
  %4 = graph.transpose %x [1, 0] : tensor<9x64xf32> -> tensor<64x9xf32>
  %5 = graph.gather %4, %at axis 0 {in_range} : tensor<64x9xf32>, tensor<5x6xi32> -> tensor<5x6x9xf32>
  %6 = graph.reduce sum %5 [1] : tensor<5x6x9xf32> -> tensor<5x1x9xf32>
  %7 = graph.reshape %6 : tensor<5x1x9xf32> -> tensor<5x9xf32>
  %8 = graph.transpose %x [1, 0] : tensor<9x64xf32> -> tensor<64x9xf32>
  %9 = graph.gather %8, %ids axis 0 {in_range} : tensor<64x9xf32>, tensor<90xi32> -> tensor<90x9xf32>
  %10 = graph.reshape %x : tensor<9x64xf32> -> tensor<4x16x9xf32>
  %11 = graph.reduce sum %10 [1] : tensor<4x16x9xf32> -> tensor<4x1x9xf32>
  %12 = graph.reshape %11 : tensor<4x1x9xf32> -> tensor<4x9xf32>
  %13 = graph.transpose %12 [1, 0] : tensor<4x9xf32> -> tensor<9x4xf32>
  return %3, %7, %9, %13 : tensor<5x7xf32>, tensor<5x9xf32>, tensor<90x9xf32>, tensor<9x4xf32>
}

// Pixels of several images that are mixed; what one pixel alone is copied of stays as it lies.
// CHECK-LABEL: graph.verdicts @images
// CHECK-SAME: <apart pixels : {{.*}} because "each lane would find pixels of channels that lie apart"
// CHECK-LABEL: func.func @images
// CHECK: %[[PIXELS:.*]] = graph.fusion {{.*}}(%arg0) {{.*}} -> tensor<2x20x9xf32> {
// CHECK: graph.fusion gather({{.*}}%[[PIXELS]]{{.*}}) {{.*}} -> tensor<2x15x9xf32> {
// CHECK: graph.fusion gather({{.*}}%arg1{{.*}}) {{.*}} -> tensor<2x30x9xf32> {
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @images(%x: tensor<2x9x20xf32>, %y: tensor<2x9x20xf32>, %low: tensor<2x15xi32>, %high: tensor<2x15xi32>, %one: tensor<2x30xi32>)
    -> (tensor<2x15x9xf32>, tensor<2x30x9xf32>) {
  %0 = graph.transpose %x [0, 2, 1] : tensor<2x9x20xf32> -> tensor<2x20x9xf32>
  %1 = graph.gather %0, %low axis 1 {batch_dims = 1 : i64, in_range} : tensor<2x20x9xf32>, tensor<2x15xi32> -> tensor<2x15x9xf32>
  %2 = graph.gather %0, %high axis 1 {batch_dims = 1 : i64, in_range} : tensor<2x20x9xf32>, tensor<2x15xi32> -> tensor<2x15x9xf32>
  %3 = graph.binary add %1, %2 : tensor<2x15x9xf32>, tensor<2x15x9xf32> -> tensor<2x15x9xf32>
  %4 = graph.transpose %y [0, 2, 1] : tensor<2x9x20xf32> -> tensor<2x20x9xf32>
  %5 = graph.gather %4, %one axis 1 {batch_dims = 1 : i64, in_range} : tensor<2x20x9xf32>, tensor<2x30xi32> -> tensor<2x30x9xf32>
  return %3, %5 : tensor<2x15x9xf32>, tensor<2x30x9xf32>
}
