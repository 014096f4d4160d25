//===- test/Dialect/Simt/ops.mlir - every op of the simt dialect, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// What is read from the text is what was there before it was printed.
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// CHECK: simt.func @copy block %[[B:.*]] of n0 thread %[[T:.*]] of 64 scalars [#kernel.scalar<1, 0, 1>]
// CHECK-SAME: (%[[IN:.*]]: !kernel.view<f32, read>, %[[OUT:.*]]: !kernel.view<f32, write>) {
// CHECK: %[[ROW:.*]] = kernel.apply floordiv(%[[T]], 32) below 2
// CHECK: simt.guard [n0 - %[[B]] - 1] {
// CHECK: %[[R:.*]] = simt.registers zero : <2x4xf32>
// CHECK: %[[V:.*]] = simt.registers : <2xf32, vector 4>
// CHECK: %[[ONE:.*]] = kernel.constant 1.000000e+00 : f32
// CHECK: %[[SUM:.*]] = simt.registers init %[[ONE]] : f32 : <f32>
// CHECK: %[[S:.*]] = simt.smem at 16 : <64xf32>
// CHECK: simt.for %[[I:.*]] = 0 to 2 step 1 unroll {
// CHECK: simt.load_vector %[[IN]] to %[[V]] [512*%[[B]] + 8*%[[I]] + 16*%[[ROW]]] into [%[[I]]] : !kernel.view<f32, read> to <2xf32, vector 4>
// CHECK: simt.load_vector %[[IN]] to %[[V]] [4*%[[I]]] mask [-%[[I]] + 1, n0 - %[[B]] - 2] into [%[[I]]] else %[[ONE]] : f32 : !kernel.view<f32, read> to <2xf32, vector 4>
// CHECK: simt.store_vector %[[V]] to %[[S]] [4*%[[T]] + %[[I]]] from [%[[I]]] : <2xf32, vector 4> to !simt.smem<64xf32>
// CHECK: %[[E:.*]] = simt.get %[[V]] [%[[I]], 3] : f32 from <2xf32, vector 4>
// CHECK: simt.accumulate sum %[[E]], %[[R]] [%[[I]], 1] : f32 to <2x4xf32>
// CHECK: simt.set %[[E]], %[[R]] [%[[I]], 2] : f32 to <2x4xf32>
// CHECK: simt.async_copy %[[IN]] to %[[S]] [4*%[[I]]] to [8*%[[I]] + 4] mask [-%[[I]] + 1] bytes 16 : <f32, read> to <64xf32>
// CHECK: simt.async_copy %[[IN]] to %[[S]] [4*%[[T]]] to [0] bytes 4 : <f32, read> to <64xf32>
// CHECK: simt.prefetch %[[IN]][4*%[[I]] + %[[T]]] : <f32, read>
// CHECK: simt.for %{{.*}} = %[[ROW]] to 4*n0 step 2 {
// CHECK: simt.advance %[[IN]][512*%[[B]]] : <f32, read>
// CHECK: simt.for %{{.*}} = 0 to n0 step 1 ring 3 (%[[R:.*]] = 0, %[[Q:.*]] = 2) {
// CHECK-NEXT: simt.load_shared %[[S]][3*%[[R]] + %[[Q]]]
// CHECK: simt.async_commit
// CHECK: simt.async_wait 1
// CHECK: simt.barrier
// CHECK: %[[E:.*]] = simt.load_shared %[[S]][%[[T]]] : f32 from <64xf32>
// CHECK: simt.store_shared %[[E]], %[[S]][-%[[T]] + 63] : f32 to <64xf32>
// CHECK: %[[W:.*]] = simt.warp_reduce sum %[[E]] : f32 -> f32
// CHECK: simt.warp_reduce max %[[E]] over 4 : f32 -> f32
// CHECK: simt.warp_reduce prod %[[E]] : f32 -> f32
// CHECK: %[[A:.*]] = simt.block_reduce max %[[W]], %[[S]] : f32, <64xf32> -> f32
// CHECK: simt.set %[[A]], %[[SUM]] [] : f32 to <f32>
// CHECK: kernel.store %[[A]], %[[OUT]][%[[B]]] : f32 to <f32, write>
simt.func @copy block %b of n0 thread %t of 64 scalars [#kernel.scalar<1, 0, 1>]
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %row = kernel.apply floordiv(%t, 32) below 2
  simt.guard [-%b + n0 - 1] {
    %r = simt.registers zero : !simt.registers<2x4xf32>
    %v = simt.registers : !simt.registers<2xf32, vector 4>
    %one = kernel.constant 1.0 : f32
    %sum = simt.registers init %one : f32 : !simt.registers<f32>
    %s = simt.smem at 16 : !simt.smem<64xf32>
    simt.for %i = 0 to 2 step 1 unroll {
      simt.load_vector %in to %v[512*%b + 8*%i + 16*%row] into [%i] : !kernel.view<f32, read> to !simt.registers<2xf32, vector 4>
      simt.load_vector %in to %v[4*%i] mask [-%i + 1, n0 - %b - 2] into [%i] else %one : f32
          : !kernel.view<f32, read> to !simt.registers<2xf32, vector 4>
      simt.store_vector %v to %s[4*%t + %i] from [%i] : !simt.registers<2xf32, vector 4> to !simt.smem<64xf32>
      %0 = simt.get %v[%i, 3] : f32 from !simt.registers<2xf32, vector 4>
      simt.accumulate sum %0, %r[%i, 1] : f32 to !simt.registers<2x4xf32>
      simt.set %0, %r[%i, 2] : f32 to !simt.registers<2x4xf32>
      simt.async_copy %in to %s[4*%i] to [8*%i + 4] mask [-%i + 1] bytes 16 : !kernel.view<f32, read> to !simt.smem<64xf32>
      simt.async_copy %in to %s[4*%t] to [0] bytes 4 : !kernel.view<f32, read> to !simt.smem<64xf32>
      simt.prefetch %in[4*%i + %t] : !kernel.view<f32, read>
    }
    simt.for %i = %row to 4*n0 step 2 {
    }
    %behind = simt.advance %in[512*%b] : !kernel.view<f32, read>
    simt.for %i = 0 to n0 step 1 ring 3 (%near = 0, %far = 2) {
      %at = simt.load_shared %s[3*%near + %far] : f32 from !simt.smem<64xf32>
    }
    simt.async_commit
    simt.async_wait 1
    simt.barrier
    %1 = simt.load_shared %s[%t] : f32 from !simt.smem<64xf32>
    simt.store_shared %1, %s[63 - %t] : f32 to !simt.smem<64xf32>
    %2 = simt.warp_reduce sum %1 : f32 -> f32
    %four = simt.warp_reduce max %1 over 4 : f32 -> f32
    %warp = simt.warp_reduce prod %1 over 32 : f32 -> f32
    %3 = simt.block_reduce max %2, %s : f32, !simt.smem<64xf32> -> f32
    simt.set %3, %sum[] : f32 to !simt.registers<f32>
    kernel.store %3, %out[%b] : f32 to !kernel.view<f32, write>
  }
}

