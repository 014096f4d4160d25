//===- test/Runtime/OneDnnTest.cpp - Contractions by oneDNN beside plain loops ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/OneDnnCall.h"
#include "lib/Runtime/Session.h"
#include "test/Runtime/ChosenOneDnn.h"
#include "test/Runtime/ControlPackage.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace cupola::runtime::onednn {

using format::LibraryCall;
using format::LibraryCallKind;
using format::PostOp;
using format::PostOpKind;

namespace {

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

std::vector<float> randomValues(uint64_t bytes, unsigned seed) {
  std::vector<float> values(bytes / sizeof(float));
  uint32_t state = seed * 2654435761u + 1;
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  return values;
}

LibraryCall product(int64_t m, int64_t n, int64_t k, std::vector<PostOp> ops) {
  return {LibraryCallKind::MatrixProduct, {m, k}, {k, n}, {m, n}, {}, {}, {}, std::move(ops), {}};
}

struct Window {
  int64_t extent, size, stride = 1, dilation = 1, before = 0, behind = 0;
  int64_t places() const { return (extent + before + behind - (size - 1) * dilation - 1) / stride + 1; }
};

LibraryCall convolution(int64_t n, Window h, Window w, int64_t c, int64_t o, std::vector<PostOp> ops) {
  return {LibraryCallKind::Convolution,
          {n, h.extent, w.extent, c},
          {h.size, w.size, c, o},
          {n, h.places(), w.places(), o},
          {h.stride, w.stride},
          {h.dilation, w.dilation},
          {h.before, w.before},
          std::move(ops),
          {}};
}

double apply(const PostOp &op, double x) {
  float alpha, beta;
  std::memcpy(&alpha, &op.alpha, sizeof(alpha));
  std::memcpy(&beta, &op.beta, sizeof(beta));
  switch (op.kind) {
  case PostOpKind::AddChannel:
  case PostOpKind::AddTensor:
    return x;
  case PostOpKind::Relu:
    return std::max(x, 0.0);
  case PostOpKind::Clip:
    return std::min<double>(std::max<double>(x, alpha), beta);
  case PostOpKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case PostOpKind::Silu:
    return x / (1 + std::exp(-alpha * x));
  case PostOpKind::HardSwish:
    return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0);
  case PostOpKind::GeluErf:
    return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
  case PostOpKind::GeluTanh:
    return x * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  case PostOpKind::Tanh:
    return std::tanh(x);
  }
  return x;
}

class OneDnnTest : public ::testing::Test {
protected:
  void SetUp() override {
    Result<std::shared_ptr<const OneDnn>> loaded = OneDnn::load();
    if (loaded.failed())
      GTEST_SKIP() << "oneDNN 2 (Debian's libdnnl2) is not here: " << loaded.status().message();
    library = loaded.take();
  }

  /// Element `i` of the contraction, without post-ops.
  static double contraction(const LibraryCall &call, const std::vector<float> &source,
                            const std::vector<float> &weights, int64_t i) {
    const int64_t columns = call.result.back(), column = i % columns;
    double sum = 0;
    if (call.kind == LibraryCallKind::MatrixProduct) {
      for (int64_t k = 0; k < call.source[1]; ++k)
        sum += double(source[i / columns * call.source[1] + k]) * weights[k * columns + column];
      return sum;
    }
    const int64_t x = i / columns % call.result[2], y = i / columns / call.result[2] % call.result[1];
    const int64_t n = i / columns / call.result[2] / call.result[1];
    const int64_t height = call.source[1], width = call.source[2], channels = call.source[3];
    for (int64_t a = 0; a < call.weights[0]; ++a)
      for (int64_t b = 0; b < call.weights[1]; ++b) {
        const int64_t h = y * call.strides[0] + a * call.dilations[0] - call.padding[0];
        const int64_t w = x * call.strides[1] + b * call.dilations[1] - call.padding[1];
        if (h < 0 || h >= height || w < 0 || w >= width)
          continue;
        for (int64_t c = 0; c < channels; ++c)
          sum += double(source[((n * height + h) * width + w) * channels + c]) *
                 weights[((a * call.weights[1] + b) * channels + c) * columns + column];
      }
    return sum;
  }

