// RUN: cupola-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{48 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 48, vector 4> () {
}

// -----

// expected-error @below {{0 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 0, vector 4> () {
}

// -----

// expected-error @below {{a vector of 3 elements is none of 1, 2, 4, 8 and 16}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 3> () {
}

// -----

// expected-error @below {{17 rows of a thread are not 1 to 16}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 8, rows 17> () {
}

// -----

// expected-error @below {{a tile of 1024 is no multiple of 96}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.transpose<threads 96, vector 1> () {
}

// -----

// expected-error @below {{a tile of 512 is no multiple of 1024}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.transpose<threads 1024, vector 8> () {
}

// -----

// expected-error @below {{16 elements do not cross a tile at once, at most 8 do}}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.transpose<threads 256, vector 16> () {
}

// -----

// expected-error @below {{64 threads of a row are neither a warp nor the block of 256}}
kernel.func @k row_reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 256, row 64, vector 1> () {
}

// -----

// expected-error @below {{4 blocks do not share a row of 32 threads, blocks of 128}}
kernel.func @k row_reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 128, row 32, vector 1, split 4> () {
}

// -----

// expected-error @below {{a vector of 32 elements is none of 1, 2, 4, 8 and 16}}
kernel.func @k row_reduction grid () in [] scalars [] schedule #cuda.row_reduction<threads 256, row 32, vector 32> () {
}

// -----

// expected-error @below {{2048 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k reduction grid () in [] scalars [] schedule #cuda.column_reduction<threads 2048> () {
}

// -----

// expected-error @below {{a vector of -1 elements is none of 1, 2, 4, 8 and 16}}
kernel.func @k reduction grid () in [] scalars [] schedule #cuda.reduction<threads 128, vector -1> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k reduction grid () in [] scalars [] schedule #cuda.window<rows 0, columns 1, vector 1> () {
}

// -----

// expected-error @below {{a vector of 5 elements is none of 1, 2, 4, 8 and 16}}
kernel.func @k reduction grid () in [] scalars [] schedule #cuda.window<rows 4, columns 1, vector 5> () {
}

// -----

// expected-error @below {{expected 3 numbers with an x between them}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm<tile 128x128, thread 8x8, slices 1> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm<tile 128x128x16, thread 8x0, slices 1> () {
}

// -----

// expected-error @below {{the thread's n of 6 is no multiple of 4}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm<tile 128x128x16, thread 8x6, slices 1> () {
}

// -----

// expected-error @below {{the tile's m of 100 is no multiple of 8}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm<tile 100x128x16, thread 8x8, slices 1> () {
}

// -----

// expected-error @below {{the tile's k of 64 is no multiple of 3}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm<tile 16x32x64, thread 4x4, slices 3> () {
}

// -----

// expected-error @below {{16 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm<tile 16x16x16, thread 4x4, slices 1> () {
}

// -----

// expected-error @below {{the tile's m of 64 is no multiple of 48}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_mma<tile 64x64x32, warps 3x2, slices 1, stages 3, mma_k 16, async true> () {
}

// -----

// expected-error @below {{the tile's n of 64 is no multiple of 48}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_mma<tile 64x64x32, warps 2x3, slices 1, stages 3, mma_k 16, async true> () {
}

// -----

// expected-error @below {{the tile's k of 32 is no multiple of 128}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 4, stages 3, mma_k 16, async true> () {
}

// -----

// expected-error @below {{a warp's 128 columns are no part of a row of 64}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_mma<tile 64x128x64, warps 2x1, slices 1, stages 3, mma_k 16, async true> () {
}

// -----

// expected-error @below {{one stage leaves nothing to overlap}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_mma<tile 64x64x64, warps 2x2, slices 1, stages 1, mma_k 16, async true> () {
}

// -----

// expected-error @below {{an mma of depth 4 is none of 8, 16 and 32}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 3, mma_k 4, async true> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.matvec<rows 0, vector 1, warps 8> () {
}

// -----

// expected-error @below {{1056 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.matvec<rows 1, vector 1, warps 33> () {
}

// -----

// expected-error @below {{24 columns are neither 16 nor 32}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.matvec<rows 1, vector 8, warps 8, columns 24> () {
}

// -----

// expected-error @below {{3 columns do not divide a warp, or vectors of 4 elements of rows no vector of 4 weights}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.row_matvec<rows 1, columns 3, vector 4 by 4, warps 4, split 1> () {
}

// -----

