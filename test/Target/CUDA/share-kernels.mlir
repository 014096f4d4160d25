// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-share)' | FileCheck %s

// Two layers of one structure: columns and depth double, rows are fourfold in the first. That one of
// them is a convolution makes no difference.
// CHECK-LABEL: func.func @main
// CHECK: kernel @k0 ["4", "1"]
// CHECK: kernel @k0 ["1", "2"]
// CHECK: kernel @k2 []
func.func @main(%a: tensor<196x64xf32>, %b: tensor<49x128xf32>) {
  %0 = graph.fusion gemm(%a) kernel @k0 [] : (tensor<196x64xf32>) -> tensor<196x64xf32> {
  ^bb0(%x: tensor<196x64xf32>):
    graph.yield %x : tensor<196x64xf32>
  }
  %1 = graph.fusion gemm(%b) kernel @k1 [] : (tensor<49x128xf32>) -> tensor<49x128xf32> {
  ^bb0(%x: tensor<49x128xf32>):
    graph.yield %x : tensor<49x128xf32>
  }
  %2 = graph.fusion gemm(%b) kernel @k2 [] : (tensor<49x128xf32>) -> tensor<49x128xf32> {
  ^bb0(%x: tensor<49x128xf32>):
    graph.yield %x : tensor<49x128xf32>
  }
  return
}

// CHECK: kernel.func @k0 gemm grid () in [] scalars [#kernel.scalar<1, 4, 1>, #kernel.scalar<1, 2, 1>] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
// CHECK: kernel.dot [49*n0, 64*n1, 32*n1] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %{{.*}}[32*n1*%[[M]] + %[[K]]]
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [49*n0, 64*n1]
// CHECK: kernel.store %{{.*}}[64*n1*%[[M]] + %[[N]]]
// CHECK-NOT: @k1
// CHECK: kernel.func @k2
kernel.func @k0 gemm grid () in [] scalars [] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [196, 64, 32] lhs (%d0, %d2) {
    %1 = kernel.load %in0[32*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "196", "64">
  kernel.foreach (%d3, %d4) in [196, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "196", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @k1 conv grid () in [] scalars [] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 128, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "128">
  kernel.foreach (%d3, %d4) in [49, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "128">
    kernel.store %1, %out0[128*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
// Another tile.
kernel.func @k2 gemm grid () in [] scalars [] schedule #cuda.gemm<tile 32x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 128, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "128">
  kernel.foreach (%d3, %d4) in [49, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "128">
    kernel.store %1, %out0[128*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// The depth is divided by numbers that differ: they stay numbers.
// CHECK: kernel.func @k3
// CHECK: kernel.func @k4
kernel.func @k3 conv grid () in [] scalars [] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 128, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + 99*floordiv(%d2, 32) + mod(%d2, 32)] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "128">
  kernel.foreach (%d3, %d4) in [49, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "128">
    kernel.store %1, %out0[128*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @k4 conv grid () in [] scalars [] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 128, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + 99*floordiv(%d2, 48) + mod(%d2, 48)] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "128">
  kernel.foreach (%d3, %d4) in [49, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "128">
    kernel.store %1, %out0[128*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Grids of a dynamic extent and of a number that differs: their product is in canonical order.
// CHECK: kernel.func @k5 {{.*}} grid (%{{.*}}) in [4*n0*n1]
// CHECK-NOT: kernel.func @k6
kernel.func @k5 conv grid (%g0) in [4*n0] scalars [#kernel.scalar<1, 9, 1>] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 128, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2 + 4704*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "128">
  kernel.foreach (%d3, %d4) in [49, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "128">
    kernel.store %1, %out0[128*%d3 + %d4 + 6272*%g0] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @k6 conv grid (%g0) in [8*n0] scalars [#kernel.scalar<1, 9, 1>] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 128, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2 + 4704*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "128">
  kernel.foreach (%d3, %d4) in [49, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "128">
    kernel.store %1, %out0[128*%d3 + %d4 + 6272*%g0] : f32 to !kernel.view<f32, write>
  }
}
