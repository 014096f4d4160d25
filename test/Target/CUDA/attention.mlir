//===- test/Target/CUDA/attention.mlir - attention in one kernel, by the type of its operands and its rows ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: sed 's/STORED/f32/g; s/ROWS/200/g' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=ASYNC
// RUN: sed 's/STORED/bf16/g; s/ROWS/200/g' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=BF16
// RUN: sed 's/STORED/f16/g; s/ROWS/200/g' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_75 | FileCheck %s --check-prefix=SM75

// PLAIN: schedule=attention threads=128 {{.*}} grid=[84]
// PLAIN: f32 *const [[WEIGHTS:s[0-9]+]] = cu_shared<f32>(0);
// PLAIN: for (i32 [[STEP:j[_0-9]*]] = 0; [[STEP]] < 3; ++[[STEP]]) {
// Scores: tiles of queries and keys in two buffers, one barrier for each.
// PLAIN: for (i32 kt = 0; kt < 4; ++kt) {
// PLAIN: cu_barrier();
// PLAIN: outer_fma(
// PLAIN-NOT: cu_barrier
// Rows beyond the last are computed, and so all lanes meet.
// PLAIN-NOT: if (
// PLAIN: lanes_max<16>(
// PLAIN: lanes_sum<16>(
// Weights reach the other lanes of the row through shared memory, behind the barrier of the first values.
// PLAIN: [[WEIGHTS]][{{.*}}] = v{{[0-9]+}};
// PLAIN: for (i32 kt = 0; kt < 8; ++kt) {
// PLAIN: cu_barrier();
// PLAIN: ld_fragment<4>(r{{[0-9]+}}, [[WEIGHTS]] +
// PLAIN: outer_fma(
// PLAIN: if (199 >= {{.*}}) {
// PLAIN: st_vec(out0

// Queries and the first keys arrive together; values while the scores are made, the next keys while the result is.
// ASYNC: schedule=attention_mma threads=128 {{.*}} grid=[192]
// ASYNC: [[Q:at[0-9]+]] = cu_pinned(in0 +
// ASYNC: cp_async<16>({{.*}}, [[Q]] +{{.*}}, 999 >=
// ASYNC-NOT: cp_async_commit
// ASYNC: [[K:at[0-9]+]] = cu_pinned(in1 +
// ASYNC: cp_async<16>({{.*}}, [[K]] +
// ASYNC: cp_async_commit();
// ASYNC: [[VALUES:at[0-9]+]] = cu_pinned(in2 +
// ASYNC: [[KEYS:at[0-9]+]] = cu_pinned(in1 +
// ASYNC: for (i32 [[STEP:j[_0-9]*]] = 0; [[STEP]] < 3; ++[[STEP]]) {
// ASYNC: cp_async_wait<0>();
// ASYNC-NEXT: cu_barrier();
// ASYNC: [[V:at[0-9]+]] = cu_pinned([[VALUES]] +
// ASYNC: cp_async<16>({{.*}}, [[V]] +
// ASYNC: cp_async_commit();
// ASYNC: mma_load_a(
// ASYNC: mma_load_b_transposed(
// ASYNC: warp_mma_tile(
// ASYNC: if (1 >= [[STEP]]) {
// ASYNC-NEXT: cu_barrier();
// ASYNC: [[NEXT:at[0-9]+]] = cu_pinned([[KEYS]] +
// ASYNC: cp_async<16>({{.*}}, [[NEXT]] +
// ASYNC: cp_async_commit();
// ASYNC-NOT: if (
// ASYNC: lanes_max<4>(
// ASYNC: lanes_sum<4>(
// ASYNC: cp_async_wait<1>();
// ASYNC-NEXT: cu_barrier();
// ASYNC: mma_pack_a<f16>([[LEFT:r[0-9]+]], r{{[0-9]+}}, [[K:k[_0-9]*]]);
// ASYNC: mma_load_b(
// ASYNC: warp_mma_tile(r{{[0-9]+}}, [[LEFT]],
// ASYNC: if (999 >= {{.*}}) {
// ASYNC: st_vec(out0

// BF16: schedule=attention_mma
// BF16: warp_mma_tile_bf16(
// BF16: mma_pack_a<bf16>(
// BF16: warp_mma_tile_bf16(

