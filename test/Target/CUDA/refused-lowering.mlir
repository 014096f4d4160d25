//===- test/Target/CUDA/refused-lowering.mlir - schedules that a kernel does not suit ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kernel-to-simt)'

// expected-error @below {{has no row that all of its loops go over and that begins at one place}}
kernel.func @several reduction grid (%g0) in [4] scalars [] schedule #cuda.row_reduction<threads 128, row 32, vector 4 peeled true>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [509] {
    %0 = kernel.load %in0[%d0 + 509*%g0] : f32 from !kernel.view<f32, read>
    %1 = kernel.load %in1[%d0] : f32 from !kernel.view<f32, read>
    %2 = kernel.binary mul %0, %1 : f32 -> f32
    kernel.yield %2 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// -----

// expected-error @below {{has no row that all of its loops go over and that begins at one place}}
kernel.func @axes reduction grid (%g0) in [4] scalars [] schedule #cuda.row_reduction<threads 128, row 32, vector 4 peeled true>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [3, 509] {
    %0 = kernel.load %in0[509*%d0 + %d1 + 1527*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// -----

// What stands behind the reduction would be left to one of the blocks.
// expected-error @below {{has other loops than one reduction, whose parts blocks could share}}
kernel.func @behind row_reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 256, row 256, vector 1, split 4>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [4096] {
    %0 = kernel.load %in0[%d0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.foreach (%d1) in [4096] {
    kernel.store %s, %out0[%d1] : f32 to !kernel.view<f32, write>
  }
}

// -----

// expected-error @below {{has other loops than one reduction, whose parts blocks could share}}
kernel.func @nothing row_reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 256, row 256, vector 1, split 4>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [4096] {
    %0 = kernel.load %in0[%d0] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d0] : f32 to !kernel.view<f32, write>
  }
}

// -----

// expected-error @below {{has no image whose patches can be copied}}
kernel.func @matrix conv grid () in [] scalars [] schedule #cuda.conv_patch<rows 8, columns 64, tiles 4>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>) {
  %0 = kernel.dot [128, 64, 32] lhs (%m, %k) {
    %1 = kernel.load %in0[32*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "64">
}

// -----

// expected-error @below {{has no operands that tensor copies bring}}
kernel.func @odd gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x128, stages 4, cluster 1, blocks 132>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>) {
  %0 = kernel.dot [128, 128, 33] lhs (%m, %k) {
    %1 = kernel.load %in0[33*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "128">
}

// -----

// expected-error @below {{a depth of 5 tiles is none of 2 equal parts}}
kernel.func @parts gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 64x64, stages 4, cluster 1, blocks 132, split 2>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>) {
  %0 = kernel.dot [128, 128, 320] lhs (%m, %k) {
    %1 = kernel.load %in0[320*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "128">
}

// -----

kernel.func @scalars gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 64x64, stages 4, cluster 1, blocks 132, split 2>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f32, read>) {
  %s = kernel.map (%d0) in [128] {
    %1 = kernel.load %in2[%d0] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "128">
  // expected-error @below {{has scalars of rows that blocks with other parts of the depth would need}}
  %0 = kernel.dot [128, 128, 512] lhs (%m, %k) {
    %1 = kernel.load %in0[512*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "128">
}

// -----

// expected-error @below {{is no loop over states}}
kernel.func @copy recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 1, units 8, split 4, warps 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [1, 8] {
    %0 = kernel.load %in0[%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d1] : f32 to !kernel.view<f32, write>
  }
}

// -----

// expected-error @below {{has products of 16 columns for 8 units, and threads for 8}}
kernel.func @gates recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 1, units 8, split 4, warps 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.map (%d0, %d1) in [1, 8] {
    %2 = kernel.constant 1.0 : f32
    kernel.yield %2 : f32
  } : !kernel.tile<f32, "1", "8">
  %1 = kernel.for (%j) below 4 carry (%h = %0) : !kernel.tile<f32, "1", "8"> {
    %2 = kernel.dot [1, 16, 8] lhs (%m, %k) {
      %4 = kernel.extract %h [%m, %k] : f32 from !kernel.tile<f32, "1", "8">
      kernel.yield %4 : f32
    } rhs (%k, %n) {
      %4 = kernel.load %in0[16*%k + %n] : f32 from !kernel.view<f32, read>
      kernel.yield %4 : f32
    } : !kernel.tile<f32, "1", "16">
    %3 = kernel.map (%d0, %d1) in [1, 8] {
      %4 = kernel.extract %2 [%d0, %d1 + 8] : f32 from !kernel.tile<f32, "1", "16">
      kernel.yield %4 : f32
    } : !kernel.tile<f32, "1", "8">
    kernel.yield %3 : !kernel.tile<f32, "1", "8">
  }
}

// -----

// expected-error @below {{is no reduction over windows along which its results lie in memory}}
kernel.func @sum reduction grid (%g0) in [64] scalars [] schedule #cuda.window<rows 8, columns 4, vector 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.reduce [#graph<reduce_kind sum>] (%k) in [9] {
    %1 = kernel.load %in0[64*%k + %g0] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : f32
  kernel.store %0, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// -----

kernel.func @moments gemm grid () in [] scalars [] schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [16, 64, 32] lhs (%m, %k) {
    %1 = kernel.load %in0[32*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "16", "64">
  // expected-error @below {{is of rows of which the schedule's threads have no runs}}
  %kept = kernel.map (%m, %n) in [16, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "16", "64">
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "16", "64">
  kernel.foreach (%m, %p) in [16, 2] {
    %sum = kernel.reduce [#graph<reduce_kind sum>] (%i) in [32] {
      %1 = kernel.extract %kept [%m, 32*%p + %i] : f32 from !kernel.tile<f32, "16", "64">
      kernel.yield %1 : f32
    } : f32
    kernel.store %sum, %out0[2*%m + %p] : f32 to !kernel.view<f32, write>
  }
}
