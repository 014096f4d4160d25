//===- test/Runtime/CUDA/CublasLtAnswersTest.cpp - what products by cuBLASLt are ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/CublasLtFixture.h"

#include <cmath>
#include <cstring>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;
using format::DType;
using format::LibraryCall;
using format::PostOpKind;

namespace {

float valueOf(DType dtype, const std::vector<char> &bytes, int64_t at) {
  float value = 0;
  uint32_t bits = 0;
  if (dtype == DType::F32)
    std::memcpy(&value, bytes.data() + 4 * at, 4);
  else
    std::memcpy(reinterpret_cast<char *>(&bits) + 2, bytes.data() + 2 * at, 2), std::memcpy(&value, &bits, 4);
  return value;
}

/// Small multiples of a power of two, which bf16 holds.
std::vector<char> numbers(DType dtype, uint64_t bytes, int seed) {
  std::vector<char> data(bytes);
  const size_t width = format::byteSize(dtype);
  for (size_t i = 0; i < bytes / width; ++i) {
    const float value = float(int(i * 7 + size_t(seed)) % 11 - 5) / 8;
    std::memcpy(data.data() + i * width, reinterpret_cast<const char *>(&value) + 4 - width, width);
  }
  return data;
}

/// By the words of LibraryCall.h.
float expected(const LibraryCall &call, const std::vector<std::vector<char>> &buffers, int64_t b, int64_t m,
               int64_t n) {
  const Strides &s = call.sourceStrides, &w = call.weightsStrides;
  float sum = 0;
  for (int64_t k = 0; k < call.source[2]; ++k)
    sum += valueOf(call.dtype, buffers[0], b * s[0] + m * s[1] + k * s[2]) *
           valueOf(call.dtype, buffers[1], b * w[0] + k * w[1] + n * w[2]);
  size_t operand = 2;
  for (const format::PostOp &op : call.postOps) {
    if (op.kind == PostOpKind::AddChannel)
      sum += valueOf(call.dtype, buffers[operand++], n);
    else if (op.kind == PostOpKind::AddTensor)
      sum += valueOf(call.dtype, buffers[operand++], (b * call.result[1] + m) * call.result[2] + n);
    else if (op.kind == PostOpKind::Relu)
      sum = std::max(sum, 0.0f);
    else
      sum = 0.5f * sum * (1 + std::tanh(0.7978845608f * (sum + 0.044715f * sum * sum * sum)));
  }
  return sum;
}

/// Whether the device computes it so.
void expectRight(LibraryCall call, const std::shared_ptr<Device> &device) {
  const std::vector<uint64_t> sizes = bufferBytes(call);
  call.buffers.resize(sizes.size());
  ASSERT_TRUE(checkLibraryCall(call).isOk()) << checkLibraryCall(call).message();
  Result<std::unique_ptr<Function>> function = device->prepareCall(call, "sm_80", nullptr);
  ASSERT_TRUE(function.isOk()) << function.status().message();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  std::vector<std::vector<char>> data;
  std::vector<Memory> memory(sizes.size());
  std::vector<DeviceAddress> addresses;
  for (size_t i = 0; i < sizes.size(); ++i) {
    data.push_back(numbers(call.dtype, sizes[i], int(i)));
    ASSERT_TRUE(memory[i].allocate(device, sizes[i]).isOk());
    addresses.push_back(memory[i].address);
    ASSERT_TRUE(stream->upload(addresses[i], data[i].data(), sizes[i]).isOk());
  }
  LaunchArguments arguments;
  arguments.function = function->get();
  arguments.grid = {7};
  arguments.addresses = addresses.data();
  const Status launched = stream->launch(arguments);
  ASSERT_TRUE(launched.isOk()) << launched.message();
  const size_t at = sizes.size() - 2;
  std::vector<char> result(sizes[at]);
  ASSERT_TRUE(stream->download(result.data(), addresses[at], sizes[at]).isOk());
  ASSERT_TRUE(stream->synchronize().isOk());
  const float tolerance = call.dtype == DType::F32 ? 1e-5f : 1e-2f;
  for (int64_t b = 0, i = 0; b < call.result[0]; ++b)
    for (int64_t m = 0; m < call.result[1]; ++m)
      for (int64_t n = 0; n < call.result[2]; ++n, ++i) {
        const float wanted = expected(call, data, b, m, n);
        EXPECT_NEAR(valueOf(call.dtype, result, i), wanted, tolerance * (1 + std::abs(wanted)))
            << b << ", " << m << ", " << n;
      }
}

void expectRight(const LibraryCall &call) {
  Machine machine;
  expectRight(call, machine.device);
  machine.expectClean();
}

std::vector<LibraryCall> layouts(DType dtype) {
  return {
      product(dtype, 1, 3, 5, 4, {0, 4, 1}, {0, 5, 1}),
      product(dtype, 1, 3, 5, 4, {0, 4, 1}, {0, 1, 4}),   // weights transposed
      product(dtype, 1, 3, 5, 4, {0, 1, 3}, {0, 5, 1}),   // source transposed
      product(dtype, 1, 3, 5, 4, {0, 1, 9}, {0, 1, 7}),   // both, within wider matrices
      product(dtype, 2, 3, 5, 4, {12, 4, 1}, {20, 5, 1}), // batches
      product(dtype, 2, 3, 5, 4, {12, 4, 1}, {0, 5, 1}),  // weights for all
      product(dtype, 2, 3, 5, 4, {4, 8, 1}, {4, 1, 8}),   // heads side by side
      product(dtype, 1, 1, 5, 4, {0, 4, 1}, {0, 5, 1}),
      product(dtype, 1, 3, 1, 4, {0, 4, 1}, {0, 1, 1}),
      product(dtype, 1, 3, 1, 4, {0, 4, 1}, {0, 1, 4}),
      product(dtype, 1, 1, 1, 1, {0, 1, 1}, {0, 1, 1}),
  };
}

std::vector<LibraryCall> epilogues(DType dtype) {
  const std::vector<std::vector<format::PostOp>> lists = {
      {{PostOpKind::AddChannel}},
      {{PostOpKind::AddTensor}},
      {{PostOpKind::Relu}},
      {{PostOpKind::GeluTanh}},
      {{PostOpKind::AddChannel}, {PostOpKind::Relu}},
      {{PostOpKind::AddChannel}, {PostOpKind::AddTensor}, {PostOpKind::GeluTanh}},
      {{PostOpKind::AddTensor}, {PostOpKind::AddChannel}},
  };
  std::vector<LibraryCall> calls;
  for (const auto &ops : lists)
    calls.push_back(product(dtype, 2, 3, 5, 4, {12, 4, 1}, {20, 5, 1}, ops));
  return calls;
}

TEST(CublasLt, LayoutsOfOperands) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (const LibraryCall &call : layouts(dtype))
      expectRight(call);
}

