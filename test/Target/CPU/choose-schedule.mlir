//===- test/Target/CPU/choose-schedule.mlir - loops, vectors and blocks, by kernel and level ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-choose-schedule{arch=x86-64-v3}))' > %t.v3
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-choose-schedule{arch=x86-64-v4}))' > %t.v4
// RUN: FileCheck %s --check-prefixes=ALL,V3 < %t.v3
// RUN: FileCheck %s --check-prefixes=ALL,V4 < %t.v4
// The lowering takes what is there, and else chooses the same.
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 > %t.chosen
// RUN: cupola-opt %t.v4 --kernel-to-cpu-loops=arch=x86-64-v4 | diff %t.chosen -
// RUN: sed 's/vectors 4/vectors 2/' %t.v4 | cupola-opt --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s --check-prefix=OTHER
// RUN: not cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-choose-schedule{arch=sm_80}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: architecture 'sm_80' is not known

// The loop along memory, in pieces where it may be long.
// ALL: @long {{.*}} schedule #cpu.nest<parallel 0, vector 0, vectors 1, chunk 4096> (
kernel.func @long pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %x = kernel.load %a[%d0] : f32 from <f32, read>
    kernel.store %x, %o[%d0] : f32 to <f32, write>
  }
}

// Outer loops are iterations,
// ALL: @rows {{.*}} schedule #cpu.nest<parallel 2, vector 2, vectors 1, chunk 0> (
kernel.func @rows pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1, %d2) in [n0, 6, 1024] {
    %x = kernel.load %a[1024*%d1 + %d2] : f32 from <f32, read>
    kernel.store %x, %o[6144*%d0 + 1024*%d1 + %d2] : f32 to <f32, write>
  }
}

// but for those that would make tiny ones.
// ALL: @tiny {{.*}} schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0> (
kernel.func @tiny pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1, %d2) in [n0, 6, 32] {
    %x = kernel.load %a[32*%d1 + %d2] : f32 from <f32, read>
    kernel.store %x, %o[192*%d0 + 32*%d1 + %d2] : f32 to <f32, write>
  }
}

// Loads are contiguous along one loop, stores along another one: squares of both, walked along the lines that lie far
// apart; of lines that all begin in the same set of a cache,
// ALL: @transpose {{.*}} schedule #cpu.transpose<from 0, to 1, tile 64x512, inner to> (
kernel.func @transpose pointwise grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [256, 512] {
    %x = kernel.load %a[%d0 + 256*%d1] : f32 from <f32, read>
    kernel.store %x, %o[512*%d0 + %d1] : f32 to <f32, write>
  }
}

// read
// ALL: @channels_last {{.*}} schedule #cpu.transpose<from 1, to 2, tile 1024x64, inner from> (
kernel.func @channels_last pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1, %d2) in [n0, 4096, 64] {
    %x = kernel.load %a[262144*%d0 + %d1 + 4096*%d2] : f32 from <f32, read>
    %y = kernel.load %b[%d2] : f32 from <f32, read>
    %z = kernel.binary add %x, %y : f32 -> f32
    kernel.store %z, %o[262144*%d0 + 64*%d1 + %d2] : f32 to <f32, write>
  }
}
// or written. Bytes fill their lines before these leave the cache.
// ALL: @channels_first {{.*}} schedule #cpu.transpose<from 1, to 2, tile 64x256, inner to> (
kernel.func @channels_first pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<ui8, read>, %o: !kernel.view<ui8, write>) {
  kernel.foreach (%d0, %d1, %d2) in [n0, 64, 4096] {
    %x = kernel.load %a[262144*%d0 + %d1 + 64*%d2] : ui8 from <ui8, read>
    kernel.store %x, %o[262144*%d0 + 4096*%d1 + %d2] : ui8 to <ui8, write>
  }
}

// Three channels fill squares well enough where lanes have masks: for bytes those of level 4.
// V3: @picture {{.*}} schedule #cpu.nest<parallel 1, vector 0, vectors 1, chunk 4096> (
// V4: @picture {{.*}} schedule #cpu.transpose<from 0, to 1, tile 256x16, inner from> (
kernel.func @picture pointwise grid () in [] scalars []
    (%a: !kernel.view<ui8, read>, %o: !kernel.view<ui8, write>) {
  kernel.foreach (%d0, %d1) in [65536, 3] {
    %x = kernel.load %a[%d0 + 65536*%d1] : ui8 from <ui8, read>
    kernel.store %x, %o[3*%d0 + %d1] : ui8 to <ui8, write>
  }
}

