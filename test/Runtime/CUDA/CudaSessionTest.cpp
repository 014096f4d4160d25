//===- test/Runtime/CUDA/CudaSessionTest.cpp - load, bind, run, destroy with every driver call failing ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Runtime/Session.h"
#include "test/Runtime/CUDA/EveryCall.h"
#include "test/Runtime/CUDA/FakePackageKernels.h"
#include "test/Runtime/CUDA/OpenedSession.h"
#include "test/Runtime/ControlPackage.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

/// One run of the session with `rows` rows; compares the answer.
Status runOnce(Session &session, int64_t rows, int64_t badId = 0) {
  std::vector<float> x(size_t(4 * rows), 1), y(x.size(), -1);
  std::vector<int64_t> ids(size_t(rows), 2);
  ids[0] = badId ? badId : ids[0];
  CUPOLA_TRY(session.run({{x.data(), format::DType::F32, {rows, 4}}, {ids.data(), format::DType::I64, {rows}}},
                         {{y.data(), format::DType::F32, {rows, 4}}}));
  for (int64_t i = 0; i < 4 * rows; ++i) // 2 * (x + 3 * w[2])
    EXPECT_EQ(y[size_t(i)], 2 * (1 + 3 * float(8 + i % 4)));
  return {};
}

/// Loads the package, runs a shape directly, recorded and replayed, then a larger one, then the first again.
Status runModel(const std::shared_ptr<const format::PackageFile> &file) {
  CUPOLA_ASSIGN(Opened opened, openSession(file));
  Session &session = *opened.session;
  for (int64_t rows : {5, 5, 5, 200, 5})
    CUPOLA_TRY(runOnce(session, rows));
  return {};
}

TEST(CudaSession, AVariantForManyMultiprocessorsIsForGpusThatHaveThem) {
  auto fake = fakeWithKernels();
  format::Package package = test::makePackage();
  std::vector<format::Variant> variants;
  for (const format::Variant &variant : package.variants) {
    variants.push_back(variant);
    variants.back().multiprocessors = variant.target == "cuda" ? 40 : 0;
  }
  package.variants.insert(package.variants.begin(), variants.begin(), variants.end());
  for (const auto &[has, chosen] : {std::pair(39, 0u), std::pair(40, 40u)}) {
    fake->multiprocessors = has;
    auto opened = openSession(test::loadPackage(package));
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    EXPECT_EQ(opened->executable->variant().multiprocessors, chosen);
    EXPECT_TRUE(runOnce(*opened->session, 5).isOk());
  }
  package.variants = std::move(variants);
  fake->multiprocessors = 39;
  const Status status = openSession(test::loadPackage(package)).status();
  EXPECT_NE(status.message().find("sm_80 from 40 multiprocessors on"), std::string::npos) << status.message();
}

/// That of sm_90a takes an NVRTC of 12.3, unless its machine code is there.
TEST(CudaSession, WhatNvrtcIsTooOldForIsLeftToOtherVariants) {
  auto fake = fakeWithKernels();
  fake->capability = 90;
  format::Package package = test::makePackage();
  format::Variant exact = package.variants.back();
  ASSERT_EQ(exact.arch, "sm_80");
  exact.arch = "sm_90a";
  package.variants.push_back(exact);
  const auto chosen = [&](int minor, std::vector<std::string> &warnings) {
    FakeNvrtc::major = 12, FakeNvrtc::minor = minor;
    DeviceOptions options;
    options.warn = [&](const std::string &text) { warnings.push_back(text); };
    Result<std::shared_ptr<const Executable>> executable =
        Executable::create(test::loadPackage(package), openDevice(options).take());
    return executable.isOk() ? (*executable)->variant().arch : executable.status().message();
  };
  std::vector<std::string> warnings;
  EXPECT_EQ(chosen(3, warnings), "sm_90a");
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(chosen(2, warnings), "sm_80");
  const std::string said =
      "nvrtc 12.2 cannot compile for sm_90a, which takes 12.3 or newer; code for sm_80 runs on the "
      "same GPU";
  EXPECT_EQ(warnings, std::vector<std::string>{said});
  package.variants = {exact};
  EXPECT_NE(chosen(2, warnings).find(said), std::string::npos) << chosen(2, warnings);
  format::Variant &only = package.variants.back();
  only.binaries = {{"sm_90a", {}, "cube"}};
  for (uint32_t i = 0; i < only.program.kernels.size(); ++i)
    only.binaries[0].kernels.push_back(i);
  EXPECT_EQ(chosen(2, warnings), "sm_90a");
}

