//===- test/Sim/PlantedClusterBugsTest.cpp - Faults with clusters, mbarriers, tensor copies, wgmma are found ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/PlantedClusterBugs.h"
#include "test/Sim/ExpectFinding.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

const char *const kPreamble =
    "  f32 *const out = cu_write<f32>(bindings, ref1);\n  f16 *const g = cu_write<f16>(bindings, ref2);\n"
    "  const f16 *const in = cu_read<f16>(bindings, ref0);\n"
    "  const u32 t = cu_tid();\n  f16 *const s = cu_shared<f16>(0);\n  u64 *const bar = cu_shared<u64>(16384);\n"
    "  const TensorMap *const a = cu_tensor_map(bindings, map0), *const b = cu_tensor_map(bindings, map1),\n"
    "                  *const c = cu_tensor_map(bindings, map2), *const w = cu_tensor_map(bindings, map3),\n"
    "                  *const v = cu_tensor_map(bindings, map4);\n";
const char *const kReady = "  if (t == 0) {\n    mbarrier_init(bar, 1);\n    mbarrier_init_fence();\n"
                           "    tensor_map_acquire(a);\n    tensor_map_acquire(b);\n    tensor_map_acquire(c);\n    "
                           "tensor_map_acquire(w);\n    tensor_map_acquire(v);\n  }\n"
                           "  cluster_barrier();\n";

const PlantedBug kMBarrierBugs[] = {
    {"InitTwice",
     32,
     0,
     false,
     "  if (t == 0) {\n    mbarrier_init(bar, 1);\n    mbarrier_init(bar, 2);\n  }",
     {"mbarrier: thread 0 of block 0 initialises again the mbarrier at shared+16384", "kernels.cu:13"}},
    {"NoInit",
     32,
     0,
     false,
     "  mbarrier_arrive(bar);",
     {"mbarrier: thread 0 of block 0 arrives at the mbarrier at shared+16384", "which nobody initialised"}},
    {"InitNotOrdered",
     32,
     0,
     false,
     "  if (t == 0) mbarrier_init(bar, 32);\n  mbarrier_arrive(bar);",
     {"mbarrier: thread 1 of block 0 arrives at", "without an order after its init by thread 0"}},
    {"InitNotFenced",
     32,
     0,
     false,
     "  if (t == 0) {\n    mbarrier_init(bar, 1);\n    tensor_map_acquire(a);\n  }\n  cu_barrier();\n" + kBrought,
     {"mbarrier: thread 0 of block 0 starts a tensor copy at",
      "without an order after its init by thread 0 and a fence"}},
    {"RemoteInitNotOrdered",
     32,
     2,
     false,
     "  if (t == 0) {\n    mbarrier_init(bar, 1);\n    mbarrier_init_fence();\n"
     "    mbarrier_arrive(bar, 1 - cluster_rank());\n  }\n  cluster_barrier();",
     {"mbarrier: thread 0 of block "}},
    {"TooManyArrivals",
     32,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n    mbarrier_arrive(bar);\n  }",
     {"mbarrier: thread 0 of block 0 arrives at the mbarrier at shared+16384, whose phase 0 waits for 0 of 1 arrivals "
      "and 8192 bytes: once more than in this phase"}},
    {"NeverBrought",
     32,
     0,
     true,
     "  if (t == 0) mbarrier_expect(bar, 8192);",
     {"mbarrier: block 0 ends while there is the mbarrier at shared+16384", "and 8192 bytes"}},
    {"NeverExpected",
     32,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_expect(bar, 4096);\n    tensor_copy(s, a, {0, 0}, bar);\n  }\n"
     "  mbarrier_wait(bar, 0);",
     {"deadlock: block 0: nobody can go on; 32 threads wait for mbarriers (first: thread 0, for the mbarrier at "
      "shared+16384, whose phase 0 waits for 0 of 1 arrivals and has 4096 bytes that nobody expects)"}},
    {"TooManyBytes", 32, 0, true, "  if (t == 0) mbarrier_expect(bar, 1 << 20);", {"it counts to 1048575"}},
    {"CountTooLarge", 32, 0, false, "  if (t == 0) mbarrier_init(bar, 1 << 20);", {"1 to 1048575 are possible"}},
    {"CountOfNone", 32, 0, false, "  if (t == 0) mbarrier_init(bar, 0);", {"with 0 arrivals"}},
    {"MBarrierMisaligned",
     32,
     0,
     false,
     "  if (t == 0) mbarrier_init((u64 *)((u8 *)bar + 4), 1);",
     {"names an mbarrier at shared+16388", "no multiple of 8"}},
    {"MBarrierElsewhere", 32, 0, false, "  if (t == 0) mbarrier_init((u64 *)out, 1);", {"outside of shared memory"}},
    {"NoSuchParity", 32, 0, true, "  mbarrier_wait(bar, 2);", {"waits for parity 2"}},
    {"WaitsForever",
     32,
     0,
     true,
     "  if (t == 3) mbarrier_wait(bar, 0);",
     {"deadlock: block 0: nobody can go on; 1 threads wait for mbarriers (first: thread 3, for the mbarrier at "
      "shared+16384, whose phase 0 waits for 1 of 1 arrivals), 31 have finished",
      "kernels.cu:22"}},
    {"MBarrierRead",
     32,
     0,
     true,
     "  out[t] = cu_cast<f32>(bar[0]);",
     {"mbarrier: read of 8 bytes at shared+16384", "touches the mbarrier at shared+16384"}},
    {"MBarrierWritten", 32, 0, true, "  cu_shared<u32>(16388)[0] = t;", {"mbarrier: write of 4 bytes at shared+16388"}},
    {"OtherParity",
     32,
     0,
     true,
     kBring + "  mbarrier_wait(bar, 1);\n  out[t] = cu_cast<f32>(s[t]);",
     {"race: read of 2 bytes at shared+", "is not ordered after a tensor copy that nobody has waited for"}},
    {"WaitOrdersNoOthers",
     64,
     0,
     true,
     kBring + "  if (t == 0) mbarrier_wait(bar, 0);\n  out[t] = cu_cast<f32>(s[t]);",
     {"race: read of 2 bytes at shared+", "is not ordered after a tensor copy"}},
    {"ArrivalIsNoWait",
     64,
     0,
     true,
     "  cu_shared<f32>(0)[t] = 1.0f;\n  if (t == 0) mbarrier_arrive(bar);\n  out[t] = cu_shared<f32>(0)[63 - t];",
     {"race: read of 4 bytes at shared+"}},
    {"OthersDidNotArrive",
     64,
     0,
     true,
     "  cu_shared<f32>(0)[t] = 1.0f;\n  if (t == 0) mbarrier_arrive(bar);\n  mbarrier_wait(bar, 0);\n"
     "  out[t] = cu_shared<f32>(0)[63 - t];",
     {"race: read of 4 bytes at shared+", "is not ordered after the write by thread "}},
};

