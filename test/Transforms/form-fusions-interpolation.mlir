//===- test/Transforms/form-fusions-interpolation.mlir - where lanes would look up what they read ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{mixed-channels=8})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=ONE

// Vectors of channels are mixed, then the channels are turned outward.
// CHECK-LABEL: func.func @turned
// CHECK: %[[MIXED:.*]] = graph.fusion gather(%arg0, %arg1, %arg2) : {{.*}} -> tensor<6x9xf32> {
// CHECK-NOT: graph.transpose
// CHECK: graph.fusion {{.*}}(%[[MIXED]]) {{.*}} -> tensor<9x6xf32> {
// CHECK: graph.transpose
// ONE-LABEL: func.func @turned
// ONE-COUNT-1: graph.fusion
// ONE-NOT: graph.fusion
// ONE: return
func.func @turned(%x: tensor<4x9xf32>, %low: tensor<6xi32>, %high: tensor<6xi32>) -> tensor<9x6xf32> {
  %0 = graph.gather %x, %low axis 0 {in_range} : tensor<4x9xf32>, tensor<6xi32> -> tensor<6x9xf32>
  %1 = graph.gather %x, %high axis 0 {in_range} : tensor<4x9xf32>, tensor<6xi32> -> tensor<6x9xf32>
  %2 = graph.binary add %0, %1 : tensor<6x9xf32>, tensor<6x9xf32> -> tensor<6x9xf32>
  %3 = graph.transpose %2 [1, 0] : tensor<6x9xf32> -> tensor<9x6xf32>
  return %3 : tensor<9x6xf32>
}

// Few channels; channels that stay innermost; what is looked up once.
// CHECK-LABEL: graph.verdicts @one
// CHECK-NOT: apart interpolation
// CHECK-LABEL: func.func @one
// CHECK-COUNT-4: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @one
func.func @one(%x: tensor<4x7xf32>, %y: tensor<2x4x9xf32>, %low: tensor<6xi32>, %high: tensor<6xi32>) -> (tensor<7x6xf32>, tensor<6x2x9xf32>, tensor<7x6xf32>) {
  %0 = graph.gather %x, %low axis 0 {in_range} : tensor<4x7xf32>, tensor<6xi32> -> tensor<6x7xf32>
  %1 = graph.gather %x, %high axis 0 {in_range} : tensor<4x7xf32>, tensor<6xi32> -> tensor<6x7xf32>
  %2 = graph.binary add %0, %1 : tensor<6x7xf32>, tensor<6x7xf32> -> tensor<6x7xf32>
  %3 = graph.transpose %2 [1, 0] : tensor<6x7xf32> -> tensor<7x6xf32>
  %4 = graph.gather %y, %low axis 1 {in_range} : tensor<2x4x9xf32>, tensor<6xi32> -> tensor<2x6x9xf32>
  %5 = graph.gather %y, %high axis 1 {in_range} : tensor<2x4x9xf32>, tensor<6xi32> -> tensor<2x6x9xf32>
  %6 = graph.binary add %4, %5 : tensor<2x6x9xf32>, tensor<2x6x9xf32> -> tensor<2x6x9xf32>
  %7 = graph.transpose %6 [1, 0, 2] : tensor<2x6x9xf32> -> tensor<6x2x9xf32>
  %8 = graph.unary neg %0 : tensor<6x7xf32> -> tensor<6x7xf32>
  %9 = graph.transpose %8 [1, 0] : tensor<6x7xf32> -> tensor<7x6xf32>
  return %3, %7, %9 : tensor<7x6xf32>, tensor<6x2x9xf32>, tensor<7x6xf32>
}

