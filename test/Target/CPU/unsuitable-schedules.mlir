//===- test/Target/CPU/unsuitable-schedules.mlir - schedules that are right for other kernels or levels ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: not cupola-opt %s --split-input-file --kernel-to-cpu-loops=arch=x86-64-v4 2>&1 | FileCheck %s
// RUN: not cupola-opt %s --split-input-file --kernel-to-cpu-loops=arch=x86-64-v4 2>&1 | grep -c 'error:' | FileCheck %s --check-prefix=COUNT
// COUNT: 22

// CHECK: the schedule of kernel gpu does not suit it on x86-64-v4
kernel.func @gpu pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 1> () {
}

// -----

// CHECK: the schedule of kernel no_dot does not suit it on x86-64-v4
kernel.func @no_dot pointwise grid () in [] scalars []
    schedule #cpu.contraction<block 8x48x4, panel 48, lhs copied, rhs copied> () {
}

// -----

// CHECK: the schedule of kernel loops does not suit it on x86-64-v4
kernel.func @loops pointwise grid (%g) in [64] scalars [] schedule #cpu.nest<parallel 1, vector 0, vectors 1, chunk 0>
    (%o: !kernel.view<f32, write>) {
  %x = kernel.constant 0.0 : f32
  kernel.store %x, %o[%g] : f32 to <f32, write>
}

// -----

// Pieces are whole vectors.
// CHECK: the schedule of kernel pieces does not suit it on x86-64-v4
kernel.func @pieces pointwise grid (%g) in [64] scalars [] schedule #cpu.nest<parallel 0, vector 0, vectors 2, chunk 16>
    (%o: !kernel.view<f32, write>) {
  %x = kernel.constant 0.0 : f32
  kernel.store %x, %o[%g] : f32 to <f32, write>
}

// -----

// Lanes would write one place.
// CHECK: the schedule of kernel lanes does not suit it on x86-64-v4
kernel.func @lanes pointwise grid (%g, %h) in [64, 64] scalars []
    schedule #cpu.nest<parallel 1, vector 0, vectors 1, chunk 0> (%o: !kernel.view<f32, write>) {
  %x = kernel.constant 0.0 : f32
  kernel.store %x, %o[%h] : f32 to <f32, write>
}

// -----

// Nothing is read along one loop and written along another one,
// CHECK: the schedule of kernel straight does not suit it on x86-64-v4
kernel.func @straight pointwise grid () in [] scalars [] schedule #cpu.transpose<from 0, to 1, tile 64x64, inner to>
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, 64] {
    %x = kernel.load %a[64*%d0 + %d1] : f32 from <f32, read>
    kernel.store %x, %o[64*%d0 + %d1] : f32 to <f32, write>
  }
}

// -----

// or the other way round,
// CHECK: the schedule of kernel reversed does not suit it on x86-64-v4
kernel.func @reversed pointwise grid () in [] scalars [] schedule #cpu.transpose<from 1, to 0, tile 64x64, inner to>
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, 64] {
    %x = kernel.load %a[%d0 + 64*%d1] : f32 from <f32, read>
    kernel.store %x, %o[64*%d0 + %d1] : f32 to <f32, write>
  }
}

// -----

// or tiles are no whole squares.
// CHECK: the schedule of kernel squares does not suit it on x86-64-v4
kernel.func @squares pointwise grid () in [] scalars [] schedule #cpu.transpose<from 0, to 1, tile 64x24, inner to>
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, 64] {
    %x = kernel.load %a[%d0 + 64*%d1] : f32 from <f32, read>
    kernel.store %x, %o[64*%d0 + %d1] : f32 to <f32, write>
  }
}

// -----

// Blocks and panels of the other level.
// CHECK: the schedule of kernel block does not suit it on x86-64-v4
kernel.func @block gemm grid () in [] scalars []
    schedule #cpu.contraction<block 6x16x64, panel 16, lhs direct, rhs direct>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 32, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[32*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "6", "32">
}

