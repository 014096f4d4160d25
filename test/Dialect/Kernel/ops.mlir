//===- test/Dialect/Kernel/ops.mlir - every op of the kernel dialect, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// What is read from the text is what was there before it was printed.
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// The point of the grid comes after the views, however it is written.
// CHECK: kernel.func @row row_reduction grid (%[[G:.*]]) in [16*n0] scalars [#kernel.scalar<1, 0, 1>] schedule #cuda.row_reduction<threads 128, row 32, vector 4>
// CHECK-SAME: (%[[IN:.*]]: !kernel.view<f32, read>, %[[OUT:.*]]: !kernel.view<f32, write>) {
// CHECK: %[[X:.*]] = kernel.map (%[[D:.*]]) in [384] {
// CHECK-NEXT: %[[V:.*]] = kernel.load %[[IN]][384*%[[G]] + %[[D]]] : f32 from <f32, read>
// CHECK-NEXT: kernel.yield %[[V]] : f32
// CHECK-NEXT: } : !kernel.tile<f32, "384">
// CHECK: %[[S:.*]]:2 = kernel.reduce [#graph<reduce_kind sum>, #graph<reduce_kind max>] (%[[D:.*]]) in [384] {
// CHECK-NEXT: %[[V:.*]] = kernel.extract %[[X]] [-%[[D]] + 383] : f32 from <f32, "384">
// CHECK-NEXT: kernel.yield %[[V]], %[[V]] : f32, f32
// CHECK-NEXT: } : f32, f32
// CHECK: kernel.foreach (%[[D:.*]]) in [384] {
// CHECK: %[[E:.*]] = kernel.extract %[[X]] [%[[D]]] : f32 from <f32, "384">
// CHECK: %[[Q:.*]] = kernel.binary div %[[E]], %[[S]]#0 : f32 -> f32
// CHECK: kernel.store %[[Q]], %[[OUT]][384*%[[G]] + %[[D]]] : f32 to <f32, write>
kernel.func @row row_reduction grid (%g0) in [16*n0] scalars [#kernel.scalar<1, 0, 1>] schedule #cuda.row_reduction<threads 128, row 32, vector 4>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %x = kernel.map (%d0) in [384] {
    %v = kernel.load %in0[384*%g0 + %d0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : !kernel.tile<f32, "384">
  %s:2 = kernel.reduce [#graph<reduce_kind sum>, #graph<reduce_kind max>] (%d0) in [384] {
    %v = kernel.extract %x [383 - %d0] : f32 from !kernel.tile<f32, "384">
    kernel.yield %v, %v : f32, f32
  } : f32, f32
  kernel.foreach (%d0) in [384] {
    %v = kernel.extract %x [%d0] : f32 from !kernel.tile<f32, "384">
    %q = kernel.binary div %v, %s#0 : f32 -> f32
    kernel.store %q, %out0[384*%g0 + %d0] : f32 to !kernel.view<f32, write>
  }
}

// Blocks of the depth have an index of their own.
// CHECK-LABEL: kernel.func @blocks gemm grid () in []
// CHECK: kernel.dot [n0, 64, 96] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: } rhs (%{{.*}}, %{{.*}}) {
// CHECK: } blocks 32 start (%[[M:.*]], %[[B:.*]]) {
// CHECK-NEXT: %[[Z:.*]] = kernel.load %arg2[3*%[[M]] + %[[B]]] : i32 from <i32, read>
// CHECK-NEXT: kernel.yield %[[Z]] : i32
// CHECK-NEXT: } scales (%[[M:.*]], %[[B:.*]]) {
// CHECK-NEXT: %[[S:.*]] = kernel.load %arg3[3*%[[M]] + %[[B]]] : f32 from <f32, read>
// CHECK: } by (%[[B:.*]], %[[N:.*]]) {
// CHECK-NEXT: kernel.constant 5.000000e-01 : f32
// CHECK: } : <f32, "n0", "64">
kernel.func @blocks gemm grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<i8, read>, %in1: !kernel.view<ui8, read>, %in2: !kernel.view<i32, read>, %in3: !kernel.view<f32, read>) {
  %t = kernel.dot [n0, 64, 96] lhs (%m, %k) {
    %a = kernel.load %in0[96*%m + %k] : i8 from !kernel.view<i8, read>
    kernel.yield %a : i8
  } rhs (%k, %n) {
    %b = kernel.load %in1[64*%k + %n] : ui8 from !kernel.view<ui8, read>
    kernel.yield %b : ui8
  } blocks 32 start (%m, %b) {
    %z = kernel.load %in2[3*%m + %b] : i32 from !kernel.view<i32, read>
    kernel.yield %z : i32
  } scales (%m, %b) {
    %s = kernel.load %in3[3*%m + %b] : f32 from !kernel.view<f32, read>
    kernel.yield %s : f32
  } by (%b, %n) {
    %s = kernel.constant 0.5 : f32
    kernel.yield %s : f32
  } : !kernel.tile<f32, "n0", "64">
}