// CHECK-LABEL: simt.func @product
// CHECK-SAME: block %{{.*}} of 1 thread %[[T:.*]] of 32 scalars []
// CHECK: %[[ACC:.*]] = simt.registers zero : <4x4xf32>
// CHECK: simt.tile_loop to 6 stages 2 fetch (%[[KT:.*]], %{{.*}}) {
// CHECK: simt.get %{{.*}} [mod(%[[KT]], 4)]
// CHECK: } store (%{{.*}}, %[[S:.*]]) {
// CHECK: simt.store_shared %{{.*}}, %{{.*}}[32*%[[S]] + %[[T]]]
// CHECK: } load (%{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK-NEXT: } compute (%{{.*}}, %[[S:.*]], %{{.*}}) {
// CHECK: simt.load_fragment %{{.*}}[32*%[[S]]] width 2 stride 8 to %[[A:.*]] : <64xf32> to <4xf32>
// CHECK: simt.fma_tile %[[ACC]], %[[A]], %{{.*}} : <4x4xf32>, <4xf32>, <4xf32>
// CHECK-NEXT: } beside {
// CHECK: simt.set %{{.*}}, %[[A]] [0] : f32 to <4xf32>
simt.func @product block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<4x4xf32>
  %a = simt.registers : !simt.registers<4xf32>
  %c = simt.registers : !simt.registers<4xf32>
  %smem = simt.smem : !simt.smem<64xf32>
  simt.tile_loop to 6 stages 2 fetch (%kt, %s) {
    %0 = simt.get %a[mod(%kt, 4)] : f32 from !simt.registers<4xf32>
  } store (%kt, %s) {
    %0 = kernel.constant 1.0 : f32
    simt.store_shared %0, %smem[32*%s + %t] : f32 to !simt.smem<64xf32>
  } load (%kt, %s, %k) {
  } compute (%kt, %s, %k) {
    simt.load_fragment %smem[32*%s] width 2 stride 8 to %a : !simt.smem<64xf32> to !simt.registers<4xf32>
    simt.fma_tile %acc, %a, %c : !simt.registers<4x4xf32>, !simt.registers<4xf32>, !simt.registers<4xf32>
  } beside {
    %0 = kernel.constant 1.0 : f32
    simt.set %0, %a[0] : f32 to !simt.registers<4xf32>
  }
}