  void expectRight(LibraryCall call, unsigned threads) {
    call.buffers.resize(format::bufferBytes(call).size());
    ASSERT_TRUE(checkLibraryCall(call).isOk()) << checkLibraryCall(call).message();
    std::vector<std::vector<float>> buffers;
    for (uint64_t bytes : format::bufferBytes(call))
      buffers.push_back(randomValues(bytes, static_cast<unsigned>(buffers.size())));
    auto made = OneDnnCall::create(library, call, buffers[1].data(), threads);
    if (made.failed()) { // the library has only slow code for it on this processor: the kernel would run
      ASSERT_NE(made.status().message().find("is not used"), std::string::npos) << made.status().message();
      return;
    }
    ++computed;
    ThreadPool pool(threads);
    const uint64_t stride = ((*made)->scratchBytes() + 63) / 64 * 64;
    std::unique_ptr<void, void (*)(void *)> scratch(std::aligned_alloc(64, stride * threads + 64), std::free);
    const std::vector<float> weights = buffers[1];
    buffers[1].assign(buffers[1].size(), NAN); // they were packed
    std::vector<uint64_t> addresses;
    for (std::vector<float> &buffer : buffers)
      addresses.push_back(reinterpret_cast<uint64_t>(buffer.data()));
    for (int run = 0; run < 2; ++run) {
      buffers.back().assign(buffers.back().size(), NAN);
      const Status status = (*made)->run(pool, addresses.data(), static_cast<char *>(scratch.get()), stride);
      ASSERT_TRUE(status.isOk()) << status.message();
    }
    for (size_t i = 0; i < buffers.back().size(); ++i) {
      double expected = contraction(call, buffers[0], weights, static_cast<int64_t>(i));
      size_t operand = 2;
      for (const PostOp &op : call.postOps) {
        if (op.kind == PostOpKind::AddChannel)
          expected += buffers[operand++][i % static_cast<size_t>(call.result.back())];
        else if (op.kind == PostOpKind::AddTensor)
          expected += buffers[operand++][i];
        else
          expected = apply(op, expected);
      }
      ASSERT_NEAR(buffers.back()[i], expected, 1e-4 * std::max(1.0, std::abs(expected))) << "element " << i;
    }
  }

  std::shared_ptr<const OneDnn> library;
  int computed = 0;
};

TEST_F(OneDnnTest, ProductsOfRaggedShapes) {
  for (unsigned threads : {1u, 2u, 5u})
    for (const auto &mnk : std::vector<std::vector<int64_t>>{{1, 1, 1}, {3, 40, 17}, {97, 131, 65}, {260, 33, 200}})
      expectRight(product(mnk[0], mnk[1], mnk[2], {{PostOpKind::AddChannel}, {PostOpKind::Relu}}), threads);
  EXPECT_EQ(computed, 12);
}

TEST_F(OneDnnTest, ConvolutionsOfRaggedShapes) {
  const std::vector<PostOp> own = {{PostOpKind::AddChannel}, {PostOpKind::Relu}};
  const std::vector<PostOp> joined = {{PostOpKind::AddChannel}, {PostOpKind::AddTensor}, {PostOpKind::Relu}};
  for (const auto &ops : {own, joined}) // with AVX-512 the library has measured code for the first alone
    for (unsigned threads : {1u, 2u, 3u, 8u}) {
      expectRight(convolution(1, {13, 3, 1, 1, 1, 1}, {17, 3, 1, 1, 1, 1}, 24, 40, ops), threads);
      expectRight(convolution(2, {15, 3, 2, 1, 0, 1}, {14, 3, 2, 1, 1, 1}, 33, 50, ops), threads); // uneven borders
      expectRight(convolution(5, {9, 1, 2}, {8, 1, 2}, 64, 48, ops), threads);                     // rows are left over
      expectRight(convolution(1, {21, 3, 1, 3, 3, 3}, {19, 5, 2, 2, 4, 4}, 16, 32, ops), threads); // dilations
      expectRight(convolution(3, {7, 7, 3, 1, 3, 3}, {40, 2}, 8, 20, ops), threads);
    }
  EXPECT_GE(computed, 8);
}

TEST_F(OneDnnTest, ConvolutionsOfRandomShapes) {
  uint32_t state = 7;
  const auto below = [&](int64_t most) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int64_t>(state >> 8) % most;
  };
  for (int i = 0; i < 80; ++i) {
    Window windows[2] = {{1 + below(20), 1 + below(4)}, {1 + below(20), 1 + below(4)}};
    for (Window &w : windows) {
      w.stride = 1 + below(3), w.dilation = 1 + below(2);
      const int64_t reach = (w.size - 1) * w.dilation + 1;
      w.before = below(reach), w.behind = below(reach);
      w.extent = std::max(w.extent, reach);
    }
    const std::vector<PostOp> ops = {{PostOpKind::AddChannel}, {i % 2 ? PostOpKind::Silu : PostOpKind::AddTensor}};
    expectRight(convolution(1 + below(3), windows[0], windows[1], 1 + below(70), 1 + below(80), ops),
                1 + static_cast<unsigned>(below(4)));
  }
  EXPECT_GE(computed, 40);
}

TEST_F(OneDnnTest, EveryPostOp) {
  for (int kind = int(PostOpKind::AddChannel); kind <= int(PostOpKind::Tanh); ++kind) {
    const PostOp op = {PostOpKind(kind), bitsOf(kind == int(PostOpKind::Silu) ? 1.5f : -0.5f), bitsOf(0.75f)};
    expectRight(product(37, 48, 20, {op}), 2);
    expectRight(product(37, 48, 20, {{PostOpKind::AddTensor}, op, {PostOpKind::AddChannel}}), 2);
    expectRight(convolution(1, {9, 3, 1, 1, 1, 1}, {9, 3}, 32, 48, {op, {PostOpKind::AddChannel}, op}), 2);
  }
  EXPECT_GE(computed, 20);
}

