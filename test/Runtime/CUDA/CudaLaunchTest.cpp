//===- test/Runtime/CUDA/CudaLaunchTest.cpp - grids, clusters and tensor maps in a session ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/EveryCall.h"
#include "test/Runtime/CUDA/OpenedSession.h"
#include "test/Runtime/ControlPackage.h"

#include <cstring>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

constexpr const char *kMapped = "k_00000000000000a1";

/// The tensor map that a slot names, which has to be of rows of four floats at `address`.
FakeTensorMap mapAt(const PackageParameters &p, size_t parameter, const void *address) {
  const uint32_t slot = *static_cast<const uint32_t *>(p.values[parameter]);
  const auto *bytes = reinterpret_cast<const char *>(p.bindings() + slot);
  EXPECT_EQ(uintptr_t(bytes) % format::kTensorMapBytes, 0u);
  FakeTensorMap map;
  std::memcpy(&map, bytes, sizeof(map));
  EXPECT_EQ(map.magic, FakeTensorMap::kMagic);
  EXPECT_EQ(map.address, CuPointer(address));
  EXPECT_EQ(map.extents[0], 4u);
  EXPECT_EQ(map.strides[0], 16u);
  return map;
}

/// in, out; rows, factor; tensor maps of both: multiplies all that the maps say there is.
void scaleByMaps(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  const FakeTensorMap in = mapAt(p, 5, p.buffer<float>(0)), out = mapAt(p, 6, p.buffer<float>(1));
  EXPECT_EQ(in.extents[1], uint64_t(p.scalar(3))) << "the extents of this run, not of the bucket";
  EXPECT_EQ(out.extents[1], in.extents[1]);
  for (uint64_t i = 0; i < 4 * in.extents[1]; ++i)
    reinterpret_cast<float *>(out.address)[i] = reinterpret_cast<const float *>(in.address)[i] * float(p.scalar(4));
}

std::unique_ptr<FakeDriver> fakeHopper() {
  auto fake = fakeWithKernels();
  fake->capability = 90;
  fake->kernels[kMapped] = {scaleByMaps, {8, 8, 8, 4, 4, 4, 4, 4}};
  return fake;
}

/// Makes a step of BodyBuilder::scale one with tensor maps, a grid of three extents and nodes.
void mapRows(format::Step &step, const std::string &rows) {
  step.launch.kernel = 4;
  step.launch.grid = {"2*ceildiv(" + rows + ", 16)", "3", "2"};
  for (uint32_t buffer : {0u, 1u})
    step.launch.maps.push_back({buffer, "", format::DType::F32, {"4", rows}, {"16"}, {4, 8}, 0});
  step.nodes = {0};
}

/// Tensors and symbols, and one cuda variant whose kernel 4 is scaleByMaps; `fill` makes the program.
format::Package mappedPackage(size_t bodies, const std::function<void(format::Program &)> &fill) {
  format::Package package;
  package.inputs = {{"x", format::DType::F32, {"s0", "4"}}, {"n", format::DType::I64, {}}};
  package.outputs = {{"y", format::DType::F32, {"s0", "4"}}, {"z", format::DType::F32, {"3", "4"}}};
  package.symbols = {{"s0", "rows", 0, 1000, 1}};
  package.nodes = {{"scale", "Mul"}};
  package.weights = {{"w", format::DType::F32, {3, 4}, 0, 48}};
  package = test::makeControlPackage(package, bodies, [](auto &) {});
  format::Variant variant = package.variants.back();
  variant.arch = "sm_90";
  format::Kernel kernel = variant.program.kernels[0];
  kernel.name = kMapped;
  kernel.cluster = 2;
  kernel.programmatic = true;
  variant.program.kernels.push_back(kernel);
  fill(variant.program);
  package.variants = {variant};
  return package;
}

/// The buffers of every program: x, y, z, and what the init steps make of the weight: 3 * w, all by tensor maps.
struct Buffers {
  uint32_t x, y, z, prepared;
};
Buffers addBuffers(format::Program &program, test::BodyBuilder &b) {
  const Buffers all = {b.input(0, "16*s0"), b.output(0, "16*s0"), b.output(1, "48"), b.init(0, "48")};
  b.scale("3", b.weight(0, "48"), all.prepared, "3");
  mapRows(program.steps.back(), "3");
  program.init = std::move(program.steps);
  program.steps.clear();
  return all;
}