TEST(CudaSession, RunsTheTestPackage) {
  auto fake = fakeWithKernels();
  const Status status = runModel(test::loadPackage(test::makePackage()));
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_GT(fake->count("cuGraphLaunch"), 0u);
  expectClean(*fake, "after the run");
}

/// The driver's clock has a millisecond for each kernel and none for the host.
TEST(CudaSession, StepsAreTimedByTheDevice) {
  auto fake = fakeWithKernels();
  {
    Opened opened = openSession(test::loadPackage(test::makePackage())).take();
    std::vector<float> x(8, 1), y(8);
    std::vector<int64_t> ids(2, 2);
    RunTimes times;
    const Status status =
        opened.session->runTimed({{x.data(), format::DType::F32, {2, 4}}, {ids.data(), format::DType::I64, {2}}},
                                 {{y.data(), format::DType::F32, {2, 4}}}, times);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(y[0], 50);
    ASSERT_EQ(times.steps.size(), opened.executable->program().steps.size());
    for (size_t i = 0; i < times.steps.size(); ++i) {
      EXPECT_NEAR(times.steps[i].milliseconds(), 1, 1e-6);
      EXPECT_NEAR(times.steps[i].begin, times.inputs.end + double(i), 1e-6);
    }
  }
  expectClean(*fake, "after a timed run");
}

/// The package's weight, of 48 bytes, is scaled once, as it is loaded.
TEST(CudaSession, WeightsThatInitStepsAloneReadGoBehindThem) {
  auto fake = fakeWithKernels();
  const std::shared_ptr<Device> device = openDevice().take();
  const size_t before = fake->liveBytes();
  const auto executable = Executable::create(test::loadPackage(test::makePackage()), device).take();
  EXPECT_EQ(executable->residentBytes(), 48u);
  EXPECT_EQ(fake->liveBytes() - before, 48u + 1) << "of weights that steps read there are none";
}

TEST(CudaSession, ASecondRunAllocatesNothing) {
  auto fake = fakeWithKernels();
  std::shared_ptr<const Executable> executable =
      Executable::create(test::loadPackage(test::makePackage()), openDevice().take()).take();
  std::unique_ptr<Session> session = Session::create(executable, {}).take();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(runOnce(*session, 7).isOk());
  const size_t bytes = fake->liveBytes();
  const uint64_t device = fake->count("cuMemAlloc"), host = fake->count("cuMemHostAlloc");
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(runOnce(*session, 7).isOk());
  EXPECT_EQ(fake->liveBytes(), bytes);
  EXPECT_EQ(fake->count("cuMemAlloc"), device);
  EXPECT_EQ(fake->count("cuMemHostAlloc"), host);
}

TEST(CudaSession, OneRecordingServesABucket) {
  auto fake = fakeWithKernels();
  std::shared_ptr<const Executable> executable =
      Executable::create(test::loadPackage(test::makePackage()), openDevice().take()).take();
  std::unique_ptr<Session> session = Session::create(executable, {}).take();
  for (int64_t rows : {40, 33, 36, 40, 39}) // direct, recorded, replayed
    ASSERT_TRUE(runOnce(*session, rows).isOk());
  EXPECT_EQ(fake->count("cuStreamBeginCapture"), 1u);
  EXPECT_EQ(fake->count("cuGraphLaunch"), 4u);
  EXPECT_EQ(session->arenasPlanned(), 1u);
  ASSERT_TRUE(runOnce(*session, 41).isOk()); // the next bucket
  EXPECT_EQ(session->arenasPlanned(), 2u);
  ASSERT_TRUE(runOnce(*session, 35).isOk());
  EXPECT_EQ(session->arenasPlanned(), 2u);
  EXPECT_EQ(fake->count("cuStreamBeginCapture"), 1u);
}

