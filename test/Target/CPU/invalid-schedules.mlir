//===- test/Target/CPU/invalid-schedules.mlir - what the attributes refuse ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has a negative number}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.nest<parallel -1> () {
}

// -----

// expected-error @below {{has a negative number}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.nest<parallel 1, vector -1, vectors 1, chunk 0> () {
}

// -----

// expected-error @below {{3 vectors at a time are none of 1, 2 and 4}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.nest<parallel 1, vector 1, vectors 3, chunk 0> () {
}

// -----

// expected-error @below {{9 iterations are one, which may be 1 to 8 of a loop around one vector, and divide its pieces}}
kernel.func @k reduction grid () in [] scalars [] schedule #cpu.nest<parallel 1, vector 1, vectors 1, chunk 0, jam 9> () {
}

// -----

// expected-error @below {{4 iterations are one, which may be 1 to 8 of a loop around one vector, and divide its pieces}}
kernel.func @k reduction grid () in [] scalars [] schedule #cpu.nest<parallel 1, vector 1, vectors 2, chunk 0, jam 4> () {
}

// -----

// expected-error @below {{expected 'vector'}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.nest<parallel 1, chunk 4096> () {
}

// -----

// expected-error @below {{has a negative number}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.transpose<from -1, to 1, tile 64x64, inner to> () {
}

// -----

// expected-error @below {{goes from loop 1 to the same one}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.transpose<from 1, to 1, tile 64x64, inner to> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cpu.transpose<from 0, to 1, tile 64x0, inner from> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k gemm grid () in [] scalars [] schedule #cpu.contraction<block 0x96x512, panel 48, lhs direct, rhs direct> () {
}

// -----

// expected-error @below {{expected 3 numbers with an x between them}}
kernel.func @k gemm grid () in [] scalars [] schedule #cpu.contraction<block 8x96, panel 48, lhs direct, rhs direct> () {
}

// -----

// expected-error @below {{the block's columns of 96 is no multiple of 64}}
kernel.func @k gemm grid () in [] scalars [] schedule #cpu.contraction<block 8x96x512, panel 64, lhs direct, rhs direct> () {
}

// -----

// expected-error @below {{a left operand is direct, copied, in runs or places or computed, a right one direct, copied or packed}}
kernel.func @k gemm grid () in [] scalars [] schedule #cpu.contraction<block 8x96x512, panel 48, lhs packed, rhs direct> () {
}

// -----

// expected-error @below {{pieces are positive numbers of a left operand that is copied, or lies in places}}
kernel.func @k conv grid () in [] scalars [] schedule #cpu.contraction<block 8x96x27, panel 48, lhs direct, rhs packed, piece 9> () {
}

// -----

// expected-error @below {{the block's depth of 27 is no multiple of 4}}
kernel.func @k conv grid () in [] scalars [] schedule #cpu.contraction<block 8x96x27, panel 48, lhs copied, rhs packed, piece 4> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k attention grid () in [] scalars [] schedule #cpu.attention<rows 0, keys copied, values copied> () {
}

// -----

// expected-error @below {{keys and values are direct or copied}}
kernel.func @k attention grid () in [] scalars [] schedule #cpu.attention<rows 6, keys packed, values copied> () {
}