// Without cp.async through registers; a product of depth 16 is two of depth 8 in the header.
// SM75: schedule=attention_mma
// SM75-NOT: cp_async
// SM75: for (i32 [[STEP:j[_0-9]*]] = 0; [[STEP]] < 3; ++[[STEP]]) {
// SM75: st_vec(s1
// SM75: cu_barrier();
// SM75: warp_mma_tile(
// SM75: lanes_max<4>(
// SM75: st_vec(s2
// SM75: cu_barrier();
// SM75: mma_pack_a<f16>(
// SM75: warp_mma_tile(
// SM75-NOT: cp_async

// Rows of a block: what leaves the busiest multiprocessor the least to do, of 40 or of 108.
// RUN: sed 's/STORED/f32/g; s/ROWS/64/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75}))' | FileCheck %s --check-prefix=FEW75
// RUN: sed 's/STORED/f32/g; s/ROWS/64/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))' | FileCheck %s --check-prefix=FEW80
// RUN: sed 's/STORED/f32/g; s/ROWS/1024/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))' | FileCheck %s --check-prefix=MANY
// RUN: sed 's/STORED/f16/g; s/ROWS/64/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75}))' | FileCheck %s --check-prefix=HALF75
// RUN: sed 's/STORED/f16/g; s/ROWS/64/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))' | FileCheck %s --check-prefix=HALF80
// RUN: sed 's/STORED/bf16/g; s/ROWS/64/g' %S/Inputs/attention.mlir | cupola-opt --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75}))' | FileCheck %s --check-prefix=FEW75

// FEW75: schedule #cuda.attention<rows 32> (
// FEW80: schedule #cuda.attention<rows 16> (
// MANY: schedule #cuda.attention<rows 64> (
// HALF75: schedule #cuda.attention_mma<rows 16, warps 1, groups 1, async false> (
// HALF80: schedule #cuda.attention_mma<rows 16, warps 1, groups 2, async true> (

// Keys in parts: a warp waits for its own alone, and the first one takes what all have.
// RUN: sed 's/STORED/f16/g; s/ROWS/32/g; s/scalars \[\]/& schedule #cuda.attention_mma<rows 16, warps 1, groups 2, async true>/' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=GROUPS
// GROUPS: threads=64 {{.*}} grid=[24]
// GROUPS: const i32 warp = t / 32;
// GROUPS: const i32 first = 2 * warp;
// GROUPS-NEXT: const i32 end = cu_min<i32>(first, 1) + 2;
// GROUPS: cu_pinned(in0 +
// GROUPS: cp_async<16>(s1 + 9216 * warp +
// GROUPS: cp_async<16>(s2 + 9216 * warp +
// GROUPS: cp_async_commit();
// GROUPS: if (end > first + 1) {
// GROUPS: cp_async<16>(s1 + 9216 * warp +
// GROUPS: cp_async<16>(s2 + 9216 * warp +
// GROUPS: cp_async_wait<1>();
// GROUPS-NEXT: cu_barrier();
// GROUPS: for (i32 [[STEP:j[_0-9]*]] = first; [[STEP]] < end; ++[[STEP]]) {
// GROUPS-NOT: cu_barrier
// GROUPS-NOT: cp_async<
// GROUPS: cp_async_wait<1>();
// GROUPS-NEXT: cu_syncwarp();
// GROUPS: const i32 buffer = 2 * warp + {{.*}} % 2;
// GROUPS: mma_load_b_transposed(r{{[0-9]+}}, s1 + 4608 * buffer +
// GROUPS: mma_load_b(r{{[0-9]+}}, s2 + {{.*}}4608 * buffer
// GROUPS: if (warp > 0) {
// GROUPS: [[STATES:s[0-9]+]][1152 * warp +
// GROUPS: cu_barrier();
// GROUPS: if (0 >= warp) {
// GROUPS: CUPOLA_UNROLL
// GROUPS-NEXT: for (i32 p = 1; p < 2; ++p) {
// GROUPS: = [[STATES]][32 *
// GROUPS: st_vec(out0

