//===- test/Target/CPU/unsupported.mlir - what has no code is named ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: not cupola-opt %s --split-input-file --kernel-to-cpu-loops=arch=x86-64-v3 2>&1 | FileCheck %s

// CHECK: the CPU target has no code for exp in kernel integers
kernel.func @integers pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<i32, read>, %o: !kernel.view<i32, write>) {
  kernel.foreach (%d0) in [n0] {
    %x = kernel.load %a[%d0] : i32 from !kernel.view<i32, read>
    %e = kernel.unary exp %x : i32 -> i32
    kernel.store %e, %o[%d0] : i32 to !kernel.view<i32, write>
  }
}

// -----

// Rows that depend on each other.
// CHECK: the CPU target has no code for such a kernel.dot among the steps of kernel mixed
kernel.func @mixed attention grid (%g) in [12] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [64, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "64", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "64", "64"> {
    %s = kernel.dot [64, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "64", "64">
    %t = kernel.dot [64, 64, 64] init %sum : !kernel.tile<f32, "64", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%k, %m] : f32 from !kernel.tile<f32, "64", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "64", "64">
    kernel.yield %t : !kernel.tile<f32, "64", "64">
  }
  kernel.foreach (%m, %n) in [64, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "64", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// -----

// CHECK: the CPU target has no code for steps whose tiles need copies in kernel twice
kernel.func @twice attention grid (%g) in [12] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [64, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "64", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "64", "64"> {
    %s = kernel.dot [64, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "64", "64">
    %t = kernel.dot [64, 64, 64] init %sum : !kernel.tile<f32, "64", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "64", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "64", "64">
    kernel.yield %t : !kernel.tile<f32, "64", "64">
  }
  kernel.foreach (%m, %n) in [64, 64] {
    %y = kernel.extract %zero [%m, %n] : f32 from !kernel.tile<f32, "64", "64">
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "64", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}
