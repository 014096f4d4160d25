// RUN: cupola-opt %s | cupola-opt | FileCheck %s

// CHECK-LABEL: @copy
// CHECK-SAME: launch = #kernel.launch<64, "n0">
// CHECK: kernel.let "row" = "floordiv(t, 32)" below "2"
// CHECK: kernel.guard ["-b + n0 - 1"]
// CHECK: kernel.registers zero : <2x4xf32>
// CHECK: kernel.for "i" = "0" to "2" step "1" unroll
// CHECK: kernel.accumulate sum
// CHECK: kernel.async_copy {{.*}} bytes 16 mask ["-i + 1"]
// CHECK: kernel.warp_reduce sum
// CHECK: kernel.block_reduce max
// CHECK: kernel.async_commit
// CHECK: kernel.async_wait 1
// CHECK: kernel.barrier
kernel.func @copy "test" grid [] scalars [#kernel.scalar<1, 0, 1>] {}
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>)
    attributes {launch = #kernel.launch<64, "n0">} {
  kernel.let "row" = "floordiv(t, 32)" below "2"
  kernel.guard ["-b + n0 - 1"] {
    %r = kernel.registers zero : !kernel.registers<2x4xf32>
    %v = kernel.registers : !kernel.registers<2xf32, vector 4>
    %s = kernel.smem at 0 : !kernel.smem<64xf32>
    kernel.for "i" = "0" to "2" step "1" unroll {
      kernel.load_vector %in["512*b + 8*i + 16*row"] to %v ["i"] : !kernel.view<f32, read> to !kernel.registers<2xf32, vector 4>
      %0 = kernel.get %v ["i", "3"] : f32 from !kernel.registers<2xf32, vector 4>
      kernel.accumulate sum %0, %r ["i", "1"] : f32 to !kernel.registers<2x4xf32>
      kernel.async_copy %in["4*i"] to %s["4*i"] bytes 16 mask ["-i + 1"] : !kernel.view<f32, read> to !kernel.smem<64xf32>
    }
    %1 = kernel.get %r ["0", "1"] : f32 from !kernel.registers<2x4xf32>
    %2 = kernel.warp_reduce sum %1 : f32 -> f32
    %3 = kernel.block_reduce max %2, %s : f32, !kernel.smem<64xf32> -> f32
    kernel.async_commit
    kernel.async_wait 1
    kernel.barrier
    kernel.store %3, %out["b"] : f32 to !kernel.view<f32, write>
  }
}
