//===- test/Dialect/Kernel/invalid.mlir - what is no kernel ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Expressions as they are written
//===----------------------------------------------------------------------===//

kernel.func @wide pointwise grid (%g0) in [8] scalars [] () {
  // expected-error @below {{this leaves the range of 64 bits}}
  %0 = kernel.index 4611686018427387904*%g0 + 4611686018427387904*%g0
}

// -----

kernel.func @nothing pointwise grid (%g0) in [8] scalars [] () {
  // expected-error @below {{expected an expression}}
  %0 = kernel.index 4*[%g0]
}

// -----

kernel.func @word pointwise grid (%g0) in [8] scalars [] () {
  // expected-error @below {{'overflow' is no symbol}}
  %0 = kernel.index overflow
}

// -----

// expected-error @below {{an extent is made of constants of the launch}}
kernel.func @extent pointwise grid (%g0) in [8*%g0] scalars [] () {
}

// -----

kernel.func @dynamic pointwise grid (%g0) in [8] scalars [] () {
  // expected-error @below {{an extent is made of constants of the launch}}
  kernel.foreach (%d0) in [%g0 + 1] {
  }
}

// -----

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

kernel.func @unknown pointwise grid (%g0) in [8] scalars [#kernel.scalar<1, 0, 1>] () {
  // expected-error @below {{'n1 + x0' uses 'n1', which is neither an operand nor a scalar parameter}}
  %0 = kernel.index %g0 + n1
}

// -----

kernel.func @name pointwise grid (%g0) in [8] scalars [] () {
  // expected-error @below {{'d0' uses 'd0', which is neither an operand nor a scalar parameter}}
  %0 = kernel.index d0
}

// -----

kernel.func @operand pointwise grid (%g0) in [8] scalars [] () {
  // expected-error @below {{'x1' uses 'x1', which is neither an operand nor a scalar parameter}}
  %0 = "kernel.index"(%g0) <{expr = #graph.expr<"x1">}> : (index) -> i64
}

// -----

// expected-error @below {{'n0' uses 'n0', which is neither an operand nor a scalar parameter}}
kernel.func @grid pointwise grid (%g0) in [n0] scalars [] () {
}

// -----

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

// expected-error @below {{has no index for each of 2 extents of the grid}}
kernel.func @point pointwise grid (%g0) in [8, 4] scalars [] () {
}

// -----

// expected-error @below {{parameter of type 'f32' is no view}}
kernel.func @scalar pointwise grid (%g0) in [8] scalars [] (%x: f32) {
}

// -----

// expected-error @below {{point of the grid of type '!kernel.view<f32, read>' is no index}}
kernel.func @view pointwise grid () in [8] scalars [] (%in0: !kernel.view<f32, read>) {
}

// -----

// expected-error @below {{attribute 'scalars' failed to satisfy constraint: scalar parameters}}
kernel.func @scalars pointwise grid () in [] scalars [4] () {
}

// -----

// expected-error @below {{attribute 'packed' failed to satisfy constraint: packed parameters}}
kernel.func @packed pointwise grid () in [] scalars [] packed [#kernel.scalar<1, 0, 1>] () {
}

// -----

// expected-error @below {{packs parameter 1 of 1}}
kernel.func @beyond gemm grid () in [] scalars [] packed [#kernel.packed<1 bytes <"36864"> by @pack>]
    (%in0: !kernel.view<f32, read>) {
}

// -----

// expected-error @below {{packs parameter 2 of 1}}
kernel.func @others gemm grid () in [] scalars [] packed [#kernel.packed<0 with 2 bytes <"36864"> by @pack>]
    (%in0: !kernel.view<f32, read>) {
}

// -----

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

kernel.func @variables pointwise grid () in [] scalars [] () {
  // expected-error @below {{has 1 arguments, not 2 indices}}
  kernel.foreach (%d0) in [8, 4] {
  }
}

// -----

kernel.func @tile pointwise grid () in [] scalars [] () {
  // expected-error @below {{tile of type '!kernel.tile<f32, "4">' has not the loop's extents}}
  %0 = kernel.map (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "4">
}

// -----

kernel.func @mapped pointwise grid () in [] scalars [] () {
  // expected-error @below {{yields other types than it has results}}
  %0 = kernel.map (%d0) in [8] {
    %1 = kernel.constant 1.0 : f16
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "8">
}

// -----

kernel.func @kinds pointwise grid () in [] scalars [] () {
  // expected-error @below {{1 kinds for 2 results}}
  %0:2 = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1, %1 : f32, f32
  } : f32, f32
}

// -----

kernel.func @mean pointwise grid () in [] scalars [] () {
  // expected-error @below {{mean is a sum and a division here}}
  %0 = kernel.reduce [#graph<reduce_kind mean>] (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : f32
}

// -----

kernel.func @where pointwise grid () in [] scalars [] () {
  // expected-error @below {{gives an i64}}
  %0 = kernel.arg_reduce max last true (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : i32
}

// -----

kernel.func @best pointwise grid () in [] scalars [] () {
  // expected-error @below {{region yields one scalar}}
  %0 = kernel.arg_reduce max last true (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1, %1 : f32, f32
  } : i64
}

// -----

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

kernel.func @first pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f16
  // expected-error @below {{begins with other types than it has results}}
  %1 = "kernel.for"(%0) <{steps = #graph.expr<"2">}> ({
  ^bb0(%step: index, %x: f32):
    kernel.yield %x : f32
  }, {}) : (f16) -> f32
}

// -----

kernel.func @carried pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{has other arguments than its step and what it carries}}
  %1 = "kernel.for"(%0) <{steps = #graph.expr<"2">}> ({
  ^bb0(%step: index):
    kernel.yield %0 : f32
  }, {}) : (f32) -> f32
}

// -----

kernel.func @step pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{has other arguments than its step and what it carries}}
  %1 = "kernel.for"(%0) <{steps = #graph.expr<"2">}> ({
  ^bb0(%step: i64, %x: f32):
    kernel.yield %x : f32
  }, {}) : (f32) -> f32
}

