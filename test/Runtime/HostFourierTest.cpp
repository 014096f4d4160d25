//===- test/Runtime/HostFourierTest.cpp - Fast Fourier transforms beside sums of waves ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/HostRunner.h"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

using Longs = std::vector<int64_t>;
using Complex = std::complex<double>;

/// A signal that is no wave.
std::vector<Complex> signalOf(size_t length, bool isReal) {
  std::vector<Complex> signal(length);
  for (size_t i = 0; i < length; ++i)
    signal[i] = {std::sin(0.7 * static_cast<double>(i * i % 101)) + 0.25,
                 isReal ? 0 : std::cos(static_cast<double>(3 * i % 17))};
  return signal;
}

std::vector<Complex> sumsOfWaves(const std::vector<Complex> &signal, bool isInverse) {
  const size_t length = signal.size();
  std::vector<Complex> sums(length);
  for (size_t k = 0; k < length; ++k)
    for (size_t i = 0; i < length; ++i) {
      const double turn = static_cast<double>(i * k % length) / static_cast<double>(length);
      sums[k] += signal[i] *
                 std::polar(isInverse ? 1.0 / static_cast<double>(length) : 1.0, (isInverse ? 2 : -2) * M_PI * turn);
    }
  return sums;
}

template <class T> std::vector<T> partsOf(const std::vector<Complex> &numbers, size_t count, int64_t parts) {
  std::vector<T> list;
  for (size_t i = 0; i < count; ++i) {
    list.push_back(static_cast<T>(numbers[i].real()));
    if (parts == 2)
      list.push_back(static_cast<T>(numbers[i].imag()));
  }
  return list;
}

/// Two equal rows.
template <class T>
std::vector<T> transformed(const char *type, bool isInverse, const std::vector<T> &row, const Longs &extents) {
  std::vector<T> rows(row), result(static_cast<size_t>(2 * extents[3] * extents[5]));
  rows.insert(rows.end(), row.begin(), row.end());
  const Status status =
      runHostOp("fourier", {type, isInverse ? "inverse" : "forward"}, {viewOf(rows), viewOf(extents)}, result);
  EXPECT_TRUE(status.isOk()) << status.message();
  const size_t half = result.size() / 2;
  EXPECT_TRUE(std::equal(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(half),
                         result.begin() + static_cast<std::ptrdiff_t>(half)));
  result.resize(half);
  return result;
}

template <class T> void expectNear(const std::vector<T> &found, const std::vector<T> &expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

TEST(HostFourier, EveryLength) {
  std::vector<int64_t> lengths{64,  97,  100, 127,  131, 134,
                               243, 256, 317, 1000, 1024}; // from 67 on some are large primes
  for (int64_t length = 1; length <= 40; ++length)
    lengths.push_back(length);
  for (int64_t length : lengths)
    for (bool isInverse : {false, true}) {
      const std::vector<Complex> signal = signalOf(static_cast<size_t>(length), false),
                                 sums = sumsOfWaves(signal, isInverse);
      const auto count = static_cast<size_t>(length);
      const Longs extents{2, length, length, length, 2, 2};
      expectNear(transformed("f64", isInverse, partsOf<double>(signal, count, 2), extents),
                 partsOf<double>(sums, count, 2), 1e-9);
      expectNear(transformed("f32", isInverse, partsOf<float>(signal, count, 2), extents),
                 partsOf<float>(sums, count, 2), 1e-3);
    }
}

TEST(HostFourier, HalfOfARealSignalsSpectrum) {
  for (int64_t length : {1, 2, 3, 8, 15, 50, 71}) {
    const std::vector<Complex> signal = signalOf(static_cast<size_t>(length), true), sums = sumsOfWaves(signal, false);
    const int64_t half = length / 2 + 1;
    const auto all = static_cast<size_t>(length), bins = static_cast<size_t>(half);
    const std::vector<double> real = partsOf<double>(signal, all, 1), spectrum = partsOf<double>(sums, bins, 2);
    expectNear(transformed("f64", false, real, {2, length, length, half, 1, 2}), spectrum, 1e-10);
    expectNear(transformed("f64", true, spectrum, {2, length, half, length, 2, 1}), real, 1e-10);
  }
}

TEST(HostFourier, NoSuchTransform) {
  const std::vector<float> eight(8);
  std::vector<float> result(8);
  const auto codeOf = [&](const char *type, const char *direction, const Longs &extents) {
    return runHostOp("fourier", {type, direction}, {viewOf(eight), viewOf(extents)}, result).code();
  };
  EXPECT_EQ(codeOf("f32", "forward", {1, 4, 4, 4, 2, 2}), Code::Ok);
  EXPECT_EQ(codeOf("i32", "forward", {1, 4, 4, 4, 2, 2}), Code::Package);
  EXPECT_EQ(codeOf("f32", "sideways", {1, 4, 4, 4, 2, 2}), Code::Package);
  for (const Longs &extents : {Longs{1, 0, 4, 4, 2, 2},
                               {1, 4, 3, 4, 2, 2},
                               {1, 4, 4, 5, 2, 2},
                               {1, 4, 4, 4, 3, 2},
                               {1, 4, 4, 4, 2, 0},
                               {2, 4, 4, 4, 2, 2},
                               {1, 4, 4, 4, 1, 2},
                               {1, int64_t(1) << 32, 4, 4, 2, 2},
                               {-1, 4, 4, 4, 2, 2}})
    EXPECT_EQ(codeOf("f32", "forward", extents), Code::Package);
}

} // namespace
