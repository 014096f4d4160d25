//===- test/Runtime/CUDA/CudaControlTest.cpp - branches and loops as conditional nodes of a CUDA graph ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/DecideKernel.h"
#include "lib/Runtime/Session.h"
#include "test/Runtime/CUDA/EveryCall.h"
#include "test/Runtime/CUDA/FakePackageKernels.h"
#include "test/Runtime/CUDA/OpenedSession.h"
#include "test/Runtime/ControlPackage.h"

#include <cstdio>
#include <cstdlib>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

/// A session of a model with inputs x, n, go and the output y on the device, all of it at the same addresses.
class Decided {
public:
  explicit Decided(const format::Package &package, int version = 13000) : fake(fakeWithKernels()) {
    fake->version = version;
    opened = openSession(test::loadPackage(package)).take();
  }
  ~Decided() {
    opened = {};
    expectClean(*fake, "after the runs");
  }

  Status run(size_t count, int64_t trips, bool goes) {
    for (size_t i = 0; i < count; ++i)
      x[i] = float(i + 1), y[i] = -1;
    n = trips, go = goes;
    const auto many = int64_t(count);
    return opened.session->run(
        {{x, format::DType::F32, {many}}, {&n, format::DType::I64, {}}, {&go, format::DType::Bool, {}}},
        {{y, format::DType::F32, {many}}});
  }
  void expectRuns(size_t count, int64_t trips, bool goes, float factor) {
    const Status status = run(count, trips, goes);
    ASSERT_TRUE(status.isOk()) << status.message();
    for (size_t i = 0; i < count; ++i)
      EXPECT_EQ(y[i], factor * x[i]) << trips << " iterations, " << goes;
  }
  uint64_t count(const char *call) const { return fake->count(call); }

  std::unique_ptr<FakeDriver> fake;
  Opened opened;
  float x[64], y[64];
  int64_t n = 0;
  bool go = false;
};

TEST(CudaControl, TheDeviceDecidesAboutABranch) {
  Decided model(test::branchPackage());
  model.expectRuns(5, 0, true, 2); // the host decides, and every kernel is loaded
  const uint64_t waited = model.count("cuStreamSynchronize");
  for (bool go : {true, false, false, true})
    model.expectRuns(5, 0, go, go ? 2.0f : 3.0f);
  EXPECT_EQ(model.count("cuStreamBeginCapture"), 1u);
  EXPECT_EQ(model.count("cuGraphAddNode"), 2u);
  EXPECT_EQ(model.count("cuGraphLaunch"), 4u);
  EXPECT_EQ(model.count("cuStreamSynchronize"), waited) << "a run waits for nothing on its way";
}

TEST(CudaControl, TheDeviceDecidesAboutALoop) {
  for (const auto ends : {test::Ends::Trip, test::Ends::Condition, test::Ends::Both}) {
    Decided model(test::doublingPackage(ends));
    for (const int64_t n : {3, 2, 0, 5, -1, 1}) { // x = 1, 2 ..: seven doublings reach 100
      const bool go = n != 5;
      const int64_t counted = std::max<int64_t>(n, 0), most = go ? 7 : 0;
      const int64_t times = ends == test::Ends::Trip        ? counted
                            : ends == test::Ends::Condition ? most
                                                            : std::min(counted, most);
      model.expectRuns(6, n, go, float(1 << times));
    }
    EXPECT_EQ(model.count("cuGraphAddNode"), 1u);
    EXPECT_EQ(model.count("cuGraphLaunch"), 5u);
  }
}

TEST(CudaControl, ALoopInALoopCountsForItself) {
  Decided model(test::nestedPackage());
  for (const int64_t n : {1, 2, 0, 3, 2})
    model.expectRuns(3, n, true, float(1 << n * n));
  EXPECT_EQ(model.count("cuGraphAddNode"), 2u);
  EXPECT_EQ(model.count("cuGraphLaunch"), 4u);
}

TEST(CudaControl, OtherShapesOfABucketNeedTheirSizesInALoopsCopies) {
  Decided model(test::doublingPackage(test::Ends::Trip));
  for (const size_t count : {40, 40, 33, 40}) // carried values of a bucket have several sizes
    model.expectRuns(count, 3, true, 8);
  EXPECT_EQ(model.count("cuGraphLaunch"), 0u);
  for (const size_t count : {7, 7, 8, 7, 8, 7}) // these have buckets of their own
    model.expectRuns(count, 3, true, 8);
  EXPECT_EQ(model.count("cuGraphLaunch"), 4u);
}

TEST(CudaControl, TheNumberOfAnIterationIsTheHosts) {
  format::Package package = test::doublingPackage(test::Ends::Trip);
  for (format::Variant &variant : package.variants)
    variant.program.bodies[0].scalars[1] = "r3 + 1"; // the factor
  Decided model(package);
  for (int i = 0; i < 3; ++i)
    model.expectRuns(5, 3, true, 6);
  EXPECT_EQ(model.count("cuStreamBeginCapture"), 0u);
}