// -----

kernel.func @next pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{yields other types than it has results}}
  %1 = kernel.for (%step) below 2 carry (%x = %0) : f32 {
    kernel.yield %x, %x : f32, f32
  }
}

// -----

kernel.func @inits pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  %1:2 = kernel.for (%step) below 2 carry (%x = %0) : f32, f32 {
    kernel.yield %x, %x : f32, f32
  }
}

// -----

kernel.func @count pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{'n0' uses 'n0', which is neither an operand nor a scalar parameter}}
  %1 = kernel.for (%step) below n0 carry (%x = %0) : f32 {
    kernel.yield %x : f32
  }
}

// -----

kernel.func @number pointwise grid (%g0) in [8] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{an extent is made of constants of the launch}}
  %1 = kernel.for (%step) below %g0 carry (%x = %0) : f32 {
    kernel.yield %x : f32
  }
}

// -----

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

kernel.func @plane pointwise grid () in [] scalars [] () {
  // expected-error @below {{has the extents of m, n and k}}
  %0 = kernel.dot [8, 4] lhs (%m, %k) {
  } rhs (%k, %n) {
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @turned pointwise grid () in [] scalars [] () {
  // expected-error @below {{tile of type '!kernel.tile<f32, "4", "8">' is not m by n}}
  %0 = kernel.dot [8, 4, 2] lhs (%m, %k) {
  } rhs (%k, %n) {
  } : !kernel.tile<f32, "4", "8">
}

// -----

kernel.func @depth pointwise grid () in [] scalars [] () {
  // expected-error @below {{has 1 arguments, not 2 indices}}
  %0 = kernel.dot [8, 4, 2] lhs (%m) {
  } rhs (%k, %n) {
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @nothing pointwise grid () in [] scalars [] () {
  // expected-error @below {{regions yield one scalar}}
  %0 = kernel.dot [8, 4, 2] lhs (%m, %k) {
  } rhs (%k, %n) {
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @init pointwise grid () in [] scalars [] () {
  %0 = kernel.map (%m, %n) in [8, 2] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "2">
  // expected-error @below {{adds to a tile of type '!kernel.tile<f32, "8", "2">', not '!kernel.tile<f32, "8", "4">'}}
  %2 = kernel.dot [8, 4, 2] init %0 : !kernel.tile<f32, "8", "2"> lhs (%m, %k) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @whole pointwise grid () in [] scalars [] () {
  %0 = kernel.map (%m, %k) in [8, 2] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "2">
  // expected-error @below {{regions yield one scalar}}
  %2 = kernel.dot [8, 4, 2] lhs (%m, %k) {
    kernel.yield %0 : !kernel.tile<f32, "8", "2">
  } rhs (%k, %n) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @pair pointwise grid () in [] scalars [] () {
  // expected-error @below {{regions yield one scalar}}
  %0 = kernel.dot [8, 4, 2] lhs (%m, %k) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1, %1 : f32, f32
  } rhs (%k, %n) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @uneven pointwise grid () in [] scalars [] () {
  // expected-error @below {{blocks of 3 do not divide a depth of 4}}
  %0 = kernel.dot [8, 4, 4] lhs (%m, %k) {
    %1 = kernel.constant 1 : i8
    kernel.yield %1 : i8
  } rhs (%k, %n) {
    %1 = kernel.constant 1 : i8
    kernel.yield %1 : i8
  } blocks 3 start (%m, %b) {
    %1 = kernel.constant 1 : i32
    kernel.yield %1 : i32
  } scales (%m, %b) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } by (%b, %n) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @notIntegers pointwise grid () in [] scalars [] () {
  // expected-error @below {{blocks are of i8 by i8 or ui8, summed in i32, as the start is}}
  %0 = kernel.dot [8, 4, 4] lhs (%m, %k) {
    %1 = kernel.constant 1 : i8
    kernel.yield %1 : i8
  } rhs (%k, %n) {
    %1 = kernel.constant 1 : i8
    kernel.yield %1 : i8
  } blocks 2 start (%m, %b) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } scales (%m, %b) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } by (%b, %n) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @halfScales pointwise grid () in [] scalars [] () {
  // expected-error @below {{scales of blocks and their tile are f32}}
  %0 = kernel.dot [8, 4, 4] lhs (%m, %k) {
    %1 = kernel.constant 1 : i8
    kernel.yield %1 : i8
  } rhs (%k, %n) {
    %1 = kernel.constant 1 : i8
    kernel.yield %1 : i8
  } blocks 2 start (%m, %b) {
    %1 = kernel.constant 1 : i32
    kernel.yield %1 : i32
  } scales (%m, %b) {
    %1 = kernel.constant 1.0 : f16
    kernel.yield %1 : f16
  } by (%b, %n) {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @noParts pointwise grid () in [] scalars [] () {
  // expected-error @below {{has blocks with a start and two scales, or none of these}}
  %0 = "kernel.dot"() <{block = 2 : i64, extents = [#graph.expr<"8">, #graph.expr<"4">, #graph.expr<"4">]}> ({
  ^bb0(%m: index, %k: index):
    %1 = "kernel.constant"() <{value = 1.0 : f32}> : () -> f32
    "kernel.yield"(%1) : (f32) -> ()
  }, {
  ^bb0(%k: index, %n: index):
    %1 = "kernel.constant"() <{value = 1.0 : f32}> : () -> f32
    "kernel.yield"(%1) : (f32) -> ()
  }) : () -> !kernel.tile<f32, "8", "4">
}

// -----

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

kernel.func @loadType pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>) {
  // expected-error @below {{loads another type than the view holds}}
  %0 = kernel.load %in0[0] : f16 from !kernel.view<f32, read>
}

// -----

kernel.func @loadAccess pointwise grid () in [] scalars [] (%out0: !kernel.view<f32, write>) {
  // expected-error @below {{loads from a write-only view}}
  %0 = kernel.load %out0[0] : f32 from !kernel.view<f32, write>
}

// -----

kernel.func @mask pointwise grid (%g0) in [8] scalars [] (%in0: !kernel.view<f32, read>) {
  // expected-error @below {{needs a mask and a value for where it fails, or neither}}
  %0 = kernel.load %in0[%g0] mask [%g0 - 1] : f32 from !kernel.view<f32, read>
}

// -----

kernel.func @storeType pointwise grid () in [] scalars [] (%out0: !kernel.view<f32, write>) {
  %0 = kernel.constant 1.0 : f16
  // expected-error @below {{stores another type than the view holds}}
  kernel.store %0, %out0[0] : f16 to !kernel.view<f32, write>
}

// -----

kernel.func @storeAccess pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>) {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{stores to a read-only view}}
  kernel.store %0, %in0[0] : f32 to !kernel.view<f32, read>
}

// -----

kernel.func @extractType pointwise grid () in [] scalars [] () {
  %0 = kernel.map (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8">
  // expected-error @below {{extracts another type than the tile holds}}
  %2 = kernel.extract %0 [0] : f16 from !kernel.tile<f32, "8">
}

// -----

kernel.func @rank pointwise grid () in [] scalars [] () {
  %0 = kernel.map (%d0) in [8] {
    %1 = kernel.constant 1.0 : f32
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8">
  // expected-error @below {{2 indices for a tile of rank 1}}
  %2 = kernel.extract %0 [0, 0] : f32 from !kernel.tile<f32, "8">
}

// -----

kernel.func @met pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{meets other states than two of what it carries}}
  %1 = "kernel.for"(%0) <{steps = #graph.expr<"2">}> ({
  ^bb0(%step: index, %x: f32):
    kernel.yield %x : f32
  }, {
  ^bb0(%before: f32):
    kernel.yield %before : f32
  }) : (f32) -> f32
}

// -----

kernel.func @both pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{yields other types than it has results}}
  %1 = kernel.for (%step) below 2 carry (%x = %0) : f32 {
    kernel.yield %x : f32
  } meet (%before) (%behind) {
    kernel.yield %before, %behind : f32, f32
  }
}

// -----

kernel.func @names pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  %1 = kernel.for (%step) below 2 carry (%x = %0) : f32 {
    kernel.yield %x : f32
  // expected-error @below {{wants two names for each of what is carried}}
  } meet (%before) () {
    kernel.yield %before : f32
  }
}

// -----

kernel.func @coarse pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{has no coarse function for it}}
  %1 = kernel.unary log coarse %0 : f32 -> f32
}