// Keys and values of bytes: a thread makes halves of what it brought itself, and the next ones are on their way.
// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g; s/\(%[kv]: !kernel.view<\)f16/\1i8/g; s/%x = \(kernel.load %[kv].*\) : f16 from !kernel.view<f16,\(.*\)/%b = \1 : i8 from !kernel.view<i8,\2\n      %x = kernel.cast %b : i8 -> f16/' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=BYTES
// BYTES: schedule=attention_mma
// BYTES: i8 *const [[RAW:s[0-9]+]] = cu_shared<i8>(
// BYTES: f16 *const [[KEYS:s[0-9]+]] = cu_shared<f16>(
// BYTES: cp_async<16>([[RAW]] + 16 * t +
// BYTES: cp_async_commit();
// BYTES: cp_async<16>(
// BYTES: cp_async_commit();
// BYTES: for (i32 [[STEP:j[_0-9]*]] = 0; [[STEP]] < 3; ++[[STEP]]) {
// BYTES: cp_async_wait<1>();
// BYTES-NOT: cu_barrier
// BYTES: [[VECTOR:r[0-9]+]] = ld_vec<i8, 16>([[RAW]] + 16 * t +
// BYTES-NEXT: cu_widen([[HALVES:r[0-9]+]], [[VECTOR]]);
// BYTES-NEXT: st_vec([[KEYS]] + {{.*}}, [[HALVES]][0]);
// BYTES-NEXT: st_vec([[KEYS]] + {{.*}} + 8, [[HALVES]][1]);
// BYTES: cu_barrier();
// BYTES-NEXT: if (1 >= [[STEP]]) {
// BYTES-NOT: cu_barrier
// BYTES: cp_async<16>([[RAW]] + 16 * t +
// BYTES: cp_async_commit();
// BYTES: warp_mma_tile(
// BYTES: cp_async_wait<1>();
// BYTES: cu_widen(
// BYTES: cu_barrier();

// Casts that change numbers are made of each.
// RUN: sed 's/STORED/f16/g; s/ROWS/1000/g; s/\(%[kv]: !kernel.view<\)f16/\1i8/g; s/%x = \(kernel.load %[kv].*\) : f16 from !kernel.view<f16,\(.*\)/%b = \1 : i8 from !kernel.view<i8,\2\n      %u = kernel.cast %b : i8 -> ui8\n      %x = kernel.cast %u : ui8 -> f16/' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=CHANGED
// CHANGED: schedule=attention_mma
// CHANGED-NOT: cu_widen
// CHANGED: cu_cast<u8>
// CHANGED-NOT: cu_widen

// The last of the blocks that share the keys of their rows reads what each of them left, in their order.
// RUN: sed 's/STORED/f16/g; s/ROWS/16/g; s/in \[12\] scalars \[\]/in [n0] scalars [#kernel.scalar<1, 0, 1>] schedule #cuda.attention_mma<rows 16, warps 1, groups 1, async true, split 4>/; s/below 3/below n0/' %S/Inputs/attention.mlir | cupola-translate --kernel-to-cuda --arch=sm_80 | FileCheck %s --check-prefix=SPLIT
// SPLIT: grid=[n0, min({{.*}}] buffers=[r,r,r,w,rw,rw]
// SPLIT: const i64 parts = cu_min
// SPLIT: const i64 first = by * ((n0 - 1) / parts) + by;
// SPLIT: io0[1152 * bx * parts + t + 1152 * by +
// SPLIT: cu_last_block(io1 + bx, parts, s{{[0-9]+}})
// SPLIT: = io0[1152 * bx * parts + t
// SPLIT: for (i64 p = 1; p < parts; ++p) {
// SPLIT: = io0[1152 * bx * parts + t + 1152 * p +
// SPLIT: st_vec(out0

// Steps without a region that says how parts meet have none.
// RUN: sed 's/STORED/f16/g; s/ROWS/32/g; s/scalars \[\]/& schedule #cuda.attention_mma<rows 16, warps 1, groups 2, async true>/; s/^  } meet .*/  }/; /%both, %f0/,/kernel.yield %both/d' %S/Inputs/attention.mlir | sed '/^  }$/{N;s/^  }\n  }$/  }/;}' | not cupola-translate --kernel-to-cuda --arch=sm_80 2>&1 | FileCheck %s --check-prefix=APART
// APART: has no parts that could meet
