// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt,simt.func(simt-overlap-launches))' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt,simt.func(simt-overlap-launches,simt-overlap-launches))' | FileCheck %s
// RUN: cupola-translate --kernel-to-cuda --arch=sm_90a %s | FileCheck %s --check-prefix=SM90A
// RUN: cupola-translate --kernel-to-cuda --arch=sm_80 %s | FileCheck %s --check-prefix=SM80 --implicit-check-not=grid_

// Arithmetic goes on; nothing is read before the wait, and threads without an element wait, too. One wait is enough.
// CHECK-LABEL: simt.func @some
// CHECK-NOT: simt.load
// CHECK-NOT: simt.guard
// CHECK: simt.grid_wait
// CHECK-NEXT: simt.grid_release
// CHECK-NOT: simt.grid_wait
// CHECK: simt.guard
// SM90A: const i32 t = cu_tid()
// SM90A: grid_wait();
// SM90A-NEXT: grid_release();
// SM90A-NEXT: if (
// SM80: const i32 t = cu_tid()
kernel.func @some pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [100] {
    %0 = kernel.load %in0[%d0] : f32 from !kernel.view<f32, read>
    %1 = kernel.unary relu %0 : f32 -> f32
    kernel.store %1, %out0[%d0] : f32 to !kernel.view<f32, write>
  }
}
