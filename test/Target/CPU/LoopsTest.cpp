//===- test/Target/CPU/LoopsTest.cpp - loops, maps and reductions against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <sys/mman.h>

using namespace cupola;
using namespace cupola::test;

namespace {

constexpr int64_t kRagged[] = {0, 1, 7, 8, 15, 16, 17, 31, 100, 4096, 4097, 10000};

class LoopsTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, LoopsTest, testing::ValuesIn(runnableLevels()));

TEST_P(LoopsTest, PointwiseOverRaggedLengths) {
  KernelRunner runner(kernelText("pointwise"), GetParam());
  for (int64_t n : kRagged) {
    std::vector<float> a = randomFloats(n, 1), b = randomFloats(n, 2), o(n + 1, -1);
    EXPECT_EQ(runner.run(0, {a.data(), b.data(), o.data()}, {n}), 0u);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(o[i], a[i] * b[i] + a[i]) << n << " at " << i;
    EXPECT_EQ(o[n], -1) << "wrote beyond the end";
  }
}

TEST_P(LoopsTest, BroadcastRowAndColumn) {
  KernelRunner runner(kernelText("broadcast"), GetParam());
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{3, 5}, {1, 384}, {17, 33}, {0, 4}}) {
    std::vector<float> a = randomFloats(rows, 1), b = randomFloats(columns, 2);
    std::vector<float> o(rows * columns + 1, -1);
    runner.run(0, {a.data(), b.data(), o.data()}, {rows, columns});
    for (int64_t i = 0; i < rows * columns; ++i)
      ASSERT_EQ(o[i], a[i / columns] + b[i % columns]);
    EXPECT_EQ(o.back(), -1);
  }
}

TEST_P(LoopsTest, Transpose) {
  KernelRunner runner(kernelText("transpose"), GetParam());
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{3, 5}, {64, 384}, {17, 33}}) {
    std::vector<float> a = randomFloats(rows * columns), o(rows * columns + 1, -1);
    runner.run(0, {a.data(), o.data()}, {rows, columns});
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        ASSERT_EQ(o[j * rows + i], a[i * columns + j]);
    EXPECT_EQ(o.back(), -1);
  }
}

TEST_P(LoopsTest, PadReadsNothingOutside) {
  KernelRunner runner(kernelText("pad"), GetParam());
  for (int64_t n : {1, 2, 16, 37}) {
    std::vector<float> a = randomFloats(n), o(n + 5, -1);
    runner.run(0, {a.data(), o.data()}, {n});
    for (int64_t i = 0; i < n + 5; ++i)
      ASSERT_EQ(o[i], i < 2 || i >= n + 2 ? 9 : a[i - 2]) << n << " at " << i;
  }
}

TEST_P(LoopsTest, DivisionsInPositions) {
  KernelRunner runner(kernelText("heads"), GetParam());
  const int64_t tokens = 7; // [tokens, 4 * 8] to [4, tokens, 8], flat
  std::vector<float> a = randomFloats(tokens * 32), o(tokens * 32, -1);
  runner.run(0, {a.data(), o.data()}, {tokens});
  for (int64_t h = 0; h < 4; ++h)
    for (int64_t t = 0; t < tokens; ++t)
      for (int64_t d = 0; d < 8; ++d)
        ASSERT_EQ(o[(h * tokens + t) * 8 + d], a[t * 32 + h * 8 + d]);
}

void softmaxRow(const float *x, float *y, int64_t n) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t i = 0; i < n; ++i)
    largest = std::max<double>(largest, x[i]);
  for (int64_t i = 0; i < n; ++i)
    sum += std::exp(x[i] - largest);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::exp(x[i] - largest) / sum;
}

void expectSoftmax(KernelRunner &runner, int64_t rows, int64_t columns, const std::vector<int64_t> &scalars) {
  std::vector<float> a = randomFloats(rows * columns), o(rows * columns + 1, -1);
  std::vector<float> expected(rows * columns);
  for (int64_t r = 0; r < rows; ++r)
    softmaxRow(&a[r * columns], &expected[r * columns], columns);
  runner.run(0, {a.data(), o.data()}, scalars);
  for (int64_t i = 0; i < rows * columns; ++i)
    ASSERT_NEAR(o[i], expected[i], 1e-6 * expected[i] + 1e-9) << rows << "x" << columns;
  EXPECT_EQ(o.back(), -1);
}