const PlantedBug kCopyBugs[] = {
    {"NotAcquired",
     32,
     0,
     false,
     "  if (t == 0) {\n    mbarrier_init(bar, 1);\n    mbarrier_init_fence();\n  }\n  cu_barrier();\n" + kBrought,
     {"tensor copy: the tensor copy by thread 0 of block 0: nobody acquired its map before"}},
    {"NoMap",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy(s, (const TensorMap *)bindings, {0, 0}, bar);",
     {"there is no tensor map at the bindings table"}},
    {"MapElsewhere",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy(s, (const TensorMap *)s, {0, 0}, bar);",
     {"its map lies at shared+0"}},
    {"OtherRank",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy(s, a, {0, 0, 0}, bar);",
     {"3 coordinates for a tensor of 2 dimensions"}},
    {"TapsWithoutWindow",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy_window(s, v, {0, 0, 0}, {0u}, bar);",
     {"taps for a map without a window"}},
    {"WindowWithoutTaps",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy(s, w, {0, 0, 0}, bar);",
     {"a map with a window, and no taps"}},
    {"NoPlaceBegins",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy_window(s, w, {0, 2, 0}, {0u}, bar);",
     {"no place begins at 2 of dimension 1"}},
    {"BehindTheLastPlace",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy_window(s, w, {0, 15, 0}, {0u}, bar);",
     {"no place begins at 15 of dimension 1"}},
    {"TapTooFar",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy_window(s, w, {0, -1, 0}, {65536u}, bar);",
     {"a tap of 65536, possible are 0 to 65535"}},
    {"WindowReadEarly",
     64,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n    tensor_copy_window(s, w, {0, -1, 0}, {1u}, bar);\n  }\n"
     "  cu_barrier();\n  out[t] = cu_cast<f32>(s[t]);\n  mbarrier_wait(bar, 0);",
     {"race: read of 2 bytes at shared+", "is not ordered after a tensor copy"}},
    {"TargetMisaligned",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy(s + 64, a, {0, 0}, bar);",
     {"misaligned access: write of 8192 bytes at shared+128", "a multiple of 1024"}},
    {"TargetPast",
     32,
     0,
     true,
     "  if (t == 0) tensor_copy(s + 4608, a, {0, 0}, bar);",
     {"out of bounds: write of 8192 bytes at shared+9216"}},
    {"TargetIsMBarrier",
     32,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_init(cu_shared<u64>(8184), 1);\n"
     "    mbarrier_expect(bar, 8192);\n    tensor_copy(s, a, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 0);",
     {"mbarrier: tensor copy of 4 bytes at shared+8184", "touches the mbarrier at shared+8184"}},
    {"WrittenByHandBefore",
     64,
     0,
     true,
     "  s[t] = f16(0.0f);\n  cu_barrier();\n" + kBrought,
     {"tensor copy: to shared+0", "wrote there by itself, and no proxy fence stands between"}},
    {"WrittenByHandUnordered",
     64,
     0,
     true,
     "  if (t == 1) s[0] = f16(0.0f);\n  if (t == 40) {\n    tensor_map_acquire(a);\n    mbarrier_expect(bar, 8192);\n"
     "    tensor_copy(s, a, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 0);",
     {"race: tensor copy of "}},
    {"ReadBefore",
     64,
     0,
     true,
     kBrought + "  out[t] = cu_cast<f32>(s[t]);\n  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n"
                "    tensor_copy(s, a, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 1);",
     {"race: "}},
    {"TwoCopies",
     32,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_expect(bar, 16384);\n    tensor_copy(s, a, {0, 0}, bar);\n"
     "    tensor_copy(s, a, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 0);",
     {"race: tensor copy of 4 bytes at shared+0", "is not ordered after a tensor copy"}},
    {"SourceUninitialised",
     32,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_expect(bar, 512);\n    tensor_copy(s, b, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, "
     "0);",
     {"uninitialised read: read by a tensor copy of 4 bytes at buffer 1 (1024 bytes) + 0"}},
    {"SourceWritten",
     64,
     0,
     true,
     "  if (t == 0) g[0] = f16(1.0f);\n  if (t == 5) {\n    tensor_map_acquire(c);\n    mbarrier_expect(bar, 8192);\n"
     "    tensor_copy(s, c, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 0);",
     {"race: read by a tensor copy of 128 bytes at buffer 2 (8192 bytes) + 0 by thread 5 of block 0 is not ordered "
      "after "
      "the write by thread 0"}},
    {"SourceWrittenMeanwhile",
     32,
     0,
     true,
     "  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n    tensor_copy(s, c, {0, 0}, bar);\n    g[5] = f16(1.0f);\n  "
     "}\n"
     "  mbarrier_wait(bar, 0);",
     {"race: write of 2 bytes at buffer 2 (8192 bytes) + 10", "is not ordered after the read by a tensor copy"}},
    {"SourceReadAndCopied",
     32,
     0,
     true,
     "  if (t == 3) out[3] = cu_cast<f32>(g[0]);\n  cu_shfl_xor(t, 1);\n  if (t == 0) {\n    mbarrier_expect(bar, "
     "8192);\n"
     "    tensor_copy(s, c, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 0);\n  if (t == 0) g[0] = f16(1.0f);",
     {"race: write of 2 bytes at buffer 2 (8192 bytes) + 0 by thread 0 of block 0 is not ordered after the read by "
      "thread 3"}},
    {"SourceWrittenByOtherBlock",
     32,
     1,
     true,
     "  if (cu_block() == 0 && t == 0) g[0] = f16(1.0f);\n  if (cu_block() == 1 && t == 0) {\n"
     "    mbarrier_expect(bar, 8192);\n    tensor_copy(s, c, {0, 0}, bar);\n    mbarrier_wait(bar, 0);\n  }",
     {"race: read by a tensor copy of 128 bytes at buffer 2", "the write by thread 0 of block 0"}},
    {"UnderWayAtEnd",
     32,
     0,
     true,
     kBring,
     {"tensor copy: block 0 ends before the tensor copy to shared+0 that thread 0 of block 0 started"}},
};

