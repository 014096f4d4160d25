//===- test/Target/CPU/IntegerDotTest.cpp - products of words and bytes against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CPU/CpuFeatures.h"
#include "test/Target/CPU/KernelRunner.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace cupola;
using namespace cupola::test;

namespace {

struct Shape {
  int64_t m, n, k;
};

/// What is multiplied: i16, or u8 less 100 as i16 on the left; u8 on the left and i8 on the right.
enum class Factors { Words, Centred, Bytes };

struct Form {
  bool rhsTransposed, pack, dynamic;
  Factors factors;
  bool hasBytes() const { return factors != Factors::Words; }
  bool areBytes() const { return factors == Factors::Bytes; }
};

class IntegerDotTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, IntegerDotTest, testing::ValuesIn(runnableLevels()));

std::string canonical(const std::string &text) {
  std::string error;
  return positionText(*Expr::parse(text, &error));
}

std::string textOf(const Shape &s, const Form &form, int64_t divisor) {
  const auto extent = [&](const char *slot, int64_t value) { return form.dynamic ? slot : std::to_string(value); };
  const std::string m = extent("n0", s.m), n = extent("n1", s.n), k = extent("n2", s.k);
  return kernelText("gemm_integers",
                    {{"LHS", canonical("d0*" + k + " + d2")},
                     {"RHS", canonical(form.rhsTransposed ? "d1*" + k + " + d2" : "d2*" + n + " + d1")},
                     {"OUT", canonical(n == "1" ? "d3" : "d3*" + n + " + d4")},
                     {"ROWS", m},
                     {"COLUMNS", n},
                     {"DEPTH", k},
                     {"DIVISOR", std::to_string(divisor)},
                     {"LEFT", form.hasBytes() ? "ui8" : "i16"},
                     {"RIGHT", form.areBytes() ? "i8" : "i16"},
                     {"FACTOR", form.areBytes() ? "ui8" : "i16"},
                     {"PROLOGUE", form.factors == Factors::Centred
                                      ? "%w = kernel.cast %x : ui8 -> i16\n    %z = kernel.constant 100 : i16\n"
                                        "    %c = kernel.binary sub %w, %z : i16 -> i16"
                                      : ""},
                     {"VALUE", form.factors == Factors::Centred ? "c" : "x"}});
}

/// Small numbers, and the ends of the type now and then.
template <class T> std::vector<T> numbers(size_t count, uint32_t seed) {
  using Limits = std::numeric_limits<T>;
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = random() % 16 == 0 ? (random() % 2 ? Limits::min() : Limits::max()) : static_cast<T>(random() % 511 - 255);
  return values;
}

template <class Left, class Right> void expectProductOf(KernelRunner &runner, const Shape &s, const Form &form) {
  const std::vector<Left> left = numbers<Left>(s.m * s.k, 1);
  const std::vector<Right> right = numbers<Right>(s.k * s.n, 2);
  std::vector<int32_t> o(s.m * s.n + 1, -1), packed;
  const std::vector<int64_t> scalars{s.m, s.n, s.k};
  void *lhs = const_cast<Left *>(left.data()), *rhs = const_cast<Right *>(right.data());
  if (runner.size() > 1) {
    packed.assign((s.n + 64) * (s.k / 2 + 1), 0x7fff7fff);
    runner.run(1, {rhs, packed.data()}, scalars);
    rhs = packed.data();
  }
  runner.run(0, {lhs, rhs, o.data()}, scalars);
  const int zero = form.factors == Factors::Centred ? 100 : 0;
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      uint32_t sum = 0; // which wraps
      for (int64_t k = 0; k < s.k; ++k)
        sum += uint32_t(left[i * s.k + k] - zero) * uint32_t(right[form.rhsTransposed ? j * s.k + k : k * s.n + j]);
      ASSERT_EQ(o[i * s.n + j], static_cast<int32_t>(sum))
          << s.m << "x" << s.n << "x" << s.k << " at " << i << ", " << j;
    }
  EXPECT_EQ(o.back(), -1) << "wrote beyond the end";
}

void expectProduct(KernelRunner &runner, const Shape &s, const Form &form) {
  if (form.areBytes())
    expectProductOf<uint8_t, int8_t>(runner, s, form);
  else if (form.hasBytes())
    expectProductOf<uint8_t, int16_t>(runner, s, form);
  else
    expectProductOf<int16_t, int16_t>(runner, s, form);
}

/// With the processor's extensions, if it has any, and without.
void expectBoth(KernelRunner &runner, const Shape &shape, const Form &form) {
  for (uint32_t bits : {0u, runtime::hostExtensions()}) {
    runner.setExtensions(bits);
    expectProduct(runner, shape, form);
  }
}

TEST_P(IntegerDotTest, StaticShapes) {
  for (Form form : {Form{false, false, false, Factors::Words},
                    {false, true, false, Factors::Words},
                    {true, false, false, Factors::Words},
                    {true, true, false, Factors::Words},
                    {false, true, false, Factors::Centred},
                    {false, false, false, Factors::Bytes},
                    {true, true, false, Factors::Bytes}})
    for (Shape shape : {Shape{1, 1, 1},
                        {1, 48, 7},
                        {5, 17, 3},
                        {8, 96, 64},
                        {33, 100, 601},
                        {70, 200, 1},
                        {70, 1, 50},
                        {1, 64, 9},
                        {13, 128, 70},
                        {70, 64, 1030},
                        {9, 50, 1030}}) {
      KernelRunner runner(textOf(shape, form, 1), GetParam(), form.pack);
      expectBoth(runner, shape, form);
    }
}

TEST_P(IntegerDotTest, OneKernelForDynamicShapes) {
  for (Form form : {Form{false, false, true, Factors::Words},
                    {false, true, true, Factors::Words},
                    {true, true, true, Factors::Centred},
                    {false, false, true, Factors::Bytes},
                    {false, true, true, Factors::Bytes}}) {
    KernelRunner runner(textOf({}, form, 1), GetParam(), form.pack);
    for (Shape shape : {Shape{0, 5, 3}, {3, 0, 3}, {3, 5, 0}, {1, 1, 1}, {7, 33, 15}, {65, 193, 513}, {64, 192, 512}})
      expectBoth(runner, shape, form);
  }
}

/// A depth that is known to be whole words is read where it lies.
TEST_P(IntegerDotTest, DynamicDepthsOfWholeWords) {
  for (Factors factors : {Factors::Words, Factors::Bytes}) {
    const Form form{false, true, true, factors};
    KernelRunner runner(textOf({}, form, 4), GetParam(), form.pack);
    for (Shape shape : {Shape{4, 8, 4}, {37, 130, 516}})
      expectBoth(runner, shape, form);
  }
}

TEST_P(IntegerDotTest, PackedSizeIsStated) {
  const int64_t panel = GetParam() == 3 ? 16 : 48;
  for (Factors factors : {Factors::Words, Factors::Bytes})
    for (int64_t columns : {100, 64}) { // of which a wide panel is the other
      const Form form{false, true, false, factors};
      KernelRunner runner(textOf({8, columns, 31}, form, 1), GetParam(), true);
      ASSERT_EQ(runner.size(), 2u);
      EXPECT_EQ(runner.packedBytes.at(0).evaluate({}), (columns == 64 ? 64 : (columns + panel - 1) / panel * panel) *
                                                           32 * (factors == Factors::Bytes ? 1 : 2));
    }
}

} // namespace