// Heads of attention change places with positions: rows stay as they are.
// ALL: @head_rows {{.*}} schedule #cpu.nest<parallel 2, vector 2, vectors 1, chunk 0> (
kernel.func @head_rows pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1, %d2) in [12, n0, 64] {
    %x = kernel.load %a[64*%d0 + 768*%d1 + %d2] : f32 from <f32, read>
    kernel.store %x, %o[64*%d0*n0 + 64*%d1 + %d2] : f32 to <f32, write>
  }
}

// Where data say what is read, nothing lies along a loop.
// ALL: @gathered {{.*}} schedule #cpu.nest<parallel 1, vector 1, vectors 1, chunk 0> (
kernel.func @gathered pointwise grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %i: !kernel.view<i64, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [256, 512] {
    %n = kernel.load %i[%d1] : i64 from <i64, read>
    %j = kernel.checked_index %n below 512 : i64
    %x = kernel.load %a[%d0 + 256*%j] : f32 from <f32, read>
    kernel.store %x, %o[512*%d0 + %d1] : f32 to <f32, write>
  }
}

// The loops inside run over vectors.
// ALL: @sums {{.*}} schedule #cpu.nest<parallel 1> (
kernel.func @sums row_reduction grid (%g) in [n0] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d) in [512] {
    %x = kernel.load %a[512*%g + %d] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[%g] : f32 to <f32, write>
}

// Vectors share the steps of windows that lie apart: as many as leave few lanes of the last ones without work.
// ALL: @window {{.*}} schedule #cpu.nest<parallel 2, vector 2, vectors 4, chunk 0> (
// OTHER-LABEL: llvm.func @window(
// OTHER: scf.for {{.*}} -> (vector<32xf32>)
kernel.func @window reduction grid (%g0, %g1, %g2) in [6, 6, 200] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0, %d1) in [3, 3] {
    %x = kernel.load %a[3600*%d0 + 200*%d1 + 10800*%g0 + 600*%g1 + %g2] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[1200*%g0 + 200*%g1 + %g2] : f32 to <f32, write>
}
// V3: @narrow {{.*}} schedule #cpu.nest<parallel 1, vector 2, vectors 2, chunk 0> (
// V4: @narrow {{.*}} schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0> (
kernel.func @narrow reduction grid (%g0, %g1, %g2) in [6, 6, 16] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0, %d1) in [3, 3] {
    %x = kernel.load %a[288*%d0 + 16*%d1 + 864*%g0 + 48*%g1 + %g2] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[96*%g0 + 16*%g1 + %g2] : f32 to <f32, write>
}

