//===- test/Sim/kernels/product_then_gather.cu - What NVRTC once never ended to compile ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As emitted for act(A B + bias + table[index]) with dynamic rows and columns: see raiseGlobalMax.
#include "device.cuh"
CUPOLA_KERNEL(64, 1)
k_product_then_gather(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u64 ref3, u64 ref4, u64 ref5, u32 slot0,
                      u32 slot1, u32 slot2, u32 step) {
  const f32 *const in0 = cu_read<f32>(bindings, ref0);
  const i64 *const in1 = cu_read<i64>(bindings, ref1);
  const f32 *const in2 = cu_read<f32>(bindings, ref2);
  const f32 *const in3 = cu_read<f32>(bindings, ref3);
  const f32 *const in4 = cu_read<f32>(bindings, ref4);
  f32 *const out0 = cu_write<f32>(bindings, ref5);
  const i64 n0 = cu_scalar<i64>(bindings, slot0);
  const i64 n1 = cu_scalar<i64>(bindings, slot1);
  const i64 n2 = cu_scalar<i64>(bindings, slot2);
  const i64 t = cu_tid(), b = cu_block();
  if ((n1 + 15) / 16 * ((n2 + 3) / 4) > b) {
    const i64 tn = b % ((n2 + 3) / 4);
    const i64 tm = b / ((n2 + 3) / 4) % ((n1 + 15) / 16);
    const i64 tx = t % 16;
    const i64 ty = t / 16;
    f32 r0[4][4] = {};
    vec<f32, 4> r1[1];
    f32 *const s0 = cu_shared<f32>(0);
    vec<f32, 4> r2[4];
    f32 *const s1 = cu_shared<f32>(2560);
    CUPOLA_UNROLL
    for (i64 i = 0; i < 1; ++i) {
      const i64 d0 = 16 * tm + t / 4;
      const i64 d2 = 4 * (t % 4);
      r1[0] =
          n1 > 16 * tm + t / 4 && 167 >= 4 * (t % 4) ? ld_vec<f32, 4>(in2 + 168 * d0 + d2) : splat_vec<f32, 4>(0.0f);
    }
    CUPOLA_UNROLL
    for (i64 i = 0; i < 4; ++i) {
      const i64 d1 = 64 * tn + 4 * (t % 16);
      const i64 d2 = 4 * i + t / 16;
      r2[i] = 16 * n2 > 64 * tn + 4 * (t % 16) && 167 >= 4 * i + t / 16 ? ld_vec<f32, 4>(in3 + 16 * d2 * n2 + d1)
                                                                        : splat_vec<f32, 4>(0.0f);
    }
    for (i64 kt = 0; kt < 11; ++kt) {
      const i64 s = kt % 2;
      CUPOLA_UNROLL
      for (i64 i = 0; i < 1; ++i) {
        CUPOLA_UNROLL
        for (i64 e = 0; e < 4; ++e) {
          const f32 v0 = r1[0][e];
          s0[20 * e + 320 * s + t / 4 + 80 * (t % 4)] = v0;
        }
      }
      CUPOLA_UNROLL
      for (i64 i = 0; i < 4; ++i) {
        st_vec(s1 + 272 * i + 1088 * s + 68 * (t / 16) + 4 * (t % 16), r2[i]);
      }
      cu_barrier();
      if (9 >= kt) {
        CUPOLA_UNROLL
        for (i64 i = 0; i < 1; ++i) {
          const i64 d0 = 16 * tm + t / 4;
          const i64 d2 = 16 * kt + 4 * (t % 4) + 16;
          r1[0] = n1 > 16 * tm + t / 4 && 151 >= 16 * kt + 4 * (t % 4) ? ld_vec<f32, 4>(in2 + 168 * d0 + d2)
                                                                       : splat_vec<f32, 4>(0.0f);
        }
        CUPOLA_UNROLL
        for (i64 i = 0; i < 4; ++i) {
          const i64 d1 = 64 * tn + 4 * (t % 16);
          const i64 d2 = 4 * i + 16 * kt + t / 16 + 16;
          r2[i] = 16 * n2 > 64 * tn + 4 * (t % 16) && 151 >= 4 * i + 16 * kt + t / 16
                      ? ld_vec<f32, 4>(in3 + 16 * d2 * n2 + d1)
                      : splat_vec<f32, 4>(0.0f);
        }
      }
      for (i64 kk = 0; kk < 16; kk += 8) {
        CUPOLA_UNROLL
        for (i64 k = kk; k < kk + 8; ++k) {
          f32 r3[4];
          ld_fragment<4>(r3, s0 + 20 * k + 320 * s + 4 * ty, 16);
          f32 r4[4];
          ld_fragment<4>(r4, s1 + 68 * k + 1088 * s + 4 * tx, 64);
          outer_fma(r0, r3, r4);
        }
      }
    }
    CUPOLA_UNROLL
    for (i64 i = 0; i < 4; ++i) {
      if (n1 > i + 16 * tm + 4 * ty) {
        const i64 d3 = i + 16 * tm + 4 * ty;
        CUPOLA_UNROLL
        for (i64 j = 0; j < 1; ++j) {
          if (16 * n2 > 64 * tn + 4 * tx) {
            const i64 d4v = 64 * tn + 4 * tx;
            const i64 v1 = in1[d3];
            const i64 v2 = cu_wrapped_index(bindings, step, cu_cast<i64>(v1), i64(n0));
            vec<f32, 4> r5;
            r5 = ld_vec<f32, 4>(in0 + 16 * n2 * v2 + d4v);
            vec<f32, 4> r6;
            r6 = ld_vec<f32, 4>(in4 + d4v);
            vec<f32, 4> r7;
            CUPOLA_UNROLL
            for (i64 e = 0; e < 4; ++e) {
              const f32 v3 = r0[i][e];
              const f32 v4 = r5[e];
              const f32 v5 = r6[e];
              const f32 v6 = v3 + v5;
              const f32 v7 = v4 + v6;
              const f32 v8 = cu_relu(v7);
              r7[e] = v8;
            }
            st_vec(out0 + 16 * d3 * n2 + d4v, r7);
          }
        }
      }
    }
  }
}
