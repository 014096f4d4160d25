//===- test/Dialect/Simt/ops-cluster.mlir - clusters, mbarriers, tensor copies, wgmma round-trip ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// CHECK: simt.func @one block %{{.*}} of n0 thread %{{.*}} of 32 scalars [#kernel.scalar<1, 0, 1>] () {
simt.func @one block %b of n0 thread %t of 32 scalars [#kernel.scalar<1, 0, 1>] () {
}

// CHECK: simt.func @three block %{{.*}} of 2*n0, %{{.*}} of 16, %{{.*}} of 3 cluster 2 thread %[[T:.*]] of 384
// CHECK-SAME: maps [#simt.tensor_map<0 offset "8" extents ["256", "n0"] strides ["1", "264"] box [64, 128] swizzle 128>]
simt.func @three block %x of 2*n0, %y of 16, %z of 3 cluster 2 thread %t of 384 scalars [#kernel.scalar<1, 0, 1>]
    maps [#simt.tensor_map<0 offset "8" extents ["256", "n0"] strides ["1", "264"] box [64, 128] swizzle 128>]
    (%in0: !kernel.view<f16, read>) {
  // CHECK: %[[A:.*]] = simt.smem at 1024 : <16384xf16, swizzle 128>
  %a = simt.smem at 1024 : !simt.smem<16384xf16, swizzle 128>
  // CHECK: %[[BARS:.*]] = simt.smem : <4xui64>
  %bars = simt.smem : !simt.smem<4xui64>
  // CHECK: %[[RANK:.*]] = simt.cluster_rank
  %rank = simt.cluster_rank
  // CHECK: simt.warpgroup
  %group = simt.warpgroup
  // CHECK: simt.cluster_barrier
  simt.cluster_barrier
  // CHECK: simt.grid_wait
  simt.grid_wait
  // CHECK: simt.grid_release
  simt.grid_release
  // CHECK: simt.mbarrier_init %[[BARS]][0] arrivals 16 : <4xui64>
  simt.mbarrier_init %bars[0] arrivals 16 : <4xui64>
  // CHECK: simt.mbarrier_init_fence
  simt.mbarrier_init_fence
  // CHECK: simt.tensor_map_acquire 0
  simt.tensor_map_acquire 0
  %sums = simt.smem : !simt.smem<1024xf32>
  %four = simt.registers : !simt.registers<f32, vector 4>
  // CHECK: simt.load_cluster %{{.*}} to %{{.*}} [4*%{{.*}}] of [%[[RANK]]] : <1024xf32> to <f32, vector 4>
  simt.load_cluster %sums to %four [4*%x] of [%rank] : <1024xf32> to <f32, vector 4>
  // CHECK: simt.role threads 0 to 128 registers 40 {
  simt.role threads 0 to 128 registers 40 {
    // CHECK: simt.mbarrier_expect %[[BARS]][%[[RANK]]] bytes 16384 : <4xui64>
    simt.mbarrier_expect %bars[%rank] bytes 16384 : <4xui64>
    // CHECK: simt.tensor_copy 0 to %[[A]] for %[[BARS]] at [64, 128*%{{.*}}] to [8192*%[[RANK]]] for [%[[RANK]]] : <16384xf16, swizzle 128>, <4xui64>
    simt.tensor_copy 0 to %a for %bars at [64, 128*%x] to [8192*%rank] for [%rank] : <16384xf16, swizzle 128>, <4xui64>
    // CHECK: simt.tensor_copy 0 to %[[A]] for %[[BARS]] at [0, 0] to [0] for [0] blocks 3 :
    simt.tensor_copy 0 to %a for %bars at [0, 0] to [0] for [0] blocks 3 : <16384xf16, swizzle 128>, <4xui64>
  }
  // CHECK: simt.role threads 128 to 384 registers 232 {
  simt.role threads 128 to 384 registers 232 {
    %acc = simt.registers zero : !simt.registers<8x4xf32>
    // CHECK: simt.mbarrier_wait %[[BARS]] [%[[RANK]]] of [1] : <4xui64>
    simt.mbarrier_wait %bars [%rank] of [1] : <4xui64>
    // CHECK: simt.wgmma_fence %[[ACC:.*]] : <8x4xf32>
    simt.wgmma_fence %acc : <8x4xf32>
    // CHECK: simt.wgmma %[[ACC]], %[[A]], %[[A]] at [0] of [16*%[[RANK]]] : <8x4xf32>, <16384xf16, swizzle 128>, <16384xf16, swizzle 128>
    simt.wgmma %acc, %a, %a at [0] of [16*%rank] : <8x4xf32>, <16384xf16, swizzle 128>, <16384xf16, swizzle 128>
    // CHECK: simt.wgmma %{{.*}} at [0] of [1024] steps 4 group 4096 :
    simt.wgmma %acc, %a, %a at [0] of [1024] steps 4 group 4096 : <8x4xf32>, <16384xf16, swizzle 128>, <16384xf16, swizzle 128>
    // CHECK: simt.wgmma_commit
    simt.wgmma_commit
    // CHECK: simt.wgmma_wait 1 %[[ACC]] : <8x4xf32>
    simt.wgmma_wait 1 %acc : <8x4xf32>
    // CHECK: simt.mbarrier_arrive %[[BARS]] [0] of [%[[RANK]]] : <4xui64>
    simt.mbarrier_arrive %bars [0] of [%rank] : <4xui64>
    %rows = simt.smem : !simt.smem<1152xf16>
    %left = simt.registers : !simt.registers<4x4xui32>
    // CHECK: simt.mma_load ak %[[ROWS:.*]][0] stride 72 to %[[LEFT:.*]] : <1152xf16> to <4x4xui32>
    simt.mma_load ak %rows[0] stride 72 to %left : <1152xf16> to <4x4xui32>
    // CHECK: simt.wgmma_fence %[[ACC]], %[[LEFT]] : <8x4xf32>, !simt.registers<4x4xui32>
    simt.wgmma_fence %acc, %left : <8x4xf32>, !simt.registers<4x4xui32>
    // CHECK: simt.wgmma_fragments %[[ACC]], %[[LEFT]], %[[A]][4096*%[[RANK]]] group 4096 sets : <8x4xf32>, <4x4xui32>, <16384xf16, swizzle 128>
    simt.wgmma_fragments %acc, %left, %a[4096*%rank] group 4096 sets : <8x4xf32>, <4x4xui32>, <16384xf16, swizzle 128>
    // CHECK: simt.wgmma_fragments %[[ACC]], %[[LEFT]], %[[A]][0] group 4096 transposed : <8x4xf32>
    simt.wgmma_fragments %acc, %left, %a[0] group 4096 transposed : <8x4xf32>, <4x4xui32>, <16384xf16, swizzle 128>
    // CHECK: simt.wgmma_pack %[[ACC]] to %[[LEFT]] : <8x4xf32> to <4x4xui32>
    simt.wgmma_pack %acc to %left : <8x4xf32> to <4x4xui32>
    // CHECK: simt.wgmma_pack %[[ACC]] to %[[LEFT]] bf16 :
    simt.wgmma_pack %acc to %left bf16 : <8x4xf32> to <4x4xui32>
  }
}
