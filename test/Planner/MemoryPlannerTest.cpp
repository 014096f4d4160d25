//===- test/Planner/MemoryPlannerTest.cpp - placements and their size ----===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/MemoryPlanner.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace cupola;

namespace {

using Requests = std::vector<MemoryRequest>;

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t below(uint64_t limit) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % limit;
  }

private:
  uint64_t state;
};

/// The most bytes alive at a step, straight from the definition.
uint64_t liveBytes(const Requests &requests, uint64_t alignment) {
  uint64_t most = 0;
  for (const MemoryRequest &at : requests) {
    uint64_t live = 0;
    for (const MemoryRequest &r : requests)
      if (r.first <= at.first && at.first <= r.last)
        live += (r.bytes + alignment - 1) / alignment * alignment;
    most = std::max(most, live);
  }
  return most;
}

MemoryPlan planned(const Requests &requests, uint64_t alignment = memoryAlignment, uint64_t work = memorySearchWork) {
  std::optional<MemoryPlan> plan = planMemory(requests, alignment, work);
  EXPECT_TRUE(plan);
  if (!plan)
    return {};
  EXPECT_EQ(plan->lowerBound, liveBytes(requests, alignment));
  EXPECT_GE(plan->bytes, plan->lowerBound);
  for (size_t i = 0; i < requests.size(); ++i) {
    uint64_t begin = plan->offsets[i], end = begin + requests[i].bytes;
    EXPECT_EQ(begin % alignment, 0u);
    EXPECT_LE(end, plan->bytes);
    for (size_t k = 0; k < i; ++k) {
      bool together = requests[i].first <= requests[k].last && requests[k].first <= requests[i].last;
      bool overlap = begin < plan->offsets[k] + requests[k].bytes && plan->offsets[k] < end;
      EXPECT_FALSE(together && overlap) << i << " and " << k;
    }
  }
  return *plan;
}

double overBound(const MemoryPlan &plan) { return double(plan.bytes) / double(plan.lowerBound) - 1; }

/// Steps of a network: what a step reads lives until that step.
class Network {
public:
  uint32_t produce(uint64_t bytes, std::vector<uint32_t> reads) {
    ++step;
    for (uint32_t buffer : reads)
      requests[buffer].last = step;
    requests.push_back({bytes, step, step});
    return uint32_t(requests.size()) - 1;
  }
  Requests requests;

private:
  uint32_t step = 0;
};

Requests encoder(int layers, uint64_t tokens) {
  Network net;
  const uint64_t hidden = tokens * 384 * 4, scores = tokens * tokens * 12 * 4;
  uint32_t x = net.produce(hidden, {});
  for (int i = 0; i < layers; ++i) {
    uint32_t qkv = net.produce(3 * hidden, {x});
    uint32_t score = net.produce(scores, {qkv});
    uint32_t soft = net.produce(scores, {score});
    uint32_t mixed = net.produce(hidden, {soft, qkv});
    uint32_t normed = net.produce(hidden, {mixed, x});
    uint32_t wide = net.produce(4 * hidden, {normed});
    x = net.produce(hidden, {wide, normed});
  }
  return net.requests;
}

/// Down and up with skip connections of random width, as in segmentation nets.
Requests unet(Random &random) {
  Network net;
  uint64_t bytes = uint64_t(1) << 22;
  uint32_t x = net.produce(bytes, {});
  std::vector<uint32_t> skips;
  for (uint64_t level = 0, levels = 3 + random.below(4); level < levels; ++level) {
    for (uint64_t block = 0, blocks = 1 + random.below(3); block < blocks; ++block) {
      uint32_t inner = net.produce(bytes, {x});
      x = net.produce(bytes, {inner, x});
      skips.push_back(x);
    }
    bytes = bytes * (2 + random.below(2)) / 4;
    x = net.produce(bytes, {x});
  }
  for (; !skips.empty(); skips.pop_back()) {
    bytes = net.requests[skips.back()].bytes;
    uint32_t joined = net.produce(2 * bytes, {x, skips.back()});
    uint32_t inner = net.produce(bytes, {joined});
    x = net.produce(bytes, {inner, joined});
  }
  return net.requests;
}

Requests scattered(Random &random, uint32_t count) {
  Requests requests;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t first = uint32_t(random.below(count));
    requests.push_back({random.below(1000000), first, first + uint32_t(random.below(count / 4 + 1))});
  }
  return requests;
}

TEST(MemoryPlanner, NothingToPlace) {
  EXPECT_EQ(planned({}).bytes, 0u);
  MemoryPlan plan = planned({{0, 3, 5}, {0, 4, 4}});
  EXPECT_EQ(plan.bytes, 0u);
  EXPECT_EQ(plan.offsets, (std::vector<uint64_t>{0, 0}));
}

TEST(MemoryPlanner, SharesMemoryOfDifferentTimes) {
  MemoryPlan plan = planned({{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}});
  EXPECT_EQ(plan.bytes, 2048u);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  // The last step of one and the first of the other are the same: no sharing.
  EXPECT_EQ(planned({{256, 0, 4}, {256, 4, 6}}).bytes, 512u);
  EXPECT_EQ(planned({{256, 0, 3}, {256, 4, 6}}).bytes, 256u);
}

TEST(MemoryPlanner, RoundsUpToTheAlignment) {
  EXPECT_EQ(planned({{1, 0, 0}, {257, 0, 0}}).bytes, 768u);
  EXPECT_EQ(planned({{1, 0, 0}, {257, 0, 0}}, 64).bytes, 384u);
}

TEST(MemoryPlanner, RefusesWhatHasNoPlan) {
  EXPECT_FALSE(planMemory({{1, 2, 1}}));
  EXPECT_FALSE(planMemory({{~uint64_t(0), 0, 0}}));
  EXPECT_FALSE(planMemory({{uint64_t(1) << 61, 0, 0}, {uint64_t(1) << 61, 0, 0}, {1, 0, 0}}));
  EXPECT_TRUE(planMemory({{uint64_t(1) << 61, 0, 0}, {uint64_t(1) << 61, 0, 0}}));
}

TEST(MemoryPlanner, GreedyMeetsTheBoundOnEncoders) {
  for (uint64_t tokens : {3, 16, 128, 512})
    EXPECT_EQ(overBound(planned(encoder(12, tokens), memoryAlignment, /*work=*/0)), 0);
}

TEST(MemoryPlanner, NetworksStayWithinTwoPercentOfTheBound) {
  Random random(1);
  int searched = 0;
  for (int i = 0; i < 100; ++i) {
    Requests requests = unet(random);
    EXPECT_LE(overBound(planned(requests)), 0.02) << i;
    searched += overBound(planned(requests, memoryAlignment, /*work=*/0)) > 0.02;
  }
  EXPECT_GT(searched, 10); // else this says nothing of the search
}

TEST(MemoryPlanner, ScatteredBuffersNeverOverlapAndSearchHelps) {
  Random random(2);
  for (uint32_t count : {1, 2, 3, 7, 20, 60, 150}) {
    Requests requests = scattered(random, count);
    MemoryPlan greedy = planned(requests, memoryAlignment, /*work=*/0);
    MemoryPlan searched = planned(requests);
    EXPECT_LE(searched.bytes, greedy.bytes);
    EXPECT_LE(overBound(searched), 0.08) << count;
  }
}

TEST(MemoryPlanner, SameRequestsSamePlan) {
  Random random(3);
  Requests requests = scattered(random, 80);
  MemoryPlan a = planned(requests), b = planned(requests);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.bytes, b.bytes);
}

} // namespace