// CHECK-LABEL: simt.func @widen
// CHECK: simt.widen %{{.*}} to %{{.*}} : <i8, vector 16> to <2xf16, vector 8>
simt.func @widen block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<i8, vector 16>
  %out = simt.registers : !simt.registers<2xf16, vector 8>
  simt.widen %bytes to %out : !simt.registers<i8, vector 16> to !simt.registers<2xf16, vector 8>
}

// CHECK-LABEL: simt.func @unpack
// CHECK: simt.unpack %{{.*}} shift %{{.*}} offset %{{.*}} scale %{{.*}} to %{{.*}} : <ui8, vector 8> by f32 to <bf16, vector 8>
simt.func @unpack block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<ui8, vector 8>
  %out = simt.registers : !simt.registers<bf16, vector 8>
  %shift = kernel.constant 4 : ui8
  %offset = kernel.constant -8 : i8
  %scale = kernel.constant 0.5 : f32
  simt.unpack %bytes shift %shift offset %offset scale %scale to %out : !simt.registers<ui8, vector 8> by f32 to !simt.registers<bf16, vector 8>
}

// CHECK-LABEL: simt.func @matrices
// CHECK: simt.tile_loop to n0 stages 3 steps 2 async fetch (%{{.*}}, %{{.*}}) {
// CHECK: } store (%{{.*}}, %{{.*}}) {
// CHECK-NEXT: } load (%{{.*}}, %[[S:.*]], %[[K:.*]]) {
// CHECK: simt.mma_load a %[[SMEM:.*]][1024*%[[S]] + 16*%[[K]]] stride 32 to %[[A:.*]] : <3072xf16> to <2x4xui32>
// CHECK: simt.mma_load b %[[SMEM]][1024*%[[S]]] stride 40 to %[[B:.*]] : <3072xf16> to <4x2xui32>
// CHECK: simt.mma_load bt %[[SMEM]][0] stride 40 to %[[B]] : <3072xf16> to <4x2xui32>
// CHECK: } compute (%{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK: simt.mma %[[ACC:.*]], %[[A]], %[[B]] : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as bf16 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as tf32 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as tf32x3 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %{{.*}}, %[[A]], %[[B]] as i8 : <2x4x4xi32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %{{.*}}, %[[A]], %[[B]] as ui8 : <2x4x4xi32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %{{.*}}, %[[A]], %[[B]] as ui8_i8 : <2x4x4xi32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %{{.*}}, %[[A]], %[[B]] as i8_ui8 : <2x4x4xi32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as e4m3 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as e5m2 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as e4m3_e5m2 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as e5m2_e4m3 : <2x4x4xf32>, <2x4xui32>, <4x2xui32>
simt.func @matrices block %b of 1 thread %t of 32 scalars [#kernel.scalar<1, 0, 1>] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xf32>
  %sums = simt.registers zero : !simt.registers<2x4x4xi32>
  %a = simt.registers : !simt.registers<2x4xui32>
  %c = simt.registers : !simt.registers<4x2xui32>
  %smem = simt.smem : !simt.smem<3072xf16>
  simt.tile_loop to n0 stages 3 steps 2 async fetch (%kt, %s) {
  } store (%kt, %s) {
  } load (%kt, %s, %k) {
    simt.mma_load a %smem[1024*%s + 16*%k] stride 32 to %a : !simt.smem<3072xf16> to !simt.registers<2x4xui32>
    simt.mma_load b %smem[1024*%s] stride 40 to %c : !simt.smem<3072xf16> to !simt.registers<4x2xui32>
    simt.mma_load bt %smem[0] stride 40 to %c : !simt.smem<3072xf16> to !simt.registers<4x2xui32>
  } compute (%kt, %s, %k) {
    simt.mma %acc, %a, %c : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as bf16 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as tf32 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as tf32x3 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %sums, %a, %c as i8 : !simt.registers<2x4x4xi32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %sums, %a, %c as ui8 : !simt.registers<2x4x4xi32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %sums, %a, %c as ui8_i8 : !simt.registers<2x4x4xi32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %sums, %a, %c as i8_ui8 : !simt.registers<2x4x4xi32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as e4m3 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as e5m2 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as e4m3_e5m2 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
    simt.mma %acc, %a, %c as e5m2_e4m3 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
  }
}

