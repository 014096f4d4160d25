// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-decompose-dot))' | FileCheck %s

// CHECK-LABEL: @f64
// CHECK-NOT: kernel.dot
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [8, 16]
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%[[K:.*]]) in [4]
// CHECK: kernel.load %{{.*}}[4*%[[M]] + %[[K]]]
// CHECK: kernel.load %{{.*}}[%[[N]] + 16*%[[K]]]
// CHECK: kernel.binary mul
kernel.func @f64 gemm grid () in [] scalars []
    (%in0: !kernel.view<f64, read>, %in1: !kernel.view<f64, read>, %out0: !kernel.view<f64, write>) {
  %0 = kernel.dot [8, 16, 4] lhs (%d0, %d2) {
    %1 = kernel.load %in0[4*%d0 + %d2] : f64 from !kernel.view<f64, read>
    kernel.yield %1 : f64
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 16*%d2] : f64 from !kernel.view<f64, read>
    kernel.yield %1 : f64
  } : !kernel.tile<f64, "8", "16">
  kernel.foreach (%d3, %d4) in [8, 16] {
    %1 = kernel.extract %0 [%d3, %d4] : f64 from !kernel.tile<f64, "8", "16">
    kernel.store %1, %out0[16*%d3 + %d4] : f64 to !kernel.view<f64, write>
  }
}

// CHECK-LABEL: @f32
// CHECK: kernel.dot
kernel.func @f32 gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [8, 16, 4] lhs (%d0, %d2) {
    %1 = kernel.load %in0[4*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 16*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "16">
  kernel.foreach (%d3, %d4) in [8, 16] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "8", "16">
    kernel.store %1, %out0[16*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Many rows of few columns: a thread sums up a row.
// CHECK-LABEL: @narrow
// CHECK-NOT: kernel.dot
// CHECK: kernel.foreach (%{{.*}}, %{{.*}}) in [64*n0, 2]
// CHECK: kernel.reduce [#graph<reduce_kind sum>] (%{{.*}}) in [32]
kernel.func @narrow conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [64*n0, 2, 32] lhs (%d0, %d2) {
    %1 = kernel.load %in0[32*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 2*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "64*n0", "2">
  kernel.foreach (%d3, %d4) in [64*n0, 2] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64*n0", "2">
    kernel.store %1, %out0[2*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Few columns, too, are for matrix units where the depth gives them something to do, and the operands are theirs.
// CHECK-LABEL: @deep
// CHECK: kernel.dot [64*n0, 2, 64]
// CHECK-LABEL: @shallow
// CHECK-NOT: kernel.dot
// CHECK-LABEL: @wide_numbers
// CHECK-NOT: kernel.dot
kernel.func @deep conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [64*n0, 2, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 2*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64*n0", "2">
  kernel.foreach (%d3, %d4) in [64*n0, 2] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64*n0", "2">
    kernel.store %1, %out0[2*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @shallow conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [64*n0, 2, 32] lhs (%d0, %d2) {
    %1 = kernel.load %in0[32*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 2*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64*n0", "2">
  kernel.foreach (%d3, %d4) in [64*n0, 2] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64*n0", "2">
    kernel.store %1, %out0[2*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @wide_numbers conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [64*n0, 2, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 2*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "64*n0", "2">
  kernel.foreach (%d3, %d4) in [64*n0, 2] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64*n0", "2">
    kernel.store %1, %out0[2*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Numbers of 16 bits are summed in i32 by tiles, too, but not those of 64.
// CHECK-LABEL: @shorts
// CHECK: kernel.dot [64, 64, 64]
// CHECK-LABEL: @longs
// CHECK-NOT: kernel.dot
kernel.func @shorts gemm grid () in [] scalars []
    (%in0: !kernel.view<i16, read>, %in1: !kernel.view<i16, read>, %out0: !kernel.view<i32, write>) {
  %0 = kernel.dot [64, 64, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : i16 from !kernel.view<i16, read>
    kernel.yield %1 : i16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : i16 from !kernel.view<i16, read>
    kernel.yield %1 : i16
  } : !kernel.tile<i32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : i32 from !kernel.tile<i32, "64", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : i32 to !kernel.view<i32, write>
  }
}
kernel.func @longs gemm grid () in [] scalars []
    (%in0: !kernel.view<i64, read>, %in1: !kernel.view<i64, read>, %out0: !kernel.view<i64, write>) {
  %0 = kernel.dot [64, 64, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : i64 from !kernel.view<i64, read>
    kernel.yield %1 : i64
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : i64 from !kernel.view<i64, read>
    kernel.yield %1 : i64
  } : !kernel.tile<i64, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : i64 from !kernel.tile<i64, "64", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : i64 to !kernel.view<i64, write>
  }
}
