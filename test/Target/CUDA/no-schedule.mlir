//===- test/Target/CUDA/no-schedule.mlir - steps that are not those of attention ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))'

// expected-error @below {{no schedule of sm_80 can run this kernel}}
kernel.func @scalar reduction grid (%g) in [64] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %sum = kernel.for (%i) below 100 carry (%s = %zero) : f32 {
    %x = kernel.load %in[64*%i + %g] : f32 from !kernel.view<f32, read>
    %y = kernel.binary add %s, %x : f32 -> f32
    kernel.yield %y : f32
  }
  kernel.store %sum, %out[%g] : f32 to !kernel.view<f32, write>
}

// -----

// Two products and a scalar beside what is carried.
// expected-error @below {{no schedule of sm_80 can run this kernel}}
kernel.func @beside attention grid () in [] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %none = kernel.map (%m, %n) in [8, 16] {
    kernel.yield %zero : f32
  } : !kernel.tile<f32, "8", "16">
  %r:2 = kernel.for (%i) below 3 carry (%t = %none, %count = %zero) : !kernel.tile<f32, "8", "16">, f32 {
    %0 = kernel.dot [8, 16, 16] lhs (%m, %k) {
      %x = kernel.load %in[16*%m + %k] : f32 from !kernel.view<f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %in[16*%k + %n] : f32 from !kernel.view<f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "8", "16">
    %1 = kernel.dot [8, 16, 16] init %t : !kernel.tile<f32, "8", "16"> lhs (%m, %k) {
      %x = kernel.extract %0 [%m, %k] : f32 from !kernel.tile<f32, "8", "16">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %in[16*%k + %n] : f32 from !kernel.view<f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "8", "16">
    %one = kernel.constant 1.0 : f32
    %next = kernel.binary add %count, %one : f32 -> f32
    kernel.yield %1, %next : !kernel.tile<f32, "8", "16">, f32
  }
  kernel.foreach (%m, %n) in [8, 16] {
    %x = kernel.extract %r#0 [%m, %n] : f32 from !kernel.tile<f32, "8", "16">
    kernel.store %x, %out[16*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// -----

// One product in steps, another before them.
// expected-error @below {{no schedule of sm_80 can run this kernel}}
kernel.func @before gemm grid () in [] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.dot [16, 16, 16] lhs (%m, %k) {
    %x = kernel.load %in[16*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %x = kernel.load %in[16*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } : !kernel.tile<f32, "16", "16">
  %r = kernel.for (%i) below 3 carry (%t = %0) : !kernel.tile<f32, "16", "16"> {
    %1 = kernel.dot [16, 16, 16] init %t : !kernel.tile<f32, "16", "16"> lhs (%m, %k) {
      %x = kernel.load %in[16*%m + %k] : f32 from !kernel.view<f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %in[16*%k + %n] : f32 from !kernel.view<f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "16", "16">
    kernel.yield %1 : !kernel.tile<f32, "16", "16">
  }
  kernel.foreach (%m, %n) in [16, 16] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "16", "16">
    kernel.store %x, %out[16*%m + %n] : f32 to !kernel.view<f32, write>
  }
}