TEST(CudaControl, ACooperativeKernelInABodyLetsTheHostDecide) {
  format::Package package = test::branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.kernels[variant.program.bodies[0].steps[0].launch.kernel].cooperative = variant.target == "cuda";
  Decided model(package);
  for (const bool go : {true, false, true})
    model.expectRuns(5, 0, go, go ? 2.0f : 3.0f);
  EXPECT_EQ(model.count("cuStreamBeginCapture"), 0u);
}

TEST(CudaControl, AnOlderDriverLetsTheHostDecide) {
  Decided model(test::branchPackage(), 12030);
  for (const bool go : {true, false, true})
    model.expectRuns(5, 0, go, go ? 2.0f : 3.0f);
  EXPECT_EQ(model.count("cuStreamBeginCapture"), 0u);
}

TEST(CudaControl, AGraphThatTheDriverRefusesLetsTheHostDecide) {
  for (const char *call :
       {"cuGraphAddNode", "cuStreamBeginCaptureToGraph", "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    Decided model(test::branchPackage());
    model.expectRuns(5, 0, true, 2);
    model.fake->failCode = 1;
    model.fake->failCall = call;
    for (const bool go : {true, false, true})
      model.expectRuns(5, 0, go, go ? 2.0f : 3.0f);
    EXPECT_EQ(model.count("cuStreamBeginCapture"), 1u) << call;
    EXPECT_EQ(model.count(call), 1u);
    model.fake->failCall.clear();
  }
}

TEST(CudaControl, ABranchInWhichNothingHappensHasABody) {
  format::Package package = test::branchPackage();
  for (format::Variant &variant : package.variants)
    for (format::Body &body : variant.program.bodies) {
      body.scalars[0] = "s0 - 5";
      body.steps[0].launch.grid = {"ceildiv(s0 - 5, 128)"};
    }
  Decided model(package);
  for (const bool go : {true, false, true})
    EXPECT_TRUE(model.run(5, 0, go).isOk()); // which writes nothing
  EXPECT_EQ(model.count("cuGraphLaunch"), 2u);
}

TEST(CudaControl, AFlagRaisedInARecordedLoopEndsIt) {
  auto fake = fakeWithKernels();
  Opened opened = openSession(test::loadPackage(test::selectingPackage())).take();
  std::vector<float> x(8), y(8);
  int64_t n = 2, ids[2] = {1, 2};
  bool go = true;
  const auto run = [&] {
    return opened.session->run({{x.data(), format::DType::F32, {2, 4}},
                                {&n, format::DType::I64, {}},
                                {&go, format::DType::Bool, {}},
                                {ids, format::DType::I64, {2}}},
                               {{y.data(), format::DType::F32, {2, 4}}});
  };
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(run().isOk());
  EXPECT_EQ(fake->count("cuGraphLaunch"), 1u);
  ids[0] = 99, n = int64_t(1) << 40; // which would take for ever
  expectError(run(), Code::Usage, "node 'select' (Gather): an index lies outside the tensor it selects from");
  ids[0] = 1, n = 2;
  EXPECT_TRUE(run().isOk());
  EXPECT_EQ(y, std::vector<float>({24, 30, 36, 42, 48, 54, 60, 66}));
}

/// As the device decides: direct, recorded and replayed.
Status runDecided(const std::shared_ptr<const format::PackageFile> &file) {
  CUPOLA_ASSIGN(Opened opened, openSession(file));
  float x[3] = {5, 6, 7}, y[3] = {};
  bool go = true;
  for (int64_t n : {2, 1, 3, 0}) {
    CUPOLA_TRY(opened.session->run(
        {{x, format::DType::F32, {3}}, {&n, format::DType::I64, {}}, {&go, format::DType::Bool, {}}},
        {{y, format::DType::F32, {3}}}));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(y[i], x[i] * float(1 << n * n));
  }
  return {};
}

/// The driver alone compiles it otherwise.
TEST(CudaControl, TheKernelThatDecidesIsPtx) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no ptxas on the PATH, which comes with the CUDA toolkit";
  FILE *ptxas = popen("ptxas -arch=sm_75 --compile-only --output-file /dev/null -", "w");
  ASSERT_NE(ptxas, nullptr);
  std::fputs(decideKernel, ptxas);
  EXPECT_EQ(pclose(ptxas), 0);
}

class EveryControlCallFails : public testing::TestWithParam<CuResult> {};

TEST_P(EveryControlCallFails, WhereTheDeviceDecides) {
  everyCallFails(GetParam(), 150, test::loadPackage(test::nestedPackage()), runDecided, fakeWithKernels,
                 /*reported=*/0.35);
}

INSTANTIATE_TEST_SUITE_P(CudaControl, EveryControlCallFails, testing::Values(1, cuOutOfMemory, cuIllegalAddress),
                         [](const auto &info) { return "code" + std::to_string(info.param); });

} // namespace
