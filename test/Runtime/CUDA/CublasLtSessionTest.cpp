//===- test/Runtime/CUDA/CublasLtSessionTest.cpp - packages whose products cuBLASLt may do ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/CublasLtFixture.h"
#include "test/Runtime/CUDA/EveryCall.h"
#include "test/Runtime/CUDA/FakePackageKernels.h"
#include "test/Runtime/CUDA/OpenedSession.h"
#include "test/Runtime/TestPackage.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;
using format::BufferKind;

namespace {

constexpr const char *kProduct = "k_0000000000000005";
constexpr float kFromKernel = 1000; ///< that kernels add to their answer, to be known by it

/// x, w, y: [2, 3] by [3, 4]
void multiply(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 4; ++n) {
      float sum = kFromKernel;
      for (int k = 0; k < 3; ++k)
        sum += p.buffer<float>(0)[3 * m + k] * p.buffer<float>(1)[4 * k + n];
      p.buffer<float>(2)[4 * m + n] = sum;
    }
}

std::unique_ptr<FakeDriver> fakeWithProduct() {
  auto fake = makeFake();
  fake->kernels[kProduct] = {multiply, {8, 8, 8, 8, 4}};
  return fake;
}

format::Buffer buffer(BufferKind kind, uint32_t index, const std::string &bytes) {
  format::Buffer made;
  made.kind = kind;
  made.index = index;
  made.bytes = bytes;
  return made;
}

/// y = x w with x of 2 rows, w of 3 by 4, which holds 0, 1, .., 11.
format::Package productPackage() {
  format::Package package = test::makePackage();
  package.inputs = {{"x", format::DType::F32, {"2", "3"}}};
  package.outputs = {{"y", format::DType::F32, {"2", "4"}}};
  package.symbols.clear();
  package.nodes = {{"layer/MatMul", "MatMul"}};
  package.variants.erase(package.variants.begin(), package.variants.end() - 1); // that of sm_80
  format::Program &program = package.variants[0].program;
  program = format::Program();
  program.buffers = {buffer(BufferKind::Weight, 0, "48"), buffer(BufferKind::Input, 0, "24"),
                     buffer(BufferKind::Output, 0, "32"), buffer(BufferKind::Arena, 0, "4096")};
  program.buffers[3].planned = 0;
  program.arenaBytes = 4096;
  format::Kernel kernel;
  kernel.name = kProduct;
  kernel.schedule = "gemm";
  kernel.threads = 128;
  kernel.readWrite = {"r", "r", "w"};
  program.kernels = {kernel};
  format::Step step;
  step.launch.grid = {"1"};
  step.launch.buffers = {1, 0, 2};
  format::LibraryCall &call = step.launch.call;
  call.kind = format::LibraryCallKind::StridedProduct;
  call.source = {1, 2, 3};
  call.weights = {1, 3, 4};
  call.result = {1, 2, 4};
  call.buffers = {1, 0, 2, 3};
  call.dtype = format::DType::F32;
  call.sourceStrides = {0, 3, 1};
  call.weightsStrides = {0, 4, 1};
  call.workspace = 4096;
  step.nodes = {0};
  program.steps = {step};
  return package;
}

/// The first element of the answer, whose others have to fit.
Result<float> runOnce(Session &session) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y(8, -1);
  const Status status = session.run({{x.data(), format::DType::F32, {2, 3}}}, {{y.data(), format::DType::F32, {2, 4}}});
  if (status.failed())
    return status;
  const float expected[] = {32, 38, 44, 50, 68, 83, 98, 113};
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(y[i] - y[0], expected[i] - expected[0]) << i;
  return y[0];
}

TEST(CublasLtSession, ItDoesTheStepAndIsRecorded) {
  auto fake = fakeWithProduct();
  FakeCublasLt blas;
  {
    Opened opened = openSession(test::loadPackage(productPackage()), fakeLibrary()).take();
    EXPECT_EQ(opened.executable->calls().used(), 1u);
    EXPECT_EQ(opened.executable->calls().function(0)->library(), "cuBLASLt 13.1.0 algorithm 66");
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(*runOnce(*opened.session), 32);
    EXPECT_EQ(blas.count("cublasLtMatmul"), 2u) << "once directly, once for the recording";
    EXPECT_EQ(fake->count("cuStreamBeginCapture"), 1u);
    EXPECT_EQ(fake->count("cuGraphLaunch"), 4u);
    EXPECT_EQ(fake->count("cuLaunchKernelEx"), 0u);
    const std::vector<KernelStatistics> statistics = opened.executable->device().statistics();
    ASSERT_EQ(statistics.size(), 1u);
    EXPECT_EQ(statistics[0].name, "cuBLASLt 13.1.0 algorithm 66");
    EXPECT_EQ(statistics[0].launches, 5u);
    EXPECT_EQ(opened.session->workOf(0).bytes, 48u + 24 + 32) << "the workspace is no traffic of the model";
  }
  EXPECT_EQ(blas.leaks(), "");
  EXPECT_EQ(blas.violations, std::vector<std::string>());
  expectClean(*fake, "after the runs");
}

