//===- test/Sim/PlantedBugsTest.cpp - Every kind of fault is found, and said rightly ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/ExpectFinding.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

/// A kernel with one fault. It gets buffer 0: 256 f32 to read, buffer 1: 256 f32 to write, and slot 0 = 256.
struct PlantedBug {
  const char *name;
  int threads;
  int sharedBytes;
  int grid;
  const char *body;
  std::vector<const char *> said; ///< parts of the message
};

const char *const kPreamble = "  const f32 *const in = cu_read<f32>(bindings, ref0);\n"
                              "  f32 *const out = cu_write<f32>(bindings, ref1);\n"
                              "  const i32 n = cu_scalar<i32>(bindings, slot0);\n"
                              "  const u32 t = cu_tid();\n"
                              "  f32 *const s = cu_shared<f32>(0);\n";

const PlantedBug kBugs[] = {
    {"ReadPastBuffer",
     32,
     0,
     1,
     "  out[t] = in[t + 225];",
     {"out of bounds: read of 4 bytes at buffer 0 (1024 bytes) + 1024 by thread 31 of block 0", "kernels.cu:8"}},
    {"ReadBeforeBuffer",
     32,
     0,
     1,
     "  out[t] = in[(i32)t - 1];",
     {"out of bounds: read of 4 bytes at 4 bytes before buffer 0 (1024 bytes) by thread 0 of block 0"}},
    {"WritePastBuffer",
     32,
     0,
     9,
     "  out[cu_block() * 32 + t] = in[t];",
     {"out of bounds: write of 4 bytes at buffer 1 (1024 bytes) + 1024 by thread 0 of block 8"}},
    {"VectorPartlyPast",
     32,
     0,
     1,
     "  st_vec(out + t * 4, ld_vec<f32, 4>(in + 132 + t * 4));",
     {"out of bounds: read of 16 bytes at buffer 0 (1024 bytes) + 1024 by thread 31 of block 0"}},
    {"FarAddress", 32, 0, 1, "  out[t] = in[(i64)t << 40 | 1ll << 38];", {"far from every buffer"}},
    {"WriteToInput",
     32,
     0,
     1,
     "  const_cast<f32 *>(in)[t] = 0.0f;",
     {"store to a read-only buffer: write of 4 bytes at buffer 0 (1024 bytes) + 0 by thread 0 of block 0"}},
    {"SharedPast",
     32,
     128,
     1,
     "  s[t + 1] = in[t];\n  cu_barrier();\n  out[t] = s[t + 1];",
     {"out of bounds: write of 4 bytes at shared+128 (of 128 bytes) by thread 31 of block 0"}},
    {"SharedUninitialised",
     32,
     256,
     1,
     "  s[t] = in[t];\n  cu_barrier();\n  out[t] = s[t] + s[63 - t];",
     {"uninitialised read: read of 4 bytes at shared+128 (of 256 bytes) by thread 31 of block 0, which nobody wrote",
      "kernels.cu:10"}},
    {"OutputReadBeforeWrite",
     32,
     0,
     1,
     "  out[t] = out[t] + in[t];",
     {"uninitialised read: read of 4 bytes at buffer 1 (1024 bytes) + 0 by thread 0"}},
    {"OutputNotWritten",
     32,
     0,
     8,
     "  if (t < 31) out[cu_block() * 32 + t] = in[t];",
     {"download of 1024 bytes: byte 124 was never written"}},
    {"HalfOfWordUninitialised",
     32,
     256,
     1,
     "  f16 *const h = cu_shared<f16>(0);\n  h[t * 2] = cu_cast<f16>(in[t]);\n  cu_barrier();\n"
     "  out[t] = cu_cast<f32>(h[t * 2 + 1]);",
     {"uninitialised read: read of 2 bytes at shared+126"}},
    {"MissingBarrier",
     64,
     256,
     1,
     "  s[t] = in[t];\n  out[t] = s[63 - t];",
     {"race: read of 4 bytes at shared+", "is not ordered after the write by thread ", "kernels.cu:9",
      "the earlier access at kernels.cu:8"}},
    {"WriteAfterRead",
     64,
     256,
     1,
     "  s[t] = in[t];\n  cu_barrier();\n  const f32 x = s[63 - t];\n  s[t] = x;\n  cu_barrier();\n  out[t] = s[t];",
     {"race: write of 4 bytes at shared+", "is not ordered after the read by thread "}},
    {"WriteAfterManyReads",
     64,
     256,
     1,
     "  s[t] = in[t];\n  cu_barrier();\n  out[t] = s[0];\n  if (t == 0) s[0] = 1.0f;",
     {"race: ", "at shared+0 (of 256 bytes) by thread "}},
    {"WriteAfterWrite",
     64,
     256,
     1,
     "  s[t / 2] = in[t];\n  cu_barrier();\n  out[t] = s[t / 2];",
     {"race: write of 4 bytes at shared+0", "is not ordered after the write by thread 0"}},
    {"HalvesWithoutBarrier",
     64,
     256,
     1,
     "  f16 *const h = cu_shared<f16>(0);\n  h[t] = cu_cast<f16>(in[t]);\n  out[t] = cu_cast<f32>(h[t ^ 1]);",
     {"race: read of 2 bytes at shared+"}},
    {"ShuffleIsNoBarrier",
     32,
     256,
     1,
     "  s[t] = in[t];\n  const f32 x = cu_shfl_xor(in[t], 1);\n  out[t] = s[t ^ 1] + x;",
     {"race: read of 4 bytes at shared+"}},
    {"WarpBarrierAcrossWarps",
     64,
     256,
     1,
     "  s[t] = in[t];\n  cu_syncwarp();\n  out[t] = s[63 - t];",
     {"race: read of 4 bytes at shared+"}},
    {"GlobalRaceInBlock",
     64,
     0,
     4,
     "  out[t / 2] = in[t];",
     {"race: write of 4 bytes at buffer 1 (1024 bytes) + 0 by thread 1 of block 0 is not ordered after the write by "
      "thread 0"}},
    {"GlobalRaceBetweenBlocks",
     32,
     0,
     2,
     "  out[t] = in[t];",
     {"race: write of 4 bytes at buffer 1 (1024 bytes) + 0 by thread 0 of block 1 is not ordered after the write by "
      "thread 0 of block 0"}},
    {"WriteAfterReadBetweenBlocks",
     32,
     0,
     2,
     "  u32 *const c = cu_write<u32>(bindings, ref2);\n  if (cu_block() == 0) out[t] = cu_cast<f32>(c[t % 8]);\n"
     "  else if (t < 8) c[t] = 1;",
     {"race: write of 4 bytes at buffer 2 (32 bytes) + 0 by thread 0 of block 1 is not ordered after the read by "
      "thread 24 "
      "of block 0"}},
    {"WriteAfterReadOfSeveralBlocks",
     32,
     0,
     3,
     "  u32 *const c = cu_write<u32>(bindings, ref2);\n  if (cu_block() < 2) out[cu_block() * 32 + t] = "
     "cu_cast<f32>(c[0]);\n"
     "  else if (t == 0) c[0] = 1;",
     {"race: write of 4 bytes at buffer 2 (32 bytes) + 0 by thread 0 of block 2 is not ordered after reads by several "
      "blocks, the first block 0"}},
    {"TicketWithoutFence",
     32,
     128,
     2,
     "  if (cu_block() == 0) out[t + 1] = in[t];\n  cu_barrier();\n  u32 *const c = (u32 *)cu_write<f32>(bindings, "
     "ref2);\n"
     "  if (t == 0) cu_shared<u32>(0)[0] = cu_atomic_add(c, 1u);\n  cu_barrier();\n"
     "  if (cu_shared<u32>(0)[0] == 1) out[t + 64] = out[t + 1];",
     {"race: read of 4 bytes at buffer 1 (1024 bytes) + 124 by thread 30 of block 1 is not ordered after the write by "
      "thread 30 of block 0"}},
    {"MisalignedVector",
     32,
     0,
     1,
     "  st_vec(out + t * 4, ld_vec<f32, 4>(in + 1 + t * 4));",
     {"misaligned access: read of 16 bytes at buffer 0 (1024 bytes) + 4 by thread 0 of block 0", "multiple of 16"}},
    {"ForeignStack",
     64,
     64,
     1,
     "  f32 mine[4] = {in[t], 1, 2, 3};\n  u64 *const p = cu_shared<u64>(0);\n  if (t == 0) p[0] = (u64)&mine[n & 3];\n"
     "  cu_barrier();\n  out[t] = *(const f32 *)p[0] + mine[t & 3];\n  cu_barrier();",
     {"access to another thread's stack: read of 4 bytes", "it lies on the stack of thread 0"}},
    {"BarrierInBranch", 64, 0, 1, "  if (t < 32) cu_barrier();\n  out[t] = in[t];", {"divergence: ", "never reached"}},
    {"TwoBarriers",
     64,
     0,
     1,
     "  if (t < 32) { out[t] = 1; cu_barrier(); } else { cu_barrier(); out[t] = in[t]; }",
     {"divergence: ", "waits at another barrier"}},
    {"BarriersOfTwoReductions",
     64,
     64,
     1,
     "  out[t] = t < 32 ? block_sum<64>(in[t], s) : block_sum<64>(in[t], s + 2);",
     {"divergence: ", "waits at another barrier", "reduce.cuh:"}},
    {"ShufflesOfTwoReductions",
     32,
     0,
     1,
     "  out[t] = t < 16 ? warp_sum(in[t]) : warp_sum(in[t] + 1.0f);",
     {"divergence: ", "comes to a shuffle while lanes of its warp wait in a shuffle elsewhere"}},
    {"DivergentShuffle",
     32,
     0,
     1,
     "  out[t] = t < 16 ? cu_shfl_xor(in[t], 1) : in[t];",
     {"deadlock: block 0: nobody can go on; 16 threads wait in a warp operation (first: thread 0), 16 have finished"}},
    {"DifferentWarpOperations",
     32,
     0,
     1,
     "  if (t < 16) out[t] = cu_shfl_xor(in[t], 1); else out[t] = cu_any(in[t] > 0) ? 1.0f : 0.0f;",
     {"divergence: ", "comes to "}},
    {"AsyncWithoutWait",
     32,
     512,
     1,
     "  cp_async<16>(s + t * 4, in + t * 4);\n  cp_async_commit();\n  cu_barrier();\n  out[t] = s[t];",
     {"race: read of 4 bytes at shared+124", "the asynchronous copy that thread 7 started and has not waited for"}},
    {"AsyncWaitsTooFew",
     32,
     1024,
     1,
     "  cp_async<4>(s + t, in + t);\n  cp_async_commit();\n  cp_async<4>(s + 32 + t, in + t);\n  cp_async_commit();\n"
     "  cp_async_wait<1>();\n  cu_barrier();\n  out[t] = s[t] + s[32 + t];",
     {"race: read of 4 bytes at shared+252"}},
    {"AsyncWithoutBarrier",
     32,
     512,
     1,
     "  cp_async<4>(s + t, in + t);\n  cp_async_commit();\n  cp_async_wait<0>();\n  out[t] = s[31 - t];",
     {"race: read of 4 bytes at shared+"}},
    {"AsyncMisaligned",
     32,
     1024,
     1,
     "  cp_async<16>(s + t * 4 + 1, in + t * 4);\n  cp_async_wait<0>();",
     {"misaligned access: write of 16 bytes at shared+4"}},
    {"AsyncOutOfBounds",
     32,
     2048,
     1,
     "  cp_async<16>(s + t * 4, in + t * 12);\n  cp_async_wait<0>();",
     {"out of bounds: read of 16 bytes at buffer 0 (1024 bytes) + 1056 by thread 22 of block 0"}},
    {"MatrixRowMisaligned",
     32,
     2048,
     1,
     "  u32 r[4];\n  ldmatrix_x4(r, cu_shared<u8>(t * 8));\n  out[t] = cu_bitcast<f32>(r[0]);",
     {"misaligned access: read of 16 bytes at shared+8"}},
    {"IndexOverflow",
     32,
     0,
     1,
     "  i32 big = 0x7fffff00 + (i32)t;\n  big = big + n;\n  out[t] = cu_cast<f32>(big);",
     {"undefined behaviour: signed overflow in an addition in thread 0 of block 0", "kernels.cu:9"}},
    {"LocalArrayBounds",
     32,
     0,
     1,
     "  f32 a[4] = {in[t], 1, 2, 3};\n  for (i32 i = 0; i < n / 50; ++i) a[i] = in[i];\n  out[t] = a[t & 3];",
     {"undefined behaviour: an index outside a local array"}},
    {"DivisionByZero",
     32,
     0,
     1,
     "  out[t] = cu_cast<f32>(n / (i32)(t - t));",
     {"undefined behaviour: a division by zero"}},
    {"ShiftTooFar",
     32,
     0,
     1,
     "  out[t] = cu_cast<f32>(1u << (n + t));",
     {"undefined behaviour: a shift by a count outside"}},
};

class PlantedBugs : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(PlantedBugs, IsFound) {
  const PlantedBug &bug = GetParam();
#ifdef CUPOLA_SANITIZED
  for (const std::string part : bug.said)
    if (part.find("undefined behaviour") != std::string::npos)
      GTEST_SKIP() << "the sanitizer that this program is built with takes the calls that the simulator would answer";
#endif
  KernelRun run;
  run.kernel = "k_planted";
  run.text = kernelHead(run.kernel, bug.threads, 3, 1) + kPreamble + bug.body + "\n}\n";
  run.threads = static_cast<uint32_t>(bug.threads);
  run.sharedBytes = static_cast<uint64_t>(bug.sharedBytes);
  run.grid = static_cast<uint64_t>(bug.grid);
  std::vector<float> values(256);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  run.buffers = {input(values), output<float>(256), inPlace(std::vector<uint32_t>(8))};
  run.scalars = {256};
  expectFinding(run, "sm_80", bug.said);
}

INSTANTIATE_TEST_SUITE_P(Sim, PlantedBugs, ::testing::ValuesIn(kBugs),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
