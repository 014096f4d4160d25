//===- test/Target/CPU/TransposeTest.cpp - squares of vectors against plain C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace cupola;
using namespace cupola::test;

namespace {

struct Shape {
  int64_t batch, rows, columns; ///< of the result
};

/// Whole squares, edges on either side and on both, less than a square, several tiles; lines 4 KB apart when they are
/// read and when they are written.
constexpr Shape kShapes[] = {{2, 16, 48}, {1, 17, 33},  {3, 31, 16},   {2, 16, 31},   {2, 3, 100},   {2, 100, 3},
                             {5, 9, 12},  {1, 1, 40},   {1, 40, 1},    {1, 300, 700}, {1, 1024, 72}, {1, 72, 1024},
                             {0, 20, 20}, {2, 2100, 4}, {1, 67, 3363}, {4, 0, 20}};

/// Bytes that end where memory does: what reads or writes behind them fails.
class Bytes {
public:
  explicit Bytes(size_t size) : size(size) {
    const size_t page = ::sysconf(_SC_PAGESIZE);
    mapped = (size + page - 1) / page * page + page;
    base = static_cast<char *>(::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(base, MAP_FAILED);
    ::mprotect(base + mapped - page, page, PROT_NONE);
  }
  ~Bytes() { ::munmap(base, mapped); }
  Bytes(const Bytes &) = delete;
  char *data() const { return base + mapped - ::sysconf(_SC_PAGESIZE) - size; }

private:
  size_t size, mapped;
  char *base;
};

struct Element {
  const char *name;
  size_t bytes;
};
constexpr Element kElements[] = {{"i1", 1}, {"ui8", 1}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"i64", 8}};

class TransposeTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, TransposeTest, testing::ValuesIn(runnableLevels()));

void expectMoved(KernelRunner &runner, const Shape &shape, const Element &element,
                 const std::vector<int64_t> &scalars) {
  const auto [batch, rows, columns] = shape;
  const size_t count = batch * rows * columns, bytes = element.bytes;
  Bytes a(count * bytes), o(count * bytes);
  std::mt19937 generator(1);
  std::generate_n(a.data(), count * bytes,
                  [&] { return static_cast<char>(element.name == std::string("i1") ? generator() % 2 : generator()); });
  EXPECT_EQ(runner.run(0, {a.data(), o.data()}, scalars), 0u);
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t k = 0; k < columns; ++k) {
        const char *from = a.data() + ((i * columns + k) * rows + j) * bytes;
        const char *to = o.data() + ((i * rows + j) * columns + k) * bytes;
        ASSERT_EQ(std::memcmp(from, to, bytes), 0) << batch << "x" << rows << "x" << columns << " of " << element.name
                                                   << " at " << i << ", " << j << ", " << k;
      }
}

TEST_P(TransposeTest, MovesElementsOfEverySizeByOpenExtents) {
  for (const Element &element : kElements) {
    const std::string scalar = "#kernel.scalar<0, 0, 1>";
    KernelRunner runner(kernelText("transposed", {{"SCALARS", "[" + scalar + ", " + scalar + ", " + scalar + "]"},
                                                  {"TYPE", element.name},
                                                  {"BATCH", "n0"},
                                                  {"ROWS", "n1"},
                                                  {"COLUMNS", "n2"}}),
                        GetParam());
    for (const Shape &shape : kShapes)
      expectMoved(runner, shape, element, {shape.batch, shape.rows, shape.columns});
  }
}

TEST_P(TransposeTest, MovesElementsOfEverySizeByKnownExtents) {
  for (const Element &element : kElements)
    for (const Shape &shape : kShapes) {
      if (shape.batch * shape.rows * shape.columns == 0)
        continue;
      KernelRunner runner(kernelText("transposed", {{"SCALARS", "[]"},
                                                    {"TYPE", element.name},
                                                    {"BATCH", std::to_string(shape.batch)},
                                                    {"ROWS", std::to_string(shape.rows)},
                                                    {"COLUMNS", std::to_string(shape.columns)}}),
                          GetParam());
      expectMoved(runner, shape, element, {});
    }
}

TEST_P(TransposeTest, WorksOnWhatItTurns) {
  KernelRunner runner(kernelText("transposed_work"), GetParam());
  for (const auto &[batch, rows, columns] : kShapes) {
    const size_t count = rows * columns;
    std::vector<float> a = randomFloats(count, 1), b = randomFloats(rows, 2), c = randomFloats(columns, 3);
    std::vector<float> d = randomFloats(count, 4), o(count + 1, -1);
    std::vector<int8_t> p(count + 1, -1);
    runner.run(0, {a.data(), b.data(), c.data(), d.data(), o.data(), p.data()}, {rows, columns});
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        const float expected = std::max(a[j * rows + i] + b[i] + c[j], 0.0f) + d[i * columns + j];
        ASSERT_EQ(o[i * columns + j], expected) << rows << "x" << columns << " at " << i << ", " << j;
        ASSERT_EQ(p[i * columns + j], static_cast<int8_t>(std::nearbyint(expected)));
      }
    EXPECT_EQ(o.back(), -1);
    EXPECT_EQ(p.back(), -1);
  }
}

TEST_P(TransposeTest, TurnsWhatABorderIsAround) {
  KernelRunner runner(kernelText("transposed_work"), GetParam());
  for (const auto &[batch, rows, columns] : kShapes) {
    const int64_t wide = rows + 2, high = columns + 2;
    std::vector<float> values = randomFloats(rows * columns), o(wide * high + 1, -1);
    Bytes a(values.size() * sizeof(float)), b(wide * high);
    std::copy(values.begin(), values.end(), reinterpret_cast<float *>(a.data()));
    for (int64_t i = 0; i < wide * high; ++i)
      b.data()[i] = static_cast<char>(i * 7);
    runner.run(1, {a.data(), b.data(), o.data()}, {rows, columns});
    for (int64_t i = 0; i < wide; ++i)
      for (int64_t j = 0; j < high; ++j) {
        const bool isInside = i > 0 && i <= rows && j > 0 && j <= columns;
        const float x = isInside ? values[(j - 1) * rows + i - 1] : 9;
        ASSERT_EQ(o[i * high + j], x + static_cast<uint8_t>(b.data()[j * wide + i])) << wide << "x" << high;
      }
    EXPECT_EQ(o.back(), -1);
  }
}

} // namespace