/// A recorded call holds the addresses of the caller's tensors: those of another run are not written by a replay.
TEST(CublasLtSession, TensorsOfTheCallerMayMove) {
  auto fake = fakeWithProduct();
  FakeCublasLt blas;
  Opened opened = openSession(test::loadPackage(productPackage()), fakeLibrary()).take();
  Device &device = opened.executable->device();
  std::vector<DeviceAddress> x, y;
  for (int i = 0; i < 2; ++i) {
    x.push_back(device.allocate(24).take());
    y.push_back(device.allocate(32).take());
    for (int k = 0; k < 6; ++k)
      reinterpret_cast<float *>(x[i])[k] = float(k + 1 + 10 * i);
  }
  const float expected[] = {32, 152};
  for (int place : {0, 0, 0, 1, 0, 1, 1, 1, 0, 0}) {
    auto *const answer = reinterpret_cast<float *>(y[place]);
    *answer = reinterpret_cast<float *>(y[1 - place])[0] = -1;
    const TensorRef input{reinterpret_cast<void *>(x[place]), format::DType::F32, {2, 3}, true};
    const TensorRef output{answer, format::DType::F32, {2, 4}, true};
    const Status status = opened.session->run({input}, {output});
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(*answer, expected[place]);
    EXPECT_EQ(reinterpret_cast<float *>(y[1 - place])[0], -1);
  }
  // Runs 2 and 3, 7 and 8, and 10 find their tensors where the run before had them.
  EXPECT_EQ(fake->count("cuStreamBeginCapture"), 3u);
  EXPECT_EQ(fake->count("cuGraphLaunch"), 5u);
  for (DeviceAddress address : {x[0], x[1], y[0], y[1]})
    device.free(address);
}

TEST(CublasLtSession, WithoutItTheKernelRuns) {
  auto fake = fakeWithProduct();
  FakeCublasLt blas;
  blas.knowsAlgorithm = false;
  Opened opened = openSession(test::loadPackage(productPackage()), fakeLibrary()).take();
  EXPECT_EQ(opened.executable->calls().described(), 1u);
  EXPECT_EQ(opened.executable->calls().used(), 0u);
  EXPECT_NE(opened.executable->calls().refusal(0).find("has no algorithm"), std::string::npos);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(*runOnce(*opened.session), 32 + kFromKernel);
}

TEST(CublasLtSession, SessionsShareACall) {
  auto fake = fakeWithProduct();
  FakeCublasLt blas;
  Opened opened = openSession(test::loadPackage(productPackage()), fakeLibrary()).take();
  std::unique_ptr<Session> other = Session::create(opened.executable, {}).take();
  EXPECT_EQ(*runOnce(*opened.session), 32);
  EXPECT_EQ(*runOnce(*other), 32);
  EXPECT_EQ(blas.count("cublasLtMatmulAlgoGetHeuristic"), 1u);
}

/// Each call fails in turn: before a run the kernel takes over, in a run the error names the node.
TEST(CublasLtSession, EveryCallOfTheLibraryFails) {
  const auto file = test::loadPackage(productPackage());
  for (uint64_t failAt = 1;; ++failAt) {
    auto fake = fakeWithProduct();
    FakeCublasLt blas;
    blas.failAt = failAt;
    {
      Opened opened = openSession(file, fakeLibrary()).take();
      const bool isUsed = opened.executable->calls().used() == 1;
      for (int i = 0; i < 3; ++i) {
        const Result<float> answer = runOnce(*opened.session);
        if (answer.isOk()) {
          EXPECT_EQ(*answer, isUsed ? 32 : 32 + kFromKernel);
          continue;
        }
        expectError(answer.status(), Code::Environment,
                    "node 'layer/MatMul' (MatMul): cuBLASLt 13.1.0 cannot compute f32 [1, 2, 3] by [1, 3, 4]");
        expectError(answer.status(), Code::Environment, "at step 0 (CUBLAS_STATUS_FAKE, 13)");
        EXPECT_TRUE(isUsed);
        EXPECT_EQ(*runOnce(*opened.session), 32) << "the next run";
      }
    }
    EXPECT_EQ(blas.leaks(), "");
    EXPECT_EQ(blas.violations, std::vector<std::string>());
    expectClean(*fake, "call " + std::to_string(failAt));
    if (blas.calls < failAt)
      return;
  }
}

TEST(CublasLtSession, EveryCallOfTheDriverFails) {
  FakeCublasLt blas;
  const auto run = [&](const std::shared_ptr<const format::PackageFile> &file) -> Status {
    CUPOLA_ASSIGN(Opened opened, openSession(file, fakeLibrary()));
    for (int i = 0; i < 3; ++i)
      CUPOLA_TRY(runOnce(*opened.session).status());
    return {};
  };
  everyCallFails(cuIllegalAddress, 80, test::loadPackage(productPackage()), run, fakeWithProduct);
  EXPECT_EQ(blas.leaks(), "");
  EXPECT_EQ(blas.violations, std::vector<std::string>());
}

} // namespace