TEST_P(LoopsTest, SoftmaxOfStaticRows) {
  for (int64_t columns : {2, 5, 16, 40, 384, 1000}) {
    KernelRunner runner(kernelText("softmax_static", {{"COLUMNS", std::to_string(columns)}}), GetParam());
    expectSoftmax(runner, 5, columns, {5});
  }
}

TEST_P(LoopsTest, SoftmaxOfDynamicRows) {
  KernelRunner runner(kernelText("softmax_dynamic"), GetParam());
  for (int64_t columns : {1, 7, 11, 16, 128, 333})
    expectSoftmax(runner, 4, columns, {4, columns});
}

/// Tiles have an element for each lane, unless (the last number of rows) that takes too much memory.
TEST_P(LoopsTest, SoftmaxOfColumns) {
  for (int64_t rows : {1, 21, 150, 5000}) {
    KernelRunner runner(kernelText("softmax_columns", {{"ROWS", std::to_string(rows)}}), GetParam());
    for (int64_t columns : {0, 1, 7, 16, 17, 31, 100, 4100}) {
      if (rows * columns > 1 << 20)
        continue;
      std::vector<float> a = randomFloats(rows * columns), b = randomFloats(rows), o(rows * columns + 1, -1);
      runner.run(0, {a.data(), b.data(), o.data()}, {columns});
      for (int64_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (int64_t r = 0; r < rows; ++r)
          sum += std::exp(double(a[r * columns + c])) * std::exp(double(b[r]));
        for (int64_t r = 0; r < rows; ++r) {
          const double expected = std::exp(double(a[r * columns + c])) * std::exp(double(b[r])) / sum;
          ASSERT_NEAR(o[r * columns + c], expected, 2e-5 * expected) << rows << "x" << columns;
        }
      }
      EXPECT_EQ(o.back(), -1);
    }
  }
}

TEST_P(LoopsTest, SumsOfColumnsAndRows) {
  KernelRunner runner(kernelText("reductions"), GetParam());
  const int64_t outer = 3, middle = 37, inner = 21;
  std::vector<float> a = randomFloats(outer * middle * inner), columns(outer * inner), rows(outer * middle);
  runner.run(0, {a.data(), columns.data()}, {outer, middle, inner});
  runner.run(1, {a.data(), rows.data()}, {outer, middle, inner});
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t m = 0; m < middle; ++m)
        sum += a[(o * middle + m) * inner + i];
      ASSERT_NEAR(columns[o * inner + i], sum, 1e-5);
    }
    for (int64_t m = 0; m < middle; ++m) {
      float largest = -std::numeric_limits<float>::infinity();
      for (int64_t i = 0; i < inner; ++i)
        largest = std::max(largest, a[(o * middle + m) * inner + i]);
      ASSERT_EQ(rows[o * middle + m], largest);
    }
  }
}

TEST_P(LoopsTest, LongSumsKeepTheirDigits) {
  KernelRunner runner(kernelText("reductions"), GetParam());
  const int64_t middle = 200'003, inner = 5;
  std::vector<float> a = randomFloats(middle * inner), columns(inner);
  for (float &x : a)
    x = std::abs(x);
  runner.run(0, {a.data(), columns.data()}, {1, middle, inner});
  for (int64_t i = 0; i < inner; ++i) {
    double sum = 0;
    for (int64_t m = 0; m < middle; ++m)
      sum += a[m * inner + i];
    ASSERT_NEAR(columns[i] / sum, 1, 2e-6); // one after the other they would be 1e-5 off
  }
}

