//===- test/Sim/KernelsTest.cpp - Correct kernels: right values, no report, whatever the order ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/KernelRunner.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace cupola;
using namespace cupola::test;

namespace {

std::string readKernel(const std::string &name) {
  const char *folder = std::getenv("CUPOLA_TEST_KERNELS"); // the mutation script's copy
  std::ifstream file((folder ? folder : "test/Sim/kernels") + ("/" + name + ".cu"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << "no kernel " << name;
  return text.str();
}

KernelRun makeRun(const std::string &name, uint32_t threads, uint64_t sharedBytes, uint64_t grid) {
  KernelRun run;
  run.text = readKernel(name);
  run.kernel = "k_" + name;
  run.threads = threads;
  run.sharedBytes = sharedBytes;
  run.grid = grid;
  return run;
}

/// Deterministic values in [-1, 1).
std::vector<float> makeValues(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (float &v : values) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<int32_t>(seed)) * 0x1p-31f;
  }
  return values;
}

uint16_t toHalf(float x) {
  // Values of makeValues have few bits after this rounding, so that no halfway case arises.
  const uint32_t bits = [&] {
    uint32_t b;
    std::memcpy(&b, &x, 4);
    return b;
  }();
  const int exponent = static_cast<int>(bits >> 23 & 255) - 112;
  if (exponent <= 0)
    return static_cast<uint16_t>(bits >> 16 & 0x8000u);
  return static_cast<uint16_t>((bits >> 16 & 0x8000u) | static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 1023u));
}
float fromHalf(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h >> 15) << 31, magnitude = h & 0x7fffu;
  const uint32_t bits = magnitude == 0 ? sign : sign | ((magnitude << 13) + (112u << 23));
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

void expectNear(const std::vector<float> &found, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

/// A[m,k] times B; B is [k,n], or [n,k] if transposed.
std::vector<double> product(const std::vector<float> &a, const std::vector<float> &b, size_t m, size_t n, size_t k,
                            bool transposed) {
  std::vector<double> c(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        c[i * n + j] += double(a[i * k + p]) * double(transposed ? b[j * k + p] : b[p * n + j]);
  return c;
}

class KernelsOn : public ::testing::Test {
protected:
  /// Runs without a report and returns the output buffers.
  std::vector<std::string> run(const KernelRun &what, const std::string &arch, uint64_t seed) {
    device = makeSimulator(arch, seed);
    const KernelOutcome outcome = runKernel(*device, what);
    EXPECT_TRUE(outcome.status.isOk()) << outcome.status.message();
    flag = outcome.flag;
    return outcome.status.isOk() ? outcome.buffers : std::vector<std::string>();
  }
  std::shared_ptr<runtime::Device> device;
  uint32_t flag = 0;
};

class Kernels : public KernelsOn, public ::testing::WithParamInterface<uint64_t> {
protected:
  std::vector<std::string> run(const KernelRun &what, const std::string &arch = "sm_80") {
    return KernelsOn::run(what, arch, GetParam());
  }
};

TEST_P(Kernels, Softmax) {
  for (size_t n : {1, 100, 128, 129, 384}) {
    KernelRun softmax = makeRun("softmax", 128, 16 + 384 * 4, 5);
    const std::vector<float> in = makeValues(5 * n, 1);
    softmax.buffers = {input(in), output<float>(5 * n)};
    softmax.scalars = {static_cast<int64_t>(n)};
    std::vector<double> expected(5 * n);
    for (size_t r = 0; r < 5; ++r) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i)
        sum += std::exp(double(in[r * n + i]));
      for (size_t i = 0; i < n; ++i)
        expected[r * n + i] = std::exp(double(in[r * n + i])) / sum;
    }
    const auto found = run(softmax);
    ASSERT_EQ(found.size(), 1u);
    expectNear(fromBytes<float>(found[0]), expected, 1e-6);
  }
}

TEST_P(Kernels, GemmSimt) {
  for (auto [m, n, k] : {std::array<size_t, 3>{33, 70, 50}, {64, 128, 64}, {1, 1, 1}}) {
    KernelRun gemm = makeRun("gemm_simt", 256, 16384, (m + 63) / 64 * ((n + 63) / 64));
    const std::vector<float> a = makeValues(m * k, 2), b = makeValues(k * n, 3);
    gemm.buffers = {input(a), input(b), output<float>(m * n)};
    gemm.scalars = {int64_t(m), int64_t(n), int64_t(k)};
    const auto found = run(gemm, "sm_75");
    ASSERT_EQ(found.size(), 1u);
    expectNear(fromBytes<float>(found[0]), product(a, b, m, n, k, false), 1e-4);
  }
}

