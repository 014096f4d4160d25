//===- test/Runtime/HostOrderTest.cpp - Orders and scatters of the host ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/HostRunner.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

using namespace cupola;
using namespace cupola::test;

namespace {

using Longs = std::vector<int64_t>;

template <class T> Longs order(const char *type, const char *first, const std::vector<T> &keys, const Longs &extents) {
  Longs places(static_cast<size_t>(extents[0] * extents[2]), -7);
  const Status status = runHostOp("order", {type, first}, {viewOf(keys), viewOf(extents)}, places);
  EXPECT_TRUE(status.isOk()) << status.message();
  return places;
}

TEST(HostOrder, EqualOnesStayInTheOrderOfTheirPlaces) {
  const std::vector<int32_t> keys{3, -1, 3, 7, -1, 0};
  EXPECT_EQ(order("i32", "largest", keys, {1, 6, 6}), (Longs{3, 0, 2, 5, 1, 4}));
  EXPECT_EQ(order("i32", "smallest", keys, {1, 6, 6}), (Longs{1, 4, 5, 0, 2, 3}));
  EXPECT_EQ(order("i32", "largest", keys, {2, 3, 2}), (Longs{0, 2, 0, 2}));
  EXPECT_EQ(order("i32", "largest", keys, {1, 6, 0}), Longs());
  EXPECT_EQ(order("i32", "largest", std::vector<int32_t>(), {0, 6, 2}), Longs());
}

TEST(HostOrder, TheEndsOfEveryType) {
  EXPECT_EQ(order("u8", "largest", std::vector<uint8_t>{0, 255, 128, 127}, {1, 4, 4}), (Longs{1, 2, 3, 0}));
  EXPECT_EQ(order("i8", "largest", std::vector<int8_t>{0, -128, 127, -1}, {1, 4, 4}), (Longs{2, 0, 3, 1}));
  EXPECT_EQ(order("i16", "smallest", std::vector<int16_t>{0, -32768, 32767, -1}, {1, 4, 3}), (Longs{1, 3, 0}));
  EXPECT_EQ(order("u32", "smallest", std::vector<uint32_t>{1u << 31, 0, ~0u}, {1, 3, 3}), (Longs{1, 0, 2}));
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(order("i64", "largest", Longs{0, least, most, -1, most}, {1, 5, 4}), (Longs{2, 4, 0, 3}));
  EXPECT_EQ(order("u64", "smallest", std::vector<uint64_t>{~0ull, 0, 1ull << 63}, {1, 3, 3}), (Longs{1, 2, 0}));
}

TEST(HostOrder, FewOfMany) {
  std::vector<int32_t> keys(5000);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<int32_t>(i * 7919 % 1009); // each some five times
  const std::vector<int64_t> wide(keys.begin(), keys.end());
  const Longs all = order("i32", "largest", keys, {1, 5000, 5000});
  for (int64_t wanted : {1, 2, 10, 600, 625, 4999}) {
    const Longs first(all.begin(), all.begin() + wanted);
    EXPECT_EQ(order("i32", "largest", keys, {1, 5000, wanted}), first);
    EXPECT_EQ(order("i64", "largest", wide, {1, 5000, wanted}), first);
  }
}

TEST(HostOrder, AskedForTooMuch) {
  const std::vector<int32_t> keys{1, 2};
  const Longs wanted{1, 2, 3}, negative{1, -2, 2}, others{1, 3, 3}, many{1ll << 40, 1ll << 40, 1};
  Longs three(3);
  for (const Longs &extents : {wanted, negative, others, many})
    EXPECT_EQ(runHostOp("order", {"i32", "largest"}, {viewOf(keys), viewOf(extents)}, three).code(), Code::Package);
  const Longs right{1, 2, 2};
  EXPECT_EQ(runHostOp("order", {"i32", "largest"}, {viewOf(keys), viewOf(right)}, three).code(), Code::Package);
  Longs two(2);
  EXPECT_EQ(runHostOp("order", {"i32", "random"}, {viewOf(keys), viewOf(right)}, two).code(), Code::Package);
  EXPECT_EQ(runHostOp("order", {"f16", "largest"}, {viewOf(std::vector<int16_t>{1, 2}), viewOf(right)}, two).code(),
            Code::Package);
}

TEST(HostOrder, RowsAreShared) {
  std::vector<int32_t> keys(300 * 50);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<int32_t>(i * 7919 % 1009);
  const Longs extents{300, 50, 7};
  const Longs expected = order("i32", "smallest", keys, extents);
  uint64_t parts = 0;
  const auto byTurns = [&](uint64_t count, uint64_t least, const runtime::HostCall::Part &body) {
    for (uint64_t begin = 0; begin < count; begin += least, ++parts)
      std::thread(body, begin, std::min(begin + least, count)).join();
  };
  Longs places(expected.size(), -7);
  ASSERT_TRUE(runHostOp("order", {"i32", "smallest"}, {viewOf(keys), viewOf(extents)}, places, byTurns).isOk());
  EXPECT_EQ(places, expected);
  EXPECT_GT(parts, 2u);
}

TEST(HostOrder, WhatAThreadThrowsIsTheCallers) {
  const format::HostCall record{"order", {"i32", "largest"}, {0, 1}, {0}};
  const std::vector<std::string> none;
  runtime::StringTable strings(none);
  const auto two = [](uint64_t count, uint64_t, const runtime::HostCall::Part &body) {
    std::thread(body, 0, 1).join();
    std::thread(body, 1, count).join();
  };
  const runtime::HostCall call(record, {}, {nullptr, 0}, strings, two);
  uint64_t sum = 0;
  const auto fails = [&](uint64_t begin, uint64_t end) {
    sum += end - begin;
    if (begin == 0)
      throw std::bad_alloc();
  };
  EXPECT_THROW(call.forRows(5, 1, fails), std::bad_alloc);
  EXPECT_EQ(sum, 5u);
}

TEST(HostScatter, TheLastOneIsFound) {
  // [2, 3, 2] updates of [2, 4, 2] places; those outside are meant for none.
  const Longs index{0, 1, 0, 3, 2, 9, -1, 1, 3, 1, 3, 0}, extents{2, 3, 2, 4};
  Longs last(16);
  ASSERT_TRUE(runHostOp("last_match", {}, {viewOf(index), viewOf(extents)}, last).isOk());
  EXPECT_EQ(last, (Longs{1, -1, -1, 0, 2, -1, -1, 1, -1, 2, -1, 1, -1, -1, 2, -1}));
  Longs few(15);
  EXPECT_EQ(runHostOp("last_match", {}, {viewOf(index), viewOf(extents)}, few).code(), Code::Package);
}

TEST(HostScatter, PlacesThatAreTrue) {
  const std::vector<char> flags{0, 1, 1, 0, 0, 1, 0};
  Longs three(3), two(2), none;
  ASSERT_TRUE(runHostOp("true_places", {}, {viewOf(flags)}, three).isOk());
  EXPECT_EQ(three, (Longs{1, 2, 5}));
  EXPECT_EQ(runHostOp("true_places", {}, {viewOf(flags)}, two).code(), Code::Package);
  EXPECT_TRUE(runHostOp("true_places", {}, {viewOf(std::vector<char>(9))}, none).isOk());
  EXPECT_TRUE(runHostOp("true_places", {}, {viewOf(std::vector<char>())}, none).isOk());
}

template <class T>
std::vector<T> reduced(const char *type, const char *kind, const std::vector<T> &data, const Longs &index,
                       const std::vector<T> &updates, const Longs &extents) {
  std::vector<T> result(data.size());
  const Status status = runHostOp("scatter_reduce", {type, kind},
                                  {viewOf(data), viewOf(index), viewOf(updates), viewOf(extents)}, result);
  EXPECT_TRUE(status.isOk()) << status.message();
  return result;
}

TEST(HostScatter, EveryKind) {
  const std::vector<float> data{1, 2, 3, 4}, updates{10, 0.5f, 20, 5};
  const Longs index{2, 0, 2, 7}, extents{1, 4, 1, 4};
  EXPECT_EQ(reduced("f32", "add", data, index, updates, extents), (std::vector<float>{1.5f, 2, 33, 4}));
  EXPECT_EQ(reduced("f32", "mul", data, index, updates, extents), (std::vector<float>{0.5f, 2, 600, 4}));
  EXPECT_EQ(reduced("f32", "max", data, index, updates, extents), (std::vector<float>{1, 2, 20, 4}));
  EXPECT_EQ(reduced("f32", "min", data, index, updates, extents), (std::vector<float>{0.5f, 2, 3, 4}));
  const auto withNaN = reduced<float>("f32", "max", data, index, {NAN, 0.5f, 20, 5}, extents);
  EXPECT_TRUE(std::isnan(withNaN[2]));
}

TEST(HostScatter, OneIndexForAllBehindIt) {
  // Rows of [2, 3, 2] by [2, 2] indices; integers wrap.
  const std::vector<int8_t> data{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 127}, updates{1, 1, 1, 1, 10, 20, 30, 40};
  EXPECT_EQ(reduced("i8", "add", data, {0, 0, 2, 0}, updates, {2, 2, 2, 3}),
            (std::vector<int8_t>{3, 4, 3, 4, 5, 6, 37, 48, 9, 10, 21, -109}));
  std::vector<int8_t> result(12);
  const Longs three{0, 0, 2}, extents{2, 2, 2, 3};
  EXPECT_EQ(runHostOp("scatter_reduce", {"i8", "add"}, {viewOf(data), viewOf(three), viewOf(updates), viewOf(extents)},
                      result)
                .code(),
            Code::Package);
  const Longs four{0, 0, 2, 0};
  EXPECT_EQ(
      runHostOp("scatter_reduce", {"i8", "xor"}, {viewOf(data), viewOf(four), viewOf(updates), viewOf(extents)}, result)
          .code(),
      Code::Package);
}

template <class T>
void expectCumulated(const char *type, bool isProduct, bool isExclusive, bool isReverse, const Longs &extents) {
  const auto before = static_cast<size_t>(extents[0]), extent = static_cast<size_t>(extents[1]),
             behind = static_cast<size_t>(extents[2]);
  std::vector<T> data(before * extent * behind), expected(data), result(data);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<T>(i % 3);
  for (size_t outer = 0; outer < before; ++outer)
    for (size_t inner = 0; inner < behind; ++inner) {
      T sum = static_cast<T>(isProduct ? 1 : 0);
      for (size_t i = 0; i < extent; ++i) {
        const size_t at = (outer * extent + (isReverse ? extent - 1 - i : i)) * behind + inner;
        expected[at] = sum;
        sum = static_cast<T>(isProduct ? sum * data[at] : sum + data[at]);
        if (!isExclusive)
          expected[at] = sum;
      }
    }
  const Status status = runHostOp(
      "cumulate",
      {type, isProduct ? "mul" : "add", isExclusive ? "exclusive" : "inclusive", isReverse ? "reverse" : "forward"},
      {viewOf(data), viewOf(extents)}, result);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(result, expected) << type << " of " << extents[0] << " x " << extents[1] << " x " << extents[2];
}

TEST(HostCumulate, EveryOrder) {
  for (const Longs &extents : {Longs{1, 9, 1}, {3, 40, 1}, {2, 5, 64}, {1, 7, 70}, {2, 3, 131}, {4, 0, 3}, {0, 4, 3}})
    for (int order = 0; order < 8; ++order) {
      const bool isProduct = order & 1, isExclusive = order & 2, isReverse = order & 4;
      expectCumulated<float>("f32", isProduct, isExclusive, isReverse, extents);
      expectCumulated<int64_t>("i64", isProduct, isExclusive, isReverse, extents);
      expectCumulated<uint8_t>("u8", isProduct, isExclusive, isReverse, extents); // wraps
    }
}

TEST(HostCumulate, SizesThatDoNotGoTogether) {
  const std::vector<float> data(12);
  std::vector<float> result(12), less(11);
  const Longs right{2, 3, 2}, wrong{2, 3, 3}, many{int64_t(1) << 40, int64_t(1) << 40, 1};
  const std::vector<std::string> arguments{"f32", "add", "inclusive", "forward"};
  EXPECT_EQ(runHostOp("cumulate", arguments, {viewOf(data), viewOf(wrong)}, result).code(), Code::Package);
  EXPECT_EQ(runHostOp("cumulate", arguments, {viewOf(data), viewOf(many)}, result).code(), Code::Package);
  EXPECT_EQ(runHostOp("cumulate", arguments, {viewOf(data), viewOf(right)}, less).code(), Code::Package);
  EXPECT_EQ(runHostOp("cumulate", {"f32", "max", "inclusive", "forward"}, {viewOf(data), viewOf(right)}, result).code(),
            Code::Package);
}

} // namespace
