//===- test/Target/CUDA/packed.mlir - weights of four bits in products ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// A vector is taken apart at once; shift and scale are the same for all of it.
// CHECK-LABEL: simt.func @row
// CHECK: simt.for %[[V:.*]] = %{{.*}} to 48 step 32 {
// CHECK-DAG: %[[HALF:.*]] = kernel.index mod(%[[V]], 2)
// CHECK-DAG: %[[BYTE:.*]] = kernel.cast %[[HALF]] : i64 -> ui8
// CHECK-DAG: %[[SHIFT:.*]] = kernel.binary mul %[[BYTE]], %{{.*}} : ui8 -> ui8
// CHECK-DAG: %[[SCALE:.*]] = kernel.load %arg2[24*%{{.*}} + floordiv(%[[V]], 2)] : f16
// CHECK: simt.load_vector %arg1 to %[[BYTES:.*]] [384*%{{.*}} + 16*floordiv(%[[V]], 2)] into [] : !kernel.view<ui8, read> to <ui8, vector 16>
// CHECK: %[[W:.*]] = simt.registers : <f16, vector 16>
// CHECK: simt.unpack %[[BYTES]] shift %[[SHIFT]] offset %{{.*}} scale %[[SCALE]] to %[[W]] : <ui8, vector 16> by f16 to <f16, vector 16>
// CHECK: simt.get %[[W]]
kernel.func @row gemm grid () in [] scalars [] (%x: !kernel.view<f16, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f16, read>,
                                                %o: !kernel.view<f16, write>) {
  %0 = kernel.dot [1, 512, 768] lhs (%m, %k) {
    %1 = kernel.load %x[%k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[384*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.index mod(floordiv(%k, 16), 2)
    %3 = kernel.cast %2 : i64 -> ui8
    %4 = kernel.constant 4 : ui8
    %5 = kernel.binary mul %3, %4 : ui8 -> ui8
    %6 = kernel.binary shift_right %1, %5 : ui8 -> ui8
    %7 = kernel.constant 15 : ui8
    %8 = kernel.binary bitwise_and %6, %7 : ui8 -> ui8
    %9 = kernel.cast %8 : ui8 -> f32
    %10 = kernel.constant -8.0 : f32
    %11 = kernel.binary add %9, %10 : f32 -> f32
    %12 = kernel.load %s[24*%n + floordiv(%k, 32)] : f16 from !kernel.view<f16, read>
    %13 = kernel.cast %12 : f16 -> f32
    %14 = kernel.binary mul %11, %13 : f32 -> f32
    %15 = kernel.cast %14 : f32 -> f16
    kernel.yield %15 : f16
  } : !kernel.tile<f32, "1", "512">
  kernel.foreach (%m, %n) in [1, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "1", "512">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %o[%n] : f16 to !kernel.view<f16, write>
  }
}

// Offsets of blocks, results of f32: the scale is widened.
// CHECK-LABEL: simt.func @offsets
// CHECK: %[[OFFSET:.*]] = kernel.load %arg2[{{.*}}] : i8
// CHECK: %[[HALF:.*]] = kernel.load %arg3[{{.*}}] : f16
// CHECK: %[[SCALE:.*]] = kernel.cast %[[HALF]] : f16 -> f32
// CHECK: simt.unpack %{{.*}} shift %{{.*}} offset %[[OFFSET]] scale %[[SCALE]] to %{{.*}} : <ui8, vector 16> by f32 to <f32, vector 16>
kernel.func @offsets gemm grid () in [] scalars [] (%x: !kernel.view<f32, read>, %b: !kernel.view<ui8, read>, %z: !kernel.view<i8, read>,
                                                    %s: !kernel.view<f16, read>, %o: !kernel.view<f32, write>) {
  %0 = kernel.dot [2, 512, 768] lhs (%m, %k) {
    %1 = kernel.load %x[768*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[384*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.index 4*mod(floordiv(%k, 16), 2)
    %3 = kernel.cast %2 : i64 -> ui8
    %4 = kernel.binary shift_right %1, %3 : ui8 -> ui8
    %5 = kernel.constant 15 : ui8
    %6 = kernel.binary bitwise_and %4, %5 : ui8 -> ui8
    %7 = kernel.cast %6 : ui8 -> f32
    %8 = kernel.load %z[24*%n + floordiv(%k, 32)] : i8 from !kernel.view<i8, read>
    %9 = kernel.cast %8 : i8 -> f32
    %10 = kernel.binary add %7, %9 : f32 -> f32
    %11 = kernel.load %s[24*%n + floordiv(%k, 32)] : f16 from !kernel.view<f16, read>
    %12 = kernel.cast %11 : f16 -> f32
    %13 = kernel.binary mul %10, %12 : f32 -> f32
    kernel.yield %13 : f32
  } : !kernel.tile<f32, "2", "512">
  kernel.foreach (%m, %n) in [2, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2", "512">
    kernel.store %1, %o[512*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Numbers of three bits, and an offset that is no whole number, are computed one by one.
// CHECK-LABEL: simt.func @others
// CHECK-NOT: simt.unpack
// CHECK: kernel.binary bitwise_and
kernel.func @others gemm grid () in [] scalars [] (%x: !kernel.view<f32, read>, %b: !kernel.view<ui8, read>, %o: !kernel.view<f32, write>) {
  %0 = kernel.dot [2, 512, 768] lhs (%m, %k) {
    %1 = kernel.load %x[768*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[384*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.constant 0 : ui8
    %3 = kernel.binary shift_right %1, %2 : ui8 -> ui8
    %4 = kernel.constant 7 : ui8
    %5 = kernel.binary bitwise_and %3, %4 : ui8 -> ui8
    %6 = kernel.cast %5 : ui8 -> f32
    %7 = kernel.constant -7.5 : f32
    %8 = kernel.binary add %6, %7 : f32 -> f32
    %9 = kernel.constant 2.0 : f32
    %10 = kernel.binary mul %8, %9 : f32 -> f32
    kernel.yield %10 : f32
  } : !kernel.tile<f32, "2", "512">
  kernel.foreach (%m, %n) in [2, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2", "512">
    kernel.store %1, %o[512*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Many rows: those come by copies, the weights stay packed in registers until they are stored, of a thread both halves
// of 16 bytes, and what it stores next is loaded behind that.
// CHECK-LABEL: simt.func @rows
// CHECK: simt.load_vector %arg1 to %[[BYTES:.*]] [{{.*}}] into [] : !kernel.view<ui8, read> to <ui8, vector 16>
// CHECK: simt.tile_loop to 4 stages 4 steps 4 async fetch (%[[KT:.*]], %{{.*}}) {
// CHECK: simt.async_copy %arg0
// CHECK-NOT: simt.async_copy
// CHECK: } store (%[[KT:.*]], %{{.*}}) {
// CHECK-DAG: %[[LOW:.*]] = kernel.constant 0 : ui8
// CHECK: simt.unpack %[[BYTES]] shift %[[LOW]]
// CHECK: simt.store_vector
// CHECK-DAG: %[[HIGH:.*]] = kernel.constant 4 : ui8
// CHECK: simt.unpack %[[BYTES]] shift %[[HIGH]]
// CHECK: simt.store_vector
// CHECK: %[[AHEAD:.*]] = kernel.apply min(%[[KT]], 2) + 1
// CHECK: simt.load_vector %arg1 to %[[BYTES]]
// CHECK: kernel.load %arg2{{.*}}%[[AHEAD]]
// CHECK: } load
kernel.func @rows gemm grid () in [] scalars []
    (%x: !kernel.view<f16, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f16, read>, %o: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 128, 256] lhs (%m, %k) {
    %1 = kernel.load %x[256*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[128*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.index 4*mod(floordiv(%k, 16), 2)
    %3 = kernel.cast %2 : i64 -> ui8
    %4 = kernel.binary shift_right %1, %3 : ui8 -> ui8
    %5 = kernel.constant 15 : ui8
    %6 = kernel.binary bitwise_and %4, %5 : ui8 -> ui8
    %7 = kernel.cast %6 : ui8 -> f32
    %8 = kernel.constant -8.0 : f32
    %9 = kernel.binary add %7, %8 : f32 -> f32
    %10 = kernel.load %s[8*%n + floordiv(%k, 32)] : f16 from !kernel.view<f16, read>
    %11 = kernel.cast %10 : f16 -> f32
    %12 = kernel.binary mul %9, %11 : f32 -> f32
    %13 = kernel.cast %12 : f32 -> f16
    kernel.yield %13 : f16
  } : !kernel.tile<f32, "128", "128">
  kernel.foreach (%m, %n) in [128, 128] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %o[128*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// A scale of its own for every number: taken apart where it is loaded.
// CHECK-LABEL: simt.func @scales
// CHECK-NOT: async fetch
// CHECK-NOT: simt.unpack
// CHECK: kernel.binary bitwise_and
kernel.func @scales gemm grid () in [] scalars []
    (%x: !kernel.view<f16, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f16, read>, %o: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 128, 256] lhs (%m, %k) {
    %1 = kernel.load %x[256*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[128*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.index 4*mod(floordiv(%k, 16), 2)
    %3 = kernel.cast %2 : i64 -> ui8
    %4 = kernel.binary shift_right %1, %3 : ui8 -> ui8
    %5 = kernel.constant 15 : ui8
    %6 = kernel.binary bitwise_and %4, %5 : ui8 -> ui8
    %7 = kernel.cast %6 : ui8 -> f32
    %8 = kernel.constant -8.0 : f32
    %9 = kernel.binary add %7, %8 : f32 -> f32
    %10 = kernel.load %s[256*%n + %k] : f16 from !kernel.view<f16, read>
    %11 = kernel.cast %10 : f16 -> f32
    %12 = kernel.binary mul %9, %11 : f32 -> f32
    %13 = kernel.cast %12 : f32 -> f16
    kernel.yield %13 : f16
  } : !kernel.tile<f32, "128", "128">
  kernel.foreach (%m, %n) in [128, 128] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %o[128*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Numbers of eight bits stay bytes until they are stored, too.
// CHECK-LABEL: simt.func @bytes
// CHECK: simt.load_vector %arg1 to %[[BYTES:.*]] [{{.*}}] into [] : !kernel.view<ui8, read> to <ui8, vector 16>
// CHECK: simt.tile_loop {{.*}} async fetch
// CHECK: } store
// CHECK: %[[BYTE:.*]] = simt.get %[[BYTES]]
// CHECK: kernel.cast %[[BYTE]] : ui8 -> f32
// CHECK: simt.store_vector
// CHECK: kernel.apply min(
// CHECK: simt.load_vector %arg1 to %[[BYTES]]
// CHECK: } load
kernel.func @bytes gemm grid () in [] scalars []
    (%x: !kernel.view<f16, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f16, read>, %o: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 128, 256] lhs (%m, %k) {
    %1 = kernel.load %x[256*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[256*%n + %k] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.cast %1 : ui8 -> f32
    %3 = kernel.constant -128.0 : f32
    %4 = kernel.binary add %2, %3 : f32 -> f32
    %5 = kernel.load %s[8*%n + floordiv(%k, 32)] : f16 from !kernel.view<f16, read>
    %6 = kernel.cast %5 : f16 -> f32
    %7 = kernel.binary mul %4, %6 : f32 -> f32
    %8 = kernel.cast %7 : f32 -> f16
    kernel.yield %8 : f16
  } : !kernel.tile<f32, "128", "128">
  kernel.foreach (%m, %n) in [128, 128] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %o[128*%m + %n] : f16 to !kernel.view<f16, write>
  }
}
