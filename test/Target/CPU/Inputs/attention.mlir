//===- test/Target/CPU/Inputs/attention.mlir - o = softmax(mask(q k)) v, block by block of the keys ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @attention attention grid (%g0) in [HEADS] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%q: !kernel.view<STORED, read>, %k: !kernel.view<STORED, read>, %v: !kernel.view<STORED, read>,
     %mask: !kernel.view<f32, read>, %o: !kernel.view<STORED, write>) {
  %low = kernel.map (%d0) in [ROWS] {
    %x = kernel.constant 0xFF800000 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "ROWS">
  %none = kernel.map (%d0) in [ROWS] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "ROWS">
  %nothing = kernel.map (%d0, %d1) in [ROWS, COLUMNS] {
    %x = kernel.constant 0.0 : f32
    kernel.yield %x : f32
  } : !kernel.tile<f32, "ROWS", "COLUMNS">
  %r:3 = kernel.for (%d9) below STEPS carry (%largest = %low, %sum = %none, %result = %nothing) : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS", "COLUMNS"> {
    %dots = kernel.dot [ROWS, 64, DEPTH] lhs (%d0, %d2) {
      %x = kernel.load %q[Q_AT] : STORED from <STORED, read>
      kernel.yield %x : STORED
    } rhs (%d2, %d1) {
      %z = kernel.constant 0.0 : STORED
      %x = kernel.load %k[K_AT] mask [KEY_INSIDE] else %z : STORED : STORED from <STORED, read>
      kernel.yield %x : STORED
    } : !kernel.tile<f32, "ROWS", "64">
    %scores = kernel.map (%d0, %d1) in [ROWS, 64] {
      %x = kernel.extract %dots [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "64">
      %z = kernel.constant 0.0 : f32
      %m = kernel.load %mask[BIAS_AT] mask [KEY_INSIDE] else %z : f32 : f32 from <f32, read>
      %y = kernel.binary add %x, %m : f32 -> f32
      %out = kernel.constant 0xFF800000 : f32
      %c = kernel.in_range [CAUSAL]
      %w = kernel.select %c, %y, %out : f32
      %i = kernel.in_range [KEY_INSIDE]
      %s = kernel.select %i, %w, %out : f32
      kernel.yield %s : f32
    } : !kernel.tile<f32, "ROWS", "64">
    %next, %shift, %factor = kernel.map (%d0) in [ROWS] {
      %x = kernel.extract %largest [%d0] : f32 from !kernel.tile<f32, "ROWS">
      %m = kernel.reduce [#graph<reduce_kind max>] (%d1) in [64] {
        %s = kernel.extract %scores [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "64">
        kernel.yield %s : f32
      } : f32
      %n = kernel.binary max %x, %m : f32 -> f32
      %out = kernel.constant 0xFF800000 : f32
      %e = kernel.binary equal %n, %out : f32 -> i1
      %z = kernel.constant 0.0 : f32
      %s = kernel.select %e, %z, %n : f32
      %d = kernel.binary sub %x, %s : f32 -> f32
      %f = kernel.unary exp %d : f32 -> f32
      kernel.yield %n, %s, %f : f32, f32, f32
    } : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">
    %weights = kernel.map (%d0, %d1) in [ROWS, 64] {
      %x = kernel.extract %scores [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "64">
      %s = kernel.extract %shift [%d0] : f32 from !kernel.tile<f32, "ROWS">
      %d = kernel.binary sub %x, %s : f32 -> f32
      %e = kernel.unary exp %d : f32 -> f32
      kernel.yield %e : f32
    } : !kernel.tile<f32, "ROWS", "64">
    %total = kernel.map (%d0) in [ROWS] {
      %x = kernel.extract %sum [%d0] : f32 from !kernel.tile<f32, "ROWS">
      %f = kernel.extract %factor [%d0] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.binary mul %x, %f : f32 -> f32
      %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [64] {
        %w = kernel.extract %weights [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "64">
        kernel.yield %w : f32
      } : f32
      %t = kernel.binary add %y, %s : f32 -> f32
      kernel.yield %t : f32
    } : !kernel.tile<f32, "ROWS">
    %scaled = kernel.map (%d0, %d1) in [ROWS, COLUMNS] {
      %x = kernel.extract %result [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "COLUMNS">
      %f = kernel.extract %factor [%d0] : f32 from !kernel.tile<f32, "ROWS">
      %y = kernel.binary mul %x, %f : f32 -> f32
      kernel.yield %y : f32
    } : !kernel.tile<f32, "ROWS", "COLUMNS">
    %values = kernel.dot [ROWS, COLUMNS, 64] init %scaled : !kernel.tile<f32, "ROWS", "COLUMNS"> lhs (%d0, %d1) {
      %w = kernel.extract %weights [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "64">
      CAST
      kernel.yield ROUNDED : STORED
    } rhs (%d1, %d4) {
      %z = kernel.constant 0.0 : STORED
      %x = kernel.load %v[V_AT] mask [KEY_INSIDE] else %z : STORED : STORED from <STORED, read>
      kernel.yield %x : STORED
    } : !kernel.tile<f32, "ROWS", "COLUMNS">
    kernel.yield %next, %total, %values : !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS">, !kernel.tile<f32, "ROWS", "COLUMNS">
  }
  kernel.foreach (%d0, %d1) in [ROWS, COLUMNS] {
    %s = kernel.extract %r#1 [%d0] : f32 from !kernel.tile<f32, "ROWS">
    %z = kernel.constant 0.0 : f32
    %e = kernel.binary equal %s, %z : f32 -> i1
    %one = kernel.constant 1.0 : f32
    %d = kernel.select %e, %one, %s : f32
    %x = kernel.extract %r#2 [%d0, %d1] : f32 from !kernel.tile<f32, "ROWS", "COLUMNS">
    %w = kernel.binary div %x, %d : f32 -> f32
    CAST
    kernel.store ROUNDED, %o[O_AT] : STORED to <STORED, write>
  }
}
