//===- test/Target/CUDA/Inputs/attention.mlir - softmax(q k) v, 64 keys at a time ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @attention attention grid (%g) in [12] scalars []
    (%q: !kernel.view<STORED, read>, %k: !kernel.view<STORED, read>, %v: !kernel.view<STORED, read>,
     %o: !kernel.view<STORED, write>) {
  %low = kernel.map (%m) in [ROWS] {
    %x = kernel.constant 0xFF800000 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "ROWS">
  %none = kernel.map (%m) in [ROWS] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "ROWS">
  %nothing = kernel.map (%m, %n) in [ROWS, 64] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "ROWS", "64">
  %r:3 = kernel.for (%s) below 3 carry (%largest = %low, %sum = %none, %result = %nothing)
      : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS", "64"> {
    %scores = kernel.dot [ROWS, 64, 64] lhs (%m, %d) {
      %x = kernel.load %q[64*ROWS*%g + 64*%m + %d] : STORED from !kernel.view<STORED, read>
      kernel.yield %x : STORED
    } rhs (%d, %n) {
      %x = kernel.load %k[12288*%g + 4096*%s + 64*%n + %d] : STORED from !kernel.view<STORED, read>
      kernel.yield %x : STORED
    } : !kernel.tile<f32, "ROWS", "64">
    %next, %factor = kernel.map (%m) in [ROWS] {
      %x = kernel.extract %largest [%m] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.reduce [#graph<reduce_kind max>] (%n) in [64] {
        %z = kernel.extract %scores [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
        kernel.yield %z : f32
      } : f32
      %max = kernel.binary max %x, %y : f32 -> f32
      %less = kernel.binary sub %x, %max : f32 -> f32
      %e = kernel.unary exp %less : f32 -> f32
      kernel.yield %max, %e : f32, f32
    } : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">
    %weights = kernel.map (%m, %n) in [ROWS, 64] {
      %x = kernel.extract %scores [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
      %max = kernel.extract %next [%m] : f32 from !kernel.tile<f32, "ROWS">
      %less = kernel.binary sub %x, %max : f32 -> f32
      %e = kernel.unary exp %less : f32 -> f32
      kernel.yield %e : f32
    } : !kernel.tile<f32, "ROWS", "64">
    %total = kernel.map (%m) in [ROWS] {
      %x = kernel.extract %sum [%m] : f32 from !kernel.tile<f32, "ROWS">
      %f = kernel.extract %factor [%m] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.binary mul %x, %f : f32 -> f32
      %z = kernel.reduce [#graph<reduce_kind sum>] (%n) in [64] {
        %w = kernel.extract %weights [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
        kernel.yield %w : f32
      } : f32
      %t = kernel.binary add %y, %z : f32 -> f32
      kernel.yield %t : f32
    } : !kernel.tile<f32, "ROWS">
    %scaled = kernel.map (%m, %n) in [ROWS, 64] {
      %x = kernel.extract %result [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
      %f = kernel.extract %factor [%m] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.binary mul %x, %f : f32 -> f32
      kernel.yield %y : f32
    } : !kernel.tile<f32, "ROWS", "64">
    %values = kernel.dot [ROWS, 64, 64] init %scaled : !kernel.tile<f32, "ROWS", "64"> lhs (%m, %n) {
      %w = kernel.extract %weights [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
      %x = kernel.cast %w : f32 -> STORED
      kernel.yield %x : STORED
    } rhs (%n, %c) {
      %x = kernel.load %v[12288*%g + 4096*%s + 64*%n + %c] : STORED from !kernel.view<STORED, read>
      kernel.yield %x : STORED
    } : !kernel.tile<f32, "ROWS", "64">
    kernel.yield %next, %total, %values : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS", "64">
  } meet (%l0, %s0, %r0) (%l1, %s1, %r1) {
    %both, %f0, %f1 = kernel.map (%m) in [ROWS] {
      %x = kernel.extract %l0 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.extract %l1 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %max = kernel.binary max %x, %y : f32 -> f32
      %less = kernel.binary sub %x, %max : f32 -> f32
      %e = kernel.unary exp %less : f32 -> f32
      %other = kernel.binary sub %y, %max : f32 -> f32
      %f = kernel.unary exp %other : f32 -> f32
      kernel.yield %max, %e, %f : f32, f32, f32
    } : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">
    %sums = kernel.map (%m) in [ROWS] {
      %x = kernel.extract %s0 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %f = kernel.extract %f0 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.extract %s1 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %h = kernel.extract %f1 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %a = kernel.binary mul %x, %f : f32 -> f32
      %b = kernel.binary mul %y, %h : f32 -> f32
      %c = kernel.binary add %a, %b : f32 -> f32
      kernel.yield %c : f32
    } : !kernel.tile<f32, "ROWS">
    %results = kernel.map (%m, %n) in [ROWS, 64] {
      %x = kernel.extract %r0 [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
      %f = kernel.extract %f0 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.extract %r1 [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
      %h = kernel.extract %f1 [%m] : f32 from !kernel.tile<f32, "ROWS">
      %a = kernel.binary mul %x, %f : f32 -> f32
      %b = kernel.binary mul %y, %h : f32 -> f32
      %c = kernel.binary add %a, %b : f32 -> f32
      kernel.yield %c : f32
    } : !kernel.tile<f32, "ROWS", "64">
    kernel.yield %both, %sums, %results : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS", "64">
  }
  kernel.foreach (%m, %n) in [ROWS, 64] {
    %sum = kernel.extract %r#1 [%m] : f32 from !kernel.tile<f32, "ROWS">
    %x = kernel.extract %r#2 [%m, %n] : f32 from !kernel.tile<f32, "ROWS", "64">
    %y = kernel.binary div %x, %sum : f32 -> f32
    %z = kernel.cast %y : f32 -> STORED
    kernel.store %z, %o[64*ROWS*%g + 64*%m + %n] : STORED to !kernel.view<STORED, write>
  }
}
