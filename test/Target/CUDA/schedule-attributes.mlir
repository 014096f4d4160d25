//===- test/Target/CUDA/schedule-attributes.mlir - every schedule of a GPU, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// What is read from the text is what was there before it was printed.
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// CHECK: @pointwise pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 4> ()
kernel.func @pointwise pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 4> () {
}
// CHECK: @pointwise_rows pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 128, vector 8, rows 4> ()
kernel.func @pointwise_rows pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 128, vector 8, rows 4> () {
}
// CHECK: @transpose {{.*}} schedule #cuda.transpose<threads 256, vector 8> ()
kernel.func @transpose pointwise grid () in [] scalars [] schedule #cuda.transpose<threads 256, vector 8> () {
}
// CHECK: @row_parts {{.*}} schedule #cuda.row_reduction<threads 256, row 256, vector 4 peeled true, split 8> ()
kernel.func @row_parts reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 256, row 256, vector 4 peeled true, split 8> () {
}
// CHECK: @row {{.*}} schedule #cuda.row_reduction<threads 128, row 32, vector 8> ()
kernel.func @row row_reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 128, row 32, vector 8> () {
}
// CHECK: @column {{.*}} schedule #cuda.column_reduction<threads 1024> ()
kernel.func @column reduction grid () in [] scalars [] schedule #cuda.column_reduction<threads 1024> () {
}
// CHECK: @windows {{.*}} schedule #cuda.window<rows 8, columns 4, vector 2> ()
kernel.func @windows reduction grid () in [] scalars [] schedule #cuda.window<rows 8, columns 4, vector 2> () {
}
// CHECK: @points {{.*}} schedule #cuda.reduction<threads 128, vector 2> ()
kernel.func @points reduction grid () in [] scalars [] schedule #cuda.reduction<threads 128, vector 2> () {
}
// CHECK: @gemm {{.*}} schedule #cuda.gemm<tile 16x32x64, thread 4x4, slices 4> ()
kernel.func @gemm gemm grid () in [] scalars [] schedule #cuda.gemm<tile 16x32x64, thread 4x4, slices 4> () {
}
// CHECK: @mma {{.*}} schedule #cuda.gemm_mma<tile 128x128x32, warps 2x4, slices 1, stages 3, mma_k 16, async true> ()
kernel.func @mma conv grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 128x128x32, warps 2x4, slices 1, stages 3, mma_k 16, async true> () {
}
// CHECK: @older {{.*}} schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 3, mma_k 8, async false> ()
kernel.func @older gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 3, mma_k 8, async false> () {
}
// CHECK: @wgmma {{.*}} schedule #cuda.gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132> ()
kernel.func @wgmma gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132> () {
}
// CHECK: @shared {{.*}} schedule #cuda.gemm_wgmma<tile 64x64, stages 8, cluster 1, blocks 132, split 4> ()
kernel.func @shared gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 64x64, stages 8, cluster 1, blocks 132, split 4> () {
}
// CHECK: @steps {{.*}} schedule #cuda.recurrence<rows 4, units 16, split 4, warps 8> ()
kernel.func @steps recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 4, units 16, split 4, warps 8> () {
}
// CHECK: @rows {{.*}} schedule #cuda.attention_wgmma<rows 128, stages 2> ()
kernel.func @rows attention grid () in [] scalars [] schedule #cuda.attention_wgmma<rows 128, stages 2> () {
}
// CHECK: @patch {{.*}} schedule #cuda.conv_patch<rows 8, columns 64, tiles 4> ()
kernel.func @patch conv grid () in [] scalars [] schedule #cuda.conv_patch<rows 8, columns 64, tiles 4> () {
}
// CHECK: @matvec_16 {{.*}} schedule #cuda.matvec<rows 1, vector 8, warps 16, columns 16> ()
kernel.func @matvec_16 gemm grid () in [] scalars [] schedule #cuda.matvec<rows 1, vector 8, warps 16, columns 16> () {
}
// CHECK: @matvec {{.*}} schedule #cuda.matvec<rows 8, vector 1, warps 16> ()
kernel.func @matvec gemm grid () in [] scalars [] schedule #cuda.matvec<rows 8, vector 1, warps 16> () {
}
// CHECK: @row_matvec {{.*}} schedule #cuda.row_matvec<rows 8, columns 4, vector 16 by 8, warps 8, split 2> ()
kernel.func @row_matvec gemm grid () in [] scalars [] schedule #cuda.row_matvec<rows 8, columns 4, vector 16 by 8, warps 8, split 2> () {
}
// CHECK: @attention attention grid () in [] scalars [] schedule #cuda.attention<rows 32> ()
kernel.func @attention attention grid () in [] scalars [] schedule #cuda.attention<rows 32> () {
}
// CHECK: @attention_mma {{.*}} schedule #cuda.attention_mma<rows 64, warps 2, groups 1, async true, split 3> ()
kernel.func @attention_mma attention grid () in [] scalars [] schedule #cuda.attention_mma<rows 64, warps 2, groups 1, async true, split 3> () {
}

// CHECK: kernel.func @weights {{.*}} attributes {cuda.constants = array<i64: 1>}
kernel.func @weights pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>) attributes {cuda.constants = array<i64: 1>} {
}
// CHECK: cuda.horizontal @row_column [@row, @column] inputs [0, 0]
cuda.horizontal @row_column [@row, @column] inputs [0, 0]

// A kernel for one token beside that for any number.
// CHECK: cuda.twin @pointwise_rows of @pointwise share <"-min(max(-n0, n0 - 2), 0)">
cuda.twin @pointwise_rows of @pointwise share <"-min(max(-n0, n0 - 2), 0)">
