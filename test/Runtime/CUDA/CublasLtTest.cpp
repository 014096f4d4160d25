//===- test/Runtime/CUDA/CublasLtTest.cpp - how cuBLASLt is called, on the fake driver ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/CublasLtFixture.h"
#include "test/Runtime/CUDA/Scratch.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;
using format::DType;
using format::LibraryCall;
using format::PostOpKind;

namespace {

//===--- The order of calls, and the cache ---===//

TEST(CublasLt, TheOrderOfCalls) {
  Machine machine;
  {
    std::unique_ptr<Function> function = machine.prepare(dense(3, 5, 4, {{PostOpKind::AddChannel}})).take();
    const std::vector<std::string> calls = {
        "cublasLtCreate",
        "cublasLtMatmulDescCreate",
        "cublasLtMatmulDescSetAttribute", // epilogue
        "cublasLtMatmulDescSetAttribute", // how the vector is aligned
        "cublasLtMatmulDescSetAttribute", // weights
        "cublasLtMatrixLayoutCreate",
        "cublasLtMatmulDescSetAttribute", // source
        "cublasLtMatrixLayoutCreate",
        "cublasLtMatrixLayoutCreate",
        "cublasLtMatmulPreferenceCreate",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic",
        "cublasLtMatmulPreferenceDestroy",
        "cublasLtMatmulAlgoConfigGetAttribute",
    };
    EXPECT_EQ(machine.blas.log, calls);
    EXPECT_EQ(function->library(), "cuBLASLt 13.1.0 algorithm 66");
  }
  machine.expectClean();
}

TEST(CublasLt, TheHeuristicIsAskedOncePerShape) {
  Machine machine;
  EXPECT_TRUE(machine.prepare(dense(3)).isOk());
  EXPECT_TRUE(machine.prepare(dense(3)).isOk());
  EXPECT_EQ(machine.blas.count("cublasLtMatmulAlgoGetHeuristic"), 1u);
  EXPECT_TRUE(machine.prepare(dense(4)).isOk());
  EXPECT_TRUE(machine.prepare(dense(3, 5, 4, {{PostOpKind::Relu}})).isOk());
  EXPECT_EQ(machine.blas.count("cublasLtMatmulAlgoGetHeuristic"), 3u);
  EXPECT_EQ(machine.blas.count("cublasLtCreate"), 1u);
  machine.expectClean();
}

/// How often another process asks the heuristic, and checks what it found in the cache.
struct Asked {
  uint64_t heuristic, checks;
  friend bool operator==(const Asked &a, const Asked &b) { return a.heuristic == b.heuristic && a.checks == b.checks; }
};
Asked askedBy(const std::string &cache, int driver = 13000, size_t version = 130100, int capability = 86,
              BlasStatus checkCode = blasSuccess) {
  Machine machine(cache, driver, version, capability);
  machine.blas.checkCode = checkCode;
  EXPECT_TRUE(machine.prepare(dense()).isOk());
  const Asked asked{machine.blas.count("cublasLtMatmulAlgoGetHeuristic"),
                    machine.blas.count("cublasLtMatmulAlgoCheck")};
  machine.expectClean();
  return asked;
}

TEST(CublasLt, AlgorithmsAreKeptByVersionDriverAndGpu) {
  const ScratchFolder cache;
  EXPECT_EQ(askedBy(cache.path()), (Asked{1, 0}));
  EXPECT_EQ(askedBy(cache.path()), (Asked{0, 1}));
  EXPECT_EQ(askedBy(cache.path(), 13010), (Asked{1, 0})) << "another driver";
  EXPECT_EQ(askedBy(cache.path(), 13000, 130101), (Asked{1, 0})) << "another library";
  EXPECT_EQ(askedBy(cache.path(), 13000, 130100, 90), (Asked{1, 0})) << "another GPU";
  EXPECT_EQ(askedBy(cache.path(), 13000, 130100, 86, blasNotSupported), (Asked{1, 1}))
      << "what it does not accept any more";
  EXPECT_EQ(askedBy("none"), (Asked{1, 0}));
}

TEST(CublasLt, AnAlgorithmThatWantsMoreThanTheWorkspaceIsNotTaken) {
  const ScratchFolder cache;
  EXPECT_EQ(askedBy(cache.path()), (Asked{1, 0}));
  Machine machine(cache.path());
  machine.blas.needs = kWorkspace + 1;
  const Result<std::unique_ptr<Function>> function = machine.prepare(dense());
  EXPECT_EQ(machine.blas.count("cublasLtMatmulAlgoCheck"), 1u);
  expectError(function.status(), Code::Unsupported, "has no algorithm for f32 [1, 3, 4] by [1, 4, 5]");
  machine.expectClean();
}

//===--- Failures ---===//

TEST(CublasLt, WhatItCannotDoIsLeftToTheKernel) {
  Machine machine;
  machine.blas.knowsAlgorithm = false;
  expectError(
      machine.prepare(dense(3, 5, 4, {{PostOpKind::AddChannel}, {PostOpKind::Relu}})).status(), Code::Unsupported,
      "cuBLASLt 13.1.0 has no algorithm for f32 [1, 3, 4] by [1, 4, 5], steps [0, 4, 1] and [0, 5, 1], a vector, "
      "relu, 4096 bytes of workspace");
  machine.blas.knowsAlgorithm = true;
  EXPECT_TRUE(machine.prepare(dense()).isOk());
  machine.expectClean();
}

TEST(CublasLt, EveryCallThatFailsLeavesNothingBehind) {
  uint64_t last = 0;
  for (uint64_t failAt = 1; last == 0; ++failAt) {
    Machine machine;
    machine.blas.failAt = failAt;
    const Result<std::unique_ptr<Function>> function =
        machine.prepare(product(DType::F32, 2, 3, 5, 4, {12, 4, 1}, {20, 5, 1}, {{PostOpKind::AddChannel}}));
    if (machine.blas.calls < failAt) {
      EXPECT_TRUE(function.isOk());
      last = failAt;
      continue;
    }
    SCOPED_TRACE(machine.blas.log.back());
    expectError(function.status(), Code::Environment, "cuBLASLt 13.1.0 cannot ");
    expectError(function.status(), Code::Environment, "(CUBLAS_STATUS_FAKE, 13)");
    machine.expectClean();
  }
  EXPECT_GT(last, 20u);
}

TEST(CublasLt, WhatIsNoSuchLibraryIsMissing) {
  const std::vector<std::pair<const char *, const char *>> rows = {
      {"none", "CUPOLA_CUBLASLT is none"},
      {"/no/such/libcublasLt.so.13", "tried:\n  /no/such/libcublasLt.so.13: "},
      {"libm.so.6", "libm.so.6 has no cublasLtGetVersion: cuBLASLt 12 or 13 is needed"},
  };
  for (const auto &[path, text] : rows) {
    const ScopedVariable chosen("CUPOLA_CUBLASLT", path);
    expectError(CublasLt::load({13, 12}).status(), Code::Environment, text);
    Machine machine;
    machine.device = openDevice().take();
    expectError(machine.prepare(dense()).status(), Code::Environment, text);
    machine.expectClean();
  }
  const ScratchFolder empty;
  const ScopedVariable home("CUPOLA_CUDA_HOME", empty.path().c_str()), chosen("CUPOLA_CUBLASLT", nullptr);
  expectError(CublasLt::load({13, 12}).status(), Code::Environment, "/nvidia/cublas/lib/libcublasLt.so.12: ");
}

TEST(CublasLt, OtherVersionsAreNotUsed) {
  FakeCublasLt blas;
  for (size_t version : {111103, 140000}) {
    blas.version = version;
    expectError(CublasLt::create(FakeCublasLt::table(), "/a/libcublasLt.so").status(), Code::Environment,
                "/a/libcublasLt.so is cuBLASLt 1");
  }
  blas.version = 120804;
  EXPECT_EQ(fakeLibrary()->name(), "cuBLASLt 12.8.4");
}

/// Whatever is installed: it takes our descriptions without a GPU, too.
TEST(CublasLt, TheInstalledLibraryTakesTheDescriptions) {
  Result<std::shared_ptr<const CublasLt>> library = CublasLt::load({13, 12});
  if (library.failed())
    GTEST_SKIP() << library.status().message();
  for (DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const LibraryCall call = product(dtype, 2, 3, 5, 4, {12, 4, 1}, {4, 1, 8}, {{PostOpKind::AddChannel}});
    const Result<std::unique_ptr<CublasLtProblem>> problem = CublasLtProblem::create(*library, call);
    EXPECT_TRUE(problem.isOk()) << problem.status().message();
  }
}

} // namespace