TEST_P(LoopsTest, NaNWinsMaxAndEmptyRowsAreNeutral) {
  KernelRunner runner(kernelText("reductions"), GetParam());
  for (int64_t at : {0, 5, 16, 20}) {
    std::vector<float> a = randomFloats(21), row(1);
    a[at] = std::numeric_limits<float>::quiet_NaN();
    runner.run(1, {a.data(), row.data()}, {1, 1, 21});
    EXPECT_TRUE(std::isnan(row[0])) << at;
  }
  std::vector<float> nothing(1), row(1);
  runner.run(1, {nothing.data(), row.data()}, {1, 1, 0});
  EXPECT_EQ(row[0], -std::numeric_limits<float>::infinity());
}

TEST_P(LoopsTest, ArgReduceTakesFirstOrLast) {
  KernelRunner runner(kernelText("arg_reduce"), GetParam());
  std::vector<float> a{1, 3, 2, 3, 5, 0, 5, -1};
  std::vector<int64_t> first(2), last(2);
  runner.run(0, {a.data(), first.data()}, {2, 4});
  runner.run(1, {a.data(), last.data()}, {2, 4});
  EXPECT_EQ(first, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(last, (std::vector<int64_t>{3, 2}));
  a[2] = std::numeric_limits<float>::quiet_NaN();
  runner.run(0, {a.data(), first.data()}, {2, 4});
  EXPECT_EQ(first[0], 2);
}

TEST_P(LoopsTest, ArgReduceOfManyLanes) {
  KernelRunner runner(kernelText("arg_reduce"), GetParam());
  const float nan = std::numeric_limits<float>::quiet_NaN(), least = -std::numeric_limits<float>::infinity();
  for (int64_t n : {1, 15, 16, 17, 63, 64, 65, 127, 200, 333})
    for (int round = 0; round < 40; ++round) {
      std::vector<float> a(n);
      for (int64_t i = 0; i < n; ++i) // equal ones in every lane, rounds of nothing else, and of some NaN
        a[i] = round % 4 == 3 ? least : static_cast<float>((i * 31 + round * 17) % (3 + round));
      for (int i = 0; i < round % 3; ++i)
        a[(round * 7 + i * 41) % n] = nan;
      int64_t first = 0, last = 0, smallest = 0;
      for (int64_t i = 1; i < n; ++i) {
        const bool isNaN = std::isnan(a[i]);
        first = a[i] > a[first] || (isNaN && !std::isnan(a[first])) ? i : first;
        last = isNaN || a[i] >= a[last] ? i : last;
        smallest = isNaN || a[i] <= a[smallest] ? i : smallest;
      }
      for (auto [kernel, expected] : {std::pair(0, first), std::pair(1, last), std::pair(2, smallest)}) {
        int64_t found = -1;
        runner.run(kernel, {a.data(), &found}, {1, n});
        ASSERT_EQ(found, expected) << "kernel " << kernel << ", " << n << " in round " << round;
      }
    }
}

TEST_P(LoopsTest, GatherChecksItsIndices) {
  KernelRunner runner(kernelText("gather"), GetParam());
  const int64_t extent = 10, width = 20;
  std::vector<float> table = randomFloats(extent * width), o(4 * width);
  std::vector<int64_t> ids{3, -1, 0, 9};
  EXPECT_EQ(runner.run(0, {table.data(), ids.data(), o.data()}, {4, extent, width}), 0u);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < width; ++j)
      ASSERT_EQ(o[i * width + j], table[(ids[i] + extent) % extent * width + j]);
  for (int64_t bad : {int64_t(10), int64_t(-11), INT64_MAX, INT64_MIN}) {
    ids[2] = bad;
    EXPECT_EQ(runner.run(0, {table.data(), ids.data(), o.data()}, {4, extent, width}), 8u);
    EXPECT_EQ(o[2 * width], table[(bad < 0 ? 0 : 9) * width]) << "clamped";
  }
}

