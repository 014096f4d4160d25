//===- test/Sim/TrafficTest.cpp - What the simulator counts: requests, sectors, conflicts, bytes, barriers ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/KernelRunner.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

/// Runs `body` with 4096 floats to read and to write, in two blocks of 64 threads; n is 0, but the compiler cannot
/// know.
runtime::KernelStatistics countOf(const std::string &body, int threads = 64) {
  KernelRun run;
  run.kernel = "k_counted";
  run.text =
      kernelHead("k_counted", threads, 2, 1) +
      "  const f32 *const in = cu_read<f32>(bindings, ref0);\n  f32 *const out = cu_write<f32>(bindings, ref1);\n"
      "  f32 *const s = cu_shared<f32>(0);\n  const u32 t = cu_tid(), i = cu_block() * cu_threads() + t;\n" +
      body + "\n}\n";
  run.threads = static_cast<uint32_t>(threads);
  run.grid = 2;
  run.sharedBytes = 32768;
  run.buffers = {input(std::vector<float>(4096)), output<float>(4096)};
  run.scalars = {0};
  run.downloads = false;
  const auto device = makeSimulator("sm_80");
  const KernelOutcome outcome = runKernel(*device, run);
  EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
  const auto all = device->statistics();
  return all.size() == 1 ? all[0] : runtime::KernelStatistics();
}

TEST(Traffic, ContiguousWordsTakeFourSectors) {
  const auto c = countOf("  out[i] = in[i];");
  // Per warp one read and one write; the reads of bindings (2 addresses are plain, so only `in` and `out`) cost
  // nothing.
  EXPECT_EQ(c.launches, 1u);
  EXPECT_EQ(c.blocks, 2u);
  EXPECT_EQ(c.bytesRead, 512u);
  EXPECT_EQ(c.bytesWritten, 512u);
  EXPECT_EQ(c.requests, 8u);
  EXPECT_EQ(c.sectors, 32u);
}

TEST(Traffic, ArgumentsAreNotCounted) {
  const auto c = countOf("  out[i] = in[i] + cu_cast<f32>(cu_scalar<i64>(bindings, slot0));");
  EXPECT_EQ(c.requests, 8u);
  EXPECT_EQ(c.bytesRead, 512u);
}

TEST(Traffic, VectorsTakeSixteenSectorsARequest) {
  const auto c = countOf("  st_vec(out + i * 4, ld_vec<f32, 4>(in + i * 4));");
  EXPECT_EQ(c.requests, 8u);
  EXPECT_EQ(c.sectors, 8u * 16);
  EXPECT_EQ(c.bytesRead, 2048u);
}

TEST(Traffic, StridedReadsTakeASectorPerLane) {
  const auto c = countOf("  out[i] = in[i * 16];");
  EXPECT_EQ(c.requests, 8u);
  EXPECT_EQ(c.sectors, 4u * 32 + 4 * 4);
}

TEST(Traffic, BroadcastTakesOneSector) {
  const auto c = countOf("  out[i] = in[cu_block()];");
  EXPECT_EQ(c.sectors, 4u * 1 + 4 * 4);
  EXPECT_EQ(c.distinctSectors, 1u + 4 * 4) << "both blocks read the same sector";
}

TEST(Traffic, DivergentLanesMakeRequestsOfTheirOwn) {
  const auto c = countOf("  if (t % 2 == 0) out[i] = in[i]; else out[i] = in[i + 256] + 1.0f;");
  // Even and odd lanes read at two places; the compiler may join the two stores.
  EXPECT_GE(c.requests, 12u);
  EXPECT_LE(c.requests, 16u);
  EXPECT_EQ(c.bytesRead, 512u);
}

