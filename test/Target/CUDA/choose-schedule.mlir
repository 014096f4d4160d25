// What is chosen, by the kernel and by the number of multiprocessors.
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75}))' | FileCheck %s --check-prefixes=ALL,SM75
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))' | FileCheck %s --check-prefixes=ALL,SM80,ASYNC,A100
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_86}))' | FileCheck %s --check-prefixes=ALL,SM80,ASYNC,SM86

// The largest tile that gives every multiprocessor a block: 40 of them here, 108 there.
// SM75: @full {{.*}} schedule #cuda.gemm<tile 64x64x16, thread 8x4, slices 1> (
// SM80: @full {{.*}} schedule #cuda.gemm<tile 32x64x16, thread 4x4, slices 1> (
kernel.func @full gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [512, 512, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[512*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "512", "512">
  kernel.foreach (%m, %n) in [512, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "512", "512">
    kernel.store %1, %c[512*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Where the largest tile is enough for all of them, nothing else reads less.
// ALL: @large {{.*}} schedule #cuda.gemm<tile 128x128x16, thread 8x8, slices 1> (
kernel.func @large gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [2048, 2048, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[2048*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2048", "2048">
  kernel.foreach (%m, %n) in [2048, 2048] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2048", "2048">
    kernel.store %1, %c[2048*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Too few blocks whatever the tile: the one with the least work for the busiest multiprocessor.
// ALL: @small {{.*}} schedule #cuda.gemm<tile 16x32x64, thread 4x4, slices 4> (
kernel.func @small gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [48, 64, 256] lhs (%m, %k) {
    %1 = kernel.load %a[256*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[64*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "48", "64">
  kernel.foreach (%m, %n) in [48, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "48", "64">
    kernel.store %1, %c[64*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Parts of k need a long k.
// ALL: @shallow {{.*}} schedule #cuda.gemm<tile 16x64x16, thread 4x4, slices 1> (
kernel.func @shallow gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [48, 64, 255] lhs (%m, %k) {
    %1 = kernel.load %a[255*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[64*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "48", "64">
  kernel.foreach (%m, %n) in [48, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "48", "64">
    kernel.store %1, %c[64*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Matrix units take f16; only the newer ones read tiles asynchronously. Sums of slices take the place of the tiles.
// SM75: @halves {{.*}} schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 2, mma_k 8, async false> (
// A100: @halves {{.*}} schedule #cuda.gemm_mma<tile 64x64x128, warps 2x1, slices 4, stages 3, mma_k 16, async true> (
// SM86: @halves {{.*}} schedule #cuda.gemm_mma<tile 64x64x128, warps 2x1, slices 4, stages 3, mma_k 16, async true> (
kernel.func @halves gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [512, 512, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[512*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "512", "512">
  kernel.foreach (%m, %n) in [512, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "512", "512">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[512*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// What is computed comes through registers.
// SM75: @computed {{.*}} schedule #cuda.gemm_mma<{{.*}}, stages 2, mma_k 8, async false> (
// ASYNC: @computed {{.*}} schedule #cuda.gemm_mma<{{.*}}, stages 2, mma_k 16, async false> (
kernel.func @computed gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [512, 512, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f16 from !kernel.view<f16, read>
    %2 = kernel.unary tanh %1 : f16 -> f16
    kernel.yield %2 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[512*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "512", "512">
  kernel.foreach (%m, %n) in [512, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "512", "512">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[512*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Warps of 64 by 64 where all multiprocessors have enough of them.
// ASYNC: @wide {{.*}} schedule #cuda.gemm_mma<tile 128x128x32, warps 2x2, slices 1, stages 4, mma_k 16, async true> (
kernel.func @wide gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %a[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%m, %n) in [4096, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[4096*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Few rows, a long depth: the parts of a small tile.
// ASYNC: @lowAndDeep {{.*}} schedule #cuda.gemm_mma<tile 32x{{32|64}}x128, warps 1x1, slices 4, {{.*}}> (
kernel.func @lowAndDeep gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [32, 768, 3072] lhs (%m, %k) {
    %1 = kernel.load %a[3072*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[768*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "32", "768">
  kernel.foreach (%m, %n) in [32, 768] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "32", "768">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[768*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Up to eight rows the weights are read once, by more warps where the device has more multiprocessors.
// ALL: @eight {{.*}} schedule #cuda.matvec<rows 8, vector 4, warps {{8|16}}> (
kernel.func @eight gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [8, 4096, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[4096*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "4096">
  kernel.foreach (%m, %n) in [8, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "8", "4096">
    kernel.store %1, %c[4096*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Of halves the matrix units take them from three rows on, where copies bring deep operands to shared memory: blocks of 16 rows, which
// share the depth where there are few columns.
// ASYNC: @threeHalves {{.*}} schedule #cuda.gemm_mma<tile 16x{{32|64}}x128, warps 1x1, slices 4, stages {{3|4}}, mma_k 16, async true, split {{[248]}}> (
// SM75: @threeHalves {{.*}} schedule #cuda.matvec<rows 3,
kernel.func @threeHalves gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [3, 1024, 4096] lhs (%m, %k) {
    %1 = kernel.load %a[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[1024*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "3", "1024">
  kernel.foreach (%m, %n) in [3, 1024] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "3", "1024">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[1024*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Two rows lanes multiply in less time than memory takes,
// ALL: @twoHalves {{.*}} schedule #cuda.matvec<rows 2,
kernel.func @twoHalves gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [2, 1024, 4096] lhs (%m, %k) {
    %1 = kernel.load %a[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[1024*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "2", "1024">
  kernel.foreach (%m, %n) in [2, 1024] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2", "1024">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[1024*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// a short depth has no steps to overlap,
// ALL: @shallowHalves {{.*}} schedule #cuda.matvec<rows 8,
kernel.func @shallowHalves gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [8, 1024, 384] lhs (%m, %k) {
    %1 = kernel.load %a[384*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[1024*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "8", "1024">
  kernel.foreach (%m, %n) in [8, 1024] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "8", "1024">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[1024*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// and columns that are no vectors come through registers.
// ALL: @oddHalves {{.*}} schedule #cuda.matvec<rows 8,
kernel.func @oddHalves gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [8, 1001, 1024] lhs (%m, %k) {
    %1 = kernel.load %a[1024*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[1001*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "8", "1001">
  kernel.foreach (%m, %n) in [8, 1001] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "8", "1001">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[1001*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Nine are a tile.
// ALL: @nine {{.*}} schedule #cuda.gemm<tile 16x32x64, thread 4x4, slices 4> (
kernel.func @nine gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [9, 512, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[512*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "9", "512">
  kernel.foreach (%m, %n) in [9, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "9", "512">
    kernel.store %1, %c[512*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// Fewer whose weights are neighbours along k have a warp for each column.
// ALL: @turned {{.*}} schedule #cuda.row_matvec<rows 8, columns {{1|2}}, vector 4 by 4, warps 8, split {{[24]}}> (
kernel.func @turned gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, write>) {
  %0 = kernel.dot [8, 512, 512] lhs (%m, %k) {
    %1 = kernel.load %a[512*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %b[512*%n + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "8", "512">
  kernel.foreach (%m, %n) in [8, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "8", "512">
    kernel.store %1, %c[512*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// A thread per vector of points, if enough threads are left.
// SM75: @points {{.*}} schedule #cuda.reduction<threads 128, vector 4> (
// SM80: @points {{.*}} schedule #cuda.reduction<threads 128, vector 2> (
kernel.func @points reduction grid (%g) in [65536] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.reduce [#graph<reduce_kind sum>] (%d) in [20] {
    %1 = kernel.load %in[65536*%d + %g] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : f32
  kernel.store %0, %out[%g] : f32 to !kernel.view<f32, write>
}

// A thread per point beats strided reads of a warp each if there are many points.
// SM75: @few {{.*}} schedule #cuda.reduction<threads 128, vector 1> (
// SM80: @few {{.*}} schedule #cuda.row_reduction<threads 128, row 32, vector 1> (
kernel.func @few reduction grid (%g) in [1025] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.reduce [#graph<reduce_kind sum>] (%d) in [20] {
    %1 = kernel.load %in[1025*%d + %g] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : f32
  kernel.store %0, %out[%g] : f32 to !kernel.view<f32, write>
}

// Long columns of few points are shared by the warps of a block,
// SM75: @long {{.*}} schedule #cuda.reduction<threads 128, vector 1> (
// SM80: @long {{.*}} schedule #cuda.column_reduction<threads 256> (
kernel.func @long reduction grid (%g) in [20001] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.reduce [#graph<reduce_kind sum>] (%d) in [100] {
    %1 = kernel.load %in[20001*%d + %g] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : f32
  kernel.store %0, %out[%g] : f32 to !kernel.view<f32, write>
}

// by more of them where they are longer.
// ALL: @longest {{.*}} schedule #cuda.column_reduction<threads 1024> (
kernel.func @longest reduction grid (%g) in [64] scalars []
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.reduce [#graph<reduce_kind sum>] (%d) in [1024] {
    %1 = kernel.load %in[64*%d + %g] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : f32
  kernel.store %0, %out[%g] : f32 to !kernel.view<f32, write>
}

// Few rows and a short depth: no tile that cuts the depth into slices has enough of it, and no other is as low.
// ASYNC: @lowAndShallow {{.*}} schedule #cuda.gemm_mma<tile 32x32x128, warps 1x1, slices 4, stages 4, mma_k 16, async true> (
kernel.func @lowAndShallow gemm grid () in [] scalars []
    (%a: !kernel.view<f16, read>, %b: !kernel.view<f16, read>, %c: !kernel.view<f16, write>) {
  %0 = kernel.dot [30, 64, 384] lhs (%m, %k) {
    %1 = kernel.load %a[384*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "30", "64">
  kernel.foreach (%m, %n) in [30, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "30", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %c[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// One row of bytes: no tile fits, and a depth that blocks would share has to be in equal parts.
// ASYNC: @oneRowOfBytes {{.*}} schedule #cuda.gemm_mma<tile 32x{{32|64}}x256, warps 1x1, slices 4, stages {{[34]}}, mma_k 32, async true> (
kernel.func @oneRowOfBytes gemm grid () in [] scalars []
    (%a: !kernel.view<i8, read>, %b: !kernel.view<i8, read>, %c: !kernel.view<i32, write>) {
  %0 = kernel.dot [1, 64, 2048] lhs (%m, %k) {
    %1 = kernel.load %a[2048*%m + %k] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } rhs (%k, %n) {
    %1 = kernel.load %b[2048*%n + %k] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } : !kernel.tile<i32, "1", "64">
  kernel.foreach (%m, %n) in [1, 64] {
    %1 = kernel.extract %0 [%m, %n] : i32 from !kernel.tile<i32, "1", "64">
    kernel.store %1, %c[64*%m + %n] : i32 to !kernel.view<i32, write>
  }
}