/// Fills a run with f16 operands and returns the product of their exact values.
std::vector<double> setHalfOperands(KernelRun &gemm, size_t m, size_t n, size_t k, bool transposed) {
  std::vector<float> a = makeValues(m * k, 4), b = makeValues(k * n, 5);
  std::vector<uint16_t> ah, bh;
  for (float &x : a) {
    ah.push_back(toHalf(x));
    x = fromHalf(ah.back());
  }
  for (float &x : b) {
    bh.push_back(toHalf(x));
    x = fromHalf(bh.back());
  }
  gemm.buffers = {input(ah), input(bh), output<float>(m * n)};
  gemm.scalars = {int64_t(m), int64_t(n), int64_t(k)};
  return product(a, b, m, n, k, transposed);
}

TEST_P(Kernels, GemmMma16) {
  for (auto [m, n, k] : {std::array<size_t, 3>{33, 72, 40}, {64, 64, 160}, {65, 128, 8}}) {
    KernelRun gemm = makeRun("gemm_mma16", 128, 15360 + 3 * 32 * 72 * 2, (m + 63) / 64 * ((n + 63) / 64));
    const std::vector<double> expected = setHalfOperands(gemm, m, n, k, false);
    const auto found = run(gemm);
    ASSERT_EQ(found.size(), 1u);
    expectNear(fromBytes<float>(found[0]), expected, 1e-4);
  }
}

TEST_P(Kernels, GemmMma8) {
  for (auto [m, n, k] : {std::array<size_t, 3>{33, 70, 40}, {64, 64, 64}}) {
    KernelRun gemm = makeRun("gemm_mma8", 128, 6144, (m + 63) / 64 * ((n + 63) / 64));
    const std::vector<double> expected = setHalfOperands(gemm, m, n, k, true);
    const auto found = run(gemm, "sm_75");
    ASSERT_EQ(found.size(), 1u);
    expectNear(fromBytes<float>(found[0]), expected, 1e-4);
  }
}

TEST_P(Kernels, SplitK) {
  KernelRun sum = makeRun("splitk", 64, 8, 7);
  const std::vector<float> in = makeValues(1000, 6);
  sum.buffers = {input(in), output<float>(7 * 64), inPlace(std::vector<uint32_t>(1)), output<float>(1)};
  sum.scalars = {1000};
  double expected = 0;
  for (float x : in)
    expected += x;
  const auto found = run(sum);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(fromBytes<uint32_t>(found[1])[0], 0u) << "the ticket is given back";
  EXPECT_NEAR(fromBytes<float>(found[2])[0], expected, 1e-4);
}

TEST_P(Kernels, WarpTranspose) {
  KernelRun transpose = makeRun("warp_transpose", 64, 2 * 32 * 33 * 4, 2);
  const std::vector<float> in = makeValues(2 * 2 * 3 * 1024, 7);
  transpose.buffers = {input(in), output<float>(in.size())};
  transpose.scalars = {3};
  const auto found = run(transpose);
  ASSERT_EQ(found.size(), 1u);
  const std::vector<float> out = fromBytes<float>(found[0]);
  for (size_t t = 0; t < in.size(); ++t)
    ASSERT_EQ(out[t], in[t / 1024 * 1024 + t % 32 * 32 + t % 1024 / 32]);
  const auto statistics = device->statistics();
  ASSERT_EQ(statistics.size(), 1u);
  EXPECT_EQ(statistics[0].bankConflicts, 0u) << "rows of 33 words";
}

TEST_P(Kernels, CopiesOfABarrierAreThatBarrier) {
  KernelRun sums = makeRun("barrier_copies", 64, 128, 1);
  const std::vector<float> in = makeValues(256, 9);
  sums.buffers = {input(in), output<float>(128)};
  const auto found = run(sums);
  ASSERT_EQ(found.size(), 1u);
  const std::vector<float> out = fromBytes<float>(found[0]);
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], in[i / 32 * 64 + i % 32] + in[i / 32 * 64 + 32 + i % 32]);
}

/// What k_grid_steps computes.
std::vector<uint32_t> gridSteps(const std::vector<uint32_t> &in, size_t threads, size_t steps) {
  const size_t blocks = in.size() / threads;
  std::vector<uint32_t> states = in, kept = in;
  for (size_t s = 1; s <= steps; ++s) {
    const std::vector<uint32_t> before = states, keptBefore = kept;
    for (size_t i = 0; i < in.size(); ++i) {
      const size_t t = i % threads;
      states[i] = keptBefore[i - t + threads - 1 - t];
      for (size_t b = 0; b < blocks; ++b)
        states[i] = 3 * states[i] + before[b * threads + (t + b + 1) % threads];
      kept[i] = states[i] ^ in[i];
    }
  }
  return kept;
}