TEST_P(LoopsTest, IterationsHaveIndicesOfTheirOwn) {
  KernelRunner runner(kernelText("window_and_index"), GetParam());
  std::vector<float> x = randomFloats(2 * 11 * 40), table = randomFloats(7), o(2 * 9 * 40);
  std::vector<int64_t> ids(9 * 40);
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<int64_t>(i * 5 % 13) - 6;
  EXPECT_EQ(runner.run(0, {x.data(), ids.data(), table.data(), o.data()}, {}), 0u);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 9 * 40; ++j) {
      const float *window = &x[i * 440 + j];
      ASSERT_NEAR(o[i * 360 + j], window[0] + window[40] + window[80] + table[(ids[j] + 7) % 7], 1e-5)
          << i << ", " << j;
    }
}

TEST_P(LoopsTest, ChasesIndicesThatNeedNoCheck) {
  KernelRunner runner(kernelText("chased"), GetParam());
  std::vector<int32_t> links(100);
  for (int32_t i = 0; i < 100; ++i)
    links[i] = (i * 37 + 11) % 100;
  std::vector<double> values(101);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 1.5 * static_cast<double>(i);
  for (int64_t n : kRagged) {
    std::vector<int32_t> starts(n);
    for (int64_t i = 0; i < n; ++i)
      starts[i] = static_cast<int32_t>(i * 7 % 100);
    std::vector<double> o(n + 1, -1);
    EXPECT_EQ(runner.run(0, {starts.data(), links.data(), values.data(), o.data()}, {n}), 0u);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(o[i], values[links[links[links[starts[i]]]] + 1]) << n << " at " << i;
    EXPECT_EQ(o[n], -1) << "wrote beyond the end";
  }
}

TEST_P(LoopsTest, LanesReadAtPlacesOfTheirOwn) {
  KernelRunner runner(kernelText("looked_up"), GetParam());
  const int64_t rows = 3, length = 60;
  std::vector<float> t = randomFloats(rows * length + 100);
  for (int64_t n : kRagged) {
    std::vector<int32_t> near(n);
    std::vector<int64_t> far(n);
    for (int64_t i = 0; i < n; ++i)
      near[i] = static_cast<int32_t>(i * 37 % length), far[i] = i * 5 % 7;
    std::vector<float> table(t), o(rows * n + 1, -1);
    table.resize(std::max<size_t>(t.size(), n + 19));
    EXPECT_EQ(runner.run(0, {table.data(), near.data(), far.data(), o.data()}, {rows, n, length}), 0u);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(o[i * n + j], table[i * length + near[j]] + table[18 - 3 * far[j] + j]) << n << " at " << j;
    EXPECT_EQ(o[rows * n], -1) << "wrote beyond the end";
  }
}

TEST_P(LoopsTest, LanesRepeatNeighbours) {
  KernelRunner runner(kernelText("repeated"), GetParam());
  const int64_t rows = 3;
  for (int64_t n : kRagged) {
    const int64_t length = (n + 1) / 2; // nothing behind what is read
    std::vector<float> table = randomFloats(rows * length + 2), o(rows * n + 1, -1);
    std::vector<_Float16> halves((n + 7) / 8);
    for (size_t i = 0; i < halves.size(); ++i)
      halves[i] = static_cast<_Float16>(i % 17);
    EXPECT_EQ(runner.run(0, {table.data(), halves.data(), o.data()}, {rows, n, length}), 0u);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const float four = j < 6 ? 5 : table[j / 4 + 1];
        ASSERT_EQ(o[i * n + j], table[i * length + j / 2] + float(halves[j / 8]) + four + table[j / 3])
            << n << ": " << j;
      }
    EXPECT_EQ(o[rows * n], -1) << "wrote beyond the end";
  }
}

/// Memory that ends where no page follows.
template <class T> class AtEnd {
public:
  explicit AtEnd(size_t count) : count(count), bytes((count * sizeof(T) / page + 2) * page) {
    start = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(start + bytes - page, page, PROT_NONE);
  }
  AtEnd(const AtEnd &) = delete;
  AtEnd &operator=(const AtEnd &) = delete;
  ~AtEnd() { munmap(start, bytes); }
  T *data() { return reinterpret_cast<T *>(start + bytes - page) - count; }
  T &operator[](size_t i) { return data()[i]; }

private:
  static constexpr size_t page = 1 << 16;
  size_t count, bytes;
  char *start;
};