const PlantedBug kClusterBugs[] = {
    {"MayHaveEnded",
     32,
     2,
     true,
     "  if (t == 0 && cluster_rank() == 0) mbarrier_arrive(bar, 1);",
     {"mbarrier: thread 0 of block 0 arrives at an mbarrier of block 1, which does not wait for that and may have "
      "ended"}},
    {"ThroughTheOtherBlock",
     32,
     2,
     true,
     "  if (t == 0) mbarrier_expect(bar, 8192);\n  if (t == 0 && cluster_rank() == 0)\n"
     "    tensor_copy_multicast(s, a, {0, 0}, bar, 3);\n  if (cluster_rank() == 0) mbarrier_wait(bar, 0);\n"
     "  cluster_barrier();\n  if (t < 8 && cluster_rank() == 1) out[t] = cu_cast<f32>(s[t]);\n"
     "  mbarrier_wait(bar, 0);\n  cluster_barrier();",
     {"race: read of 2 bytes at shared+0", "by thread 0 of block 1", "is not ordered after a tensor copy"}},
    {"ClusterBarrierInBranch",
     32,
     2,
     false,
     "  if (cluster_rank() == 0) cluster_barrier();",
     {"divergence: ", "a barrier of the cluster that "}},
    {"TwoClusterBarriers",
     32,
     2,
     false,
     "  if (cluster_rank() == 0)\n    cluster_barrier();\n  else\n    cluster_barrier();",
     {"divergence: "}},
    {"GlobalRaceInCluster",
     32,
     2,
     false,
     "  out[t] = cu_cast<f32>(cluster_rank());",
     {"race: write of 4 bytes at buffer 1 (1024 bytes) + 0 by thread 0 of block ", "is not ordered after the write by "
                                                                                   "thread 0 of block "}},
    {"BlockBarrierOrdersNoCluster",
     32,
     2,
     false,
     "  if (cluster_rank() == 0) out[t] = 1.0f;\n  cu_barrier();\n  if (cluster_rank() == 1) out[t] = 2.0f;",
     {"race: "}},
    {"TooManyNumbers",
     512,
     2,
     true,
     "",
     {"limit: threads, mbarriers and warps with wgmma of the blocks that run "
      "together are more than 1024"}},
    {"NoSuchBlock",
     32,
     2,
     true,
     "  if (t == 0) mbarrier_arrive(bar, 5);\n  cluster_barrier();",
     {"arrives at an mbarrier of block 5 of a cluster of 2"}},
    {"ReadsTooEarly",
     32,
     2,
     false,
     "  cu_shared<f32>(0)[t] = 1.0f;\n  out[cluster_rank() * 32 + t] = ld_cluster_vec<f32, 4>(cu_shared<f32>(0), "
     "1)[0];\n  cluster_barrier();",
     {"race: ", "shared+"}},
    {"ReadsNothing",
     32,
     2,
     false,
     "  cluster_barrier();\n  out[cluster_rank() * 32 + t] = ld_cluster_vec<f32, 4>(cu_shared<f32>(0), 1)[0];\n  "
     "cluster_barrier();",
     {"uninitialised read: read by another block of 16 bytes at shared+0"}},
    {"ReadsOfTheEnded",
     32,
     2,
     false,
     "  cu_shared<f32>(0)[t] = 1.0f;\n  cluster_barrier();\n  out[cluster_rank() * 32 + t] = ld_cluster_vec<f32, "
     "4>(cu_shared<f32>(0), 1)[0];",
     {"reads shared memory of block 1", "which does not wait for that and may have ended"}},
    {"ReadsOfNoBlock",
     32,
     2,
     false,
     "  out[cluster_rank() * 32 + t] = ld_cluster_vec<f32, 4>(cu_shared<f32>(0), 2)[0];",
     {"out of bounds: read of 16 bytes at shared+0", "in block 2 of a cluster of 2"}},
    {"ReadsBehindShared",
     32,
     2,
     false,
     "  out[cluster_rank() * 32 + t] = ld_cluster_vec<f32, 4>(cu_shared<f32>(0) + 4112, 1)[0];",
     {"out of bounds: read of 16 bytes at shared+16448", "in block 1 of a cluster of 2"}},
    {"ReadsOdd",
     32,
     2,
     false,
     "  out[cluster_rank() * 32 + t] = ld_cluster_vec<f32, 4>(cu_shared<f32>(0) + 1, 1)[0];",
     {"misaligned access: read of 16 bytes at shared+4"}},
    {"MaskOutside",
     32,
     2,
     true,
     "  if (t == 0) tensor_copy_multicast(s, a, {0, 0}, bar, 4);\n  cluster_barrier();",
     {"a mask of 4 in a cluster of 2"}},
};

