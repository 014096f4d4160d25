//===- test/Target/CPU/dot.mlir - a contraction calls the micro-kernel of its level ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3

// CHECK-LABEL: llvm.func @gemm(
// Rows that are left at the end have tiles of their own.
// V4: llvm.call @micro_f32_1_3_48
// V4: llvm.call @micro_f32_4_3_48
// V4: llvm.call @micro_f32_8_3_48
// V3: llvm.call @micro_f32_1_2_16
// V3: llvm.call @micro_f32_3_2_16
// V3: llvm.call @micro_f32_6_2_16
// CHECK: math.fma
// V4: llvm.func hidden @micro_f32_8_3_48
// V4-COUNT-24: math.fma {{.*}} : vector<16xf32>
// V3: llvm.func hidden @micro_f32_6_2_16
// V3-COUNT-12: math.fma {{.*}} : vector<8xf32>
kernel.func @gemm gemm grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [n0, 384, 64] lhs (%d0, %d2) {
    %x = kernel.load %a[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 384*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "n0", "384">
  kernel.foreach (%d3, %d4) in [n0, 384] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "n0", "384">
    %e = kernel.unary exp %s : f32 -> f32
    kernel.store %e, %o[384*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// 64 columns are a wide tile of fewer rows, where there are registers for it.
// CHECK-LABEL: llvm.func @wide(
// V4: llvm.call @micro_f32_3_4_64
// V4: llvm.call @micro_f32_6_4_64
// V3: llvm.call @micro_f32_6_2_16
// V4: llvm.func hidden @micro_f32_6_4_64
// V4-COUNT-24: math.fma {{.*}} : vector<16xf32>
kernel.func @wide gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [32, 64, 64] lhs (%d0, %d2) {
    %x = kernel.load %a[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 64*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "32", "64">
  kernel.foreach (%d3, %d4) in [32, 64] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "32", "64">
    kernel.store %s, %o[64*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// A packed operand is read from end to end: what follows is on its way.
// CHECK-LABEL: llvm.func @packed(
// V4: llvm.call @micro_f32_8_3_48_ahead
// V4: llvm.func hidden @micro_f32_8_3_48_ahead
// V4: llvm.intr.prefetch
kernel.func @packed gemm grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [32, 384, 64] lhs (%d0, %d2) {
    %x = kernel.load %a[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 384*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "32", "384">
  kernel.foreach (%d3, %d4) in [32, 384] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "32", "384">
    kernel.store %s, %o[384*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Results that lie along the rows, channels that become planes: tiles of a panel are turned, then lanes lie along the rows, a column after the
// other. What scatters nothing stays with its tile. Of several images lanes lie along the rows of one, of as many as a block of rows meets.
// CHECK-LABEL: llvm.func @planes(
// CHECK-NOT: masked.{{scatter|gather}}
// V4: llvm.call @micro_f32_8_3_48
// CHECK: llvm.shufflevector
// CHECK-NOT: masked.{{scatter|gather}}
// CHECK: llvm.store {{.*}} : vector<{{8|16}}xf32>, !llvm.ptr
// CHECK-LABEL: llvm.func @images(
// CHECK-NOT: masked.{{scatter|gather}}
// CHECK: arith.constant 320 : i64
// CHECK-NOT: masked.{{scatter|gather}}
// CHECK: llvm.store {{.*}} : vector<{{8|16}}xf32>, !llvm.ptr
// CHECK-LABEL: llvm.func @every_second(
// CHECK: llvm.intr.masked.scatter
kernel.func @planes gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [640, 96, 64] lhs (%d0, %d2) {
    %x = kernel.load %a[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 96*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "640", "96">
  kernel.foreach (%d3, %d4) in [640, 96] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "640", "96">
    %e = kernel.load %c[%d4] : f32 from !kernel.view<f32, read>
    %r = kernel.binary add %s, %e : f32 -> f32
    kernel.store %r, %o[%d3 + 640*%d4] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @images gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [640, 96, 64] lhs (%d0, %d2) {
    %x = kernel.load %a[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 96*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "640", "96">
  kernel.foreach (%d3, %d4) in [640, 96] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "640", "96">
    kernel.store %s, %o[320*%d4 + 30720*floordiv(%d3, 320) + mod(%d3, 320)] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @every_second gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [640, 96, 64] lhs (%d0, %d2) {
    %x = kernel.load %a[64*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%d2, %d1) {
    %y = kernel.load %b[%d1 + 96*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "640", "96">
  kernel.foreach (%d3, %d4) in [640, 96] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "640", "96">
    kernel.store %s, %o[640*%d4 + 61440*floordiv(%d3, 320) + 2*mod(%d3, 320)] : f32 to !kernel.view<f32, write>
  }
}