TEST(CublasLt, Epilogues) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (const LibraryCall &call : epilogues(dtype))
      expectRight(call);
}

/// Where both are here. bf16 wants rows of 16 bytes on some GPUs: what has no algorithm is left to the kernel.
TEST(CublasLt, OnAGpuTheInstalledLibraryComputesTheSame) {
  const Result<std::shared_ptr<Device>> device = createCudaDevice({});
  if (device.failed())
    GTEST_SKIP() << device.status().message();
  if (const Status missing = CublasLt::load({13, 12}).status(); missing.failed())
    GTEST_SKIP() << missing.message();
  const Status first = (*device)->prepareCall(dense(64, 64, 64), "sm_80", nullptr).status();
  ASSERT_TRUE(first.isOk()) << first.message();
  size_t computed = 0;
  for (DType dtype : {DType::F32, DType::BF16})
    for (const auto &calls :
         {layouts(dtype),
          epilogues(dtype),
          {product(dtype, 3, 64, 96, 128, {8192, 128, 1}, {12288, 96, 1}, {{PostOpKind::AddChannel}})}})
      for (const LibraryCall &call : calls)
        if (Result<std::unique_ptr<Function>> made = (*device)->prepareCall(call, "sm_80", nullptr); made.isOk()) {
          expectRight(call, *device);
          ++computed;
        }
  EXPECT_GE(computed, 10u);
}

} // namespace