class PlantedClusterBugs : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(PlantedClusterBugs, IsFound) {
  const PlantedBug &bug = GetParam();
  KernelRun run;
  run.kernel = "k_planted";
  run.text = kernelHead(run.kernel, bug.threads, 3, 0, 5) + kPreamble + (bug.ready ? kReady : "") + bug.body + "\n}\n";
  run.threads = static_cast<uint32_t>(bug.threads);
  run.sharedBytes = 16384 + 64;
  run.grid = bug.cluster ? 2 : 1;
  run.downloads = false;
  run.cluster = static_cast<uint32_t>(bug.cluster);
  run.programmatic = bug.programmatic;
  run.buffers = {input(std::vector<uint16_t>(4096, 0x3c00)), output<float>(256), inPlace(std::vector<uint16_t>(4096))};
  const KernelMap halves = {0, format::DType::F16, {64, 64}, {128}, {64, 64}, 128};
  run.maps = {halves, {1, format::DType::F32, {64, 4}, {256}, {32, 4}, 128}, halves, halves};
  run.maps[2].buffer = 2;
  // Windows of 3 places with a step of 2, in images of 16 rows of 64 channels: places begin at -1, 1, .. 13.
  run.maps[3].extents = {64, 16, 4};
  run.maps[3].strides = {128, 2048};
  run.maps[3].box = {64, 64, 1};
  run.maps[3].window = {{-1}, {-2}, {2}};
  run.maps.push_back(run.maps[3]);
  run.maps[4].window = {};
  expectFinding(run, "sm_90a", bug.said);
}