TEST_P(LoopsTest, LanesAreAFewNeighboursApart) {
  KernelRunner runner(kernelText("apart"), GetParam());
  const int64_t rows = 3;
  for (int64_t n : kRagged) {
    AtEnd<float> table(2 * rows * n);
    AtEnd<uint8_t> bytes(3 * n);
    AtEnd<int64_t> integers(std::max<int64_t>(4 * n - 3, 0));
    const std::vector<float> random = randomFloats(2 * rows * n);
    std::copy(random.begin(), random.end(), table.data());
    for (int64_t i = 0; i < 3 * n; ++i)
      bytes[i] = i * 7 % 256;
    for (int64_t i = 0; i < 4 * n - 3; ++i)
      integers[i] = i % 1000 - 500;
    std::vector<float> o(rows * n + 1, -1);
    EXPECT_EQ(runner.run(0, {table.data(), bytes.data(), integers.data(), o.data()}, {rows, n}), 0u);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const float masked = j < 6 ? 5 : table[2 * j - 12];
        const float sum = table[2 * n * i + 2 * j + 1] + float(bytes[3 * j + 2]) + float(integers[4 * j]);
        const float inner = i > 0 && j >= 2 && j <= n - 3 ? bytes[3 * j - 6] : 0;
        ASSERT_EQ(o[i * n + j], sum + masked + table[5 * j / 3] + inner) << n << ": " << j;
      }
    EXPECT_EQ(o[rows * n], -1) << "wrote beyond the end";
  }
}

TEST_P(LoopsTest, PartsOfRows) {
  KernelRunner runner(kernelText("parts"), GetParam());
  for (int64_t rows : {0, 1, 2, 5})
    for (int64_t n : kRagged) {
      const std::vector<float> x = randomFloats(std::max<int64_t>(rows, 1) * n);
      std::vector<float> o(rows * n + 1, -5);
      EXPECT_EQ(runner.run(0, {const_cast<float *>(x.data()), o.data()}, {rows, n}), 0u);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const float a = i <= 1 ? x[j] : -1, b = j <= n - 4 ? x[n * i + j] : -1;
          if (j <= 20)
            ASSERT_EQ(o[i * n + j], j <= 4 ? a : 2 * b) << n << ": " << i << ", " << j;
          else
            ASSERT_NEAR(o[i * n + j], std::exp(b), 1e-5) << n << ": " << i << ", " << j;
        }
      EXPECT_EQ(o[rows * n], -5) << "wrote beyond the end";
    }
}

TEST_P(LoopsTest, PartsCrossPieces) {
  KernelRunner runner(kernelText("parts"), GetParam());
  for (int64_t n : {0, 1, 4, 5, 6, 4096, 4999, 5000, 5001, 8192, 10000}) {
    std::vector<float> x = randomFloats(n), o(n, -5);
    EXPECT_EQ(runner.run(1, {x.data(), o.data()}, {n}), 0u);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(o[i], i > 9000 ? -5 : (i < 5 ? 3 : x[i - 5]) + (i < 5000 ? 3 : x[i])) << n << ": " << i;
  }
}

TEST_P(LoopsTest, PartsOfMirrors) {
  KernelRunner runner(kernelText("parts"), GetParam());
  for (int64_t n : {0, 1, 2, 3, 4, 5, 8, 15, 20, 100, 5000}) {
    std::vector<float> x = randomFloats(n + 1), o(n + 1, -5);
    EXPECT_EQ(runner.run(3, {x.data(), o.data()}, {n}), 0u);
    for (int64_t i = 0; i < n; ++i) {
      const float a = i + 3 < n ? x[i + 3] : 3, b = x[std::min(2 * i, 2 * (n - 1 - i))];
      ASSERT_EQ(o[i], a + b + x[std::min(std::abs(i - 7), n)]) << n << ": " << i;
    }
    EXPECT_EQ(o[n], -5) << "wrote beyond the end";
  }
}

