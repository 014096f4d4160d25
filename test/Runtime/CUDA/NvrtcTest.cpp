//===- test/Runtime/CUDA/NvrtcTest.cpp - compiling CUDA source: real NVRTC, and a table that fails ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CubinCache.h"
#include "lib/Runtime/CUDA/LibraryPaths.h"
#include "lib/Runtime/Format/Architectures.h"
#include "test/Runtime/CUDA/FakeNvrtc.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

constexpr const char *header = "#pragma once\n#define FACTOR 3.0f\n";
constexpr const char *source = R"(#include "device.cuh"
extern "C" __global__ void __launch_bounds__(256, 1) k_plain(const float *in, float *out) {
  out[threadIdx.x] = FACTOR * in[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(64, 1) k_shared(float *out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
)";
/// Indexing by a run-time value keeps the array in local memory.
constexpr const char *localMemory = R"(
extern "C" __global__ void k_stack(const float *in, float *out, int i) {
  float x[100];
  for (int j = 0; j < 100; ++j)
    x[j] = in[j * i];
  out[0] = x[i] + x[2 * i];
}
)";

NvrtcRequest request(const char *text, std::string_view arch) {
  NvrtcRequest result;
  result.name = "test.cu";
  result.source = text;
  result.headers = {{"device.cuh", header}};
  result.arch = arch;
  return result;
}

/// NVRTC, or null with a printed reason where the machine has none.
std::shared_ptr<Nvrtc> realNvrtc() {
  Result<std::shared_ptr<Nvrtc>> loaded = Nvrtc::load();
  if (loaded.isOk())
    return *loaded;
  std::printf("no NVRTC: %s\n", loaded.status().message().c_str());
  return nullptr;
}

#define NEED_NVRTC(nvrtc)                                                                                              \
  std::shared_ptr<Nvrtc> nvrtc = realNvrtc();                                                                          \
  if (!nvrtc)                                                                                                          \
  GTEST_SKIP() << "NVRTC is not installed"

TEST(PtxasLog, ReadsEveryFigure) {
  const char *log = "ptxas info    : 4 bytes gmem, 8 bytes cmem[4]\n"
                    "ptxas info    : Compiling entry function 'k_b' for 'sm_75'\n"
                    "ptxas info    : Function properties for k_b\n"
                    "ptxas         .     16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
                    "ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem, 360 bytes cmem[0]\n"
                    "ptxas info    : Compile time = 2.343 ms\n"
                    "ptxas info    : Compiling entry function 'k_a' for 'sm_75'\n"
                    "ptxas info    : Function properties for callee\n"
                    "    800 bytes stack frame, 7 bytes spill stores, 7 bytes spill loads\n"
                    "ptxas info    : Function properties for k_a\n"
                    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Used 255 registers, 808 bytes cumulative stack size, 372 bytes cmem[0]\n";
  const std::vector<KernelResources> expected = {{"k_a", 255, 808, 0, 0, 0}, {"k_b", 10, 16, 24, 32, 1024}};
  EXPECT_EQ(parsePtxasLog(log), expected);
  EXPECT_TRUE(parsePtxasLog("").empty());
}

TEST(PtxasLog, KeepsDiagnostics) {
  EXPECT_EQ(compilerDiagnostics("m.cu(3): warning: unused\nptxas info    : Used 10 registers\nptxas fatal   : x\n"),
            "m.cu(3): warning: unused\nptxas fatal   : x");
}

TEST(Nvrtc, OptionsComeFromTheTable) {
  NvrtcRequest r = request(source, "sm_80");
  r.options.contract = false;
  const std::vector<std::string> expected = {
      "--gpu-architecture=sm_80", "--std=c++17",  "--ftz=false", "--prec-div=true",
      "--prec-sqrt=true",         "--fmad=false", "-Xptxas=-v",  "--no-source-include"};
  EXPECT_EQ(nvrtcOptionTexts(r), expected);
}

TEST(Nvrtc, CompilesForEveryArchitecture) {
  NEED_NVRTC(nvrtc);
  for (const GpuArchitecture &arch : kGpuArchitectures) {
    SCOPED_TRACE(arch.name);
    Result<CudaBinary> binary = nvrtc->compile(request(source, arch.name));
    ASSERT_TRUE(binary.isOk()) << binary.status().message();
    EXPECT_EQ(binary->cubin.compare(0, 4,
                                    "\x7f"
                                    "ELF"),
              0);
    ASSERT_EQ(binary->kernels.size(), 2u);
    EXPECT_EQ(binary->kernels[0].name, "k_plain");
    EXPECT_EQ(binary->kernels[0].staticSharedBytes, binary->kernels[1].staticSharedBytes - 256);
    EXPECT_EQ(binary->kernels[1].name, "k_shared");
    for (const KernelResources &kernel : binary->kernels) {
      EXPECT_GT(kernel.registers, 0u);
      EXPECT_EQ(kernel.stackBytes, 0u);
    }
  }
  EXPECT_EQ(nvrtc->compileCount(), std::size(kGpuArchitectures));
}

TEST(Nvrtc, SaysWhichVersionAnArchitectureTakes) {
  FakeNvrtc::major = 12, FakeNvrtc::minor = 1;
  const std::shared_ptr<Nvrtc> nvrtc = Nvrtc::create(FakeNvrtc::table(), "fake").take();
  EXPECT_TRUE(nvrtc->compile(request(source, "sm_90")).isOk());
  const Status status = nvrtc->compile(request(source, "sm_90a")).status();
  EXPECT_EQ(status.code(), Code::Environment);
  EXPECT_NE(status.message().find("nvrtc 12.1 cannot compile for sm_90a, which takes 12.3 or newer"), std::string::npos)
      << status.message();
  FakeNvrtc::major = 13, FakeNvrtc::minor = 0;
}

TEST(Nvrtc, ReportsLocalMemory) {
  NEED_NVRTC(nvrtc);
  Result<CudaBinary> binary = nvrtc->compile(request(localMemory, "sm_80"));
  ASSERT_TRUE(binary.isOk()) << binary.status().message();
  EXPECT_GE(binary->kernels.at(0).stackBytes, 400u);
}

TEST(Nvrtc, SameBytesTwice) {
  NEED_NVRTC(nvrtc);
  Result<CudaBinary> first = nvrtc->compile(request(source, "sm_80"));
  NvrtcRequest renamed = request(source, "sm_80");
  renamed.name = "other.cu";
  Result<CudaBinary> second = nvrtc->compile(renamed);
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_EQ(first->cubin, second->cubin);
}

TEST(Nvrtc, SaysWhatIsWrongWithTheSource) {
  NEED_NVRTC(nvrtc);
  Result<CudaBinary> binary = nvrtc->compile(request("extern \"C\" __global__ void k() { undeclared(); }", "sm_80"));
  ASSERT_TRUE(binary.failed());
  EXPECT_EQ(binary.status().code(), Code::Internal);
  EXPECT_NE(binary.status().message().find("rejects test.cu for sm_80"), std::string::npos);
  EXPECT_NE(binary.status().message().find("undeclared"), std::string::npos);
}

TEST(Nvrtc, HeadersComeFromMemoryOnly) {
  NEED_NVRTC(nvrtc);
  NvrtcRequest r = request("#include \"lib/Runtime/CUDA/NvrtcApi.h\"\n", "sm_80"); // exists below the current folder
  EXPECT_TRUE(nvrtc->compile(r).failed());
}

TEST(Nvrtc, RefusesUnknownArchitectures) {
  NEED_NVRTC(nvrtc);
  Result<CudaBinary> binary = nvrtc->compile(request(source, "sm_20"));
  EXPECT_EQ(binary.status().code(), Code::Environment);
  EXPECT_NE(binary.status().message().find("cannot compile for sm_20; it knows sm_"), std::string::npos);
  for (const char *arch : {"", "sm_", "sm_80 --use_fast_math", "compute_80", "sm_80ax", "sm_99999999999"})
    EXPECT_EQ(nvrtc->compile(request(source, arch)).status().code(), Code::Usage) << arch;
  EXPECT_EQ(nvrtc->compileCount(), 0u);
}

TEST(Nvrtc, NamesEveryPathTried) {
  const ScopedVariable home("CUPOLA_CUDA_HOME", "/nonexistent/cuda");
  Result<std::shared_ptr<Nvrtc>> loaded = Nvrtc::load();
  ASSERT_TRUE(loaded.failed());
  EXPECT_EQ(loaded.status().code(), Code::Environment);
  for (const char *path : {"/nonexistent/cuda/lib64/libnvrtc.so.13", "/nonexistent/cuda/lib64/libnvrtc.so.12",
                           "/nonexistent/cuda/nvidia/cu13/lib/libnvrtc.so.13"})
    EXPECT_NE(loaded.status().message().find(path), std::string::npos) << path;
  EXPECT_EQ(loaded.status().message().find("/usr/local"), std::string::npos);
}

TEST(Nvrtc, SearchesMajorsInOrder) {
  const ScopedVariable home("CUPOLA_CUDA_HOME", nullptr);
  const std::vector<std::string> paths = cudaLibraryCandidates("libx.so", {13, 12});
  const auto at = [&](const char *path) { return std::find(paths.begin(), paths.end(), path) - paths.begin(); };
  EXPECT_LT(at("libx.so.13"), at("libx.so.12"));
  EXPECT_LT(at("libx.so.12"), at("/usr/local/cuda/lib64/libx.so.13"));
  EXPECT_LT(at("/usr/local/cuda/lib64/libx.so.12"), ptrdiff_t(paths.size()));
}

//===--- Through the cache ---===//

TEST(CubinCache, SecondRequestCompilesNothing) {
  NEED_NVRTC(nvrtc);
  ScratchFolder folder;
  CudaBinary cold;
  for (int run = 0; run < 2; ++run) {
    CubinCache cache(std::make_shared<ByteCache>(folder.path(), failOnWarning), nvrtc);
    Result<CudaBinary> binary = cache.compile(request(source, "sm_80"));
    ASSERT_TRUE(binary.isOk());
    EXPECT_EQ(cache.counters().compiles, run == 0 ? 1u : 0u);
    EXPECT_EQ(cache.counters().hits, run == 0 ? 0u : 1u);
    if (run == 0)
      cold = *binary;
    EXPECT_EQ(binary->cubin, cold.cubin);
    EXPECT_EQ(binary->kernels, cold.kernels);
  }
}

TEST(CubinCache, EverythingThatDecidesTheCubinIsInTheKey) {
  NEED_NVRTC(nvrtc);
  ScratchFolder folder;
  CubinCache cache(std::make_shared<ByteCache>(folder.path(), failOnWarning), nvrtc);
  NvrtcRequest base = request(source, "sm_80");
  const std::string changedSource = std::string(source) + "\n", changedHeader = std::string(header) + "\n";
  std::vector<NvrtcRequest> requests(6, base);
  requests[1].source = changedSource;
  requests[2].headers[0].text = changedHeader;
  requests[3].arch = "sm_86";
  requests[4].options.contract = false;
  requests[5].options.lineInfo = true;
  for (const NvrtcRequest &r : requests)
    ASSERT_TRUE(cache.compile(r).isOk());
  EXPECT_EQ(cache.counters().compiles, requests.size());
  base.name = "renamed.cu"; // does not decide it
  ASSERT_TRUE(cache.compile(base).isOk());
  EXPECT_EQ(cache.counters().hits, 1u);
}

TEST(CubinCache, EntryKeepsEverything) {
  const CudaBinary binary = {std::string("\x7f"
                                         "ELF\0\n 1",
                                         8),
                             {{"k_a", 1, 2, 3, 4, 5}, {"k_b", 255, 0, 0, 0, uint64_t(1) << 40}}};
  const std::string bytes = encodeCudaBinary(binary);
  std::optional<CudaBinary> back = decodeCudaBinary(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->cubin, binary.cubin);
  EXPECT_EQ(back->kernels, binary.kernels);
  const size_t headEnd = bytes.size() - binary.cubin.size();
  for (size_t cut = 0; cut < headEnd; ++cut)
    EXPECT_FALSE(decodeCudaBinary(bytes.substr(0, cut))) << cut;
}

TEST(CubinCache, EndsAnEndlessCompilationAndNamesTheKernel) {
  static bool isEndless;
  NvrtcApi api = FakeNvrtc::table();
  api.createProgram = [](NvrtcProgram *, const char *text, const char *, int, const char *const *,
                         const char *const *) {
    isEndless = std::string(text).find("k_endless(") != std::string::npos;
    return nvrtcSuccess;
  };
  api.compileProgram = [](NvrtcProgram, int, const char *const *) {
    for (volatile bool endless = isEndless; endless;) {
    }
    return nvrtcSuccess;
  };
  FakeNvrtc::call = FakeNvrtc::failAt = 0;
  Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::create(api, "fake");
  ASSERT_TRUE(nvrtc.isOk());
  ScratchFolder folder;
  CubinCache cache(std::make_shared<ByteCache>(folder.path(), failOnWarning), *nvrtc, /*deadline=*/1);
  const std::string quick = "CUPOLA_KERNEL(32, 1) k_quick(u32 step) {\n}\n", head = "#include \"device.cuh\"\n";
  Result<CudaBinary> binary = cache.compile(request((head + quick).c_str(), "sm_80"));
  ASSERT_TRUE(binary.isOk()) << binary.status().message();
  EXPECT_EQ(binary->cubin, "cube");
  const std::string both = head + quick + "CUPOLA_KERNEL(32, 1) k_endless(u32 step) {\n}\n";
  binary = cache.compile(request(both.c_str(), "sm_80"));
  ASSERT_TRUE(binary.failed());
  EXPECT_EQ(binary.status().code(), Code::Limit);
  EXPECT_EQ(binary.status().message(),
            "nvrtc 13.0 did not compile kernel k_endless of test.cu for sm_80 within 1 s of processor time");
}

//===--- A table whose calls fail ---===//

TEST(Nvrtc, EveryCallMayFail) {
  Status last;
  for (int failAt = 1;; ++failAt) {
    FakeNvrtc::call = FakeNvrtc::programs = 0;
    FakeNvrtc::failAt = failAt;
    Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::create(FakeNvrtc::table(), "fake");
    Result<CudaBinary> binary = nvrtc.isOk() ? (*nvrtc)->compile(request(source, "sm_80")) : nvrtc.status();
    EXPECT_EQ(FakeNvrtc::programs, 0) << "call " << failAt;
    if (FakeNvrtc::call < failAt) { // no call was left to fail
      ASSERT_TRUE(binary.isOk()) << binary.status().message();
      EXPECT_EQ(binary->cubin, "cube");
      EXPECT_EQ(failAt, 10);
      return;
    }
    ASSERT_TRUE(binary.failed()) << "call " << failAt;
    EXPECT_EQ(binary.status().code(), Code::Environment);
    EXPECT_NE(binary.status().message().find("NVRTC_ERROR_INTERNAL_ERROR"), std::string::npos);
  }
}

} // namespace
