//===- test/Target/CPU/order-depth.mlir - the depth runs as the image lies ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-order-depth))' | FileCheck %s

// An 8x8 image of 3 channels, channels first: windows of 3x3 run along the rows of a channel.
// CHECK-LABEL: @channels_first
// CHECK: kernel.dot [6, 4, 27] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %{{.*}}[%[[M]] + 64*floordiv(%[[K]], 9) + mod(%[[K]], 3) + 8*mod(floordiv(%[[K]], 3), 3)]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %{{.*}}[%[[N]] + 4*floordiv(%[[K]], 9) + 12*mod(%[[K]], 9)]
kernel.func @channels_first conv grid () in [] scalars []
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 4, 27] lhs (%d0, %d2) {
    %a = kernel.load %x[%d0 + 8*floordiv(%d2, 9) + 64*mod(%d2, 3) + mod(floordiv(%d2, 3), 3)] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } rhs (%d2, %d1) {
    %b = kernel.load %w[%d1 + 4*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %b : f32
  } : !kernel.tile<f32, "6", "4">
  kernel.foreach (%d3, %d4) in [6, 4] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "6", "4">
    kernel.store %s, %o[4*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Channels last: neighbours along the depth are neighbours already.
// CHECK-LABEL: @channels_last
// CHECK: kernel.dot [6, 4, 27] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %{{.*}}[3*%[[M]] + 24*floordiv(%[[K]], 9) + mod(%[[K]], 9)]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %{{.*}}[%[[N]] + 4*%[[K]]]
kernel.func @channels_last conv grid () in [] scalars []
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 4, 27] lhs (%d0, %d2) {
    %a = kernel.load %x[3*%d0 + 24*floordiv(%d2, 9) + mod(%d2, 9)] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } rhs (%d2, %d1) {
    %b = kernel.load %w[%d1 + 4*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %b : f32
  } : !kernel.tile<f32, "6", "4">
  kernel.foreach (%d3, %d4) in [6, 4] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "6", "4">
    kernel.store %s, %o[4*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Of an image whose extents are open, too: a column is nearer than a row, a row nearer than a channel.
// CHECK-LABEL: @open
// CHECK: kernel.dot [n0*n1, 4, 27] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %{{.*}}[n0*n1*floordiv(%[[K]], 9) + n1*mod(floordiv(%[[K]], 3), 3) + %[[M]] + mod(%[[K]], 3)]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %{{.*}}[%[[N]] + 4*floordiv(%[[K]], 9) + 12*mod(%[[K]], 9)]
kernel.func @open conv grid () in [] scalars [#kernel.scalar<8, 0, 1>, #kernel.scalar<8, 0, 1>]
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [n0*n1, 4, 27] lhs (%d0, %d2) {
    %a = kernel.load %x[%d0 + n1*floordiv(%d2, 9) + n0*n1*mod(%d2, 3) + mod(floordiv(%d2, 3), 3)] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } rhs (%d2, %d1) {
    %b = kernel.load %w[%d1 + 4*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %b : f32
  } : !kernel.tile<f32, "n0*n1", "4">
  kernel.foreach (%d3, %d4) in [n0*n1, 4] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "n0*n1", "4">
    kernel.store %s, %o[4*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