TEST_P(LoopsTest, PartsOfReflectedWindows) {
  KernelRunner runner(kernelText("parts"), GetParam());
  for (int64_t n : {0, 1, 2, 3, 4, 15, 16, 18, 19, 31, 32, 34, 35, 100}) {
    std::vector<float> x = randomFloats(3 * n + 1), o(3 * n + 1, -5);
    EXPECT_EQ(runner.run(4, {x.data(), o.data()}, {n}), 0u);
    const int64_t period = std::max<int64_t>(2 * n - 2, 1);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t k = -2; k <= 2; ++k) {
          const int64_t at = ((j + k) % period + period) % period;
          sum += x[i * n + std::min(at, 2 * n - 2 - at)];
        }
        ASSERT_NEAR(o[i * n + j], sum, 1e-5) << n << ": " << i << ", " << j;
      }
    EXPECT_EQ(o[3 * n], -5) << "wrote beyond the end";
  }
}

TEST_P(LoopsTest, PartsOfOpenLength) {
  KernelRunner runner(kernelText("parts"), GetParam());
  for (int64_t n : {0, 1, 3, 20})
    for (int64_t m : {0, 1, 7, 40}) {
      const int64_t all = n + m;
      std::vector<float> x = randomFloats(std::max<int64_t>(all, 1)), o(all * all, -5);
      EXPECT_EQ(runner.run(2, {x.data(), o.data()}, {n, m}), 0u);
      for (int64_t i = 0; i < all; ++i)
        for (int64_t j = 0; j < all; ++j) {
          const float a = i < n ? x[i] : 7, b = j >= n ? x[j - n] : a;
          ASSERT_EQ(o[i * all + j], i >= m ? a : b) << n << ", " << m << ": " << i << ", " << j;
        }
    }
}

TEST_P(LoopsTest, LayerNormInHalfPrecision) {
  KernelRunner runner(kernelText("layer_norm"), GetParam());
  const int64_t rows = 3, columns = 50;
  std::vector<_Float16> x(rows * columns), y(rows * columns);
  std::vector<float> source = randomFloats(rows * columns);
  std::copy(source.begin(), source.end(), x.begin());
  runner.run(0, {x.data(), y.data()}, {rows});
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < columns; ++i)
      mean += x[r * columns + i] / double(columns);
    for (int64_t i = 0; i < columns; ++i)
      variance += std::pow(x[r * columns + i] - mean, 2) / columns;
    for (int64_t i = 0; i < columns; ++i)
      ASSERT_NEAR(y[r * columns + i], (x[r * columns + i] - mean) / std::sqrt(variance + 1e-5), 4e-3);
  }
}

TEST_P(LoopsTest, SameResultForEveryDivisionOfTheGrid) {
  KernelRunner runner(kernelText("softmax_dynamic"), GetParam());
  std::vector<float> a = randomFloats(64 * 100), once(64 * 100), often(64 * 100);
  runner.run(0, {a.data(), once.data()}, {64, 100}, 1);
  runner.run(0, {a.data(), often.data()}, {64, 100}, 16);
  EXPECT_EQ(once, often);
}

//===----------------------------------------------------------------------===//
// Names, images
//===----------------------------------------------------------------------===//

TEST_P(LoopsTest, SameBytesWhateverTheNamesAndTheOrder) {
  std::string a = kernelText("pointwise"), b = kernelText("transpose");
  std::string renamed = a;
  renamed.replace(renamed.find("@pointwise"), 10, "@elsewhere");
  KernelRunner first(a + b, GetParam()), second(b + renamed, GetParam());
  EXPECT_EQ(first.kernel(0).record.name, second.kernel(1).record.name);
  EXPECT_EQ(first.image(), second.image());
  EXPECT_EQ(first.kernel(0).record.name.size(), 18u);
}

TEST_P(LoopsTest, EqualKernelsAreCompiledOnce) {
  std::string a = kernelText("pointwise"), copy = a;
  copy.replace(copy.find("@pointwise"), 10, "@elsewhere");
  KernelRunner one(a, GetParam()), two(a + copy, GetParam());
  EXPECT_EQ(one.image(), two.image());
  EXPECT_EQ(two.codeGenerations(), 1u);
}

} // namespace
