//===- test/Target/CUDA/AttentionTextsTest.cpp - attention by steps is attention ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelInterpreter.h"
#include "test/Target/CUDA/KernelTexts.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mlir;
using namespace cupola;
using namespace cupola::test;

namespace {

using Buffers = std::vector<std::vector<Number>>;

/// Numbers in [-2, 2] as the type holds them, integers in [-3, 3].
Buffers randomBuffers(const KernelCase &test, kernel::FuncOp func) {
  std::mt19937 generator(29);
  Buffers buffers;
  for (auto [count, view] : llvm::zip_equal(test.elements, func.getViews())) {
    Type element = cast<kernel::ViewType>(view.getType()).getElement();
    std::vector<Number> numbers(count);
    for (Number &n : numbers) {
      n.real = static_cast<double>(generator() % 4001) / 1000.0 - 2.0;
      n.whole = static_cast<int64_t>(generator() % 7) - 3;
    }
    buffers.push_back(decode(encode(numbers, element), element));
    if (element.isInteger())
      for (Number &n : buffers.back())
        n.real = static_cast<double>(n.whole);
  }
  return buffers;
}

/// Element i of a key.
double keyElement(const AttentionShape &s, const Buffers &in, int64_t image, int64_t key, int64_t i) {
  const int64_t first = image * s.keys * s.head, half = s.head / 2;
  const double own = in[1][first + (s.keysTransposed ? key * s.head + i : i * s.keys + key)].real;
  if (!s.rotated)
    return own;
  const double other =
      i < half ? -in[1][first + key * s.head + i + half].real : in[1][first + key * s.head + i - half].real;
  return own * in[2][(image * s.keys + key) * s.columns + i].real + other * in[0][image * s.rows * s.head + i].real;
}

/// exp(scores), not yet divided by their sum, of a row of q: what softmax is by definition.
std::vector<double> weightsOf(const AttentionShape &s, const Buffers &in, int64_t image, int64_t row) {
  std::vector<double> weights(s.keys);
  for (int64_t key = 0; key < s.keys; ++key) {
    double score = 0;
    for (int64_t i = 0; i < s.head; ++i)
      score += in[0][(image * s.rows + row) * s.head + i].real * keyElement(s, in, image, key, i);
    score = score * attentionScale + (s.mask ? in[3][row * s.keys + key].real : 0);
    weights[key] = s.causal && key > row ? 0 : std::exp(score);
  }
  return weights;
}

/// softmax(scale q k + mask) v + residual
std::vector<double> attend(const AttentionShape &s, const Buffers &in) {
  std::vector<double> out;
  for (int64_t image = 0; image < s.batch; ++image)
    for (int64_t row = 0; row < s.rows; ++row) {
      const std::vector<double> weights = weightsOf(s, in, image, row);
      for (int64_t column = 0; column < s.columns; ++column) {
        double sum = 0, result = 0;
        for (int64_t key = 0; key < s.keys; ++key) {
          sum += weights[key];
          result += weights[key] * in[2][(image * s.keys + key) * s.columns + column].real;
        }
        out.push_back(result / sum + (s.residual ? in[s.mask ? 4 : 3][out.size()].real : 0));
      }
    }
  return out;
}

class AttentionTexts : public ::testing::TestWithParam<AttentionShape> {};

TEST_P(AttentionTexts, AreAttention) {
  const AttentionShape &shape = GetParam();
  const KernelCase test = attentionCase(shape);
  MLIRContext context;
  context.loadDialect<graph::GraphDialect, kernel::KernelDialect>();
  auto module = parseSourceString<ModuleOp>(test.text, &context);
  ASSERT_TRUE(module) << test.text;
  kernel::FuncOp func = *module->getOps<kernel::FuncOp>().begin();
  Buffers buffers = randomBuffers(test, func);
  const std::vector<double> wanted = attend(shape, buffers);
  EXPECT_FALSE(interpret(func, test.scalars, buffers));
  ASSERT_EQ(buffers.back().size(), wanted.size());
  // The result is rounded once, weights of f16 and bf16 once more.
  const double tolerance = shape.type == "f32" ? 1e-6 : shape.type == "f16" ? 2e-3 : 1.6e-2;
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(buffers.back()[i].real, wanted[i], tolerance * 4) << "at " << i;
  if (!shape.kept)
    return;
  const std::vector<Number> &kept = buffers[buffers.size() - 2];
  const int64_t image = shape.keys * shape.columns;
  for (int64_t i = 0; i < static_cast<int64_t>(kept.size()); ++i)
    ASSERT_EQ(kept[i].real, 2 * buffers[2][i / image * 2 * image + i % image].real) << "at " << i;
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionTexts, ::testing::ValuesIn(attentionShapes()),
                         [](const auto &info) { return attentionCase(info.param).name; });

} // namespace
