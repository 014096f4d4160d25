//===- test/Target/CUDA/wgmma.mlir - products by warpgroups, and those that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))' | FileCheck %s --check-prefix=OLDER
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}),kernel-to-simt)' | FileCheck %s
// RUN: cupola-translate --kernel-to-cuda --arch=sm_90a %s | FileCheck %s --check-prefix=CUDA

// OLDER: @large {{.*}} schedule #cuda.gemm_mma<

// B is [k][n]: tiles of 64 columns, two for each of the two blocks.
// SCHEDULE: @large {{.*}} schedule #cuda.gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132>
// As many blocks as the GPU has multiprocessors: pairs of them go through the 256 tiles of a pair.
// CHECK: simt.func @large block %[[B:.*]] of 132 cluster 2 thread %[[T:.*]] of 384
// CHECK-SAME: maps [#simt.tensor_map<0 offset "0" extents ["4096", "4096"] strides ["1", "4096"] box [64, 128] swizzle 128>,
// CHECK-SAME:       #simt.tensor_map<1 offset "0" extents ["4096", "4096"] strides ["1", "4096"] box [64, 64] swizzle 128>]
// CHECK: %[[PAIR:.*]] = kernel.apply floordiv(%[[B]], 2) below 66
// CHECK: %[[RANK:.*]] = simt.cluster_rank
// CHECK: simt.mbarrier_init %[[FULL:.*]][{{.*}}] arrivals 1 : <4xui64>
// CHECK: simt.mbarrier_init %[[EMPTY:.*]][{{.*}}] arrivals 16 : <4xui64>
// CHECK: simt.cluster_barrier
// CHECK: simt.grid_wait
// CHECK: simt.role threads 0 to 128 registers 40 {
// CHECK:   simt.for %[[I:.*]] = 0 to floordiv(-%[[PAIR]] + 57, 66) + 4 step 1 {
// CHECK:     kernel.apply %[[PAIR]] + 66*%[[I]] below 256
// CHECK:     %[[X:.*]] = kernel.apply %[[RANK]] + 2*%{{.*}} below 32
// CHECK:     simt.for %[[KT:.*]] = 0 to 64 step 1 {
// CHECK:       simt.mbarrier_wait %[[EMPTY]] [%[[S:.*]]] of [mod(floordiv(%[[KT]], 4) + 1, 2)]
// CHECK:       simt.mbarrier_expect %[[FULL]][%[[S]]] bytes 49152
// CHECK-COUNT-2: simt.tensor_copy 1 to {{.*}} blocks 3
// CHECK:       simt.tensor_copy 0 to %[[A:.*]] for %[[FULL]] at [64*%[[KT]], 128*%[[X]]] to [8192*%[[S]]] for [%[[S]]] :
// CHECK: simt.role threads 128 to 384 registers 232 {
// CHECK:   simt.for %[[J:.*]] = 0 to
// CHECK:     simt.mbarrier_wait %[[FULL]] [%[[R:.*]]] of [mod(floordiv(%[[K2:.*]], 4), 2)]
// CHECK:     simt.wgmma_fence
// CHECK:     simt.wgmma %{{.*}} steps 4 group 4096
// CHECK:     simt.wgmma_commit
// CHECK:     simt.wgmma_wait 1
// CHECK:     simt.mbarrier_arrive %[[EMPTY]]
// The last stage is free while the result is stored; the kernel behind may begin in the last round.
// CHECK:     simt.wgmma_wait 0
// CHECK:     simt.mbarrier_arrive %[[EMPTY]] [3]
// CHECK:     simt.guard [%[[J]] - floordiv(-%[[PAIR]] + 57, 66) - 3] {
// CHECK-NEXT: simt.grid_release
// CHECK:     simt.warp_barrier
// CHECK: simt.cluster_barrier
kernel.func @large gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%d0, %d1) in [4096, 4096] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[4096*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Few rows: a block has 64 of them, a warp copies, and there are registers for another block that waits beside it. Weights are copied before
// the wait, as many tiles as there are stages; what is left of them waits for a stage.
// SCHEDULE: @low {{.*}} schedule #cuda.gemm_wgmma<tile 64x64, stages 8, cluster 1, blocks 132>
// CHECK: simt.func @low block %{{.*}} of 96 cluster 1 thread %[[T:.*]] of 160
// CHECK: simt.guard [%[[T]] - 128, -%[[T]] + 128] {
// CHECK: simt.barrier
// CHECK: simt.for %[[AHEAD:.*]] = 0 to 8 step 1 {
// CHECK-NEXT: simt.mbarrier_wait
// CHECK-NEXT: simt.mbarrier_expect {{.*}} bytes 16384
// CHECK-NEXT: simt.tensor_copy 1
// CHECK-NEXT: }
// CHECK: simt.grid_wait
// CHECK-NEXT: simt.grid_release
// CHECK-NEXT: simt.role threads 128 to 160 registers 168 {
// CHECK:   simt.for %[[K:.*]] = 0 to 12 step 1 {
// CHECK:     simt.guard [%[[K]] - 8] {
// CHECK-NEXT:  simt.mbarrier_wait
// CHECK-NEXT:  simt.mbarrier_expect
// CHECK-NEXT:  simt.tensor_copy 1
// CHECK-NEXT: }
// CHECK-NEXT: simt.tensor_copy 0
// CHECK: simt.role threads 0 to 128 registers 168 {
// CHECK-NOT: simt.grid_release
// CHECK-NOT: simt.cluster_barrier
// CHECK: simt.func @deep
// CUDA: CUPOLA_KERNEL(160, 2)
// CUDA: if (127 >= t) {
// CUDA: cu_prefetch(in2 + n);
// CUDA-NOT: _registers<
// CUDA: CUPOLA_KERNEL(160, 2)
kernel.func @low gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>)
    attributes {cuda.constants = array<i64: 1, 2>} {
  %0 = kernel.dot [128, 3072, 768] lhs (%m, %k) {
    %1 = kernel.load %in0[768*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[3072*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "3072">
  kernel.foreach (%d0, %d1) in [128, 3072] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "128", "3072">
    %2 = kernel.load %in2[%d1] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.cast %4 : f32 -> f16
    kernel.store %5, %out0[3072*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Few rows and columns, and a depth: four blocks of a cluster have 12 of its 48 tiles each. They leave their sums in shared memory, meet, and
// each goes on with a quarter of the rows, of which it adds the sums of all, in order.
// SCHEDULE: @deep {{.*}} schedule #cuda.gemm_wgmma<tile 64x64, stages 8, cluster 1, blocks 132, split 4>
// CHECK-SAME: of 96 cluster 4 thread %{{.*}} of 160
// CHECK: %[[RANK:.*]] = simt.cluster_rank
// CHECK: %[[SUMS:.*]] = simt.smem : <4096xf32>
// CHECK: simt.mbarrier_init {{.*}} arrivals 4 :
// CHECK: simt.cluster_barrier
// CHECK: simt.role threads 128 to 160 registers 168 {
// CHECK:   simt.for %[[K:.*]] = 0 to 12 step 1 {
// CHECK:     simt.tensor_copy 0 {{.*}} at [768*%[[RANK]] + 64*%[[K]], 64*%{{.*}}]
// CHECK: simt.role threads 0 to 128 registers 168 {
// CHECK:   simt.wgmma_wait 0
// CHECK:   simt.store_vector %{{.*}} to %[[SUMS]]
// CHECK: simt.cluster_barrier
// CHECK-NEXT: simt.role threads 0 to 128 registers 168 {
// CHECK:   %[[M:.*]] = kernel.apply %[[RANK]] + 4*%{{.*}} below 8
// CHECK:   simt.load_cluster %[[SUMS]] to %{{.*}} of [0] :
// CHECK:   simt.load_cluster %[[SUMS]] to %{{.*}} of [1] :
// CHECK:   simt.load_cluster %[[SUMS]] to %{{.*}} of [2] :
// CHECK:   simt.load_cluster %[[SUMS]] to %{{.*}} of [3] :
// CHECK:   simt.store_vector {{.*}} to %arg2
// CHECK: simt.cluster_barrier
// CHECK-NEXT: }
// CUDA: ld_cluster_vec<f32, 4>(s4 + 1024 * rank
// CUDA: CUPOLA_KERNEL(384, 1)
kernel.func @deep gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 768, 3072] lhs (%m, %k) {
    %1 = kernel.load %in0[3072*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[768*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "768">
  kernel.foreach (%d0, %d1) in [128, 768] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "128", "768">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[768*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// B is [n][k], lhs of a batch, rhs shared: a dimension for the batch where it is one.
// SCHEDULE: @batched {{.*}} schedule #cuda.gemm_wgmma<tile 128x128, stages 6, cluster 1, blocks 132>
// CHECK: simt.func @batched block %{{.*}} of 132 cluster 1
// CHECK-SAME: extents ["512", "2048", "48"] strides ["1", "520", "1064960"] box [64, 128, 1]
// CHECK-SAME: extents ["512", "128"] strides ["1", "512"] box [64, 128] swizzle 128>]
// CHECK: simt.tensor_copy 1 {{.*}} at [64*%{{.*}}, 128*%{{.*}}] to {{.*}}] : 
// CHECK: simt.tensor_copy 0 {{.*}} at [64*%{{.*}}, 128*%{{.*}}, %{{.*}}] to
// CHECK: simt.wgmma %{{.*}}] steps 4 : <16x4xf32>
kernel.func @batched gemm grid (%g0) in [48] scalars []
    (%in0: !kernel.view<bf16, read>, %in1: !kernel.view<bf16, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [2048, 128, 512] lhs (%m, %k) {
    %1 = kernel.load %in0[1064960*%g0 + 520*%m + %k] : bf16 from !kernel.view<bf16, read>
    kernel.yield %1 : bf16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[512*%n + %k] : bf16 from !kernel.view<bf16, read>
    kernel.yield %1 : bf16
  } : !kernel.tile<f32, "2048", "128">
  kernel.foreach (%d0, %d1) in [2048, 128] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "2048", "128">
    kernel.store %1, %out0[262144*%g0 + 128*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// The blocks of a plan with symbols may be more: whole clusters leave.
// CHECK: simt.func @symbolic block %[[X:.*]] of 2*min(floordiv(n0 + 255, 256), 66) cluster 2
// CHECK: simt.guard [-%[[X]] + 2*min(floordiv(n0 + 255, 256), 66) - 1] {
kernel.func @symbolic gemm grid () in [] scalars [#kernel.scalar<1, 8192, 1>]
    schedule #cuda.gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [n0, 256, 64] lhs (%m, %k) {
    %1 = kernel.load %in0[64*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%n + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "n0", "256">
  kernel.foreach (%d0, %d1) in [n0, 256] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "n0", "256">
    kernel.store %1, %out0[256*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// What a tensor copy cannot bring. lhs along m:
// SCHEDULE: @transposed {{.*}} schedule #cuda.gemm_mma<
kernel.func @transposed gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%k + %m] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%d0, %d1) in [4096, 4096] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[4096*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Rows of 4100 elements begin at no multiple of 16 bytes:
// SCHEDULE: @unaligned {{.*}} schedule #cuda.gemm_mma<
kernel.func @unaligned gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4100*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%d0, %d1) in [4096, 4096] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[4096*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// An operand with a mask, and one that is computed:
// SCHEDULE: @masked {{.*}} schedule #cuda.gemm_mma<
kernel.func @masked gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[4096*%m + %k] mask [4000 - %m] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%d0, %d1) in [4096, 4096] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[4096*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}
// SCHEDULE: @computed {{.*}} schedule #cuda.gemm_mma<
kernel.func @computed gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%m + %k] : f16 from !kernel.view<f16, read>
    %2 = kernel.unary tanh %1 : f16 -> f16
    kernel.yield %2 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%d0, %d1) in [4096, 4096] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[4096*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// More products than a grid has blocks along its third axis:
// SCHEDULE: @many {{.*}} schedule #cuda.gemm_mma<
kernel.func @many gemm grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [2048, 2048, 64] lhs (%m, %k) {
    %1 = kernel.load %in0[131072*%g0 + 64*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[131072*%g0 + 64*%n + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "2048", "2048">
  kernel.foreach (%d0, %d1) in [2048, 2048] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "2048", "2048">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[4194304*%g0 + 2048*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}