// -----

// CHECK: the schedule of kernel turned does not suit it on x86-64-v4
kernel.func @turned gemm grid () in [] scalars []
    schedule #cpu.contraction<block 8x48x64, panel 48, lhs direct, rhs direct>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 32, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[%k + 64*%n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "6", "32">
}

// -----

// CHECK: the schedule of kernel unpacked does not suit it on x86-64-v4
kernel.func @unpacked gemm grid () in [] scalars []
    schedule #cpu.contraction<block 8x48x64, panel 48, lhs direct, rhs packed>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 32, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[32*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "6", "32">
}

// -----

// CHECK: the schedule of kernel crooked does not suit it on x86-64-v4
kernel.func @crooked conv grid () in [] scalars []
    schedule #cpu.contraction<block 8x48x27, panel 48, lhs copied, rhs direct, piece 27>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 4, 27] lhs (%m, %k) {
    %x = kernel.load %a[3*%m + 24*floordiv(%k, 9) + mod(%k, 9)] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[%n + 4*%k] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "6", "4">
}

// -----

// CHECK: the schedule of kernel no_steps does not suit it on x86-64-v4
kernel.func @no_steps pointwise grid () in [] scalars [] schedule #cpu.attention<rows 8, keys copied, values copied> () {
}

// -----

// Blocks of rows are whole tiles.
// CHECK: the schedule of kernel rows does not suit it on x86-64-v4
kernel.func @rows attention grid (%g) in [12] scalars [] schedule #cpu.attention<rows 6, keys copied, values copied>
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [100, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "100", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "100", "64"> {
    %s = kernel.dot [100, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "100", "64">
    %t = kernel.dot [100, 64, 64] init %sum : !kernel.tile<f32, "100", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "100", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "100", "64">
    kernel.yield %t : !kernel.tile<f32, "100", "64">
  }
  kernel.foreach (%m, %n) in [100, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "100", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// -----

// Values whose neighbours lie along the depth are no rows of a micro-kernel.
// CHECK: the schedule of kernel values does not suit it on x86-64-v4
kernel.func @values attention grid (%g) in [12] scalars [] schedule #cpu.attention<rows 8, keys copied, values direct>
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [100, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "100", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "100", "64"> {
    %s = kernel.dot [100, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "100", "64">
    %t = kernel.dot [100, 64, 64] init %sum : !kernel.tile<f32, "100", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "100", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + %k + 64*%n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "100", "64">
    kernel.yield %t : !kernel.tile<f32, "100", "64">
  }
  kernel.foreach (%m, %n) in [100, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "100", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// -----

// Runs are neighbours in memory.
// CHECK: the schedule of kernel apart does not suit it on x86-64-v4
kernel.func @apart conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x3x288, panel 3, lhs runs, rhs packed, piece 32> packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %t = kernel.dot [256, 3, 288] lhs (%m, %k) {
    %x = kernel.load %a[%m + 16*floordiv(%k, 96) + mod(floordiv(%k, 32), 3) + 256*mod(%k, 32) - 17] mask [floordiv(%m, 16) + floordiv(%k, 96) - 1, -floordiv(%m, 16) - floordiv(%k, 96) + 16, mod(%m, 16) + mod(floordiv(%k, 32), 3) - 1, -mod(%m, 16) - mod(floordiv(%k, 32), 3) + 16] else %zero : f32 : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[3*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "3">
  kernel.foreach (%m, %n) in [256, 3] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "3">
    kernel.store %s, %o[3*%m + %n] : f32 to <f32, write>
  }
}

// -----

// A block of the depth is some runs or a part of one.
// CHECK: the schedule of kernel half_more does not suit it on x86-64-v4
kernel.func @half_more conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x16x144, panel 16, lhs runs, rhs direct, piece 16>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [256, 16, 288] lhs (%m, %k) {
    %x = kernel.load %a[32*%m + 576*floordiv(%k, 96) + mod(%k, 96)] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[16*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "16">
  kernel.foreach (%m, %n) in [256, 16] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "16">
    kernel.store %s, %o[16*%m + %n] : f32 to <f32, write>
  }
}

// -----

// A place is a block of the depth.
// CHECK: the schedule of kernel two_places does not suit it on x86-64-v4
kernel.func @two_places conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x16x64, panel 16, lhs places, rhs direct, piece 32>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [256, 16, 288] lhs (%m, %k) {
    %x = kernel.load %a[32*%m + 576*floordiv(%k, 96) + 64*mod(floordiv(%k, 32), 3) + mod(%k, 32)] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[16*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "16">
  kernel.foreach (%m, %n) in [256, 16] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "16">
    kernel.store %s, %o[16*%m + %n] : f32 to <f32, write>
  }
}

// -----

// Iterations that are one have reductions with something in common.
// CHECK: the schedule of kernel alone does not suit it on x86-64-v4
kernel.func @alone pointwise grid (%i, %j, %k) in [8, 8, 32] scalars []
    schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0, jam 4>
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %x = kernel.load %a[256*%i + 32*%j + %k] : f32 from <f32, read>
  kernel.store %x, %o[256*%i + 32*%j + %k] : f32 to <f32, write>
}

// -----

// .. and read no indices.
// CHECK: the schedule of kernel indices does not suit it on x86-64-v4
kernel.func @indices reduction grid (%i, %j, %k) in [8, 8, 32] scalars []
    schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0, jam 4>
    (%a: !kernel.view<f32, read>, %b: !kernel.view<i64, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d) in [3] {
    %x = kernel.load %a[320*%i + 32*%j + 32*%d + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  %y = kernel.load %b[32*%j + %k] : i64 from <i64, read>
  %at = kernel.checked_index %y below 7 : i64
  %z = kernel.load %a[%at] : f32 from <f32, read>
  %r = kernel.binary add %s, %z : f32 -> f32
  kernel.store %r, %o[256*%i + 32*%j + %k] : f32 to <f32, write>
}

// -----

// Few columns take all of the depth.
// CHECK: the schedule of kernel part does not suit it on x86-64-v4
kernel.func @part conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x3x96, panel 3, lhs copied, rhs packed, piece 32> packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %t = kernel.dot [256, 3, 288] lhs (%m, %k) {
    %x = kernel.load %a[32*%m + 512*floordiv(%k, 96) + mod(%k, 96) - 544] mask [floordiv(%m, 16) + floordiv(%k, 96) - 1, -floordiv(%m, 16) - floordiv(%k, 96) + 16, mod(%m, 16) + mod(floordiv(%k, 32), 3) - 1, -mod(%m, 16) - mod(floordiv(%k, 32), 3) + 16] else %zero : f32 : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[3*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "3">
  kernel.foreach (%m, %n) in [256, 3] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "3">
    kernel.store %s, %o[3*%m + %n] : f32 to <f32, write>
  }
}

// -----

// The panel is as wide as the columns are.
// CHECK: the schedule of kernel wide does not suit it on x86-64-v4
kernel.func @wide conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x48x288, panel 48, lhs copied, rhs packed, piece 32> packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %t = kernel.dot [256, 3, 288] lhs (%m, %k) {
    %x = kernel.load %a[32*%m + 512*floordiv(%k, 96) + mod(%k, 96) - 544] mask [floordiv(%m, 16) + floordiv(%k, 96) - 1, -floordiv(%m, 16) - floordiv(%k, 96) + 16, mod(%m, 16) + mod(floordiv(%k, 32), 3) - 1, -mod(%m, 16) - mod(floordiv(%k, 32), 3) + 16] else %zero : f32 : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[3*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "3">
  kernel.foreach (%m, %n) in [256, 3] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "3">
    kernel.store %s, %o[3*%m + %n] : f32 to <f32, write>
  }
}
