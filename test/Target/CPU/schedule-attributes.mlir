//===- test/Target/CPU/schedule-attributes.mlir - every schedule of a CPU, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// What is read from the text is what was there before it was printed.
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// CHECK: @scalars {{.*}} schedule #cpu.nest<parallel 0> ()
kernel.func @scalars gather grid () in [] scalars [] schedule #cpu.nest<parallel 0> () {
}
// CHECK: @vectors {{.*}} schedule #cpu.nest<parallel 2, vector 1, vectors 4, chunk 4096> ()
kernel.func @vectors pointwise grid () in [] scalars []
    schedule #cpu.nest<parallel 2, vector 1, vectors 4, chunk 4096> () {
}
// CHECK: @whole {{.*}} schedule #cpu.nest<parallel 1, vector 0, vectors 1, chunk 0> ()
kernel.func @whole reduction grid () in [] scalars []
    schedule #cpu.nest<parallel 1, vector 0, vectors 1, chunk 0> () {
}
// CHECK: @jammed {{.*}} schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0, jam 4> ()
kernel.func @jammed reduction grid () in [] scalars []
    schedule #cpu.nest<parallel 1, vector 2, vectors 1, chunk 0, jam 4> () {
}
// CHECK: @channels_last {{.*}} schedule #cpu.transpose<from 0, to 1, tile 256x64, inner from> ()
kernel.func @channels_last pointwise grid () in [] scalars []
    schedule #cpu.transpose<from 0, to 1, tile 256x64, inner from> () {
}
// CHECK: @channels_first {{.*}} schedule #cpu.transpose<from 2, to 1, tile 64x256, inner to> ()
kernel.func @channels_first pointwise grid () in [] scalars []
    schedule #cpu.transpose<from 2, to 1, tile 64x256, inner to> () {
}
// CHECK: @product {{.*}} schedule #cpu.contraction<block 8x96x512, panel 48, lhs direct, rhs packed> ()
kernel.func @product gemm grid () in [] scalars []
    schedule #cpu.contraction<block 8x96x512, panel 48, lhs direct, rhs packed> () {
}
// CHECK: @pieces {{.*}} schedule #cpu.contraction<block 8x96x27, panel 48, lhs copied, rhs direct, piece 9> ()
kernel.func @pieces conv grid () in [] scalars []
    schedule #cpu.contraction<block 8x96x27, panel 48, lhs copied, rhs direct, piece 9> () {
}
// CHECK: @runs {{.*}} schedule #cpu.contraction<block 64x3x288, panel 3, lhs runs, rhs packed, piece 32> ()
kernel.func @runs conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x3x288, panel 3, lhs runs, rhs packed, piece 32> () {
}
// CHECK: @places {{.*}} schedule #cpu.contraction<block 64x32x64, panel 32, lhs places, rhs packed, piece 64> ()
kernel.func @places conv grid () in [] scalars []
    schedule #cpu.contraction<block 64x32x64, panel 32, lhs places, rhs packed, piece 64> () {
}
// CHECK: @computed {{.*}} schedule #cpu.contraction<block 64x2x1024, panel 2, lhs computed, rhs copied> ()
kernel.func @computed gemm grid () in [] scalars []
    schedule #cpu.contraction<block 64x2x1024, panel 2, lhs computed, rhs copied> () {
}
// CHECK: @attention {{.*}} schedule #cpu.attention<rows 6, keys copied, values direct> ()
kernel.func @attention attention grid () in [] scalars []
    schedule #cpu.attention<rows 6, keys copied, values direct> () {
}
