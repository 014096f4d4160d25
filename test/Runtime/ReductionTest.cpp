//===- test/Runtime/ReductionTest.cpp - the nodes that a failure needs are found ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace cupola::runtime {

namespace {

using Nodes = std::vector<uint32_t>;

struct Search {
  Nodes found;
  size_t tries = 0;
};

/// Among `count` nodes, of a failure that needs all of `needed`.
Search search(uint32_t count, const Nodes &needed) {
  Nodes all(count);
  std::iota(all.begin(), all.end(), 0);
  Search result;
  const auto fails = [&](const Nodes &part) -> Result<bool> {
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()) && !part.empty());
    ++result.tries;
    return std::includes(part.begin(), part.end(), needed.begin(), needed.end());
  };
  result.found = *reduceNodes(all, fails);
  return result;
}

} // namespace

TEST(Reduction, OneNodeIsFoundByBisection) {
  for (uint32_t node : {0u, 1u, 77u, 148u, 149u}) {
    const Search result = search(150, {node});
    EXPECT_EQ(result.found, Nodes{node});
    EXPECT_LE(result.tries, 16u);
  }
}

TEST(Reduction, NeighboursAndWhatLiesApartStayTogether) {
  for (const Nodes &needed : {Nodes{40, 41, 42}, Nodes{0, 149}, Nodes{3, 50, 51, 120}}) {
    const Search result = search(150, needed);
    EXPECT_EQ(result.found, needed);
    EXPECT_LE(result.tries, 100u);
  }
}

TEST(Reduction, WhatNeedsEveryNodeStaysWhole) {
  EXPECT_EQ(search(5, {0, 1, 2, 3, 4}).found.size(), 5u);
  EXPECT_EQ(search(1, {0}).tries, 0u);
}

TEST(Reduction, NoNodeOfTheResultCanBeLeftOutOfAFailureWithoutOrder) {
  // Fails with an even number of nodes, 6 at least, one of them 10: more nodes need not fail where fewer do.
  const auto fails = [](const Nodes &part) -> Result<bool> {
    return part.size() % 2 == 0 && part.size() >= 6 && std::count(part.begin(), part.end(), 10u);
  };
  Nodes all(64);
  std::iota(all.begin(), all.end(), 0);
  const Nodes found = *reduceNodes(all, fails);
  EXPECT_TRUE(*fails(found));
}

TEST(Reduction, AnErrorEndsTheSearch) {
  const auto fails = [](const Nodes &) -> Result<bool> { return Status(Code::Cancelled, "cancelled"); };
  EXPECT_EQ(reduceNodes({0, 1, 2}, fails).status().code(), Code::Cancelled);
}

} // namespace cupola::runtime