// Rows that are far from each other are copied: more rows share the copy.
// V3: @copied {{.*}} schedule #cpu.contraction<block 132x96x512, panel 16, lhs direct, rhs copied> (
// V4: @copied {{.*}} schedule #cpu.contraction<block 128x96x512, panel 48, lhs direct, rhs copied> (
kernel.func @copied gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [1024, 768, 512] lhs (%m, %k) {
    %x = kernel.load %a[512*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[768*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "1024", "768">
  kernel.foreach (%m, %n) in [1024, 768] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "1024", "768">
    kernel.store %s, %o[768*%m + %n] : f32 to <f32, write>
  }
}

// Read once, they are not. Few rows of them are read at a time, on from panel to panel.
// V3: @once {{.*}} schedule #cpu.contraction<block 6x192x32, panel 16, lhs direct, rhs direct> (
// V4: @once {{.*}} schedule #cpu.contraction<block 8x192x32, panel 48, lhs direct, rhs direct> (
kernel.func @once gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [1, 384, 512] lhs (%m, %k) {
    %x = kernel.load %a[512*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[384*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "1", "384">
  kernel.foreach (%m, %n) in [1, 384] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "1", "384">
    kernel.store %s, %o[384*%m + %n] : f32 to <f32, write>
  }
}

// So are rows that are short: neighbours in memory.
// V3: @short {{.*}} schedule #cpu.contraction<block 42x16x512, panel 16, lhs direct, rhs direct> (
// V4: @short {{.*}} schedule #cpu.contraction<block 32x16x512, panel 16, lhs direct, rhs direct> (
kernel.func @short gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [1024, 16, 512] lhs (%m, %k) {
    %x = kernel.load %a[512*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[16*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "1024", "16">
  kernel.foreach (%m, %n) in [1024, 16] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "1024", "16">
    kernel.store %s, %o[16*%m + %n] : f32 to <f32, write>
  }
}

// A product that would have few blocks as well as short ones of a long depth: threads come first.
// V3: @few {{.*}} schedule #cpu.contraction<block 36x32x500, panel 16, lhs direct, rhs copied> (
// V4: @few {{.*}} schedule #cpu.contraction<block 40x48x500, panel 48, lhs direct, rhs copied> (
kernel.func @few gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [36, 192, 1000] lhs (%m, %k) {
    %x = kernel.load %a[1000*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[192*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "36", "192">
  kernel.foreach (%m, %n) in [36, 192] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "36", "192">
    kernel.store %s, %o[192*%m + %n] : f32 to <f32, write>
  }
}

// Columns of no whole panels, but of whole wide ones, where a level has such: tiles have fewer rows.
// V3: @wide {{.*}} schedule #cpu.contraction<block 72x32x512, panel 16, lhs direct, rhs copied> (
// V4: @wide {{.*}} schedule #cpu.contraction<block 36x64x512, panel 64, lhs direct, rhs direct> (
kernel.func @wide gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [70, 64, 512] lhs (%m, %k) {
    %x = kernel.load %a[512*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[64*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "70", "64">
  kernel.foreach (%m, %n) in [70, 64] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "70", "64">
    kernel.store %s, %o[64*%m + %n] : f32 to <f32, write>
  }
}

// A long depth is cut into equal blocks; weights in panels come fewer columns at a time.
// V3: @packed {{.*}} schedule #cpu.contraction<block 42x48x400, panel 16, lhs direct, rhs packed> packed
// V4: @packed {{.*}} schedule #cpu.contraction<block 32x48x400, panel 48, lhs direct, rhs packed> packed
kernel.func @packed gemm grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [480, 768, 800] lhs (%m, %k) {
    %x = kernel.load %a[800*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[768*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "480", "768">
  kernel.foreach (%m, %n) in [480, 768] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "480", "768">
    kernel.store %s, %o[768*%m + %n] : f32 to <f32, write>
  }
}

// The window of a convolution is read where it lies, a row of it at a time, or copied so for vectors along the depth. Less than a vector of columns is a panel of one, with more
// rows. A quarter of a long vector is few columns, which lie along the depth.
// V3: @conv {{.*}} schedule #cpu.contraction<block 8x8x27, panel 8, lhs runs, rhs direct, piece 9> (
// V4: @conv {{.*}} schedule #cpu.contraction<block 8x4x27, panel 4, lhs copied, rhs copied, piece 9> (
kernel.func @conv conv grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [6, 4, 27] lhs (%m, %k) {
    %x = kernel.load %a[3*%m + 24*floordiv(%k, 9) + mod(%k, 9)] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[%n + 4*%k] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "6", "4">
  kernel.foreach (%m, %n) in [6, 4] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "6", "4">
    kernel.store %s, %o[4*%m + %n] : f32 to <f32, write>
  }
}

// As many rows as the cache holds share copies of keys and values,
// V3: @attention {{.*}} schedule #cpu.attention<rows 300, keys copied, values copied> (
// V4: @attention {{.*}} schedule #cpu.attention<rows 304, keys copied, values copied> (
kernel.func @attention attention grid (%g) in [6] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [1500, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "1500", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "1500", "64"> {
    %s = kernel.dot [1500, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "1500", "64">
    %t = kernel.dot [1500, 64, 64] init %sum : !kernel.tile<f32, "1500", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "1500", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "1500", "64">
    kernel.yield %t : !kernel.tile<f32, "1500", "64">
  }
  kernel.foreach (%m, %n) in [1500, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "1500", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// but all threads have some.
// V3: @heads {{.*}} schedule #cpu.attention<rows 42, keys copied, values copied> (
// V4: @heads {{.*}} schedule #cpu.attention<rows 40, keys copied, values copied> (
kernel.func @heads attention grid (%g) in [4] scalars []
    (%q: !kernel.view<f32, read>, %a: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.map (%m, %n) in [80, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "80", "64">
  %r = kernel.for (%j) below 2 carry (%sum = %zero) : !kernel.tile<f32, "80", "64"> {
    %s = kernel.dot [80, 64, 64] lhs (%m, %k) {
      %x = kernel.load %q[64*%m + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %a[4096*%j + 64*%n + %k] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "80", "64">
    %t = kernel.dot [80, 64, 64] init %sum : !kernel.tile<f32, "80", "64"> lhs (%m, %k) {
      %x = kernel.extract %s [%m, %k] : f32 from !kernel.tile<f32, "80", "64">
      kernel.yield %x : f32
    } rhs (%k, %n) {
      %x = kernel.load %v[4096*%j + 64*%k + %n] : f32 from <f32, read>
      kernel.yield %x : f32
    } : !kernel.tile<f32, "80", "64">
    kernel.yield %t : !kernel.tile<f32, "80", "64">
  }
  kernel.foreach (%m, %n) in [80, 64] {
    %x = kernel.extract %r [%m, %n] : f32 from !kernel.tile<f32, "80", "64">
    kernel.store %x, %o[4096*%g + 64*%m + %n] : f32 to <f32, write>
  }
}

// One row meets keys and values where they lie.
// V3: @row {{.*}} schedule #cpu.attention<rows 6, keys direct, values direct> (
// V4: @row {{.*}} schedule #cpu.attention<rows 8, keys direct, values direct> (
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

// Few columns lie along the depth: all of it at once. An image that is channels last is read where it lies.
// V3: @few_columns {{.*}} schedule #cpu.contraction<block 64x3x288, panel 3, lhs runs, rhs packed, piece 32> packed
// V4: @few_columns {{.*}} schedule #cpu.contraction<block 64x3x288, panel 3, lhs runs, rhs packed, piece 32> packed
kernel.func @few_columns conv grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
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

// Rows that vectors along the depth compute need no copy: each element serves all columns at once.
// V3: @few_columns_of_bytes {{.*}} schedule #cpu.contraction<block 64x2x288, panel 2, lhs computed, rhs copied>
// V4: @few_columns_of_bytes {{.*}} schedule #cpu.contraction<block 64x2x288, panel 2, lhs computed, rhs copied>
kernel.func @few_columns_of_bytes gemm grid () in [] scalars []
    (%a: !kernel.view<i8, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [256, 2, 288] lhs (%m, %k) {
    %x = kernel.load %a[144*%m + floordiv(%k, 2)] : i8 from <i8, read>
    %f = kernel.cast %x : i8 -> f32
    kernel.yield %f : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[2*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "2">
  kernel.foreach (%m, %n) in [256, 2] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "2">
    kernel.store %s, %o[2*%m + %n] : f32 to <f32, write>
  }
}

// Neighbours along the rows are none along the depth.
// V3: @few_columns_turned {{.*}} schedule #cpu.contraction<block 64x2x288, panel 2, lhs copied, rhs copied
// V4: @few_columns_turned {{.*}} schedule #cpu.contraction<block 64x2x288, panel 2, lhs copied, rhs copied
kernel.func @few_columns_turned gemm grid () in [] scalars []
    (%a: !kernel.view<i8, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [256, 2, 288] lhs (%m, %k) {
    %x = kernel.load %a[%m + 256*%k] : i8 from <i8, read>
    %f = kernel.cast %x : i8 -> f32
    kernel.yield %f : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[2*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "2">
  kernel.foreach (%m, %n) in [256, 2] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "2">
    kernel.store %s, %o[2*%m + %n] : f32 to <f32, write>
  }
}

// Where channels are apart, rows are copied.
// V3: @few_columns_first {{.*}} schedule #cpu.contraction<block 64x3x288, panel 3, lhs copied, rhs packed, piece 32> packed
// V4: @few_columns_first {{.*}} schedule #cpu.contraction<block 64x3x288, panel 3, lhs copied, rhs packed, piece 32> packed
kernel.func @few_columns_first conv grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
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

// 8 of 16 lanes are few, 8 of 8 are not.
// V3: @half_columns {{.*}} schedule #cpu.contraction<block 64x8x288, panel 8, lhs runs, rhs packed, piece 32> packed
// V4: @half_columns {{.*}} schedule #cpu.contraction<block 64x8x288, panel 8, lhs runs, rhs packed, piece 32> packed
kernel.func @half_columns conv grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %t = kernel.dot [256, 8, 288] lhs (%m, %k) {
    %x = kernel.load %a[32*%m + 512*floordiv(%k, 96) + mod(%k, 96) - 544] mask [floordiv(%m, 16) + floordiv(%k, 96) - 1, -floordiv(%m, 16) - floordiv(%k, 96) + 16, mod(%m, 16) + mod(floordiv(%k, 32), 3) - 1, -mod(%m, 16) - mod(floordiv(%k, 32), 3) + 16] else %zero : f32 : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[8*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "8">
  kernel.foreach (%m, %n) in [256, 8] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "8">
    kernel.store %s, %o[8*%m + %n] : f32 to <f32, write>
  }
}

// Places of a window that lie apart are blocks of the depth.
// ALL: @places {{.*}} schedule #cpu.contraction<block {{66x32x64, panel 16|64x32x64, panel 32}}, lhs places, rhs packed, piece 64> packed
kernel.func @places conv grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %t = kernel.dot [256, 32, 576] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + 6144*floordiv(%k, 192) + 384*mod(floordiv(%k, 64), 3) + mod(%k, 64) - 6528] mask [floordiv(%m, 16) + 6*floordiv(%k, 192) - 6, -floordiv(%m, 16) - 6*floordiv(%k, 192) + 21, mod(%m, 16) + 6*mod(floordiv(%k, 64), 3) - 6, -mod(%m, 16) - 6*mod(floordiv(%k, 64), 3) + 21] else %zero : f32 : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[32*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "32">
  kernel.foreach (%m, %n) in [256, 32] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "32">
    kernel.store %s, %o[32*%m + %n] : f32 to <f32, write>
  }
}

// Around an image of ones there is no place that could be left out.
// ALL: @places_of_ones {{.*}}, lhs copied, rhs packed, piece 64> packed
kernel.func @places_of_ones conv grid () in [] scalars [] packed [#kernel.packed<1 bytes <"0"> by @p0>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %one = kernel.constant 1.0 : f32
  %t = kernel.dot [256, 32, 576] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + 6144*floordiv(%k, 192) + 384*mod(floordiv(%k, 64), 3) + mod(%k, 64) - 6528] mask [floordiv(%m, 16) + 6*floordiv(%k, 192) - 6, -floordiv(%m, 16) - 6*floordiv(%k, 192) + 21, mod(%m, 16) + 6*mod(floordiv(%k, 64), 3) - 6, -mod(%m, 16) - 6*mod(floordiv(%k, 64), 3) + 21] else %one : f32 : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[32*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "256", "32">
  kernel.foreach (%m, %n) in [256, 32] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "256", "32">
    kernel.store %s, %o[32*%m + %n] : f32 to <f32, write>
  }
}

// Places share what windows read in common, and filters; of lines that are not many, or whose number is not known, pieces are iterations.
// ALL: @windows {{.*}} schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0, jam 4> (
kernel.func @windows reduction grid (%g0, %g1, %g2) in [14, 14, 64] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0, %d1) in [3, 3] {
    %x = kernel.load %a[1024*%d0 + 64*%d1 + 1024*%g0 + 64*%g1 + %g2] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[896*%g0 + 64*%g1 + %g2] : f32 to <f32, write>
}
// ALL: @signals {{.*}} schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 32, jam 4> (
kernel.func @signals reduction grid (%g0, %g1, %g2) in [n0, 200, 64] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [5] {
    %x = kernel.load %a[64*%d0 + 13056*%g0 + 64*%g1 + %g2] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[12800*%g0 + 64*%g1 + %g2] : f32 to <f32, write>
}
// Rows of a table have nothing in common.
// ALL: @tables {{.*}} schedule #cpu.nest<parallel 2, vector 2, vectors 4, chunk 0> (
kernel.func @tables reduction grid (%g0, %g1, %g2) in [14, 14, 64] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0) in [9] {
    %x = kernel.load %a[64*%d0 + 8064*%g0 + 576*%g1 + %g2] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[896*%g0 + 64*%g1 + %g2] : f32 to <f32, write>
}
