//===- test/Target/CPU/order-depth.mlir - the depth runs as the image lies ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(order-cpu-depth))' | FileCheck %s

// An 8x8 image of 3 channels, channels first: windows of 3x3 run along the rows of a channel.
// CHECK-LABEL: @channels_first
// CHECK: kernel.load %{{.*}}["d0 + 64*floordiv(d2, 9) + mod(d2, 3) + 8*mod(floordiv(d2, 3), 3)"]
// CHECK: kernel.load %{{.*}}["d1 + 4*floordiv(d2, 9) + 12*mod(d2, 9)"]
kernel.func @channels_first "conv" grid [] scalars [] {}
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot ["d0", "d1", "d2"] ["6", "4", "27"] lhs {
    %a = kernel.load %x["d0 + 8*floordiv(d2, 9) + 64*mod(d2, 3) + mod(floordiv(d2, 3), 3)"] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } rhs {
    %b = kernel.load %w["d1 + 4*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %b : f32
  } : !kernel.tile<f32, "6", "4">
  kernel.foreach ["d3", "d4"] ["6", "4"] {
    %s = kernel.extract %t ["d3", "d4"] : f32 from !kernel.tile<f32, "6", "4">
    kernel.store %s, %o["4*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

// Channels last: neighbours along the depth are neighbours already.
// CHECK-LABEL: @channels_last
// CHECK: kernel.load %{{.*}}["3*d0 + 24*floordiv(d2, 9) + mod(d2, 9)"]
// CHECK: kernel.load %{{.*}}["d1 + 4*d2"]
kernel.func @channels_last "conv" grid [] scalars [] {}
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot ["d0", "d1", "d2"] ["6", "4", "27"] lhs {
    %a = kernel.load %x["3*d0 + 24*floordiv(d2, 9) + mod(d2, 9)"] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } rhs {
    %b = kernel.load %w["d1 + 4*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %b : f32
  } : !kernel.tile<f32, "6", "4">
  kernel.foreach ["d3", "d4"] ["6", "4"] {
    %s = kernel.extract %t ["d3", "d4"] : f32 from !kernel.tile<f32, "6", "4">
    kernel.store %s, %o["4*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}
