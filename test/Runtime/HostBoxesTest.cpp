//===- test/Runtime/HostBoxesTest.cpp - Boxes that do not overlap, by the host ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/HostRunner.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

using Longs = std::vector<int64_t>;
using Floats = std::vector<float>;

/// One batch: tops, lefts, bottoms and rights of all boxes.
struct Case {
  Floats boxes, scores;
  float overlap = 0.5f;
  std::vector<uint8_t> counts;
  Longs extents; ///< batch, classes, boxes, picks, most

  Status run(Longs &picks) const {
    const Floats limit{overlap};
    return runHostOp("box_picks", {"f32"},
                     {viewOf(boxes), viewOf(scores), viewOf(limit), viewOf(counts), viewOf(extents)}, picks);
  }
  Longs picks() const {
    Longs result(static_cast<size_t>(extents[0] * extents[1] * extents[3]), -7);
    const Status status = run(result);
    EXPECT_TRUE(status.isOk()) << status.message();
    return result;
  }
};

/// Boxes of height 1 from `lefts` on, `width` wide.
Case inARow(const Floats &lefts, float width, const Floats &scores, int64_t most) {
  const size_t count = lefts.size();
  Case row;
  row.boxes.assign(count, 0);
  row.boxes.insert(row.boxes.end(), lefts.begin(), lefts.end());
  row.boxes.insert(row.boxes.end(), count, 1);
  for (float left : lefts)
    row.boxes.push_back(left + width);
  row.scores = scores;
  row.counts.assign(scores.size(), 1);
  const auto boxes = static_cast<int64_t>(count);
  row.extents = {1, static_cast<int64_t>(scores.size() / count), boxes, boxes, most};
  return row;
}

TEST(HostBoxes, TheBestOneStays) {
  const Case row = inARow({0, 1, 10, 11, 30}, 4, {0.5f, 0.9f, 0.7f, 0.6f, 0.1f}, 5);
  EXPECT_EQ(row.picks(), (Longs{1, 2, 4, -1, -1}));
  Case wide = row;
  wide.overlap = 0.6f; // 3 of 5 is no more than this
  EXPECT_EQ(wide.picks(), (Longs{1, 2, 3, 0, 4}));
}

TEST(HostBoxes, EachClassHasItsOwn) {
  Case row = inARow({0, 1, 10}, 4, {1, 2, 3, 3, 2, 1}, 2);
  EXPECT_EQ(row.picks(), (Longs{2, 1, -1, 0, 2, -1}));
  row.counts = {1, 0, 1, 0, 0, 0};
  EXPECT_EQ(row.picks(), (Longs{2, 0, -1, -1, -1, -1}));
  row.extents[4] = 0;
  EXPECT_EQ(row.picks(), Longs(6, -1));
}

TEST(HostBoxes, EqualScoresGoByTheirPlaces) {
  EXPECT_EQ(inARow({0, 10, 20, 30}, 4, {-0.0f, 1, 0.0f, 1}, 4).picks(), (Longs{1, 3, 0, 2}));
  EXPECT_EQ(inARow({0, 10, 20, 30}, 4, {-INFINITY, 5, NAN, INFINITY}, 4).picks(), (Longs{2, 3, 1, 0}));
}

TEST(HostBoxes, NothingIsSharedWithAnEmptyBoxOrNaN) {
  EXPECT_EQ(inARow({0, 0, 0}, 0, {1, 2, 3}, 3).picks(), (Longs{2, 1, 0}));
  EXPECT_EQ(inARow({0, NAN, 0}, 4, {1, 2, 3}, 3).picks(), (Longs{2, 1, -1}));
}

TEST(HostBoxes, ManyBlocksOfThoseTaken) {
  Floats lefts, scores;
  Longs expected;
  for (int64_t i = 0; i < 203; ++i) { // each second one lies on that before
    lefts.push_back(static_cast<float>(10 * (i / 2)) + static_cast<float>(i % 2));
    scores.push_back(static_cast<float>(1000 - i));
    if (i % 2 == 0)
      expected.push_back(i);
  }
  expected.resize(203, -1);
  EXPECT_EQ(inARow(lefts, 4, scores, 203).picks(), expected);
}

TEST(HostBoxes, CountedAndListed) {
  const Longs picks{4, -1, 0, 9, -1, -1, -1, -1, 5, 6, 7, 8}, extents{2, 3, 2};
  Longs count(1), list(21), few(18), many(24);
  ASSERT_TRUE(runHostOp("box_pick_count", {}, {viewOf(picks)}, count).isOk());
  EXPECT_EQ(count, Longs{7});
  ASSERT_TRUE(runHostOp("box_pick_list", {}, {viewOf(picks), viewOf(extents)}, list).isOk());
  EXPECT_EQ(list, (Longs{0, 0, 4, 0, 1, 0, 0, 1, 9, 1, 1, 5, 1, 1, 6, 1, 2, 7, 1, 2, 8}));
  EXPECT_EQ(runHostOp("box_pick_list", {}, {viewOf(picks), viewOf(extents)}, few).code(), Code::Package);
  EXPECT_EQ(runHostOp("box_pick_list", {}, {viewOf(picks), viewOf(extents)}, many).code(), Code::Package);
}

TEST(HostBoxes, SizesThatDoNotGoTogether) {
  const Case row = inARow({0, 1, 10}, 4, {1, 2, 3}, 3);
  for (size_t i = 0; i < 4; ++i)
    for (int64_t wrong : {int64_t(-1), int64_t(2), int64_t(1) << 40, int64_t(1) << 62}) {
      Case other = row;
      other.extents[i] = wrong;
      Longs picks(3);
      EXPECT_EQ(other.run(picks).code(), Code::Package) << "extent " << i << " of " << wrong;
    }
  Case halves = row;
  Longs picks(3);
  const Floats limit{0.5f};
  EXPECT_EQ(runHostOp("box_picks", {"f64"},
                      {viewOf(halves.boxes), viewOf(halves.scores), viewOf(limit), viewOf(halves.counts),
                       viewOf(halves.extents)},
                      picks)
                .code(),
            Code::Package);
}

} // namespace
