//===- test/Sim/PlantedGridBugsTest.cpp - Faults of kernels whose blocks meet at barriers of the grid ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/ExpectFinding.h"

using namespace cupola;
using namespace cupola::test;

namespace {

/// Two blocks of 64 threads with one fault. Buffer 0: 256 f32 to read, buffer 1: 256 f32 to write.
struct PlantedBug {
  const char *name;
  const char *body;
  std::vector<const char *> said;
  bool cooperative = true;
};

const char *const kPreamble = "  const f32 *const in = cu_read<f32>(bindings, ref0);\n"
                              "  f32 *const out = cu_write<f32>(bindings, ref1);\n"
                              "  u32 *const counter = cu_write<u32>(bindings, ref2);\n"
                              "  f32 *const s = cu_shared<f32>(0);\n"
                              "  const u32 t = cu_tid(), block = cu_block(), i = block * 64 + t;\n";

const PlantedBug kBugs[] = {
    {"ABlockEnds",
     "  if (block == 1) return;\n  out[i] = in[i];\n  cu_grid_barrier(counter, 2);",
     {"deadlock: block 0 waits at a barrier of the grid that block 1, which has ended, never reaches",
      "kernels.cu:10"}},
    {"ABlockEndsAfterTheFirst",
     "  cu_grid_barrier(counter, 2);\n  if (block == 0) return;\n  cu_grid_barrier(counter, 4);",
     {"deadlock: block 1 waits at a barrier of the grid that block 0, which has ended, never reaches"}},
    {"TwoBarriers",
     "  if (block == 0) { out[i] = 1; cu_grid_barrier(counter, 2); } else { cu_grid_barrier(counter, 2); }",
     {"divergence: block 1 waits at another barrier of the grid than block 0"}},
    {"TooManyArrivals",
     "  cu_grid_barrier(counter, 3);",
     {"deadlock: block 0 waits for 3 arrivals at a barrier of the grid; all blocks have come, and 2 are counted"}},
    {"TooFewArrivals",
     "  cu_grid_barrier(counter, 2);\n  cu_grid_barrier(counter, 2);",
     {"race: block 0 waits for 2 arrivals at a barrier of the grid, which is less than the 4 of all blocks",
      "kernels.cu:9"}},
    {"NotCooperative",
     "  cu_grid_barrier(counter, 2);",
     {"deadlock: thread 0 of block 0 waits for the other blocks in a launch that is not cooperative"},
     false},
    {"NoBarrierOfTheGrid",
     "  out[i] = in[i];\n  cu_barrier();\n  out[128 + i] = out[127 - i];\n  cu_grid_barrier(counter, 2);",
     {"race: write of 4 bytes at buffer 1 (1024 bytes) + 256 by thread 0 of block 1 is not ordered after the read by "
      "thread 63 of block 0"}},
    {"NoSecondBarrierOfTheGrid",
     "  out[i] = in[i];\n  cu_grid_barrier(counter, 2);\n  const f32 x = out[127 - i];\n  out[i] = x;",
     {"race: write of 4 bytes at buffer 1 (1024 bytes) + 256 by thread 0 of block 1 is not ordered after the read by "
      "thread 63 of block 0"}},
    {"TheNextStepRaces",
     "  out[i] = in[i];\n  cu_grid_barrier(counter, 2);\n  if (t == 3) out[0] = 1;\n  cu_grid_barrier(counter, 4);",
     {"race: write of 4 bytes at buffer 1 (1024 bytes) + 0 by thread 3 of block 1 is not ordered after the write by "
      "thread 3 of block 0"}},
    {"SharedOfTheOtherBlock",
     "  if (block == 0) s[t] = in[i];\n  cu_grid_barrier(counter, 2);\n  out[i] = s[t];",
     {"uninitialised read: read of 4 bytes at shared+0 (of 512 bytes) by thread 0 of block 1, which nobody wrote"}},
    {"SharedRacesBehindTheBarrier",
     "  s[t] = in[i];\n  cu_grid_barrier(counter, 2);\n  s[t] = s[t] + 1;\n  out[i] = s[63 - t];",
     {"race: ", "at shared+", "of block 0"}},
    {"CopyNotWaitedFor",
     "  cp_async<4>(s + t, in + i);\n  cp_async_commit();\n  cu_grid_barrier(counter, 2);\n  out[i] = s[63 - t];",
     {"race: read of 4 bytes at shared+", "the asynchronous copy that thread ", "started and has not waited for"}},
    {"NoFence",
     "  out[i] = in[i];\n  cu_barrier();\n  if (t == 0) {\n    cu_atomic_add(counter, 1u);\n"
     "    cupola_device::gridMeet(counter, 2, CUPOLA_HERE);\n  }\n  cu_barrier();",
     {"race: thread 0 of block 0 waits at a barrier of the grid with no fence between a barrier of its block and its "
      "arrival",
      "kernels.cu:12"}},
    {"FenceBeforeTheBarrier",
     "  cu_threadfence();\n  cu_barrier();\n  if (t == 0) {\n    cu_atomic_add(counter, 1u);\n"
     "    cupola_device::gridMeet(counter, 2, CUPOLA_HERE);\n  }\n  cu_barrier();",
     {"race: thread 0 of block 0 waits at a barrier of the grid with no fence"}},
    {"NoBarrierOfTheBlock",
     "  cu_barrier();\n  out[i] = in[i];\n  if (t == 0) {\n    cu_threadfence();\n    cu_atomic_add(counter, 1u);\n"
     "    cupola_device::gridMeet(counter, 2, CUPOLA_HERE);\n  }\n  cu_barrier();",
     {"race: thread 1 of block 0 accesses memory while thread 0 waits at a barrier of the grid", "kernels.cu:9"}},
    {"AnotherThreadWaits",
     "  cu_barrier();\n  if (t == 1) {\n    cu_threadfence();\n    cu_atomic_add(counter, 1u);\n"
     "    cupola_device::gridMeet(counter, 2, CUPOLA_HERE);\n  }\n  cu_barrier();",
     {"divergence: thread 1 of block 0 waits for the grid in place of thread 0"}},
    {"WarpsThatWaitForNobody",
     "  if (t >= 32) cu_barrier();\n  if (t < 32) cu_grid_barrier(counter, 2);",
     {"divergence: thread ", "waits at another barrier than the threads before it"}},
    {"AnotherBlocksStack",
     "  f32 mine = in[i];\n  u64 *const place = reinterpret_cast<u64 *>(out);\n"
     "  if (i == 0) *place = reinterpret_cast<u64>(&mine);\n  cu_grid_barrier(counter, 2);\n"
     "  if (i == 64) out[128] = *reinterpret_cast<f32 *>(*place);\n  cu_grid_barrier(counter, 4);\n  out[i] = mine;",
     {"access to another thread's stack: read of 4 bytes at ", "it lies on the stack of thread 0 of block 0"}},
    {"ACounterOutside", "  cu_grid_barrier(counter + 1, 2);", {"out of bounds: "}},
    {"MBarriers",
     "  if (t == 0) mbarrier_init(cu_shared<u64>(0), 64);\n  cu_grid_barrier(counter, 2);",
     {"limit: the simulator runs no kernels with mbarriers"}},
};

KernelRun gridRun(const std::string &body) {
  KernelRun run;
  run.kernel = "k_planted";
  run.text = kernelHead(run.kernel, 64, 3, 0) + kPreamble + body + "\n}\n";
  run.threads = 64;
  run.sharedBytes = 512;
  run.grid = 2;
  run.downloads = false;
  run.cooperative = true;
  run.buffers = {input(std::vector<float>(256, 1)), output<float>(256), inPlace(std::vector<uint32_t>(1))};
  return run;
}

class PlantedGridBugs : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(PlantedGridBugs, IsFound) {
  KernelRun run = gridRun(GetParam().body);
  run.cooperative = GetParam().cooperative;
  expectFinding(run, "sm_90", GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(Sim, PlantedGridBugs, ::testing::ValuesIn(kBugs),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(CooperativeLaunch, OneBlockMeetsNobodyInAnyLaunch) {
  const auto device = makeSimulator("sm_80");
  KernelRun run = gridRun("  out[t] = in[t];\n  cu_grid_barrier(counter, 1);\n  cu_grid_leave(counter, 2);");
  run.grid = 1;
  for (bool cooperative : {true, false}) {
    run.cooperative = cooperative;
    const Status status = runKernel(*device, run).status;
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  run = gridRun("  cu_grid_barrier(counter, 2);");
  run.grid = 1;
  for (bool cooperative : {true, false}) {
    run.cooperative = cooperative;
    EXPECT_NE(runKernel(*device, run).status.message().find("waits for 2 arrivals"), std::string::npos);
  }
}

TEST(CooperativeLaunch, LeavesNothingToTheNext) {
  const auto device = makeSimulator("sm_80");
  const KernelRun stuck = gridRun("  s[t] = in[t];\n  if (block == 1) return;\n  cu_grid_barrier(counter, 2);");
  const KernelRun broken = gridRun("  cu_grid_barrier(counter, 2);\n  out[512 + i] = in[i];\n  cu_barrier();");
  KernelRun after = gridRun("  s[t] = in[i];\n  cu_barrier();\n  out[i] = s[63 - t];");
  KernelRun unwritten = gridRun("  out[i] = s[t];");
  after.cooperative = unwritten.cooperative = false;
  for (const KernelRun *before : {&stuck, &broken}) {
    EXPECT_EQ(runKernel(*device, *before).status.code(), Code::Finding);
    const Status status = runKernel(*device, after).status;
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_NE(runKernel(*device, unwritten).status.message().find("which nobody wrote"), std::string::npos);
  }
}

TEST(CooperativeLaunch, ImpossibleOnesAreRefused) {
  KernelRun run = gridRun("");
  run.grid = 3000;
  const Status large = runKernel(*makeSimulator("sm_90"), run).status;
  EXPECT_EQ(large.code(), Code::Limit);
  EXPECT_NE(large.message().find("at most 135168 threads at the same time; kernel k_planted has 3000 blocks of 64"),
            std::string::npos)
      << large.message();
  run.grid = run.cluster = 2;
  const Status clusters = runKernel(*makeSimulator("sm_90"), run).status;
  EXPECT_EQ(clusters.code(), Code::Limit);
  EXPECT_NE(clusters.message().find("no cooperative launches of clusters"), std::string::npos) << clusters.message();
}

TEST(CooperativeLaunch, ManyBarriersAreMet) {
  const KernelRun run = gridRun("  for (u32 k = 1; k < 3000; ++k) cu_grid_barrier(counter, 2 * k);");
  const Status status = runKernel(*makeSimulator("sm_90"), run).status;
  EXPECT_TRUE(status.isOk()) << status.message();
}

/// More stacks than have a mapping of their own.
TEST(CooperativeLaunch, ManyBlocksMeet) {
  KernelRun run =
      gridRun("  const u32 blocks = cu_blocks();\n  if (t == 5) counter[1 + block] = block;\n"
              "  cu_grid_barrier(counter, blocks);\n  const u32 other = counter[1 + (block + 77) % blocks];\n"
              "  if (t == 0) cu_write<u32>(bindings, ref1)[block] = other;");
  run.grid = 200;
  run.downloads = true;
  run.buffers = {input(std::vector<float>(1)), output<uint32_t>(200), inPlace(std::vector<uint32_t>(201))};
  const KernelOutcome outcome = runKernel(*makeSimulator("sm_80", 3), run);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  const std::vector<uint32_t> found = fromBytes<uint32_t>(outcome.buffers[0]);
  for (uint32_t block = 0; block < 200; ++block)
    EXPECT_EQ(found[block], (block + 77) % 200);
}

} // namespace