/// y = 6 * x by way of the arena, z = 3 * w
format::Package straightPackage() {
  return mappedPackage(0, [](format::Program &program) {
    test::BodyBuilder b(program, /*cuda=*/true);
    const Buffers all = addBuffers(program, b);
    const uint32_t half = b.arena("16*s0");
    program.buffers[half].last = 2;
    b.scale("s0", all.x, half, "2");
    mapRows(program.steps.back(), "s0");
    b.scale("s0", half, all.y, "3");
    mapRows(program.steps.back(), "s0");
    b.scale("3", all.prepared, all.z, "1");
    mapRows(program.steps.back(), "3");
  });
}

/// y = x * 2 * 2 * .. n times, z = 3 * w
format::Package loopPackage() {
  return mappedPackage(1, [](format::Program &program) {
    test::BodyBuilder b(program, /*cuda=*/true), body(program.bodies[0], /*cuda=*/true);
    const Buffers all = addBuffers(program, b);
    const uint32_t trip = b.input(1, "8"), spare = b.arena("16*s0");
    program.buffers[spare].last = 1;
    format::Loop &loop = b.loop();
    loop.body = 0;
    loop.trip = 1 + trip;
    loop.carried = {{all.x, all.y, spare}};
    const uint32_t value = body.parameter(0, "16*s0"), next = body.parameter(1, "16*s0");
    body.scale("s0", value, next, "2");
    mapRows(program.bodies[0].steps.back(), "s0");
    b.scale("3", all.prepared, all.z, "1");
    mapRows(program.steps.back(), "3");
  });
}

/// One run with tensors of the host, or with x at `x` on the device.
Status runOnce(Session &session, int64_t rows, int64_t n, float factor, DeviceAddress x = 0) {
  std::vector<float> in(size_t(4 * rows), 7), y(in.size() + 1, -1), z(12, -1);
  TensorRef input{in.data(), format::DType::F32, {rows, 4}};
  if (x) {
    input.data = reinterpret_cast<void *>(x);
    input.onDevice = true;
    std::memcpy(input.data, in.data(), in.size() * sizeof(float)); // the fake's device memory is the host's
  }
  CUPOLA_TRY(session.run({input, {&n, format::DType::I64, {}}},
                         {{y.data(), format::DType::F32, {rows, 4}}, {z.data(), format::DType::F32, {3, 4}}}));
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(y[i], 7 * factor) << i;
  for (size_t i = 0; i < z.size(); ++i)
    EXPECT_EQ(z[i], 3 * float(i));
  return {};
}

Status runStraight(const std::shared_ptr<const format::PackageFile> &file) {
  CUPOLA_ASSIGN(Opened opened, openSession(file));
  for (int64_t rows : {40, 40, 33, 200, 0, 38})
    CUPOLA_TRY(runOnce(*opened.session, rows, 0, 6));
  return {};
}

Status runLoop(const std::shared_ptr<const format::PackageFile> &file) {
  CUPOLA_ASSIGN(Opened opened, openSession(file));
  for (int64_t n : {3, 0, 2})
    CUPOLA_TRY(runOnce(*opened.session, 5 + n, n, float(1 << n)));
  return {};
}

TEST(CudaLaunch, TensorMapsAreThoseOfTheRunAlsoInAReplay) {
  auto fake = fakeHopper();
  {
    Opened opened = openSession(test::loadPackage(straightPackage())).take();
    Memory first, second;
    ASSERT_TRUE(first.allocate(opened.device, 16 * 200).isOk());
    ASSERT_TRUE(second.allocate(opened.device, 16 * 200).isOk());
    for (int64_t rows : {40, 33, 36, 40, 39}) // direct, recorded, replayed
      for (DeviceAddress x : {first.address, second.address, first.address + 256, DeviceAddress(0)}) {
        const Status status = runOnce(*opened.session, rows, 0, 6, x);
        ASSERT_TRUE(status.isOk()) << status.message();
      }
    EXPECT_EQ(fake->count("cuStreamBeginCapture"), 1u);
    EXPECT_EQ(fake->count("cuGraphLaunch"), 19u);
  }
  expectClean(*fake, "after the runs");
}

