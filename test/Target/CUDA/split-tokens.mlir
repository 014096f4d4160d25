//===- test/Target/CUDA/split-tokens.mlir - kernels of their own for one token ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: sed 's/STORED/f16/g; s/64.ROWS.%g/256*n0*%g/; s/ROWS/4*n0/g; s/below 3/below n1/; s/scalars \[\]/scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<1, 0, 1>]/' %S/Inputs/attention.mlir > %t.attention
// RUN: cat %t.attention %s | cupola-opt --pass-pipeline='builtin.module(kernel-split-tokens)' | FileCheck %s
// RUN: cat %t.attention %s | sed 's/kernel @attention \["s1", "s0 + s1"\]/kernel @attention ["s1", "2*s1"]/' | cupola-opt --pass-pipeline='builtin.module(kernel-split-tokens)' | FileCheck %s --check-prefix=SAME
// RUN: cat %t.attention %s | sed 's/scalar<0, 0, 1>, #kernel.scalar<1, 0, 1>\]$/scalar<2, 0, 1>, #kernel.scalar<1, 0, 1>]/' | cupola-opt --pass-pipeline='builtin.module(kernel-split-tokens)' | FileCheck %s --check-prefix=SAME

// RUN: echo 'graph.symbol run @s1 {min = 0 : i64}' > %t.run
// RUN: cat %t.run %t.attention %s | cupola-opt --pass-pipeline='builtin.module(kernel-split-tokens)' | FileCheck %s --check-prefix=SAME

// Keys are those of earlier runs, too: a token has kernels of its own, so that one of both has no blocks.
// CHECK-LABEL: kernel.func @attention attention
// CHECK: kernel.dot [4*n0, 64, 64]
// CHECK-LABEL: kernel.func @attention_token attention
// CHECK: kernel.for (%{{.*}}) below n1
// CHECK: kernel.dot [4, 64, 64]
// CHECK: kernel.load %{{.*}}[256*%{{.*}} + 64*%{{.*}} + %{{.*}}]
// CHECK: cuda.twin @attention_token of @attention share <"-min(max(-n0, n0 - 2), 0)">
// CHECK-LABEL: kernel.func @project gemm
// CHECK-LABEL: kernel.func @project_token gemm
// CHECK: kernel.dot [1, 96, 64]
// CHECK: cuda.twin @project_token of @project share
// Rows of the product behind are no tokens.
// CHECK-LABEL: kernel.func @other gemm
// CHECK-NOT: cuda.
// CHECK-NOT: @other_token

// Nothing is split where all keys are of this run, as in an encoder, nor where there are always more rows than one, nor where
// the number of tokens is known to the device alone.
// SAME-NOT: cuda.
// SAME-NOT: _token
func.func @main(%x: tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, %w: tensor<64x96xf16>, %y: tensor<?x64xf16, #graph.shape<"s0", "64">>) {
  %0 = graph.fusion attention(%x, %x, %x) kernel @attention ["s1", "s0 + s1"] : (tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>) -> tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">> {
  ^bb0(%a: tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, %b: tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, %c: tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>):
    graph.yield %a : tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>
  }
  %1 = graph.fusion gemm(%0, %w) kernel @project ["s2", "s1"] : (tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, tensor<64x96xf16>) -> tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">> {
  ^bb0(%a: tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>, %b: tensor<64x96xf16>):
    graph.yield %a : tensor<?x?x64xf16, #graph.shape<"s2", "s1", "64">>
  }
  %2 = graph.fusion gemm(%y, %w) kernel @other ["s0", "s0"] : (tensor<?x64xf16, #graph.shape<"s0", "64">>, tensor<64x96xf16>) -> tensor<?x64xf16, #graph.shape<"s0", "64">> {
  ^bb0(%a: tensor<?x64xf16, #graph.shape<"s0", "64">>, %b: tensor<64x96xf16>):
    graph.yield %a : tensor<?x64xf16, #graph.shape<"s0", "64">>
  }
  return
}
kernel.func @project gemm grid () in [] scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [n0*n1, 96, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[96*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "n0*n1", "96">
  kernel.foreach (%d3, %d4) in [n0*n1, 96] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "n0*n1", "96">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[96*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}
kernel.func @other gemm grid () in [] scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [n0, 96, 64] lhs (%d0, %d2) {
    %1 = kernel.load %in0[64*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[96*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "n0", "96">
  kernel.foreach (%d3, %d4) in [n0, 96] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "n0", "96">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[96*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}