// k is the second index of one side and the first of the other.
// CHECK-LABEL: kernel.func @product gemm grid () in []
// CHECK: %[[T:.*]] = kernel.dot [n0, 64, 96] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK-NEXT: %[[A:.*]] = kernel.load %arg0[96*%[[M]] + %[[K]]] : f16 from <f16, read>
// CHECK-NEXT: kernel.yield %[[A]] : f16
// CHECK-NEXT: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK-NEXT: %[[B:.*]] = kernel.load %arg1[64*%[[K]] + %[[N]]] : f16 from <f16, read>
// CHECK-NEXT: kernel.yield %[[B]] : f16
// CHECK-NEXT: } : <f32, "n0", "64">
// CHECK: kernel.foreach (%[[M:.*]], %[[N:.*]]) in [n0, 64] {
// CHECK-NEXT: %[[V:.*]] = kernel.extract %[[T]] [%[[M]], %[[N]]] : f32 from <f32, "n0", "64">
// CHECK-NEXT: kernel.cast %[[V]] : f32 -> f16
kernel.func @product gemm grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, readwrite>) {
  %t = kernel.dot [n0, 64, 96] lhs (%m, %k) {
    %a = kernel.load %in0[96*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %a : f16
  } rhs (%k, %n) {
    %b = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %b : f16
  } : !kernel.tile<f32, "n0", "64">
  kernel.foreach (%m, %n) in [n0, 64] {
    %v = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "n0", "64">
    %h = kernel.cast %v : f32 -> f16
    kernel.store %h, %out0[64*%m + %n] : f16 to !kernel.view<f16, readwrite>
  }
}

// Steps carry tiles and scalars; a product adds to what came before.
// CHECK-LABEL: kernel.func @steps
// CHECK: %[[Z:.*]] = kernel.map
// CHECK: %[[ONE:.*]] = kernel.constant 1.000000e+00 : f32
// CHECK: %[[R:.*]]:2 = kernel.for (%[[J:.*]]) below floordiv(n0 + 31, 32) carry (%[[T:.*]] = %[[Z]], %[[S:.*]] = %[[ONE]]) : !kernel.tile<f32, "4", "8">, f32 {
// CHECK-NEXT: %[[D:.*]] = kernel.dot [4, 8, 32] init %[[T]] : !kernel.tile<f32, "4", "8"> tf32 x3 lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK-NEXT: %{{.*}} = kernel.constant 0.000000e+00 : f32
// CHECK-NEXT: kernel.load %arg0[n0*%[[M]] + 32*%[[J]] + %[[K]]] mask [n0 - 32*%[[J]] - %[[K]] - 1]
// CHECK: } : <f32, "4", "8">
// CHECK-NEXT: %[[U:.*]] = kernel.binary add %[[S]], %[[S]] : f32 -> f32
// CHECK-NEXT: kernel.yield %[[D]], %[[U]] : !kernel.tile<f32, "4", "8">, f32
// CHECK-NEXT: }
// CHECK: kernel.extract %[[R]]#0 [%{{.*}}, %{{.*}}]
// CHECK: kernel.binary mul %{{.*}}, %[[R]]#1
kernel.func @steps gemm grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %z = kernel.map (%m, %n) in [4, 8] {
    %0 = kernel.constant 0.0 : f32
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "4", "8">
  %one = kernel.constant 1.0 : f32
  %r:2 = kernel.for (%j) below ceildiv(n0, 32) carry (%t = %z, %s = %one) : !kernel.tile<f32, "4", "8">, f32 {
    %d = kernel.dot [4, 8, 32] init %t : !kernel.tile<f32, "4", "8"> tf32 x3 lhs (%m, %k) {
      %0 = kernel.constant 0.0 : f32
      %a = kernel.load %in0[n0*%m + 32*%j + %k] mask [n0 - 32*%j - %k - 1] else %0 : f32 : f32 from !kernel.view<f32, read>
      kernel.yield %a : f32
    } rhs (%k, %n) {
      %0 = kernel.constant 0.0 : f32
      %b = kernel.load %in1[256*%j + 8*%k + %n] mask [n0 - 32*%j - %k - 1] else %0 : f32 : f32 from !kernel.view<f32, read>
      kernel.yield %b : f32
    } : !kernel.tile<f32, "4", "8">
    %u = kernel.binary add %s, %s : f32 -> f32
    kernel.yield %d, %u : !kernel.tile<f32, "4", "8">, f32
  }
  kernel.foreach (%m, %n) in [4, 8] {
    %v = kernel.extract %r#0 [%m, %n] : f32 from !kernel.tile<f32, "4", "8">
    %w = kernel.binary mul %v, %r#1 : f32 -> f32
    kernel.store %w, %out0[8*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// A loop without variables runs once.
// CHECK-LABEL: kernel.func @best
// CHECK: %[[P:.*]] = kernel.arg_reduce max last false (%[[D:.*]]) in [8] {
// CHECK: } : i64
// CHECK: kernel.foreach () in [] {
// CHECK-NEXT: kernel.store %[[P]], %arg1[0] : i64 to <i64, write>
kernel.func @best reduction grid () in [] scalars [] (%in0: !kernel.view<f32, read>, %out0: !kernel.view<i64, write>) {
  %p = kernel.arg_reduce max last false (%d0) in [8] {
    %v = kernel.load %in0[%d0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : i64
  kernel.foreach () in [] {
    kernel.store %p, %out0[0] : i64 to !kernel.view<i64, write>
  }
}

// Expressions of an op share its operands; masks may be of stores, too.
// CHECK-LABEL: kernel.func @places
// CHECK: kernel.foreach (%[[D0:.*]], %[[D1:.*]]) in [n0, 32] {
// CHECK: %[[ID:.*]] = kernel.load %arg0[%[[D0]]] : i64 from <i64, read>
// CHECK: %[[ROW:.*]] = kernel.checked_index %[[ID]] below 4*n1 : i64
// CHECK: %[[KNOWN:.*]] = kernel.known_index %[[ID]] below 4*n1 : i64
// CHECK: %[[I:.*]] = kernel.index n1*%[[D0]] + %[[KNOWN]] - 2
// CHECK: %[[POS:.*]] = kernel.apply min(%[[D0]], %[[D1]]) below 32
// CHECK: %[[Z:.*]] = kernel.constant 0.000000e+00 : f32
// CHECK: %[[V:.*]] = kernel.load %arg1[32*%[[ROW]] + %[[POS]]] mask [%[[POS]] - 3, n0 - %[[D0]] - 5] else %[[Z]] : f32 : f32 from <f32, read>
// CHECK: %[[IN:.*]] = kernel.in_range [floordiv(%[[D1]], 4) - 1, -mod(%[[D1]], 4) + max(n0, %[[D0]])]
// CHECK: %{{.*}} = kernel.checked_index %[[ID]] below n1 if %[[IN]] : i64
// CHECK: %[[U:.*]] = kernel.unary leaky_relu %[[V]] {alpha = 2.500000e-01 : f64} : f32 -> f32
// CHECK: %[[R:.*]] = kernel.select %[[IN]], %[[U]], %[[Z]] : f32
// CHECK: kernel.store %[[R]], %arg2[32*%[[D0]] + %[[D1]]] mask [%[[D1]] - 1] : f32 to <f32, write>
kernel.func @places pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<1, 64, 8>]
    (%ids: !kernel.view<i64, read>, %in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 32] {
    %id = kernel.load %ids[%d0] : i64 from !kernel.view<i64, read>
    %row = kernel.checked_index %id below 4*n1 : i64
    %known = kernel.known_index %id below 4*n1 : i64
    %i = kernel.index n1*%d0 - 2 + %known
    %p = kernel.apply min(%d0, %d1) below 32
    %z = kernel.constant 0.0 : f32
    %v = kernel.load %in0[32*%row + %p] mask [%p - 3, -%d0 + n0 - 5] else %z : f32 : f32 from !kernel.view<f32, read>
    %inside = kernel.in_range [floordiv(%d1, 4) - 1, max(%d0, n0) - mod(%d1, 4)]
    %chosen = kernel.checked_index %id below n1 if %inside : i64
    %u = kernel.unary leaky_relu %v {alpha = 2.5e-1 : f64} : f32 -> f32
    %r = kernel.select %inside, %u, %z : f32
    kernel.store %r, %out0[32*%d0 + %d1] mask [%d1 - 1] : f32 to !kernel.view<f32, write>
  }
}

// What a function may have, and do without.
// CHECK-LABEL: kernel.func @packed gemm grid () in [] scalars []
// CHECK-SAME: packed [#kernel.packed<1 bytes <"36864"> by @pack>, #kernel.packed<0 with 1, 0 bytes <"64"> by @pack>]
// CHECK-SAME: (%{{.*}}: !kernel.view<f32, read>, %{{.*}}: !kernel.view<ui8, readwrite>) attributes {exported}
// CHECK: kernel.unary relu %{{.*}} : f32 -> f32
// CHECK: kernel.unary exp coarse %{{.*}} : f32 -> f32
// CHECK: kernel.call <["a", "b"]"return a < b;">(%{{.*}}, %{{.*}} : f32, f32) -> i1
// CHECK: kernel.bitcast %{{.*}} : f32 -> i32
// CHECK: kernel.arg_reduce min last true (%{{.*}}, %{{.*}}) in [8, 4] {
// CHECK: kernel.foreach () in [] {
// CHECK-NEXT: } attributes {once}
kernel.func @packed gemm grid () in [] scalars [] packed [#kernel.packed<1 bytes <"36864"> by @pack>, #kernel.packed<0 with 1, 0 bytes <"64"> by @pack>]
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<ui8, readwrite>) attributes {exported} {
  %0 = kernel.constant 1.0 : f32
  %1 = kernel.unary relu %0 : f32 -> f32
  %e = kernel.unary exp coarse %0 : f32 -> f32
  %less = kernel.call <["a", "b"] "return a < b;">(%0, %1 : f32, f32) -> i1
  %bits = kernel.bitcast %0 : f32 -> i32
  %2 = kernel.arg_reduce min last true (%d0, %d1) in [8, 4] {
    kernel.yield %1 : f32
  } : i64
  kernel.foreach () in [] {
  } attributes {once}
}
// CHECK: kernel.func @bare pointwise grid () in [] scalars [] () {
// CHECK-NEXT: }
kernel.func @bare pointwise grid () in [] scalars [] () {
}

// Steps that carry nothing, loops without results, a tile of one element.
// CHECK-LABEL: kernel.func @less
// CHECK: %[[ONE:.*]] = kernel.map () in [] {
// CHECK: } : !kernel.tile<f32>
// CHECK: kernel.for (%{{.*}}) below n0 carry () {
// CHECK-NEXT: kernel.extract %[[ONE]] [] : f32 from <f32>
// CHECK: kernel.for (%{{.*}}) below 2 carry (%[[X:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) : f32, f16 {
// CHECK-NEXT: kernel.yield %[[X]], %{{.*}} : f32, f16
// CHECK-NEXT: } meet (%[[A:.*]], %{{.*}}) (%[[B:.*]], %[[C:.*]]) {
// CHECK-NEXT: %[[S:.*]] = kernel.binary add %[[A]], %[[B]] : f32 -> f32
// CHECK-NEXT: kernel.yield %[[S]], %[[C]] : f32, f16
// CHECK-NEXT: }
// CHECK: kernel.for (%{{.*}}) below 2 carry () attributes {once} {
// CHECK: kernel.map (%{{.*}}) in [8] {
// CHECK-NEXT: kernel.yield{{$}}
// CHECK-NEXT: }{{$}}
// CHECK: kernel.reduce [] (%{{.*}}) in [8] {
// CHECK-NEXT: kernel.yield{{$}}
// CHECK-NEXT: }{{$}}
kernel.func @less pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>] () {
  %one = kernel.map () in [] {
    %0 = kernel.constant 1.0 : f32
    kernel.yield %0 : f32
  } : !kernel.tile<f32>
  kernel.for (%j) below n0 carry () {
    %0 = kernel.extract %one [] : f32 from !kernel.tile<f32>
    kernel.yield
  }
  %f = kernel.constant 1.0 : f32
  %h = kernel.constant 1.0 : f16
  %both:2 = kernel.for (%j) below 2 carry (%x = %f, %y = %h) : f32, f16 {
    kernel.yield %x, %y : f32, f16
  } meet (%a0, %b0) (%a1, %b1) {
    %s = kernel.binary add %a0, %a1 : f32 -> f32
    kernel.yield %s, %b1 : f32, f16
  }
  kernel.for (%j) below 2 carry () attributes {once} {
    kernel.yield
  }
  kernel.map (%d0) in [8] {
    kernel.yield
  }
  kernel.reduce [] (%d0) in [8] {
    kernel.yield
  }
}

// CHECK: func.func private @types(!kernel.view<f16, write>, !kernel.tile<i1, "8", "4*n0">)
func.func private @types(!kernel.view<f16, write>, !kernel.tile<i1, "8", "4*n0">)