TEST(ClusterLaunch, ImpossibleOnesAreRefused) {
  KernelRun run;
  run.kernel = "k_empty";
  run.text = kernelHead(run.kernel, 1024, 0, 0) + "}\n";
  run.threads = 1024;
  run.grid = 3;
  run.cluster = 2;
  const Status uneven = runKernel(*makeSimulator("sm_90a"), run).status;
  EXPECT_EQ(uneven.code(), Code::Usage);
  EXPECT_NE(uneven.message().find("3 blocks along x in clusters of 2"), std::string::npos) << uneven.message();
  run.grid = 4;
  const Status large = runKernel(*makeSimulator("sm_90a"), run).status;
  EXPECT_EQ(large.code(), Code::Limit);
  EXPECT_NE(large.message().find("clusters of at most 1024 threads"), std::string::npos) << large.message();
}

std::string nameOf(const ::testing::TestParamInfo<PlantedBug> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(MBarrier, PlantedClusterBugs, ::testing::ValuesIn(kMBarrierBugs), nameOf);
INSTANTIATE_TEST_SUITE_P(Copy, PlantedClusterBugs, ::testing::ValuesIn(kCopyBugs), nameOf);
INSTANTIATE_TEST_SUITE_P(Cluster, PlantedClusterBugs, ::testing::ValuesIn(kClusterBugs), nameOf);
INSTANTIATE_TEST_SUITE_P(Wgmma, PlantedClusterBugs, ::testing::ValuesIn(plantedWgmmaBugs()), nameOf);

} // namespace
