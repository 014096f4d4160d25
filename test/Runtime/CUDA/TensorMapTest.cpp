//===- test/Runtime/CUDA/TensorMapTest.cpp - the cuda device's tensor maps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/DeviceFixture.h"

#include <cstring>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

/// f16[6, 5, 72], of which 64 columns and 8 rows are copied at once.
TensorMapValue good() {
  TensorMapValue value;
  value.address = 0x1230;
  value.dtype = format::DType::F16;
  value.rank = 3;
  value.extents = {72, 5, 6};
  value.strides = {144, 720};
  value.box = {64, 8, 1};
  value.swizzle = 128;
  return value;
}

template <typename Change> void expectRefused(Change change, Code code, const char *text) {
  auto fake = makeFake();
  fake->capability = 90;
  std::shared_ptr<Device> device = openDevice().take();
  TensorMapValue value = good();
  change(value);
  TensorMapBytes map;
  expectError(device->encodeTensorMap(value, map), code, text);
  EXPECT_EQ(fake->count("cuTensorMapEncodeTiled") + fake->count("cuTensorMapEncodeIm2col"), 0u);
}

TEST(CudaTensorMap, HasWhatWasAskedFor) {
  auto fake = makeFake();
  fake->capability = 90;
  std::shared_ptr<Device> device = openDevice().take();
  TensorMapBytes bytes;
  const Status status = device->encodeTensorMap(good(), bytes);
  ASSERT_TRUE(status.isOk()) << status.message();
  FakeTensorMap map;
  std::memcpy(&map, bytes.data(), sizeof(map));
  EXPECT_EQ(map.magic, FakeTensorMap::kMagic);
  EXPECT_EQ(map.address, 0x1230u);
  EXPECT_EQ(map.type, cuTensorF16);
  EXPECT_EQ(map.swizzle, cuSwizzle128);
  EXPECT_EQ(map.extents, (std::array<uint64_t, 5>{72, 5, 6}));
  EXPECT_EQ(map.strides, (std::array<uint64_t, 4>{144, 720}));
  EXPECT_EQ(map.box, (std::array<uint16_t, 5>{64, 8, 1}));
  device.reset();
  expectClean(*fake, "after a tensor map");
}

TEST(CudaTensorMap, KnowsEveryElementType) {
  auto fake = makeFake();
  fake->capability = 90;
  std::shared_ptr<Device> device = openDevice().take();
  for (const format::ElementType &type : format::kElementTypes) {
    if (!isComputed(type.dtype))
      continue;
    TensorMapValue value = good();
    value.dtype = type.dtype;
    value.box[0] = 128 / type.bytes;
    TensorMapBytes bytes;
    EXPECT_TRUE(device->encodeTensorMap(value, bytes).isOk()) << type.name;
  }
  device.reset();
  expectClean(*fake, "after all types");
}

TEST(CudaTensorMap, SaysWhichRuleIsBroken) {
  expectRefused([](auto &v) { v.address += 8; }, Code::Package, "an address that is no multiple of 16");
  expectRefused([](auto &v) { v.rank = 6; }, Code::Package, "6 dimensions");
  expectRefused([](auto &v) { v.extents[1] = 0; }, Code::Limit, "an extent of 0, possible are 1 to 4294967296");
  expectRefused([](auto &v) { v.extents[2] = (uint64_t(1) << 32) + 1; }, Code::Limit, "an extent of 4294967297");
  expectRefused([](auto &v) { v.strides[0] = 136; }, Code::Package, "a stride of 136 bytes, which is no multiple");
  expectRefused([](auto &v) { v.strides[1] = uint64_t(1) << 40; }, Code::Limit, "less than 1099511627776");
  expectRefused([](auto &v) { v.box[1] = 257; }, Code::Package, "a box of 257 elements");
  expectRefused([](auto &v) { v.box[0] = 4; }, Code::Package, "an innermost box of 8 bytes");
  expectRefused([](auto &v) { v.box[0] = 72; }, Code::Package, "of 144 bytes, more than its swizzle of 128");
}

/// The windows of a convolution of 3 by 3 places with steps of 2 and 1, padded by 1, over f16[6, 5, 9, 72].
TensorMapValue windows() {
  TensorMapValue value = good();
  value.rank = 4;
  value.extents = {72, 9, 5, 6};
  value.strides = {144, 1296, 6480};
  value.box = {64, 128, 1, 1};
  value.window = {{-1, -1}, {-1, -1}, {2, 1}};
  return value;
}

TEST(CudaTensorMap, HasTheWindow) {
  auto fake = makeFake();
  fake->capability = 90;
  std::shared_ptr<Device> device = openDevice().take();
  TensorMapBytes bytes;
  const Status status = device->encodeTensorMap(windows(), bytes);
  ASSERT_TRUE(status.isOk()) << status.message();
  FakeTensorMap map;
  std::memcpy(&map, bytes.data(), sizeof(map));
  EXPECT_EQ(fake->count("cuTensorMapEncodeIm2col"), 1u);
  EXPECT_EQ(map.box, (std::array<uint16_t, 5>{64, 128}));
  EXPECT_EQ(map.lower, (std::array<int16_t, 3>{-1, -1}));
  EXPECT_EQ(map.upper, (std::array<int16_t, 3>{-1, -1}));
  EXPECT_EQ(map.steps, (std::array<uint8_t, 5>{1, 2, 1, 1}));
  device.reset();
  expectClean(*fake, "after a tensor map");
}

TEST(CudaTensorMap, SaysWhichRuleAWindowBreaks) {
  auto refused = [](auto change, const char *text) {
    expectRefused(
        [&](TensorMapValue &value) {
          value = windows();
          change(value);
        },
        Code::Package, text);
  };
  refused([](auto &v) { v.rank = 2; }, "a window over 2 dimensions, possible are 3 to 5");
  refused([](auto &v) { v.window.upper.pop_back(); }, "without a corner or a step for each of 2 dimensions");
  refused([](auto &v) { v.window.lower[0] = -129; }, "a window from -129 to -1, possible are -128 to 127");
  refused([](auto &v) { v.window.steps[1] = 9; }, "a window with a step of 9, possible are 1 to 8");
  refused([](auto &v) { v.window.upper[1] = -6; }, "a window from -1 to -6 without a place in 5 elements");
}

TEST(CudaTensorMap, OlderGpusHaveNone) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  TensorMapBytes map;
  expectError(device->encodeTensorMap(good(), map), Code::Unsupported, "this GPU is sm_86");
}

} // namespace
