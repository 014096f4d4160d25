//===- test/Target/CUDA/refused-lowering.mlir - schedules that a kernel does not suit ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kernel-to-simt)'

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