// Along the last axis lanes look up what whole vectors have mixed along the others, by indices and weights that are the
// same for all rows.
// CHECK-LABEL: graph.verdicts @last
// CHECK-SAME: <apart interpolation : {{.*}} because "each lane would look up several places; what they mix is made by whole vectors"
// CHECK-SAME: <apart interpolation : {{.*}} because "it is the same for all rows"
// CHECK-LABEL: func.func @last
// CHECK: %[[LOW:.*]] = graph.fusion {{.*}}() : () -> tensor<8xi32> {
// CHECK: %[[MIXED:.*]] = graph.fusion gather(%arg0, %arg1, %arg2) {{.*}} -> tensor<6x4xf32> {
// CHECK: %[[WEIGHT:.*]] = graph.fusion {{.*}}(%arg3) : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK: graph.fusion gather(%[[MIXED]], %[[LOW]], %[[WEIGHT]]) {{.*}} -> tensor<6x8xf32> {
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @last
// ONE-COUNT-1: graph.fusion
// ONE-NOT: graph.fusion
// ONE: return
func.func @last(%x: tensor<5x4xf32>, %low: tensor<6xi32>, %high: tensor<6xi32>, %w: tensor<8xf32>) -> tensor<6x8xf32> {
  %i = graph.iota 0 : tensor<8xi32>
  %half = graph.constant dense<2> : tensor<8xi32> : tensor<8xi32>
  %at = graph.binary div %i, %half : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  %0 = graph.gather %x, %low axis 0 {in_range} : tensor<5x4xf32>, tensor<6xi32> -> tensor<6x4xf32>
  %1 = graph.gather %x, %high axis 0 {in_range} : tensor<5x4xf32>, tensor<6xi32> -> tensor<6x4xf32>
  %2 = graph.binary add %0, %1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x4xf32>
  %3 = graph.gather %2, %at axis 1 {in_range} : tensor<6x4xf32>, tensor<8xi32> -> tensor<6x8xf32>
  %share = graph.unary neg %w : tensor<8xf32> -> tensor<8xf32>
  %row = graph.reshape %share : tensor<8xf32> -> tensor<1x8xf32>
  %4 = graph.broadcast %row : tensor<1x8xf32> -> tensor<6x8xf32>
  %5 = graph.binary mul %3, %4 : tensor<6x8xf32>, tensor<6x8xf32> -> tensor<6x8xf32>
  return %5 : tensor<6x8xf32>
}

// Much more would be written than is read again.
// CHECK-LABEL: func.func @few
// CHECK-COUNT-1: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @few
func.func @few(%x: tensor<5x40xf32>, %low: tensor<6xi32>, %high: tensor<6xi32>, %at: tensor<8xi32>) -> tensor<6x8xf32> {
  %0 = graph.gather %x, %low axis 0 {in_range} : tensor<5x40xf32>, tensor<6xi32> -> tensor<6x40xf32>
  %1 = graph.gather %x, %high axis 0 {in_range} : tensor<5x40xf32>, tensor<6xi32> -> tensor<6x40xf32>
  %2 = graph.binary add %0, %1 : tensor<6x40xf32>, tensor<6x40xf32> -> tensor<6x40xf32>
  %3 = graph.gather %2, %at axis 1 {in_range} : tensor<6x40xf32>, tensor<8xi32> -> tensor<6x8xf32>
  return %3 : tensor<6x8xf32>
}

// One place leaves no axis behind.
// CHECK-LABEL: func.func @single
// CHECK-COUNT-1: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @single
func.func @single(%x: tensor<5xf32>, %low: tensor<6xi32>, %high: tensor<6xi32>, %at: tensor<i32>) -> tensor<f32> {
  %0 = graph.gather %x, %low axis 0 {in_range} : tensor<5xf32>, tensor<6xi32> -> tensor<6xf32>
  %1 = graph.gather %x, %high axis 0 {in_range} : tensor<5xf32>, tensor<6xi32> -> tensor<6xf32>
  %2 = graph.binary add %0, %1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  %3 = graph.gather %2, %at axis 0 {in_range} : tensor<6xf32>, tensor<i32> -> tensor<f32>
  return %3 : tensor<f32>
}