// -----

kernel.func @seen pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{1 expressions say which steps are visible, not 2}}
  %1 = kernel.for (%step) below 2 visible [0] carry (%x = %0) : f32 {
    kernel.yield %x : f32
  }
}

// -----

kernel.func @seenfrom pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{'column' uses 'column', which is neither an operand nor a scalar parameter}}
  %1 = "kernel.for"(%0) <{steps = #graph.expr<"2">, visible = [#graph.expr<"0">, #graph.expr<"column">]}> ({
  ^bb0(%step: index, %x: f32):
    kernel.yield %x : f32
  }, {}) : (f32) -> f32
}

// -----

kernel.func @halfProducts pointwise grid () in [] scalars [] () {
  // expected-error @below {{multiplies what is not f32 as tf32}}
  %0 = kernel.dot [8, 4, 2] tf32 x3 lhs (%m, %k) {
    %1 = kernel.constant 1.0 : f16
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.constant 1.0 : f16
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "8", "4">
}

// -----

kernel.func @bits pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{'kernel.bitcast' op cannot take the bits of 'f32' as 'i64'}}
  %1 = kernel.bitcast %0 : f32 -> i64
}

// -----

kernel.func @parameters pointwise grid () in [] scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{'kernel.call' op has 1 inputs, the snippet 0 parameters}}
  %1 = kernel.call <"return 1;">(%0 : f32) -> i32
}
