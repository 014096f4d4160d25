//===- test/Sim/MBarrierModelTest.cpp - Random programs of mbarriers against models of them ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel interprets a table, as in RaceOracleTest. One test follows the phases of one barrier, the other the order
// that several barriers make, by a search through the graph of who waited for whom.
#include "test/Sim/Conformance.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

enum Kind : int32_t { Nothing, Read, Write, Barrier, WarpBarrier, Arrive, Expect, Wait };

struct Step {
  int32_t kind = Nothing, what = 0, with = 0; ///< word or mbarrier; parity
};

/// A step for each of 64 threads, one row after the other.
using Table = std::vector<std::vector<Step>>;
constexpr uint32_t kThreads = 64, kWords = 4, kBarriers = 3;

/// `counts`: arrivals of the mbarriers.
KernelOutcome runTable(const Table &table, const std::vector<int64_t> &counts, uint64_t seed) {
  KernelRun run;
  run.kernel = "k_mbarriers";
  run.threads = kThreads;
  run.sharedBytes = kWords * 4 + kBarriers * 8;
  run.text = kernelHead(run.kernel, kThreads, 2, 1 + kBarriers) +
             "  const i32 *const table = cu_read<i32>(bindings, ref0);\n  i32 *const s = cu_shared<i32>(0);\n"
             "  u64 *const bars = cu_shared<u64>(16);\n  const i32 steps = cu_scalar<i32>(bindings, slot0);\n"
             "  const u32 t = cu_tid();\n  if (t < 4) s[t] = 0;\n  if (t == 0) {\n"
             "    mbarrier_init(bars, cu_scalar<u32>(bindings, slot1));\n"
             "    mbarrier_init(bars + 1, cu_scalar<u32>(bindings, slot2));\n"
             "    mbarrier_init(bars + 2, cu_scalar<u32>(bindings, slot3));\n  }\n  cu_barrier();\n  i32 sum = 0;\n"
             "  for (i32 i = 0; i < steps; ++i) {\n    const i32 *const step = table + (i * 64 + t) * 3;\n"
             "    const i32 kind = step[0], what = step[1], with = step[2];\n"
             "    if (kind == 1) sum += s[what];\n    if (kind == 2) s[what] = t;\n    if (kind == 3) cu_barrier();\n"
             "    if (kind == 4) cu_syncwarp();\n    if (kind == 5) mbarrier_arrive(bars + what);\n"
             "    if (kind == 6) mbarrier_expect(bars + what, 0);\n"
             "    if (kind == 7) mbarrier_wait(bars + what, with);\n  }\n"
             "  cu_write<i32>(bindings, ref1)[t] = sum;\n}\n";
  std::vector<int32_t> words;
  for (const auto &row : table)
    for (const Step &s : row)
      words.insert(words.end(), {s.kind, s.what, s.with});
  run.buffers = {input(words), output<int32_t>(kThreads)};
  run.scalars = {static_cast<int64_t>(table.size())};
  run.scalars.insert(run.scalars.end(), counts.begin(), counts.end());
  return runKernel(*makeSimulator("sm_90a", seed), run);
}

/// PTX ISA, "Phase of the mbarrier object": the current phase is complete when the count of pending arrivals is zero;
/// then the phase goes up and the count is what it was at the init. A wait by parity waits for the current phase or
/// the one before it.
struct PhaseModel {
  int64_t count, pending, phase = 0;
  void arrive() {
    if (--pending == 0)
      ++phase, pending = count;
  }
  bool isComplete(int32_t parity) const { return phase % 2 != parity; }
};

TEST(MBarrierModel, PhasesFollowArrivals) {
  int stuck = 0;
  for (uint64_t i = 0; i < 60; ++i) {
    Numbers numbers(i);
    PhaseModel model{static_cast<int64_t>(numbers.next() % 4 + 1), 0};
    model.pending = model.count;
    Table table;
    bool isStuck = false;
    while (table.size() < 24 && !isStuck) {
      std::vector<Step> row(kThreads);
      // Rows are apart by a barrier, so that there is one order of all operations.
      if (numbers.next() % 3 != 0) {
        row[numbers.next() % kThreads] = {numbers.next() % 2 ? Arrive : Expect, 0, 0};
        model.arrive();
      } else {
        const auto parity = static_cast<int32_t>(numbers.next() % 5 == 0 ? model.phase % 2 : (model.phase + 1) % 2);
        row[numbers.next() % kThreads] = {Wait, 0, parity};
        isStuck = !model.isComplete(parity);
      }
      table.push_back(row);
      if (!isStuck)
        table.push_back(std::vector<Step>(kThreads, Step{Barrier, 0, 0}));
    }
    stuck += isStuck;
    const KernelOutcome outcome = runTable(table, {model.count, 1, 1}, i);
    ASSERT_EQ(outcome.status.failed(), isStuck) << "program " << i << ": " << outcome.status.message();
    const std::string state = "whose phase " + std::to_string(model.phase) + " waits for " +
                              std::to_string(model.pending) + " of " + std::to_string(model.count) + " arrivals";
    if (isStuck) {
      EXPECT_NE(outcome.status.message().find("deadlock: "), std::string::npos) << outcome.status.message();
      EXPECT_NE(outcome.status.message().find(state), std::string::npos) << state << outcome.status.message();
    }
  }
  EXPECT_GT(stuck, 15);
  EXPECT_LT(stuck, 55);
}