TEST(Traffic, SharedConflictsAreCounted) {
  for (auto [stride, conflicts] : {std::pair<int, uint64_t>{1, 0}, {2, 1}, {32, 31}, {33, 0}, {0, 0}}) {
    const std::string at = "s[t % 32 * " + std::to_string(stride) + " + t / 32 * 2048]";
    // Stores with stride 0 would race; so one lane stores, and all load.
    const auto c =
        countOf("  for (u32 k = t; k < 4096; k += 64) s[k] = 0.0f;\n  cu_barrier();\n  out[i] = " + at + ";");
    EXPECT_EQ(c.sharedRequests, 2u * 2 * 64 + 4) << "stride " << stride;
    EXPECT_EQ(c.bankConflicts, 4 * conflicts) << "stride " << stride;
    EXPECT_EQ(c.barriers, 2u);
  }
}

TEST(Traffic, SharedVectorsGoByQuarterWarps) {
  const auto none = countOf("  st_vec(s + t * 4, splat_vec<f32, 4>(1.0f));");
  EXPECT_EQ(none.sharedRequests, 4u);
  EXPECT_EQ(none.bankConflicts, 0u);
  const auto strided = countOf("  st_vec(s + t * 8, splat_vec<f32, 4>(1.0f));");
  EXPECT_EQ(strided.bankConflicts, 4u * 4) << "each quarter needs two wavefronts";
  // Four lanes of each quarter, in banks that those of the next have, too.
  const auto some = countOf("  if (t % 8 < 4) st_vec(s + (t / 8 * 32 + t % 8 * 4), splat_vec<f32, 4>(1.0f));");
  EXPECT_EQ(some.sharedRequests, 4u);
  EXPECT_EQ(some.bankConflicts, 0u);
}

TEST(Traffic, LongLoopsAreCountedWhole) {
  // More accesses between two barriers than a lane's log holds.
  const auto c =
      countOf("  f32 sum = 0.0f;\n  for (u32 k = 0; k < 1000; ++k) sum += in[(k * 64 + t) % 4096];\n  out[i] = sum;");
  EXPECT_EQ(c.requests, 4u * 1000 + 4);
  EXPECT_EQ(c.sectors, 4u * (4 * 1000 + 4));
  EXPECT_EQ(c.bytesRead, 2u * 64 * 1000 * 4);
}

TEST(Traffic, RowsOfTensorCopiesAreRequests) {
  KernelRun run;
  run.kernel = "k_copied";
  run.text = kernelHead("k_copied", 32, 1, 0, 1) +
             "  u64 *const bar = cu_shared<u64>(8192);\n  if (cu_tid() == 0) {\n    mbarrier_init(bar, 1);\n"
             "    mbarrier_init_fence();\n    tensor_map_acquire(cu_tensor_map(bindings, map0));\n"
             "    mbarrier_expect(bar, 8192);\n"
             "    tensor_copy(cu_shared<f16>(0), cu_tensor_map(bindings, map0), {0, 0}, bar);\n  }\n"
             "  cu_barrier();\n  mbarrier_wait(bar, 0);\n}\n";
  run.sharedBytes = 8192 + 8;
  run.buffers = {input(std::vector<uint16_t>(40 * 20))};
  run.maps = {{0, format::DType::F16, {40, 20}, {80}, {64, 64}, 128}};
  const auto device = makeSimulator("sm_90a");
  const KernelOutcome outcome = runKernel(*device, run);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  const auto c = device->statistics()[0];
  EXPECT_EQ(c.requests, 20u) << "rows inside of the tensor";
  EXPECT_EQ(c.bytesRead, 20u * 80);
  EXPECT_EQ(c.distinctSectors, 20u * 80 / 32);
  EXPECT_EQ(c.bankConflicts, 0u);
}

TEST(Traffic, LargestBlock) {
  const auto c = countOf("  s[t] = in[i];\n  cu_barrier();\n  out[i] = s[1023 - t];", 1024);
  EXPECT_EQ(c.barriers, 2u);
  EXPECT_EQ(c.requests, 2u * 32 * 2);
}

} // namespace