TEST(CudaLaunch, GridsClustersAndProgrammaticLaunches) {
  auto fake = fakeHopper();
  Opened opened = openSession(test::loadPackage(straightPackage())).take();
  ASSERT_EQ(fake->launches.size(), 1u) << "the init step";
  EXPECT_EQ(fake->launches[0].grid, (std::array<unsigned, 3>{2, 3, 2}));
  ASSERT_TRUE(runOnce(*opened.session, 33, 0, 6).isOk());
  ASSERT_TRUE(runOnce(*opened.session, 33, 0, 6).isOk());
  ASSERT_EQ(fake->launches.size(), 7u);
  for (size_t i : {1, 2, 4, 5})
    EXPECT_EQ(fake->launches[i].grid, (std::array<unsigned, 3>{6, 3, 2})) << "33 and at most 40 rows, by 16, twice";
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(fake->launches[i].cluster, 2u);
    EXPECT_EQ(fake->launches[i].programmatic, i != 0 && i != 1 && i != 4) << "not the first of a run: launch " << i;
  }
  const size_t before = fake->launches.size();
  ASSERT_TRUE(runOnce(*opened.session, 0, 0, 6).isOk());
  EXPECT_EQ(fake->launches.size(), before + 1) << "over no rows nothing runs but z";
}

TEST(CudaLaunch, TensorMapsInABodyAreThoseOfTheIteration) {
  auto fake = fakeHopper();
  const Status status = runLoop(test::loadPackage(loopPackage()));
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_GT(fake->count("cuTensorMapEncodeTiled"), 10u);
  expectClean(*fake, "after the loop");
}

TEST(CudaLaunch, AMapIsMadeAnewOnlyWhereSomethingChanged) {
  auto fake = fakeHopper();
  Opened opened = openSession(test::loadPackage(straightPackage())).take();
  ASSERT_TRUE(runOnce(*opened.session, 5, 0, 6).isOk());
  const uint64_t made = fake->count("cuTensorMapEncodeTiled");
  EXPECT_EQ(made, 2u + 6u);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(runOnce(*opened.session, 5, 0, 6).isOk());
  EXPECT_EQ(fake->count("cuTensorMapEncodeTiled"), made);
}

TEST(CudaLaunch, ErrorsNameTheNodes) {
  const auto statusOf = [](auto change) {
    auto fake = fakeHopper();
    format::Package package = straightPackage();
    change(package.variants[0].program);
    Result<Opened> opened = openSession(test::loadPackage(package));
    return opened.failed() ? opened.status() : runOnce(*opened->session, 5, 0, 6);
  };
  const auto atEight = [](format::Launch &launch, std::string rows) {
    launch.maps[0].offset = "8";
    launch.maps[0].extents[1] = rows;
  };
  expectError(statusOf([&](format::Program &p) { atEight(p.steps[0].launch, "s0 - 1"); }), Code::Package,
              "node 'scale' (Mul): a tensor map has an address that is no multiple of 16");
  expectError(statusOf([&](format::Program &p) { atEight(p.init[0].launch, "2"); }), Code::Package,
              "node 'scale' (Mul): a tensor map has an address that is no multiple of 16");
  expectError(statusOf([&](format::Program &p) { atEight(p.steps[1].launch, "s0"); }), Code::Package,
              "step 1, tensor map 0 reaches beyond its buffer");
  expectError(statusOf([](format::Program &p) { p.steps[0].launch.maps[0].extents[1] = "s0 - 10"; }), Code::Limit,
              "step 0, tensor map 0: s0 - 10 has no value");
  expectError(statusOf([](format::Program &p) { p.steps[0].launch.grid[0] = "s0"; }), Code::Package,
              "node 'scale' (Mul): kernel k_00000000000000a1 wants 5 blocks along x, which do not make clusters of 2");
}

class EveryLaunchCallFails : public testing::TestWithParam<CuResult> {};

TEST_P(EveryLaunchCallFails, WithTensorMaps) {
  everyCallFails(GetParam(), 200, test::loadPackage(straightPackage()), runStraight, fakeHopper);
}

TEST_P(EveryLaunchCallFails, WithTensorMapsInALoop) {
  everyCallFails(GetParam(), 150, test::loadPackage(loopPackage()), runLoop, fakeHopper, /*reported=*/0.45);
}

INSTANTIATE_TEST_SUITE_P(CudaLaunch, EveryLaunchCallFails, testing::Values(1, cuIllegalAddress),
                         [](const auto &info) { return "code" + std::to_string(info.param); });

} // namespace