/// The model is a copy of its input, whose address a recording holds.
TEST(CudaSession, ACopyIsRecordedWhileTensorsStay) {
  auto fake = fakeWithKernels();
  format::Package package = test::makePackage();
  package.inputs.pop_back();
  package.variants.erase(package.variants.begin(), package.variants.end() - 1); // that of sm_80
  format::Program &program = package.variants[0].program;
  program.buffers = {program.buffers[2], program.buffers[5]};
  program.init.clear();
  program.steps.resize(1);
  program.steps[0] = format::Step();
  program.steps[0].kind = format::Step::CopyStep;
  program.steps[0].copy = {0, 1, "64"};
  program.kernels.clear();
  package.variants[0].sources.clear();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Session> session =
      Session::create(Executable::create(test::loadPackage(package), device).take(), {}).take();
  Memory x[2], y;
  for (Memory &memory : x)
    ASSERT_TRUE(memory.allocate(device, 64).isOk());
  ASSERT_TRUE(y.allocate(device, 64).isOk());
  for (int place : {0, 0, 0, 1, 1, 0}) {
    *reinterpret_cast<float *>(x[place].address) = float(place + 5);
    const Status status = session->run({{reinterpret_cast<void *>(x[place].address), format::DType::F32, {4, 4}, true}},
                                       {{reinterpret_cast<void *>(y.address), format::DType::F32, {4, 4}, true}});
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(*reinterpret_cast<const float *>(y.address), float(place + 5));
  }
  EXPECT_EQ(fake->count("cuStreamBeginCapture"), 2u);
  EXPECT_EQ(fake->count("cuGraphLaunch"), 3u);
}

TEST(CudaSession, AnIndexOutOfRangeIsAnErrorNotTheEnd) {
  auto fake = fakeWithKernels();
  std::shared_ptr<const Executable> executable =
      Executable::create(test::loadPackage(test::makePackage()), openDevice().take()).take();
  std::unique_ptr<Session> session = Session::create(executable, {}).take();
  for (int i = 0; i < 3; ++i) { // direct, recorded, replayed
    const Status status = runOnce(*session, 5, 77);
    EXPECT_EQ(status.code(), Code::Usage) << status.message();
    EXPECT_NE(status.message().find("embed/Gather"), std::string::npos) << status.message();
  }
  EXPECT_TRUE(runOnce(*session, 5).isOk());
}

