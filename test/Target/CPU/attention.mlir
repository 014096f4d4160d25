//===- test/Target/CPU/attention.mlir - steps over rows call the micro-kernel of their level ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3

// Keys are turned in squares of vectors on their way into panels, values are only copied.
// CHECK-LABEL: llvm.func @rows(
// V3-COUNT-24: llvm.shufflevector {{.*}} : vector<8xf32>
// V3: llvm.call @micro_f32_6_2_64
// V3: llvm.call @micro_f32_6_2_64
// V4-COUNT-64: llvm.shufflevector {{.*}} : vector<16xf32>
// V4: llvm.call @micro_f32_8_2_64
// V4: llvm.call @micro_f32_8_2_64
kernel.func @rows attention grid (%g) in [12] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [96, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "96", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "96", "64"> {
    %s = kernel.dot [96, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "96", "64">
    %t = kernel.dot [96, 64, 64] init %sum : !kernel.tile<f32, "96", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "96", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "96", "64">
    kernel.yield %t : !kernel.tile<f32, "96", "64">
  }
  kernel.foreach (%m, %n) in [96, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "96", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// The scores of one row are sums along the heads.
// CHECK-LABEL: llvm.func @row(
// V3-COUNT-8: math.fma {{.*}} : vector<8xf32>
// V4-COUNT-16: math.fma {{.*}} : vector<16xf32>
// CHECK: llvm.shufflevector
// V3: llvm.call @micro_f32_1_2_64
// V4: llvm.call @micro_f32_1_2_64
kernel.func @row attention grid (%g) in [12] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [1, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "1", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "1", "64"> {
    %s = kernel.dot [1, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "1", "64">
    %t = kernel.dot [1, 64, 64] init %sum : !kernel.tile<f32, "1", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "1", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "1", "64">
    kernel.yield %t : !kernel.tile<f32, "1", "64">
  }
  kernel.foreach (%m, %n) in [1, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "1", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// A row's values of two parts, a cache and what is new, are chosen a vector at a time where they are used; what goes into
// the cache goes first.
// CHECK-LABEL: llvm.func @cache(
// CHECK: scf.if
// CHECK: llvm.store
// CHECK: scf.for
// CHECK-NOT: micro
// CHECK: llvm.shufflevector
// CHECK-NOT: micro
// V3-COUNT-8: math.fma {{.*}} : vector<8xf32>
// V4-COUNT-4: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: micro
// CHECK: llvm.return
kernel.func @cache attention grid (%g) in [12] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %new: !kernel.view<f32, read>,
     %o: !kernel.view<f32, write>, %all: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [1, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "1", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "1", "64"> {
    %s = kernel.dot [1, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "1", "64">
    %t = kernel.dot [1, 64, 64] init %sum : !kernel.tile<f32, "1", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "1", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %nothing = kernel.constant 0.0 : f32
      %x = kernel.load %v[4096*%j + 64*%k + %n] mask [-64*%j - %k + 126] else %nothing : f32 : f32 from <f32, read>
      %y = kernel.load %new[%n] : f32 from <f32, read>
      %old = kernel.in_range [-64*%j - %k + 126]
      %z = kernel.select %old, %x, %y : f32
      kernel.yield %z : f32
    } : !kernel.tile<f32, "1", "64">
    kernel.yield %t : !kernel.tile<f32, "1", "64">
  }
  kernel.foreach (%m, %n) in [1, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "1", "64">
    kernel.store %x, %o[64*%g + %n] : f32 to <f32, write>
  }
  kernel.foreach (%m, %n) in [1, 64] {
    %x = kernel.load %new[%n] : f32 from <f32, read>
    kernel.store %x, %all[8128 + %n] : f32 to <f32, write>
  }
}
