// RUN: cupola-translate --kernel-to-cuda --arch=sm_80 %s | FileCheck %s
// RUN: cupola-translate --kernel-to-cuda --wide-index %s | FileCheck %s --check-prefix=WIDE
// RUN: not cupola-translate --kernel-to-cuda --arch=sm_13 %s 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error: architecture 'sm_13' is not known

// The name is a hash, n0 < 2^31 makes every position an i32.
// CHECK: schedule=gather threads=256 shared=0 grid=[floordiv(3*n0 + 63, 64)] buffers=[r,r,w]
// CHECK-NEXT: CUPOLA_KERNEL(256, 1) k_[[HASH:[0-9a-f]+]](const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u32 slot0, u32 step) {
// CHECK-NEXT:   const i64 *const in0 = cu_read<i64>(bindings, ref0);
// CHECK-NEXT:   const f16 *const in1 = cu_read<f16>(bindings, ref1);
// CHECK-NEXT:   f32 *const out0 = cu_write<f32>(bindings, ref2);
// CHECK-NEXT:   const i32 n0 = cu_scalar<i32>(bindings, slot0);
// CHECK-NEXT:   const i32 t = cu_tid(), b = cu_block();
// CHECK-NEXT:   if (12 * n0 > t + 256 * b) {
// CHECK:          const i64 v0 = in0[d0];
// CHECK-NEXT:     const i64 v1 = cu_wrapped_index(bindings, step, cu_cast<i64>(v0), i64(100));
// CHECK-NEXT:     vec<f16, 4> r0;
// CHECK-NEXT:     r0 = ld_vec<f16, 4>(in1 + d1v + 48 * i32(v1));
// CHECK-NEXT:     vec<f32, 4> r1;
// CHECK-NEXT:     CUPOLA_UNROLL
// CHECK-NEXT:     for (i32 e = 0; e < 4; ++e) {
// CHECK-NEXT:       const f16 v2 = r0[e];
// CHECK-NEXT:       const f32 v3 = cu_cast<f32>(v2);
// CHECK-NEXT:       const f32 v4 = cu_leaky_relu(v3, 0.25f);
// CHECK-NEXT:       r1[e] = v4;
// CHECK-NEXT:     }
// CHECK-NEXT:     st_vec(out0 + 48 * d0 + d1v, r1);

// WIDE: const i64 n0 = cu_scalar<i64>(bindings, slot0);
// WIDE: ld_vec<f16, 4>(in1 + d1v + 48 * v1)
kernel.func @gather gather grid () in [] scalars [#kernel.scalar<1, 1000000, 1>]
    (%in0: !kernel.view<i64, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 48] {
    %0 = kernel.load %in0[%d0] : i64 from !kernel.view<i64, read>
    %1 = kernel.checked_index %0 below 100 : i64
    %2 = kernel.load %in1[%d1 + 48*%1] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.unary leaky_relu %3 {alpha = 2.5e-1 : f64} : f32 -> f32
    kernel.store %4, %out0[48*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// Where nothing is read no index is wrong.
// CHECK: CUPOLA_KERNEL
// CHECK:   const i64 v0 = in0[d0];
// CHECK-NEXT: const bool v1 = n0 > d0 + 5;
// CHECK-NEXT: const i64 v2 = v1 ? cu_wrapped_index(bindings, step, cu_cast<i64>(v0), i64(n0)) : i64(0);
kernel.func @chosen gather grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%in0: !kernel.view<i64, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %z = kernel.constant 0.0 : f32
  kernel.foreach (%d0) in [77] {
    %0 = kernel.load %in0[%d0] : i64 from !kernel.view<i64, read>
    %c = kernel.in_range [n0 - 6 - %d0]
    %1 = kernel.checked_index %0 below n0 if %c : i64
    %2 = kernel.load %in1[%1] mask [n0 - 6 - %d0] else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.store %2, %out0[%d0] : f32 to !kernel.view<f32, write>
  }
}

// An index that is known to be in range is the value itself.
// CHECK: CUPOLA_KERNEL
// CHECK:   const i64 v0 = in0[d0];
// CHECK-NEXT: const i32 v1 = cu_cast<i32>(v0);
// CHECK-NEXT: const f32 v2 = in1[v1];
kernel.func @known gather grid () in [] scalars []
    (%in0: !kernel.view<i64, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [77] {
    %0 = kernel.load %in0[%d0] : i64 from !kernel.view<i64, read>
    %1 = kernel.known_index %0 below 100 : i64
    %2 = kernel.load %in1[%1] : f32 from !kernel.view<f32, read>
    kernel.store %2, %out0[%d0] : f32 to !kernel.view<f32, write>
  }
}

// What several calls say is one function; what is called beside its element has the arguments of each call.
// CHECK: CUPOLA_KERNEL(256, 1)
// CHECK:   const auto f0 = [](f32 x, i64 n) -> f32 {
// CHECK-NEXT:     if (x > 0)
// CHECK-NEXT:       return x;
// CHECK-NEXT:     return x / f32(n);
// CHECK-NEXT:   };
// CHECK-NEXT:   const auto f1 = [](f32 x, i64 n) -> bool {
// CHECK-NEXT:     return x > n;
// CHECK-NEXT:   };
// CHECK:   const f32 v[[A:[0-9]+]] = f0(v{{[0-9]+}}, 3ll);
// CHECK-NEXT:   const f32 v[[B:[0-9]+]] = f0(v[[A]], 5ll);
// CHECK-NEXT:   const bool v[[C:[0-9]+]] = f1(v[[B]], 3ll);
kernel.func @snippets pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>, %out0: !kernel.view<i1, write>) {
  %three = kernel.constant 3 : i64
  %five = kernel.constant 5 : i64
  kernel.foreach (%d0) in [77] {
    %0 = kernel.load %in0[%d0] : f32 from !kernel.view<f32, read>
    %1 = kernel.call <["x", "n"] "if (x > 0)\n  return x;\nreturn x / f32(n);\n">(%0, %three : f32, i64) -> f32
    %2 = kernel.call <["x", "n"] "if (x > 0)\n  return x;\nreturn x / f32(n);\n">(%1, %five : f32, i64) -> f32
    %3 = kernel.call <["x", "n"] "return x > n;">(%2, %three : f32, i64) -> i1
    kernel.store %3, %out0[%d0] : i1 to !kernel.view<i1, write>
  }
}