TEST_F(OneDnnTest, PiecesAreTheWholeAndStayWithinTheSource) {
  for (unsigned threads : {1u, 2u, 3u, 7u, 64u})
    for (const LibraryCall &call : {convolution(1, {56, 3, 1, 1, 1, 1}, {56, 3, 1, 1, 1, 1}, 64, 64, {}),
                                    convolution(3, {57, 5, 2, 2, 4, 1}, {33, 3}, 64, 64, {}),
                                    convolution(9, {14, 1, 2}, {14, 1, 2}, 256, 64, {}), product(100, 512, 512, {})}) {
      int64_t rows = 0;
      for (const Piece &piece : cutCall(call, threads)) {
        rows += piece.shape.images * piece.shape.rows;
        EXPECT_GT(piece.shape.rows, 0);
        if (call.kind == LibraryCallKind::Convolution) {
          EXPECT_GT(piece.shape.sourceRows, 0);
          EXPECT_LE(piece.sourceRow + piece.shape.sourceRows, call.source[1]);
        }
      }
      EXPECT_EQ(rows, call.result.size() == 2 ? call.result[0] : call.result[0] * call.result[1]);
    }
}

TEST(OneDnn, WhatIsNoSuchLibraryIsMissing) {
  for (const char *path : {"none", "/no/such/libdnnl.so.2", "libm.so.6"}) {
    const Chosen chosen(path);
    EXPECT_EQ(OneDnn::load().status().code(), cupola::Code::Environment) << path;
  }
}

/// The test package with a product in the words of a library: buffer 4, 16 bytes a row, times the weights.
std::shared_ptr<const Executable> describedExecutable() {
  format::Package package = test::makePackage();
  package.variants[0].program.steps[1].launch.call = {
      LibraryCallKind::MatrixProduct, {5, 3}, {3, 4}, {5, 4}, {}, {}, {}, {}, {4, 0, 5}};
  DeviceOptions options;
  options.threads = 2;
  auto device = createDevice("cpu", options);
  EXPECT_TRUE(device.isOk());
  auto made = Executable::create(test::loadPackage(package), device.take());
  EXPECT_TRUE(made.isOk()) << made.status().message();
  return made.take();
}

TEST(OneDnn, APackageRunsWithoutIt) {
  const Chosen chosen("none");
  const auto executable = describedExecutable();
  EXPECT_EQ(executable->calls().described(), 1u);
  EXPECT_EQ(executable->calls().used(), 0u);
  EXPECT_EQ(executable->calls().refusal(1), "CUPOLA_ONEDNN is none");
  auto session = Session::create(executable, {});
  ASSERT_TRUE(session.isOk());
  std::vector<float> x(20, 1), y(20);
  std::vector<int64_t> ids(5, 0);
  const Status status = (*session)->run({{x.data(), format::DType::F32, {5, 4}}, {ids.data(), format::DType::I64, {5}}},
                                        {{y.data(), format::DType::F32, {5, 4}}});
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(y[1], 8); // 2 * (1 + 3 * 1)
}

TEST(OneDnn, StepsOfBodiesAreDescribedToo) {
  format::Package package = test::selectingPackage();
  format::Body &body = package.variants[0].program.bodies[0];
  const std::vector<uint32_t> &buffers = body.steps[0].launch.buffers;
  format::Buffer weight;
  weight.kind = format::BufferKind::Weight;
  weight.bytes = "48";
  body.buffers.push_back(weight);
  const uint32_t last = static_cast<uint32_t>(body.buffers.size() - 1);
  body.steps[0].launch.call = {LibraryCallKind::MatrixProduct, {5, 3}, {3, 4}, {5, 4}, {}, {}, {}, {},
                               {buffers[0], last, buffers[3]}};
  const Chosen chosen("none");
  const auto executable =
      Executable::create(test::loadPackage(package), createDevice("cpu", DeviceOptions()).take()).take();
  EXPECT_EQ(executable->calls().described(), 1u);
  EXPECT_EQ(executable->calls().refusal(0), "");
  EXPECT_EQ(executable->calls().refusal(1), "CUPOLA_ONEDNN is none");
}

TEST(OneDnn, ACallLargerThanItsBuffersIsRefused) {
  auto session = Session::create(describedExecutable(), {});
  ASSERT_TRUE(session.isOk());
  const Status status = (*session)->bind({{3, 4}, {3}}); // 48 bytes of 60
  EXPECT_EQ(status.code(), cupola::Code::Package);
  EXPECT_NE(status.message().find("calls a library with 60 bytes"), std::string::npos) << status.message();
}

} // namespace
} // namespace cupola::runtime::onednn