TEST(CudaSession, OutOfMemoryIsATableThenASmallerRunWorks) {
  auto fake = fakeWithKernels();
  std::shared_ptr<const Executable> executable =
      Executable::create(test::loadPackage(test::makePackage()), openDevice().take()).take();
  std::unique_ptr<Session> session = Session::create(executable, {}).take();
  ASSERT_TRUE(runOnce(*session, 5).isOk());
  fake->totalBytes = fake->liveBytes() + 8192;
  const Status status = runOnce(*session, 1000);
  EXPECT_EQ(status.code(), Code::Environment);
  for (const char *part : {"arena", "weights", "free", "wanted"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  EXPECT_TRUE(runOnce(*session, 5).isOk());
}

/// Loops in a branch whose values grow, then the other way.
Status runControl(const std::shared_ptr<const format::PackageFile> &file) {
  CUPOLA_ASSIGN(Opened opened, openSession(file));
  Session &session = *opened.session;
  for (int64_t n : {2, 9, 0}) {
    float x[3] = {5, 6, 7}, y[12] = {};
    bool go = n != 0;
    CUPOLA_TRY(session.run({{x, format::DType::F32, {3}}, {&n, format::DType::I64, {}}, {&go, format::DType::Bool, {}}},
                           {{nullptr, format::DType::F32, {}}}));
    const Shape shape = session.outputShapes()[0];
    EXPECT_EQ(shape, Shape({go ? 3 + n : 6}));
    CUPOLA_TRY(session.fetch(0, {y, format::DType::F32, shape}));
    for (int64_t i = 0; i < shape[0]; ++i)
      EXPECT_EQ(y[i], i < 3 ? x[i] : float(i));
  }
  return {};
}

TEST(CudaSession, BranchesAndLoopsWithOpenSizesAreNotRecorded) {
  auto fake = fakeWithKernels();
  for (bool counted : {false, true}) {
    const Status status = runControl(test::loadPackage(test::growingPackage(counted)));
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  EXPECT_EQ(fake->count("cuStreamBeginCapture"), 0u);
  expectClean(*fake, "after the run");
}

class EverySessionCallFails : public testing::TestWithParam<CuResult> {};

TEST_P(EverySessionCallFails, CleanlyAndTheNextAttemptWorks) {
  everyCallFails(GetParam(), 200, test::loadPackage(test::makePackage()), runModel);
}

/// As runModel, with all runs queued before the first is waited for.
Status runQueued(const std::shared_ptr<const format::PackageFile> &file) {
  std::vector<float> x(800, 1), y(4000, -1); // until the session, which ends runs under way, has gone
  std::vector<int64_t> ids(200, 2);
  CUPOLA_ASSIGN(Opened opened, openSession(file));
  Session &session = *opened.session;
  std::vector<uint64_t> runs;
  for (int64_t rows : {5, 5, 5, 200, 5}) {
    CUPOLA_ASSIGN(uint64_t run,
                  session.enqueue({{x.data(), format::DType::F32, {rows, 4}}, {ids.data(), format::DType::I64, {rows}}},
                                  {{y.data() + 800 * runs.size(), format::DType::F32, {rows, 4}}}));
    runs.push_back(run);
  }
  for (uint64_t run : runs)
    CUPOLA_TRY(session.wait(run));
  for (size_t i = 0; i < y.size(); ++i) // 2 * (x + 3 * w[2])
    if (i % 800 < 20 || i / 800 == 3) {
      EXPECT_EQ(y[i], 2 * (1 + 3 * float(8 + i % 4))) << i;
    }
  return {};
}

TEST_P(EverySessionCallFails, WhileRunsAreUnderWay) {
  everyCallFails(GetParam(), 200, test::loadPackage(test::makePackage()), runQueued);
}

TEST_P(EverySessionCallFails, InBranchesAndLoops) {
  everyCallFails(GetParam(), 200, test::loadPackage(test::growingPackage(false)), runControl);
}

INSTANTIATE_TEST_SUITE_P(CudaSession, EverySessionCallFails, testing::Values(1, cuOutOfMemory, cuIllegalAddress),
                         [](const auto &info) { return "code" + std::to_string(info.param); });

TEST(CudaSession, TheTestPackagesSourcesCompile) {
  Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::load();
  if (nvrtc.failed())
    GTEST_SKIP() << nvrtc.status().message();
  const format::Package package = test::makePackage();
  for (const format::Variant &variant : package.variants) {
    for (const format::Source &source : variant.sources) {
      NvrtcRequest request;
      request.source = source.text;
      request.arch = variant.arch;
      for (const EmbeddedHeader &header : deviceHeaders())
        request.headers.push_back({std::string(header.name), header.text});
      Result<CudaBinary> binary = (*nvrtc)->compile(request);
      ASSERT_TRUE(binary.isOk()) << binary.status().message();
      EXPECT_EQ(binary->kernels.size(), variant.program.kernels.size());
    }
  }
}

} // namespace
