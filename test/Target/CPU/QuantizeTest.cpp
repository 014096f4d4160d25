//===- test/Target/CPU/QuantizeTest.cpp - bytes by a division and without one ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Quantize.h"
#include "test/Target/CPU/KernelRunner.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace cupola;
using namespace cupola::test;

namespace {

/// Powers of two, quantisers' scales, and the ends of what has no division; beyond them it has.
const float scales[] = {1.0f,    0.5f,    0.0205094852f, 0.0263632871f, 0.1f,   1.0f / 3, 0.007843138f, 1.99999988f,
                        1.0e-3f, 123.45f, 0x1p-80f,      0x1.8p79f,     1e-30f, 1e30f,    1e-40f,       -0.25f};
bool hasDivision(float scale) { return !(scale >= 0x1p-80f && scale <= 0x1p80f); }

/// The floats around the places where the quotient rounds to another integer, and others.
std::vector<float> inputsOf(float scale) {
  constexpr float infinity = INFINITY, most = std::numeric_limits<float>::max();
  std::vector<float> inputs{0.0f, -0.0f, NAN, infinity, -infinity, most, -most, 1e-45f, -1e-45f, scale};
  for (int n = -400; n <= 400; ++n) {
    float x = static_cast<float>((n + 0.5) * static_cast<double>(scale));
    for (int i = 0; i < 3; ++i)
      x = std::nextafter(x, -infinity);
    for (int i = -3; i <= 3; ++i, x = std::nextafter(x, infinity))
      inputs.push_back(x);
  }
  return inputs;
}

TEST(RoundingTest, IsThatOfTheQuotientForNumbersOfEverySize) {
  for (float scale : scales) {
    std::optional<cpu::Rounding> rounding = cpu::Rounding::of(scale, -124, 131);
    ASSERT_EQ(rounding.has_value(), !hasDivision(scale)) << scale;
    if (!rounding)
      continue;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1999) {
      const auto x = llvm::bit_cast<float>(static_cast<uint32_t>(bits));
      if (std::isnan(x))
        continue;
      const float exact = std::clamp(std::nearbyint(x / scale), -124.0f, 131.0f);
      ASSERT_EQ(static_cast<float>(rounding->nearest(x)), exact) << x << " / " << scale;
    }
  }
}

/// With a factor alone some number would round to a neighbour: what of() is there to find.
TEST(RoundingTest, AFactorAloneIsNotEnough) {
  cpu::Rounding rounding = *cpu::Rounding::of(0.0205094852f, 0, 255);
  rounding.rest = 0;
  bool differs = false;
  for (float x : inputsOf(0.0205094852f))
    differs |= !std::isnan(x) &&
               static_cast<float>(rounding.nearest(x)) != std::clamp(std::nearbyint(x / 0.0205094852f), 0.0f, 255.0f);
  EXPECT_TRUE(differs);
}

class QuantizeTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, QuantizeTest, testing::ValuesIn(runnableLevels()));

template <class T> T quantized(float x, float scale, float zero) {
  const float sum = std::nearbyint(x / scale) + zero;
  if (std::isnan(sum))
    return 0;
  return static_cast<T>(std::clamp<float>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

std::string constantOf(float value) {
  char text[32];
  snprintf(text, sizeof(text), "%.9e", value);
  return text;
}

template <class T> void expectBytes(const std::string &type, int level) {
  const float zeros[] = {0.0f, 124.0f, -7.0f, 0.5f, 300.0f}; // the last two are no zero points
  for (size_t n = 0; n < std::size(scales); ++n)
    for (size_t m : {n, n + 1}) {
      const float scale = scales[n], zero = zeros[m % std::size(zeros)];
      KernelRunner runner(
          kernelText("quantize", {{"TYPE", type}, {"SCALE", constantOf(scale)}, {"ZERO", constantOf(zero)}}), level);
      std::vector<float> x = inputsOf(scale), y(x.size());
      std::vector<T> q(x.size());
      runner.run(0, {x.data(), q.data(), y.data()}, {static_cast<int64_t>(x.size())});
      for (size_t i = 0; i < x.size(); ++i) {
        const T expected = quantized<T>(x[i], scale, zero);
        ASSERT_EQ(q[i], expected) << type << " of " << x[i] << ", scale " << scale << ", zero " << zero;
        ASSERT_EQ(y[i], static_cast<float>(expected) - zero) << type << " of " << x[i] << ", read again";
      }
    }
}

TEST_P(QuantizeTest, BytesAreThoseOfTheDivision) {
  expectBytes<uint8_t>("ui8", GetParam());
  expectBytes<int8_t>("i8", GetParam());
}

} // namespace