/// Threads that arrive at a barrier in each of its phases. Each waits for a phase before it arrives again: at once, or
/// as late as that.
struct Group {
  std::vector<uint32_t> threads, late;
  int64_t phase = 0;
  uint32_t arrival = 0; ///< the row of the last
};

struct OrderedProgram {
  Table table;
  std::vector<Group> groups = std::vector<Group>(kBarriers);
  /// Edges: after row `from` of thread a comes row `to` of thread b.
  struct Edge {
    uint32_t from, a, to, b;
  };
  std::vector<Edge> edges;

  void addMeeting(uint32_t first, uint32_t last, Kind kind) {
    const auto row = static_cast<uint32_t>(table.size()) - 1;
    for (uint32_t t = first; t < last; ++t)
      table[row][t].kind = kind;
    for (uint32_t a = first; a < last; ++a)
      for (uint32_t b = first; b < last; ++b)
        edges.push_back({row, a, row + 1, b});
  }

  /// A row in which `thread` waits for the last phase of the group.
  void addWait(uint32_t row, uint32_t barrier, uint32_t thread) {
    const Group &group = groups[barrier];
    table[row][thread] = {Wait, static_cast<int32_t>(barrier), static_cast<int32_t>((group.phase + 1) % 2)};
    for (uint32_t a : group.threads)
      edges.push_back({group.arrival, a, row + 1, thread});
  }

  /// A row in which those wait who have not yet, one in which the group arrives, one in which some of it wait.
  void addPhase(uint32_t barrier, Numbers &numbers) {
    Group &group = groups[barrier];
    const auto row = static_cast<uint32_t>(table.size()) - 1;
    table.resize(table.size() + 2, std::vector<Step>(kThreads));
    for (uint32_t t : group.late)
      addWait(row, barrier, t);
    group.late.clear();
    group.arrival = row + 1;
    ++group.phase;
    for (uint32_t t : group.threads) {
      table[row + 1][t] = {Arrive, static_cast<int32_t>(barrier), 0};
      if (numbers.next() % 2)
        addWait(row + 2, barrier, t);
      else
        group.late.push_back(t);
    }
  }

  bool reaches(uint32_t row, uint32_t thread, uint32_t toRow, uint32_t toThread) const {
    std::vector<uint32_t> earliest(kThreads, ~0u); // the first row of each thread that is reached
    earliest[thread] = row;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge &e : edges)
        if (earliest[e.a] <= e.from && e.to < earliest[e.b]) {
          earliest[e.b] = e.to;
          changed = true;
        }
    }
    return earliest[toThread] <= toRow;
  }

  bool hasRace() const {
    struct Access {
      uint32_t row, thread;
      Step step;
    };
    std::vector<Access> all;
    for (uint32_t row = 0; row < table.size(); ++row)
      for (uint32_t t = 0; t < kThreads; ++t)
        if (table[row][t].kind == Read || table[row][t].kind == Write)
          all.push_back({row, t, table[row][t]});
    for (const Access &a : all)
      for (const Access &b : all)
        if (a.row <= b.row && a.thread != b.thread && a.step.what == b.step.what &&
            (a.step.kind == Write || b.step.kind == Write) && !reaches(a.row, a.thread, b.row, b.thread) &&
            !reaches(b.row, b.thread, a.row, a.thread))
          return true;
    return false;
  }
};

OrderedProgram makeProgram(uint64_t seed) {
  Numbers numbers(seed);
  OrderedProgram program;
  const uint32_t actors[] = {0, 1, 2, 32, 33};
  for (Group &group : program.groups)
    for (uint32_t t : actors)
      if (numbers.next() % 3 != 0 || group.threads.empty())
        group.threads.push_back(t);
  const uint64_t writes = numbers.next() % 3 + 1;
  while (program.table.size() < 20) {
    program.table.emplace_back(kThreads);
    const uint64_t kind = numbers.next() % 12;
    if (kind == 0)
      program.addMeeting(0, kThreads, Barrier);
    else if (kind == 1)
      program.addMeeting(0, 32, WarpBarrier);
    else if (kind < 7)
      program.addPhase(static_cast<uint32_t>(kind % kBarriers), numbers);
    else
      program.table.back()[actors[numbers.next() % 5]] = {numbers.next() % 6 < writes ? Write : Read,
                                                          static_cast<int32_t>(numbers.next() % kWords), 0};
  }
  return program;
}

TEST(MBarrierModel, OrdersExactlyThoseWhoWaited) {
  int racy = 0, clean = 0;
  for (uint64_t i = 0; i < 120; ++i) {
    const OrderedProgram program = makeProgram(i);
    const bool expected = program.hasRace();
    (expected ? racy : clean)++;
    std::vector<int64_t> counts;
    for (const Group &group : program.groups)
      counts.push_back(static_cast<int64_t>(group.threads.size()));
    for (uint64_t seed : {uint64_t(0), i + 1}) {
      const KernelOutcome outcome = runTable(program.table, counts, seed);
      if (outcome.status.failed()) {
        EXPECT_NE(outcome.status.message().find("race: "), std::string::npos) << outcome.status.message();
      }
      ASSERT_EQ(outcome.status.failed(), expected)
          << "program " << i << ", seed " << seed << ": " << outcome.status.message();
    }
  }
  EXPECT_GT(racy, 30);
  EXPECT_GT(clean, 30);
}

} // namespace
