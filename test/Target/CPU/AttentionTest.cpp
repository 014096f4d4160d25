//===- test/Target/CPU/AttentionTest.cpp - attention by steps against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace cupola;
using namespace cupola::test;

namespace {

constexpr int64_t kHeads = 2;
constexpr float kOut = -std::numeric_limits<float>::infinity();

struct Shape {
  int64_t rows, keys, depth, columns;
};

struct Kind {
  bool causal = false, turned = false; ///< turned: keys are neighbours
  bool dynamic = false;                ///< rows and keys are n0 and n1
  std::string stored = "f32";
};

class AttentionTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, AttentionTest, testing::ValuesIn(runnableLevels()));

std::string canonical(const std::string &text) {
  std::string error;
  return positionText(*Expr::parse(text, &error));
}

/// q [heads, rows, depth], k [heads, keys, depth] or [heads, depth, keys], v [heads, keys, columns],
/// mask [rows, keys], o [rows, heads, columns]
std::string attentionText(const Shape &s, const Kind &kind) {
  std::string rows = kind.dynamic ? "n0" : std::to_string(s.rows), keys = kind.dynamic ? "n1" : std::to_string(s.keys);
  std::string d = std::to_string(s.depth), c = std::to_string(s.columns), heads = std::to_string(kHeads);
  std::string k = kind.turned ? "g0*" + d + "*" + keys + " + d2*" + keys + " + 64*d9 + d1"
                              : "g0*" + d + "*" + keys + " + (64*d9 + d1)*" + d + " + d2";
  return kernelText("attention", {{"HEADS", heads},
                                  {"STEPS", Expr::parse("ceildiv(" + keys + ", 64)", nullptr)->text()},
                                  {"DEPTH", d},
                                  {"COLUMNS", c},
                                  {"Q_AT", canonical("g0*" + rows + "*" + d + " + d0*" + d + " + d2")},
                                  {"K_AT", canonical(k)},
                                  {"V_AT", canonical("g0*" + c + "*" + keys + " + (64*d9 + d1)*" + c + " + d4")},
                                  {"O_AT", canonical("d0*" + heads + "*" + c + " + g0*" + c + " + d1")},
                                  {"KEY_INSIDE", canonical(keys + " - 1 - 64*d9 - d1")},
                                  {"BIAS_AT", canonical("d0*" + keys + " + 64*d9 + d1")},
                                  {"CAUSAL", canonical(kind.causal ? "d0 - 64*d9 - d1" : keys)},
                                  {"ROWS", rows},
                                  {"CAST", kind.stored == "f32" ? "" : "%h = kernel.cast %w : f32 -> STORED"},
                                  {"ROUNDED", kind.stored == "f32" ? "%w" : "%h"},
                                  {"STORED", kind.stored}});
}

/// Some keys of most rows are out, and all keys of the second row.
std::vector<float> makeMask(const Shape &s) {
  std::vector<float> mask = randomFloats(s.rows * s.keys, 4);
  for (int64_t i = 0; i < s.rows; ++i)
    for (int64_t j = 0; j < s.keys; ++j)
      if (i == 1 || (i + j) % 5 == 0)
        mask[i * s.keys + j] = kOut;
  return mask;
}

template <class T> struct Operands {
  explicit Operands(const Shape &s)
      : q(convert(randomFloats(kHeads * s.rows * s.depth, 1))), k(convert(randomFloats(kHeads * s.keys * s.depth, 2))),
        v(convert(randomFloats(kHeads * s.keys * s.columns, 3))), mask(makeMask(s)),
        o(s.rows * kHeads * s.columns + 1, T(-7)) {
    for (T &x : q)
      x = T(float(x) / std::sqrt(float(s.depth)));
  }
  static std::vector<T> convert(const std::vector<float> &from) { return std::vector<T>(from.begin(), from.end()); }
  std::vector<T> q, k, v;
  std::vector<float> mask;
  std::vector<T> o;
};

/// The row's result of a head.
template <class T>
std::vector<double> expectedRow(const Operands<T> &in, const Shape &s, const Kind &kind, int64_t head, int64_t row) {
  std::vector<double> scores(s.keys), result(s.columns);
  for (int64_t j = 0; j < s.keys; ++j) {
    double dot = 0;
    for (int64_t p = 0; p < s.depth; ++p)
      dot += double(in.q[(head * s.rows + row) * s.depth + p]) *
             double(in.k[kind.turned ? (head * s.depth + p) * s.keys + j : (head * s.keys + j) * s.depth + p]);
    scores[j] = kind.causal && j > row ? kOut : dot + in.mask[row * s.keys + j];
  }
  double largest = *std::max_element(scores.begin(), scores.end()), sum = 0;
  if (largest == kOut)
    return result;
  for (int64_t j = 0; j < s.keys; ++j) {
    double weight = std::exp(scores[j] - largest);
    sum += weight;
    for (int64_t p = 0; p < s.columns; ++p)
      result[p] += weight * double(in.v[(head * s.keys + j) * s.columns + p]);
  }
  for (double &x : result)
    x /= sum;
  return result;
}