// Some columns of one tile of rows; accumulators that are the left operand of the next product.
// CHECK-LABEL: simt.func @chain
// CHECK: simt.mma %[[ACC:.*]], %[[A:.*]], %[[B:.*]] first 2 : <1x4x4xf32>, <1x4xui32>, <2x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] as bf16 first 1 : <1x4x4xf32>, <1x4xui32>, <2x2xui32>
// CHECK: simt.mma %[[ACC]], %[[A]], %[[B]] : <1x4x4xf32>, <1x4xui32>, <2x2xui32>
// CHECK: simt.for %[[STEP:.*]] = 0 to 2 step 1 unroll {
// CHECK: simt.mma_pack %[[ACC]][%[[STEP]]] to %[[A]] : <1x4x4xf32> to <1x4xui32>
// CHECK: simt.mma_pack %[[ACC]][%[[STEP]]] to %[[A]] bf16 : <1x4x4xf32> to <1x4xui32>
// CHECK: simt.mma_pack %[[ACC]][2*%[[STEP]]] to %{{.*}} : <1x4x4xf32> to <1x2xui32>
// CHECK: simt.mma_load_pair %[[HALVES:.*]][2*%[[STEP]]] first [-%[[STEP]] + 1] second [] into [0, %[[STEP]]] of %[[A]] : <64xf16> to <1x4xui32>
// CHECK: simt.warp_barrier
simt.func @chain block %b of 1 thread %t of 32 scalars [] () {
  %halves = simt.smem : !simt.smem<64xf16>
  %acc = simt.registers zero : !simt.registers<1x4x4xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  %half = simt.registers : !simt.registers<1x2xui32>
  %c = simt.registers : !simt.registers<2x2xui32>
  simt.mma %acc, %a, %c first 2 : !simt.registers<1x4x4xf32>, !simt.registers<1x4xui32>, !simt.registers<2x2xui32>
  simt.mma %acc, %a, %c as bf16 first 1 : !simt.registers<1x4x4xf32>, !simt.registers<1x4xui32>, !simt.registers<2x2xui32>
  simt.mma %acc, %a, %c first 0 : !simt.registers<1x4x4xf32>, !simt.registers<1x4xui32>, !simt.registers<2x2xui32>
  simt.for %step = 0 to 2 step 1 unroll {
    simt.mma_pack %acc[%step] to %a : !simt.registers<1x4x4xf32> to !simt.registers<1x4xui32>
    simt.mma_pack %acc[%step] to %a bf16 : !simt.registers<1x4x4xf32> to !simt.registers<1x4xui32>
    simt.mma_pack %acc[2*%step] to %half : !simt.registers<1x4x4xf32> to !simt.registers<1x2xui32>
    simt.mma_load_pair %halves[2*%step] first [-%step + 1] second [] into [0, %step] of %a : !simt.smem<64xf16> to !simt.registers<1x4xui32>
    simt.warp_barrier
  }
}

// Vectors come from shared memory and go to views, too.
// CHECK-LABEL: simt.func @back
// CHECK-SAME: (%[[OUT:.*]]: !kernel.view<f16, write>) attributes {exported}
// CHECK: simt.load_vector %[[S:.*]] to %[[V:.*]] [8*%{{.*}}] into [] : !simt.smem<512xf16> to <f16, vector 8>
// CHECK: simt.store_vector %[[V]] to %[[OUT]] [8*%{{.*}}] from [] : <f16, vector 8> to !kernel.view<f16, write>
simt.func @back block %b of 1 thread %t of 64 scalars [] (%out: !kernel.view<f16, write>) attributes {exported} {
  %s = simt.smem : !simt.smem<512xf16>
  %v = simt.registers : !simt.registers<f16, vector 8>
  simt.load_vector %s to %v[8*%t] into [] : !simt.smem<512xf16> to !simt.registers<f16, vector 8>
  simt.store_vector %v to %out[8*%t] from [] : !simt.registers<f16, vector 8> to !kernel.view<f16, write>
}

