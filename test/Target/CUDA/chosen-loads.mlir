//===- test/Target/CUDA/chosen-loads.mlir - operands that are one of several loads ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}),kernel-to-simt)' | FileCheck %s

// Keys of a cache and one behind them: copies that bring a tile of the cache as a whole, and those where it ends.
// CHECK-LABEL: simt.func @joined
// CHECK: simt.tile_loop {{.*}} async fetch (%[[KT:.*]], %{{.*}}) {
// CHECK: simt.async_copy %arg0
// CHECK: simt.guard [-{{[0-9]+}}*%{{.*}} + {{[0-9]+}}] {
// CHECK: simt.async_copy %arg1
// CHECK-NOT: simt.async_copy %arg2
// CHECK: simt.guard [{{[0-9]+}}*%{{.*}} - {{[0-9]+}}] {
// CHECK: simt.guard [
// CHECK: simt.async_copy %arg1
// CHECK: simt.guard [
// CHECK: simt.async_copy %arg2
kernel.func @joined gemm grid () in [] scalars [] (%q: !kernel.view<f16, read>, %cache: !kernel.view<f16, read>,
    %new: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 513, 256] lhs (%m, %k) {
    %1 = kernel.load %q[256*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %zero = kernel.constant 0.0 : f16
    %1 = kernel.load %new[256*%n + %k - 131072] mask [%n - 512] else %zero : f16 : f16 from !kernel.view<f16, read>
    %2 = kernel.load %cache[256*%n + %k] mask [-%n + 511] else %zero : f16 : f16 from !kernel.view<f16, read>
    %3 = kernel.in_range [-%n + 511]
    %4 = kernel.select %3, %2, %1 : f16
    kernel.yield %4 : f16
  } : !kernel.tile<f32, "128", "513">
  kernel.foreach (%m, %n) in [128, 513] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "513">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out[513*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// A choice by two conditions has no negation that is one: it is computed.
// CHECK-LABEL: simt.func @between
// CHECK-NOT: simt.async_copy
// CHECK: kernel.select
kernel.func @between gemm grid () in [] scalars [] (%q: !kernel.view<f16, read>, %middle: !kernel.view<f16, read>,
    %rest: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 512, 256] lhs (%m, %k) {
    %1 = kernel.load %q[256*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %zero = kernel.constant 0.0 : f16
    %1 = kernel.load %rest[256*%n + %k] : f16 from !kernel.view<f16, read>
    %2 = kernel.load %middle[256*%n + %k - 32768] mask [%n - 128, -%n + 255] else %zero : f16 : f16 from !kernel.view<f16, read>
    %3 = kernel.in_range [%n - 128, -%n + 255]
    %4 = kernel.select %3, %2, %1 : f16
    kernel.yield %4 : f16
  } : !kernel.tile<f32, "128", "512">
  kernel.foreach (%m, %n) in [128, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "512">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out[512*%m + %n] : f16 to !kernel.view<f16, write>
  }
}
