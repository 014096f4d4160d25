//===- test/Sim/RaceOracleTest.cpp - Random programs: a race is reported exactly where there is one ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel interprets a table: in each step each thread reads or writes one word of shared memory, or all threads meet
// at a barrier, or a warp meets at a warp barrier. Barriers stand in the same step for all who meet, so whether two
// accesses are ordered follows from the table alone, by the definition, without clocks.
#include "test/Sim/Conformance.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

constexpr uint32_t kThreads = 64, kSteps = 12, kWords = 4;
enum Kind : int32_t { Nothing, Read, Write, Barrier, WarpBarrier, WriteHalf };

struct Step {
  int32_t kind = Nothing, word = 0;
};

struct Program {
  Step steps[kSteps][kThreads];

  /// What the second access of a pair must not find: an access of the same bytes, one of the two a write.
  static bool conflict(const Step &a, const Step &b, uint32_t threadA, uint32_t threadB) {
    const auto isWrite = [](const Step &s) { return s.kind == Write || s.kind == WriteHalf; };
    if (a.word != b.word || (a.kind != Read && !isWrite(a)) || (b.kind != Read && !isWrite(b)))
      return false;
    if (a.kind == WriteHalf && b.kind == WriteHalf && threadA % 2 != threadB % 2)
      return false;
    return isWrite(a) || isWrite(b);
  }

  bool isOrdered(uint32_t from, uint32_t to, uint32_t threadA, uint32_t threadB) const {
    for (uint32_t s = from; s < to; ++s) {
      if (steps[s][0].kind == Barrier)
        return true;
      if (threadA / 32 == threadB / 32 && steps[s][threadA].kind == WarpBarrier)
        return true;
    }
    return false;
  }

  bool hasRace() const {
    for (uint32_t s1 = 0; s1 < kSteps; ++s1)
      for (uint32_t s2 = s1; s2 < kSteps; ++s2)
        for (uint32_t a = 0; a < kThreads; ++a)
          for (uint32_t b = 0; b < kThreads; ++b)
            if (a != b && conflict(steps[s1][a], steps[s2][b], a, b) && !isOrdered(s1, s2, a, b))
              return true;
    return false;
  }
};

/// Few threads act, so that about half of the programs have no race.
Program makeProgram(uint64_t seed) {
  Numbers numbers(seed);
  Program program;
  const uint64_t writes = numbers.next() % 3 + 1, actors = numbers.next() % 2 + 1;
  for (auto &step : program.steps) {
    if (numbers.next() % 3 == 0) {
      for (Step &s : step)
        s.kind = Barrier;
      continue;
    }
    for (uint32_t warp = 0; warp < 2; ++warp) {
      const bool meets = numbers.next() % 3 == 0;
      for (uint32_t lane = 0; meets && lane < 32; ++lane)
        step[warp * 32 + lane].kind = WarpBarrier;
      for (uint64_t i = 0; !meets && i < actors; ++i) {
        // Threads 0, 1, 2 of the first warp and of the second.
        Step &s = step[warp * 32 + numbers.next() % 3];
        s.kind = numbers.next() % 12 < writes ? (numbers.next() % 4 == 0 ? WriteHalf : Write) : Read;
        s.word = static_cast<int32_t>(numbers.next() % kWords);
      }
    }
  }
  return program;
}

KernelRun makeRun(const Program &program) {
  KernelRun run;
  run.kernel = "k_program";
  run.threads = kThreads;
  run.sharedBytes = kWords * 4;
  run.text = kernelHead(run.kernel, kThreads, 2, 1) +
             "  const i32 *const table = cu_read<i32>(bindings, ref0);\n  i32 *const s = cu_shared<i32>(0);\n"
             "  const i32 steps = cu_scalar<i32>(bindings, slot0);\n  const u32 t = cu_tid();\n"
             "  if (t < 4) s[t] = 0;\n  cu_barrier();\n  i32 sum = 0;\n"
             "  for (i32 i = 0; i < steps; ++i) {\n"
             "    const i32 kind = table[(i * 64 + t) * 2], word = table[(i * 64 + t) * 2 + 1];\n"
             "    if (kind == 1) sum += s[word];\n    if (kind == 2) s[word] = t;\n"
             "    if (kind == 5) cu_shared<u16>(word * 4)[t % 2] = t;\n"
             "    if (kind == 3) cu_barrier();\n    if (kind == 4) cu_syncwarp();\n  }\n"
             "  cu_write<i32>(bindings, ref1)[t] = sum;\n}\n";
  std::vector<int32_t> table;
  for (const auto &step : program.steps)
    for (const Step &s : step)
      table.insert(table.end(), {s.kind, s.word});
  run.buffers = {input(table), output<int32_t>(kThreads)};
  run.scalars = {kSteps};
  return run;
}

TEST(RaceOracle, ReportsExactlyTheRacyPrograms) {
  int racy = 0, clean = 0;
  for (uint64_t i = 0; i < 160; ++i) {
    const Program program = makeProgram(i);
    const bool expected = program.hasRace();
    (expected ? racy : clean)++;
    for (uint64_t seed : {uint64_t(0), i + 1}) {
      const KernelOutcome outcome = runKernel(*makeSimulator("sm_80", seed), makeRun(program));
      const bool found = outcome.status.failed();
      if (found) {
        EXPECT_NE(outcome.status.message().find("race: "), std::string::npos) << outcome.status.message();
      }
      ASSERT_EQ(found, expected) << "program " << i << ", seed " << seed << ": " << outcome.status.message();
    }
  }
  EXPECT_GT(racy, 40);
  EXPECT_GT(clean, 40);
}

} // namespace