// CHECK: func.func private @forms(!simt.registers<2x4xf32>, !simt.registers<i1>, !simt.smem<16xbf16>)
// CHECK-SAME: kinds = [#simt<mma_kind f16>, #simt<mma_kind tf32x3>]
// CHECK-SAME: operands = [#simt<mma_operand a>, #simt<mma_operand b>, #simt<mma_operand bt>]
func.func private @forms(!simt.registers<2x4xf32>, !simt.registers<i1>, !simt.smem<16xbf16>)
    attributes {kinds = [#simt<mma_kind f16>, #simt<mma_kind tf32x3>],
                operands = [#simt<mma_operand a>, #simt<mma_operand b>, #simt<mma_operand bt>]}

// CHECK: simt.func @parts block %[[B:.*]] of 4*n0 thread %{{.*}} of 64 scalars [#kernel.scalar<1, 0, 1>] workspace [256*n0, n0]
// CHECK-SAME: (%{{.*}}: !kernel.view<f32, readwrite>, %[[COUNTERS:.*]]: !kernel.view<ui32, readwrite>) {
// CHECK: simt.last_block %[[COUNTERS]][floordiv(%[[B]], 4)] of [4] scratch %{{.*}} {
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: } : <ui32, readwrite>, <1xui32>
simt.func @parts block %b of 4*n0 thread %t of 64 scalars [#kernel.scalar<1, 0, 1>] workspace [256*n0, n0]
    (%sums: !kernel.view<f32, readwrite>, %counters: !kernel.view<ui32, readwrite>) {
  %s = simt.smem at 0 : !simt.smem<1xui32>
  simt.last_block %counters[floordiv(%b, 4)] of [4] scratch %s {
    simt.barrier
  } : !kernel.view<ui32, readwrite>, !simt.smem<1xui32>
}

// CHECK-LABEL: simt.func @meets
// CHECK-SAME: (%[[COUNTERS:.*]]: !kernel.view<ui32, readwrite>)
// CHECK: simt.for %[[I:.*]] = 0 to n0 step 1
// CHECK: simt.grid_barrier %[[COUNTERS]] arrivals[4*%[[I]] + 4] : <ui32, readwrite>
// CHECK: simt.grid_leave %[[COUNTERS]] arrivals[4*n0 + 4] : <ui32, readwrite>
simt.func @meets block %b of 4 thread %t of 64 scalars [#kernel.scalar<1, 0, 1>] workspace [1] (%counters: !kernel.view<ui32, readwrite>) {
  simt.for %i = 0 to n0 step 1 {
    simt.grid_barrier %counters arrivals[4*%i + 4] : !kernel.view<ui32, readwrite>
  }
  simt.grid_leave %counters arrivals[4*n0 + 4] : !kernel.view<ui32, readwrite>
}

// CHECK-LABEL: simt.func @pairs
// CHECK-SAME: thread %[[T:.*]] of 64
// CHECK: simt.async_pair %{{.*}} to %{{.*}}[2*%[[T]] + 1] to [2*%[[T]]] count [-%[[T]] + 9] mask [%[[T]] - 1] : <f16, read> to <128xf16>
// CHECK: simt.async_pair %{{.*}} to %{{.*}}[0] to [0] count [1] : <f16, read> to <128xf16>
// CHECK: simt.smem over %{{.*}} : !simt.smem<128xf16> as : <64xf32>
simt.func @pairs block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f16, read>) {
  %s = simt.smem : !simt.smem<128xf16>
  simt.async_pair %in to %s[2*%t + 1] to [2*%t] count [9 - %t] mask [%t - 1] : !kernel.view<f16, read> to !simt.smem<128xf16>
  simt.async_pair %in to %s[0] to [0] count [1] : !kernel.view<f16, read> to !simt.smem<128xf16>
  %o = simt.smem over %s : !simt.smem<128xf16> as : !simt.smem<64xf32>
}