TEST_P(Kernels, GridSteps) {
  for (auto [blocks, steps] : {std::array<size_t, 2>{5, 4}, {3, 1}, {1, 3}, {70, 2}}) {
    KernelRun grid = makeRun("grid_steps", 64, 3 * 256, blocks);
    grid.cooperative = true;
    std::vector<uint32_t> in;
    for (uint32_t i = 0; i < blocks * 64; ++i)
      in.push_back(i * 2654435761u);
    grid.buffers = {input(in), output<uint32_t>(2 * in.size()), inPlace(std::vector<uint32_t>(1)),
                    output<uint32_t>(in.size())};
    grid.scalars = {int64_t(steps)};
    const auto found = run(grid);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(fromBytes<uint32_t>(found[1])[0], 0u) << "the counter is given back";
    EXPECT_EQ(fromBytes<uint32_t>(found[2]), gridSteps(in, 64, steps));
  }
}

TEST_P(Kernels, GatherOutOfRangeRaisesTheFlag) {
  for (int64_t last : {9, 10, -1}) {
    KernelRun gather = makeRun("gather", 32, 0, 3);
    const std::vector<float> table = makeValues(10 * 32, 8);
    gather.buffers = {input(table), input(std::vector<int64_t>{4, 0, last}), output<float>(96)};
    gather.scalars = {10};
    const auto found = run(gather);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(flag, last == 9 ? 0u : 1u);
    EXPECT_EQ(fromBytes<float>(found[0])[64], table[last == -1 ? 0 : 9 * 32]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Kernels, ::testing::Values(0, 1, 2, 3));

struct WgmmaShape {
  size_t m, n, k;
  size_t tileN = 256;
  bool bf16 = false, transposed = false;
};

uint16_t toElement(float x, bool bf16) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bf16 ? static_cast<uint16_t>(bits >> 16) : toHalf(x);
}
float fromElement(uint16_t x, bool bf16) {
  const uint32_t bits = static_cast<uint32_t>(x) << 16;
  float wide;
  std::memcpy(&wide, &bits, 4);
  return bf16 ? wide : fromHalf(x);
}

/// Rounds the values to 16 bits and returns those.
std::vector<uint16_t> roundAll(std::vector<float> &values, bool bf16) {
  std::vector<uint16_t> rounded;
  for (float &x : values) {
    rounded.push_back(toElement(x, bf16));
    x = fromElement(rounded.back(), bf16);
  }
  return rounded;
}

KernelRun makeWgmmaRun(const WgmmaShape &s, std::vector<double> &expected) {
  KernelRun gemm = makeRun("gemm_wgmma", 384, 65536 + 512 * s.tileN + 64, (s.m + 255) / 256 * 2);
  gemm.gridY = (s.n + s.tileN - 1) / s.tileN;
  gemm.cluster = 2;
  gemm.programmatic = true;
  gemm.text = "#define TILE_N " + std::to_string(s.tileN) + "\n#define ELEMENT " + (s.bf16 ? "bf16" : "f16") +
              "\n#define TRANSPOSED_B " + (s.transposed ? "1\n" : "0\n") + gemm.text;
  std::vector<float> a = makeValues(s.m * s.k, 4), b = makeValues(s.k * s.n, 5);
  gemm.buffers = {input(roundAll(a, s.bf16)), input(roundAll(b, s.bf16)), output<float>(s.m * s.n)};
  gemm.scalars = {int64_t(s.m), int64_t(s.n), int64_t(s.k)};
  const auto dtype = s.bf16 ? format::DType::BF16 : format::DType::F16;
  gemm.maps = {{0, dtype, {s.k, s.m}, {2 * s.k}, {64, 128}, 128},
               {1, dtype, {s.k, s.n}, {2 * s.k}, {64, static_cast<uint32_t>(s.tileN / 2)}, 128}};
  if (s.transposed)
    gemm.maps[1] = {1, dtype, {s.n, s.k}, {2 * s.n}, {64, 32}, 128};
  expected = product(a, b, s.m, s.n, s.k, !s.transposed);
  return gemm;
}

// Short ones, and some whose stages are used three times.
const WgmmaShape kWgmmaShapes[] = {
    {128, 256, 64},
    {100, 200, 40},
    {300, 260, 600},
    {257, 72, 584, 64},
    {40, 136, 520, 128},
    {200, 100, 648, 128, true},
    {130, 264, 584, 256, false, true},
    {90, 72, 600, 64, true, true},
};

/// A case for each, so that it compiles one text.
class GemmWgmma : public KernelsOn, public ::testing::WithParamInterface<WgmmaShape> {};

TEST_P(GemmWgmma, IsRightInEveryOrder) {
  std::vector<double> expected;
  const KernelRun gemm = makeWgmmaRun(GetParam(), expected);
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto found = run(gemm, "sm_90a", seed);
    ASSERT_EQ(found.size(), 1u) << "seed " << seed;
    expectNear(fromBytes<float>(found[0]), expected, 1e-4);
  }
}

std::string nameOf(const ::testing::TestParamInfo<WgmmaShape> &info) {
  const WgmmaShape &s = info.param;
  return "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k) + "tile" +
         std::to_string(s.tileN) + (s.bf16 ? "bf16" : "f16") + (s.transposed ? "transposed" : "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, GemmWgmma, ::testing::ValuesIn(kWgmmaShapes), nameOf);

} // namespace