// expected-error @below {{4 columns do not divide a warp, or vectors of 8 elements of rows no vector of 4 weights}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.row_matvec<rows 1, columns 4, vector 4 by 8, warps 4, split 1> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention<rows 0> () {
}

// -----

// expected-error @below {{the block's rows of 12 is no multiple of 8}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention<rows 12> () {
}

// -----

// expected-error @below {{1056 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention<rows 264> () {
}

// -----

// expected-error @below {{has a number that is not positive}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention_mma<rows -16, warps 1, groups 1, async true> () {
}

// -----

// expected-error @below {{the block's rows of 48 is no multiple of 32}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention_mma<rows 48, warps 2, groups 1, async true> () {
}

// -----

// expected-error @below {{1056 threads are no block of whole warps, 1024 threads at most}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention_mma<rows 528, warps 33, groups 1, async false> () {
}

// -----

// expected-error @below {{2 groups of 2 warps; several have one each}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention_mma<rows 32, warps 2, groups 2, async true> () {
}

// -----

// expected-error @below {{invalid kind of attribute specified}}
kernel.func @k gemm grid () in [] scalars [] schedule 4 : i64 () {
}

// -----

// expected-error @below {{expected}}
kernel.func @k fused grid () in [] scalars [] schedule #cuda.matvec<rows 1, vector 1, warps 8> () {
}

// -----

// expected-error @below {{the tile's m of 96 is no multiple of 64}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 96x128, stages 4, cluster 1, blocks 132> () {
}

// -----

// expected-error @below {{a tile of 192 columns is none of 64, 128 and 256}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x192, stages 4, cluster 1, blocks 132> () {
}

// -----

// expected-error @below {{one stage leaves nothing to overlap}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x128, stages 1, cluster 1, blocks 132> () {
}

// -----

// expected-error @below {{a cluster of 3 blocks does not share 256 columns}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x256, stages 4, cluster 3, blocks 132> () {
}

// -----

// expected-error @below {{the tile's rows of 6 is no multiple of 4}}
kernel.func @k conv grid () in [] scalars [] schedule #cuda.conv_patch<rows 6, columns 64, tiles 4> () {
}

// -----

// expected-error @below {{a tile of 48 columns is none of 32 and 64}}
kernel.func @k conv grid () in [] scalars [] schedule #cuda.conv_patch<rows 8, columns 48, tiles 4> () {
}

// -----

// expected-error @below {{the number of blocks of 131 is no multiple of 2}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 131> () {
}

// -----

// expected-error @below {{a tile of 128 rows in clusters of 1 is none whose depth 2 blocks share}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 128x128, stages 4, cluster 1, blocks 132, split 2> () {
}

// -----

// expected-error @below {{the number of blocks of 66 is no multiple of 4}}
kernel.func @k gemm grid () in [] scalars [] schedule #cuda.gemm_wgmma<tile 64x64, stages 4, cluster 1, blocks 66, split 4> () {
}

// -----

// expected-error @below {{a block of 96 rows is none of 2 warpgroups with 64 rows each, which take turns}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention_wgmma<rows 96, stages 2> () {
}

// -----

// expected-error @below {{fewer than two stages leave nothing to overlap}}
kernel.func @k attention grid () in [] scalars [] schedule #cuda.attention_wgmma<rows 128, stages 1> () {
}

// -----

// expected-error @below {{3 lanes for a column are no part of a warp, or its columns no part of 16 units}}
kernel.func @k recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 1, units 16, split 3, warps 8> () {
}

// -----

// expected-error @below {{4 lanes for a column are no part of a warp, or its columns no part of 12 units}}
kernel.func @k recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 1, units 12, split 4, warps 8> () {
}

// -----

// expected-error @below {{8 rows of 32 units are more than there are threads}}
kernel.func @k recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 8, units 32, split 1, warps 4> () {
}

// -----

// expected-error @below {{cuda.constants are no different buffer parameters in ascending order}}
kernel.func @k pointwise grid (%g) in [4] scalars [] (%in0: !kernel.view<f32, read>) attributes {cuda.constants = array<i64: 1>} {
}

// -----

// expected-error @below {{cuda.constants are no different buffer parameters in ascending order}}
kernel.func @k pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>) attributes {cuda.constants = array<i64: 0, 0>} {
}

// -----

// expected-error @below {{cuda.constants are no different buffer parameters in ascending order}}
kernel.func @k pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>) attributes {cuda.constants = "in0"} {
}

// -----

// expected-error @below {{no op has the attribute "cuda.constant"}}
kernel.func @k pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>) attributes {cuda.constant = array<i64: 0>} {
}
