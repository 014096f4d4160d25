//===- test/Target/CUDA/attention-wgmma.mlir - attention by warpgroups, and where it is not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g' %S/Inputs/attention.mlir > %t.mlir
// RUN: cupola-opt %t.mlir --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}),kernel-to-simt)' | FileCheck %s
// RUN: cupola-translate --kernel-to-cuda --arch=sm_90a %t.mlir | FileCheck %s --check-prefix=TEXT

// CHECK: simt.func @attention block %[[B:.*]] of 96 cluster 1 thread %[[T:.*]] of 384
// CHECK-SAME: maps [#simt.tensor_map<1 offset "0" extents ["64", "192", "12"] strides ["1", "64", "12288"] box [64, 64, 1] swizzle 128>,
// CHECK-SAME:       #simt.tensor_map<2 offset "0" extents ["64", "192", "12"] strides ["1", "64", "12288"] box [64, 64, 1] swizzle 128>]
// CHECK: %[[K:.*]] = simt.smem : <8192xf16, swizzle 128>
// CHECK: %[[V:.*]] = simt.smem : <8192xf16, swizzle 128>
// CHECK: simt.mbarrier_init %[[KFULL:.*]][{{.*}}] arrivals 1 : <2xui64>
// CHECK: simt.mbarrier_init %[[KEMPTY:.*]][{{.*}}] arrivals 8 : <2xui64>
// CHECK: simt.mbarrier_init %[[VFULL:.*]][{{.*}}] arrivals 1 : <2xui64>
// CHECK: simt.mbarrier_init %[[VEMPTY:.*]][{{.*}}] arrivals 8 : <2xui64>
// CHECK: simt.mbarrier_init %[[TURNS:.*]][0] arrivals 4 : <2xui64>
// CHECK: simt.mbarrier_init %[[TURNS]][1] arrivals 4 : <2xui64>
// Keys and values of a step have barriers of their own.
// CHECK: simt.role threads 0 to 128 registers 40 {
// CHECK:   simt.for %[[J:.*]] = 0 to 3 step 1 {
// CHECK:     simt.mbarrier_wait %[[KEMPTY]] [mod(%[[J]], 2)] of
// CHECK:     simt.mbarrier_expect %[[KFULL]][mod(%[[J]], 2)] bytes 8192
// CHECK:     simt.tensor_copy 0 to %[[K]] for %[[KFULL]] at [0, 64*%[[J]],
// CHECK:     simt.mbarrier_wait %[[VEMPTY]] [mod(%[[J]], 2)] of
// CHECK:     simt.tensor_copy 1 to %[[V]] for %[[VFULL]]
// Queries are fragments from the beginning on.
// CHECK: simt.role threads 128 to 384 registers 232 {
// CHECK:   %[[GROUP:.*]] = kernel.apply %{{.*}} - 1 below 2
// CHECK:   simt.mma_load ak {{.*}} to %[[Q:.*]] : <9216xf16> to <4x4xui32>
// The first step has no values before it.
// CHECK:   simt.wgmma_fragments %{{.*}}, %[[Q]], %[[K]]{{.*}} group 4096 sets :
// CHECK-NEXT: simt.wgmma_commit
// CHECK:   simt.wgmma_wait 0
// CHECK:   simt.wgmma_pack %{{.*}} to %[[P:.*]] : <8x4xf32> to <4x4xui32>
// Each of the others multiplies those while its scores become weights; the two groups take turns in starting products.
// CHECK:   simt.for %[[I:.*]] = 1 to 3 step 1 {
// CHECK:     simt.mbarrier_wait %[[KFULL]] [mod(%[[I]], 2)] of
// CHECK:     simt.mbarrier_wait %[[VFULL]] [%[[I]] - 1] of
// CHECK:     simt.mbarrier_wait %[[TURNS]] [%[[GROUP]]] of [mod(
// CHECK:     simt.wgmma_fence %[[S:.*]], %[[Q]]
// CHECK:     simt.wgmma_fragments %[[S]], %[[Q]], %[[K]]{{.*}} group 4096 sets :
// CHECK-NEXT: simt.wgmma_commit
// CHECK:     simt.wgmma_fence %[[SUMS:.*]], %[[P]]
// CHECK:     simt.wgmma_fragments %[[SUMS]], %[[P]], %[[V]]{{.*}} group 4096 transposed :
// CHECK-NEXT: simt.wgmma_commit
// CHECK:     simt.mbarrier_arrive %[[TURNS]] [-%[[GROUP]] + 1]
// CHECK:     simt.wgmma_wait 1 %[[S]]
// CHECK:     simt.mbarrier_arrive %[[KEMPTY]]
// CHECK:     simt.warp_reduce max
// CHECK:     simt.wgmma_wait 0 %[[SUMS]]
// CHECK:     simt.mbarrier_arrive %[[VEMPTY]]
// CHECK:     simt.get %[[SUMS]]
// CHECK:     simt.wgmma_pack %{{.*}} to %[[P]]
// CHECK:   simt.wgmma_fragments %[[SUMS]], %[[P]], %[[V]]{{.*}} transposed :
// CHECK:   simt.wgmma_wait 0 %[[SUMS]]

// TEXT: schedule=attention_wgmma threads=384
// TEXT: mma_load_a_along_k([[Q:r[0-9]+]], {{.*}}, 72);
// TEXT: wgmma_fragments<false>(r{{[0-9]+}}, [[Q]], s0, 4096, 512 *
// TEXT: wgmma_pack<f16>([[P:r[0-9]+]],
// TEXT: wgmma_fence([[SUMS:r[0-9]+]], [[P]]);
// TEXT-NEXT: wgmma_fragments_transposed([[SUMS]], [[P]], s1, 4096,
// TEXT-NEXT: wgmma_commit();
// TEXT: wgmma_wait<1>(

// Few rows leave warpgroups without work: keys in parts are better. Types without wgmma, and keys that no copy brings.
// RUN: sed 's/STORED/f16/g; s/ROWS/16/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}))' | FileCheck %s --check-prefix=FEW
// FEW: schedule #cuda.attention_mma<rows 16,
// RUN: sed 's/STORED/f32/g; s/ROWS/1000/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}))' | FileCheck %s --check-prefix=SINGLE
// SINGLE: schedule #cuda.attention<
// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g; s/64\*%n + %d\]/%n + 64*%d]/' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}))' | FileCheck %s --check-prefix=ACROSS
// ACROSS: schedule #cuda.attention_mma<
// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g; s/12288\*%g/12284*%g/' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}))' | FileCheck %s --check-prefix=ACROSS

// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g; s/64\*%n + %d\]/%n + 64*%d]/; s/scalars \[\]/& schedule #cuda.attention_wgmma<rows 128, stages 2>/' %S/Inputs/attention.mlir | not cupola-translate --kernel-to-cuda --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: has no keys and values that tensor copies bring