template <class T = float>
void expectAttention(KernelRunner &runner, const Shape &s, const Kind &kind, double tolerance = 2e-6) {
  Operands<T> in(s);
  runner.run(0, {in.q.data(), in.k.data(), in.v.data(), in.mask.data(), in.o.data()}, {s.rows, s.keys}, 2);
  for (int64_t head = 0; head < kHeads; ++head)
    for (int64_t i = 0; i < s.rows; ++i) {
      std::vector<double> expected = expectedRow(in, s, kind, head, i);
      for (int64_t j = 0; j < s.columns; ++j)
        ASSERT_NEAR(double(in.o[(i * kHeads + head) * s.columns + j]), expected[j],
                    tolerance * (1 + std::abs(expected[j])))
            << s.rows << "x" << s.keys << "x" << s.depth << "x" << s.columns << ", head " << head << ", row " << i
            << ", column " << j;
    }
  EXPECT_EQ(in.o.back(), T(-7)) << "wrote beyond the end";
}

TEST_P(AttentionTest, StaticShapes) {
  for (bool turned : {false, true})
    for (Shape shape : {Shape{1, 65, 64, 64},
                        {1, 7, 20, 12},
                        {2, 130, 20, 33},
                        {5, 64, 64, 64},
                        {70, 77, 16, 16},
                        {197, 197, 64, 80},
                        {130, 1, 40, 7},
                        {5, 5, 1, 1},
                        {100, 128, 128, 128}}) {
      Kind kind;
      kind.turned = turned;
      KernelRunner runner(attentionText(shape, kind), GetParam());
      expectAttention(runner, shape, kind);
    }
}

struct Counts {
  int64_t rows, keys;
};

/// Few rows take keys and values where they lie, more copy them.
constexpr Counts dynamicCounts[] = {{1, 1},   {2, 130},  {3, 64},  {4, 70},   {5, 70},
                                    {64, 64}, {65, 129}, {7, 200}, {300, 33}, {0, 5}};

TEST_P(AttentionTest, OneKernelForDynamicShapes) {
  for (bool causal : {false, true})
    for (bool turned : {false, true})
      for (auto [depth, columns] : {std::pair<int64_t, int64_t>{24, 40}, {64, 64}}) {
        Kind kind;
        kind.dynamic = true;
        kind.causal = causal;
        kind.turned = turned;
        KernelRunner runner(attentionText({0, 0, depth, columns}, kind), GetParam());
        for (Counts count : dynamicCounts)
          expectAttention(runner, {count.rows, count.keys, depth, columns}, kind);
      }
}

TEST_P(AttentionTest, OneKernelForDynamicShapesOfHalves) {
  Kind kind;
  kind.dynamic = true;
  kind.stored = "f16";
  KernelRunner runner(attentionText({0, 0, 32, 48}, kind), GetParam());
  for (Counts count : dynamicCounts)
    expectAttention<_Float16>(runner, {count.rows, count.keys, 32, 48}, kind, 2e-3);
}

TEST_P(AttentionTest, NoKeysGiveZeros) {
  Kind kind;
  kind.dynamic = true;
  KernelRunner runner(attentionText({0, 0, 8, 8}, kind), GetParam());
  std::vector<float> none(1), q(kHeads * 3 * 8, 1), o(kHeads * 3 * 8, -1);
  runner.run(0, {q.data(), none.data(), none.data(), none.data(), o.data()}, {3, 0});
  EXPECT_EQ(o, std::vector<float>(o.size(), 0));
}

TEST_P(AttentionTest, HalfPrecision) {
  Kind kind;
  kind.stored = "f16";
  kind.causal = true;
  for (Shape shape : {Shape{1, 70, 64, 64}, {3, 70, 64, 64}, {4, 70, 64, 64}, {90, 90, 32, 20}}) {
    KernelRunner runner(attentionText(shape, kind), GetParam());
    expectAttention<_Float16>(runner, shape, kind, 2e-3);
  }
}

} // namespace
