//===- test/Target/CUDA/FiguresTest.cpp - every kernel through NVRTC for every architecture ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A family of architectures shares the text of its kernels, and what a compiler makes of one text for its members
// differs little: a kernel is compiled for one of them, by turns. CUPOLA_ALL_FIGURES in the environment, as full-check
// sets it, compiles every kernel for all of them.
//===----------------------------------------------------------------------===//

#include "lib/Runtime/CUDA/Nvrtc.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "test/Sim/KernelRunner.h"
#include "test/Target/CUDA/KernelTexts.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace cupola;
using namespace cupola::test;

namespace {

std::vector<KernelCase> casesOf(const GpuArchitecture &target) {
  std::vector<KernelCase> all;
  for (auto family : {pointwiseCases, transposeCases, gatherCases, rowCases, reductionCases, normCases, windowCases,
                      gemmCases, fewRowsCases, packedCases, byteCases, registerByteCases, float8Cases, convCases,
                      attentionCases, recurrentCases})
    llvm::append_range(all, family());
  llvm::append_range(all, registerMmaCases(target.mmaK));
  llvm::append_range(all, registerPackedCases(target.mmaK));
  if (target.asyncCopy) {
    llvm::append_range(all, patchCases());
    llvm::append_range(all, asyncMmaCases(target.sharedBytes));
    llvm::append_range(all, asyncPackedCases(target.sharedBytes));
    llvm::append_range(all, foldedNormCases());
    llvm::append_range(all, asyncFoldedNormCases(target.sharedBytes));
    llvm::append_range(all, splitMmaCases());
    llvm::append_range(all, asyncByteCases(target.sharedBytes));
    llvm::append_range(all, asyncFloat8Cases(target));
    llvm::append_range(all, tf32Cases(target.sharedBytes));
    llvm::append_range(all, scheduledAttentionCases());
  }
  if (target.wgmma) {
    llvm::append_range(all, wgmmaCases());
    llvm::append_range(all, wgmmaFoldedNormCases());
    llvm::append_range(all, wgmmaConvCases());
    llvm::append_range(all, wgmmaAttentionCases());
  }
  return all;
}

/// A kernel, and the first case that has it.
struct Emitted {
  cuda::CudaKernel kernel;
  std::string test;
};

/// The kernels of all cases, each once.
std::vector<Emitted> emitAll(const GpuArchitecture &target) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect, kernel::KernelDialect, cuda::CudaDialect>();
  std::vector<Emitted> kernels;
  std::set<std::string> names;
  for (const KernelCase &test : casesOf(target)) {
    auto module = parseSourceString<ModuleOp>(test.text, &context);
    EXPECT_TRUE(succeeded(cuda::prepareCudaKernels(*module, target))) << test.name;
    auto emitted = cuda::emitCudaKernel(*module->getOps<kernel::FuncOp>().begin(), target);
    EXPECT_TRUE(succeeded(emitted)) << test.name;
    if (succeeded(emitted) && names.insert(emitted->record.name).second)
      kernels.push_back({std::move(*emitted), test.name});
  }
  return kernels;
}

const std::vector<Emitted> &emittedFor(const GpuArchitecture &target) {
  static std::map<std::string_view, std::vector<Emitted>> known;
  const auto [found, isNew] = known.try_emplace(target.name);
  if (isNew)
    found->second = emitAll(target);
  return found->second;
}

/// Whether it is the turn of `target` among those of its family that have the kernel.
bool isCompiledFor(const GpuArchitecture &target, const std::string &kernel) {
  if (std::getenv("CUPOLA_ALL_FIGURES"))
    return true;
  std::vector<std::string_view> having;
  for (const GpuArchitecture &member : kGpuArchitectures)
    if (member.family == target.family &&
        llvm::any_of(emittedFor(member), [&](const Emitted &emitted) { return emitted.kernel.record.name == kernel; }))
      having.push_back(member.name);
  return having[std::stoul(kernel.substr(kernel.size() - 4), nullptr, 16) % having.size()] == target.name;
}

class Figures : public ::testing::TestWithParam<GpuArchitecture> {};

TEST_P(Figures, NoSpillsNoStackWithinLimits) {
  auto nvrtc = runtime::cuda::Nvrtc::load();
  if (nvrtc.failed())
    GTEST_SKIP() << nvrtc.status().message();
  const GpuArchitecture &target = GetParam();
  std::vector<cuda::CudaKernel> kernels;
  std::map<std::string, std::string> tests;
  for (const Emitted &emitted : emittedFor(target)) {
    if (!isCompiledFor(target, emitted.kernel.record.name))
      continue;
    tests[emitted.kernel.record.name] = emitted.test;
    kernels.push_back(emitted.kernel);
  }
  std::map<std::string, const format::Kernel *> records;
  std::vector<format::Source> sources = cuda::packSources(kernels);
  for (const cuda::CudaKernel &kernel : kernels)
    records[kernel.record.name] = &kernel.record;
  std::vector<format::Source> headers = headerSources();
  size_t seen = 0;
  for (const format::Source &source : sources) {
    runtime::cuda::NvrtcRequest request;
    request.source = source.text;
    request.arch = target.name;
    for (const format::Source &header : headers)
      request.headers.push_back({header.name, header.text});
    auto compiled = (*nvrtc)->compile(request);
    ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
    for (const runtime::cuda::KernelResources &use : compiled->kernels) {
      const format::Kernel &record = *records.at(use.name);
      SCOPED_TRACE(tests.at(use.name));
      EXPECT_EQ(use.spillStoreBytes + use.spillLoadBytes, 0u);
      EXPECT_EQ(use.stackBytes, 0u);
      EXPECT_LE(use.registers * record.threads, 65536u);
      EXPECT_LE(record.sharedBytes, static_cast<uint64_t>(target.sharedBytes));
      ++seen;
    }
  }
  EXPECT_EQ(seen, kernels.size());
  EXPECT_GT(seen, 50u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Figures, ::testing::ValuesIn(kGpuArchitectures),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
