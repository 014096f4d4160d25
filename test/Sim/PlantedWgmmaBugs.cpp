//===- test/Sim/PlantedWgmmaBugs.cpp - Faults with wgmma, registers and launches that overlap ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/PlantedClusterBugs.h"

namespace cupola::test {

namespace {
const std::string kZero = "  f32 acc[8][4];\n  for (i32 j = 0; j < 8; ++j)\n    for (i32 e = 0; e < 4; ++e)\n"
                          "      acc[j][e] = 0.0f;\n";
const std::string kFragments = kZero + "  u32 f[1][4] = {{t, t, t, t}};\n";
const std::string kEnd = "  wgmma_commit();\n  wgmma_wait<0>(acc);\n";
const std::string kUse = "  out[t] = acc[0][0] + acc[7][3];";

} // namespace

std::vector<PlantedBug> plantedWgmmaBugs() {
  return {
      {"NoFence",
       128,
       0,
       true,
       kZero + kBrought + "  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n" + kUse,
       {"wgmma: the warp of thread ", "accumulators that were in no wgmma_fence"}},
      {"ChangedAfterFence",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  acc[3][1] = 1.0f;\n  wgmma(acc, s, s);\n  wgmma_commit();\n"
           "  wgmma_wait<0>(acc);\n" +
           kUse,
       {"accumulators that it has changed since the last wgmma_fence"}},
      {"ChangedBetweenProducts",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n"
           "  acc[0][0] *= 2.0f;\n  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n" +
           kUse,
       {"accumulators that it has changed since the last wgmma_fence"}},
      {"ChangedUnderWay",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  acc[0][0] = 1.0f;\n"
           "  wgmma_wait<0>(acc);\n" +
           kUse,
       {"has changed accumulators of products that it had not waited for"}},
      {"FragmentsWithoutFence",
       128,
       0,
       true,
       kFragments + kBrought + "  wgmma_fence(acc);\n  wgmma_fragments(acc, f, s, 0);\n" + kEnd + kUse,
       {"multiplies fragments that were in no wgmma_fence"}},
      {"FragmentsChangedAfterFence",
       128,
       0,
       true,
       kFragments + kBrought + "  wgmma_fence(acc, f);\n  f[0][2] = 0;\n  wgmma_fragments(acc, f, s, 0);\n" + kEnd +
           kUse,
       {"multiplies fragments that it has changed since the last wgmma_fence"}},
      {"FragmentsChangedUnderWay",
       128,
       0,
       true,
       kFragments + kBrought + "  wgmma_fence(acc, f);\n  wgmma_fragments(acc, f, s, 0);\n  f[0][0] = 0;\n" + kEnd +
           kUse,
       {"has changed fragments of products that it had not waited for"}},
      {"FragmentsOfTheNewestGroup",
       128,
       0,
       true,
       kFragments + kBrought +
           "  wgmma_fence(acc, f);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_fragments(acc, f, s, 0);\n"
           "  wgmma_commit();\n  wgmma_wait<1>(acc);\n  f[0][3] = 0;\n  wgmma_wait<0>(acc);\n" +
           kUse,
       {"has changed fragments of products that it had not waited for"}},
      {"NeverCommitted",
       128,
       0,
       true,
       kZero + kBrought + "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_wait<0>(acc);",
       {"ends before it has committed its products"}},
      {"NeverWaitedFor",
       128,
       0,
       true,
       kZero + kBrought + "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<1>(acc);",
       {"ends before it has waited for its products"}},
      {"OperandNotThere",
       128,
       0,
       true,
       kZero + kBring +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n"
           "  mbarrier_wait(bar, 0);\n" +
           kUse,
       {"race: read by wgmma of 16 bytes at shared+"}},
      {"OperandUninitialised",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s + 4096);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n" + kUse,
       {"uninitialised read: read by wgmma of 16 bytes at shared+8192"}},
      {"OperandWrittenByHand",
       128,
       0,
       true,
       kZero +
           "  for (u32 i = t; i < 4096; i += 128)\n    s[i] = f16(0.0f);\n  cu_barrier();\n  wgmma_fence(acc);\n"
           "  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n" +
           kUse,
       {"wgmma: the warp of thread ", "by itself, and no proxy fence stands between"}},
      {"OperandPast",
       128,
       0,
       true,
       kZero + kBrought + "  wgmma_fence(acc);\n  wgmma(acc, s, s + 8192);\n  wgmma_commit();\n  wgmma_wait<0>(acc);",
       {"out of bounds: read of 16 bytes at shared+"}},
      {"CopiedOverUnderWay",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  cu_barrier();\n"
           "  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n    tensor_copy(s, a, {0, 0}, bar);\n  }\n"
           "  wgmma_wait<0>(acc);\n  mbarrier_wait(bar, 1);\n" +
           kUse,
       {"race: tensor copy of 8192 bytes at shared+0", "is not ordered after the wgmma of the warp of thread ",
        "which reads it"}},
      {"WrittenUnderWay",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  cu_barrier();\n"
           "  if (t == 0) s[0] = f16(1.0f);\n  wgmma_wait<0>(acc);\n" +
           kUse,
       {"race: write of 2 bytes at shared+0", "is not ordered after the wgmma of the warp of thread "}},
      {"WaitOfOneWarp",
       128,
       0,
       true,
       kZero + "  if (t == 0) {\n    mbarrier_init(bar + 1, 1);\n    mbarrier_init_fence();\n  }\n  cu_barrier();\n" +
           kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n"
           "  if (t == 0) {\n    mbarrier_expect(bar + 1, 8192);\n    tensor_copy(s, a, {0, 0}, bar + 1);\n  }\n"
           "  mbarrier_wait(bar + 1, 0);\n" +
           kUse,
       {"race: "}},
      {"OtherLanesDiffer",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s + t % 2 * 16);\n  wgmma_commit();\n  wgmma_wait<0>(acc);",
       {"multiplies other operands in one lane than in another"}},
      {"OtherWarpsDiffer",
       128,
       0,
       true,
       kZero + kBrought +
           "  wgmma_fence(acc);\n  wgmma(acc, s, s + t / 64 * 16);\n  wgmma_commit();\n  wgmma_wait<0>(acc);",
       {"divergence: the warp of thread ", "does something else than another warp of its warpgroup did"}},
      {"ThreeWarps",
       128,
       0,
       true,
       kZero + kBrought +
           "  if (t < 96) {\n    wgmma_fence(acc);\n    wgmma(acc, s, s);\n    wgmma_commit();\n"
           "    wgmma_wait<0>(acc);\n  }\n" +
           kUse,
       {"divergence: warp 3 of block 0 ends before it has done what another warp of its warpgroup did"}},
      {"HalfAWarpgroup",
       64,
       0,
       true,
       kZero + kBrought + "  wgmma_fence(acc);",
       {"divergence: thread ", "belongs to no whole warpgroup: the block has 64 threads"}},
      {"DivergentWgmma",
       128,
       0,
       true,
       kZero + kBrought + "  if (t % 2)\n    wgmma_fence(acc);\n  else\n    wgmma_commit();",
       {"divergence: ", "comes to wgmma_"}},
      {"TakesTooMany",
       384,
       0,
       false,
       "  take_registers<232>();",
       {"registers: the warps of block 0 take 89088 registers of 64512"}},
      {"GivesMore",
       384,
       0,
       false,
       "  give_registers<176>();",
       {"registers: the warp of thread ", "gives all but 176", "has 168"}},
      {"TakesLess",
       384,
       0,
       false,
       "  take_registers<160>();",
       {"registers: the warp of thread ", "takes 160 ", "has 168"}},
      {"EarlyRead",
       32,
       0,
       false,
       "  const f32 early = out[t];\n  grid_wait();\n  out[t] = early;",
       {"overlapping launch: read of 4 bytes at buffer 1 (", " bytes) + 0 by thread 0 of block 0, which touches it "
                                                             "before it waited for the kernels queued before it"},
       true},
      {"NeverWaits", 32, 1, false, "  out[t] = 1.0f;", {"overlapping launch: write of 4 bytes at buffer 1"}, true},
      {"LeavesWithoutWait",
       32,
       0,
       false,
       "  if (cu_blocks() == 1)\n    return;\n  grid_wait();",
       {"overlapping launch: block 0 ends, and no thread of it has waited for the kernels queued before it"},
       true},
      {"EarlyCopy",
       32,
       0,
       true,
       "  if (t > 0) grid_wait();\n  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n"
       "    tensor_copy(s, c, {0, 0}, bar);\n  }\n  mbarrier_wait(bar, 0);\n",
       {"overlapping launch: read of 128 bytes at buffer 2 (8192 bytes) + 0 by thread 0"},
       true},
  };
}

} // namespace cupola::test
