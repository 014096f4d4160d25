// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-lower-gemm,kernel-lower-mma))' | FileCheck %s

// Channels last: neighbours along k are neighbours in memory, and a vector's elements share
// their tap. A tile of k lies within a tap, so its digits are those of the tile.
// CHECK-LABEL: @aligned "gemm"
// CHECK: kernel.load_vector %{{.*}}["64*d0 + 3584*floordiv(kt, 12) + 16*mod(kt, 12) + 4*mod(t, 4) - 3584"]
// CHECK-SAME: mask ["floordiv(d0, 56) + floordiv(kt, 12) - 1"
kernel.func @aligned "conv" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["3136", "64", "576"] lhs {
    %z = kernel.constant 0.0 : f32
    %1 = kernel.load %in0["64*d0 + 3584*floordiv(d2, 192) + mod(d2, 192) - 3584"]
        mask ["floordiv(d0, 56) + floordiv(d2, 192) - 1", "-floordiv(d0, 56) - floordiv(d2, 192) + 56"]
        else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["d1 + 64*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach ["d3", "d4"] ["3136", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "3136", "64">
    kernel.store %1, %out0["64*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

// Three channels: the elements of a vector could belong to two taps.
// CHECK-LABEL: @ragged "gemm"
// CHECK-NOT: kernel.load_vector %arg0
// CHECK: kernel.load %{{.*}}mask
kernel.func @ragged "conv" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["3136", "64", "27"] lhs {
    %z = kernel.constant 0.0 : f32
    %1 = kernel.load %in0["3*d0 + 168*floordiv(d2, 9) + mod(d2, 9) - 168"]
        mask ["floordiv(d0, 56) + floordiv(d2, 9) - 1"] else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["d1 + 64*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach ["d3", "d4"] ["3136", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "3136", "64">
    kernel.store %1, %out0["64*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

// The operands of a concatenation meet between two vectors.
// CHECK-LABEL: @joined "gemm"
// CHECK: kernel.load_vector %arg0["32*d0 + d2v - 32"] mask ["d2v - 32"] else
// CHECK: kernel.load_vector %arg1["32*d0 + d2v"] mask ["-d2v + 31"] else
kernel.func @joined "conv" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %in2: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["3136", "64", "64"] lhs {
    %z = kernel.constant 0.0 : f32
    %1 = kernel.load %in0["32*d0 + d2 - 32"] mask ["d2 - 32"] else %z : f32 : f32 from !kernel.view<f32, read>
    %2 = kernel.load %in1["32*d0 + d2"] mask ["-d2 + 31"] else %z : f32 : f32 from !kernel.view<f32, read>
    %3 = kernel.in_range ["-d2 + 31"]
    %4 = kernel.select %3, %2, %1 : f32
    kernel.yield %4 : f32
  } rhs {
    %1 = kernel.load %in2["d1 + 64*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach ["d3", "d4"] ["3136", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "3136", "64">
    kernel.store %1, %out0["64*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

// cp.async writes zeros where the mask fails.
// CHECK-LABEL: @half "gemm_mma"
// CHECK: kernel.tile_loop {{.*}} async
// CHECK: kernel.async_copy %{{.*}}["64*d0 + 3584*floordiv(kt, 3) {{.*}} bytes 16 mask ["floordiv(d0, 56) + floordiv(kt, 3) - 1"]
// CHECK: kernel.mma
kernel.func @half "conv" grid [] scalars [] {}
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["3136", "64", "576"] lhs {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0["64*d0 + 3584*floordiv(d2, 192) + mod(d2, 192) - 3584"]
        mask ["floordiv(d0, 56) + floordiv(d2, 192) - 1"] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs {
    %1 = kernel.load %in1["d1 + 64*d2"] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach ["d3", "d4"] ["3136", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "3136", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0["64*d3 + d4"] : f16 to !kernel.view<f16, write>
  }
}

// A small result and a long depth: four parts of each tile's k, added up in one order.
// CHECK-LABEL: @deep "gemm"
// CHECK-SAME: split_k = 4
// CHECK: kernel.let "tk" = "floordiv(t, 32)" below "4"
// CHECK: kernel.load_fragment %{{.*}}tk
// CHECK: kernel.guard ["tk - 1"]
// CHECK: kernel.store_shared
// CHECK: kernel.barrier
// CHECK: kernel.guard ["-tk"]
// CHECK: kernel.for "p" = "0" to "3" step "1" unroll
// CHECK: kernel.accumulate sum
kernel.func @deep "conv" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["49", "512", "2048"] lhs {
    %1 = kernel.load %in0["2048*d0 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["d1 + 512*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "512">
  kernel.foreach ["d3", "d4"] ["49", "512"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "49", "512">
    kernel.store %1, %out0["512*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}
