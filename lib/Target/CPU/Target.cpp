//===- lib/Target/CPU/Target.cpp - x86-64 machine code ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/Target.h"

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/Passes.h"
#include "lib/Target/PassErrors.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"

#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace cupola::cpu {

namespace {

class CpuTarget : public Target {
public:
  StringRef name() const override { return "cpu"; }

  Status chooseArchitectures(const TargetRequest &request, std::vector<std::string> &archs) const override {
    for (const std::string &level : request.cpuLevels)
      if (!findCpu(level))
        return Status::usage("unknown CPU level '" + level + "'; there are: " + architectureNames(kCpuArchitectures));
    for (const CpuArchitecture &row : kCpuArchitectures)
      if (request.cpuLevels.empty() || llvm::is_contained(request.cpuLevels, row.name))
        archs.emplace_back(row.name);
    return {};
  }

  void registerDialects(DialectRegistry &registry) const override { registerCpuDialects(registry); }

  void addGraphPasses(OpPassManager &main, StringRef, PassSwitch isOn, unsigned threads) const override {
    if (isOn("integer-products"))
      main.addPass(createByteProducts());
    if (isOn("block-products"))
      main.addPass(createBlockProducts({threads}));
    if (isOn("column-norms"))
      main.addPass(createColumnNorms());
    if (isOn("split-windows"))
      main.addPass(createSplitWindows());
  }
  void addFusionPasses(OpPassManager &main, StringRef, PassSwitch isOn) const override {
    if (isOn("onednn"))
      main.addPass(createChooseLibraries());
  }
  bool multipliesIntegers(StringRef, Operation *contraction) const override {
    return !quantizedProduct(contraction)->isFloat8();
  }
  /// Squares of vectors write an image in less time than it takes to gather a tap of it (docs/results/cpu.md).
  WindowImages windowImages() const override { return {8, 3, /*shortRuns=*/true}; }
  int64_t mixedChannels() const override { return 8; }
  bool writesMirrored() const override { return true; }
  /// A block of rows copies each once, which takes as long whatever they are made of; few rows read them in place.
  ByteKeys byteKeys(StringRef) const override { return ByteKeys::Computed; }
  bool sharesKernels() const override { return true; }
  bool isHost() const override { return true; }

  Status lower(ModuleOp module, StringRef arch, const TargetRequest &, const Workers &workers, TargetKernels &kernels,
               TargetCode &) const override {
    const CpuArchitecture &isa = *findCpu(arch);
    for (auto func : module.getOps<kernel::FuncOp>()) {
      orderDepth(func);
      orderLoops(func);
      mergeLoops(func);
    }
    packWeights(module, isa);
    for (auto func : module.getOps<kernel::FuncOp>()) {
      CUPOLA_TRY(pollCancel(workers.cancelled));
      const std::string where = nodesText(func.getLoc());
      swapOperands(func, isa);
      CUPOLA_TRY(chooseSchedule(func, isa).within(where));
      CUPOLA_ASSIGN(CpuKernel kernel, prepareCpuKernel(func, isa).within(where));
      kernel.record.flops = kernel::operationsOf(func).text();
      kernels[func.getSymName().str()] = {kernel.record, {kernel.grid}};
    }
    return {};
  }

  CodeJobs compile(ModuleOp module, StringRef arch, const format::Program &program, const TargetRequest &request,
                   TargetServices &services, TargetCode &code) const override;
};

/// Kernel names are hashes of their content; with what turns it into code they are the key
/// of the image. Raise the number whenever lib/Target/CPU makes other code of a kernel.
std::shared_ptr<runtime::CacheKey> keyOf(const format::Program &program, StringRef arch) {
  auto key = std::make_shared<runtime::CacheKey>("cpu");
  key->add("image 48").add(LLVM_VERSION_STRING).add(arch);
  for (const format::Kernel &kernel : program.kernels)
    key->add(kernel.name);
  return key;
}

CodeJobs CpuTarget::compile(ModuleOp module, StringRef arch, const format::Program &program, const TargetRequest &,
                            TargetServices &services, TargetCode &code) const {
  CodeJobs jobs;
  SmallVector<kernel::FuncOp> funcs(module.getOps<kernel::FuncOp>());
  if (funcs.empty()) // a model of copies and constants: there is nothing to link
    return jobs;
  auto add = [&code, arch = arch.str()](std::string image) { code.binaries.push_back({arch, {}, std::move(image)}); };
  auto key = keyOf(program, arch);
  if (std::optional<std::string> found = services.cache->get(*key)) {
    add(std::move(*found));
    return jobs;
  }
  auto image = std::make_shared<ImageBuilder>(funcs, *findCpu(arch));
  for (size_t i = 0; i < image->pieces(); ++i)
    jobs.pieces.push_back([image, i, &services, context = module.getContext()] {
      const PassErrors errors(context);
      ++services.llvmCompiles;
      return errors.added(image->compile(i));
    });
  jobs.join = [image, key, add, &services]() -> Status {
    CUPOLA_ASSIGN(std::string bytes, image->link());
    services.cache->put(*key, bytes);
    add(std::move(bytes));
    return {};
  };
  return jobs;
}

} // namespace

const Target &target() {
  static const CpuTarget instance;
  return instance;
}

} // namespace cupola::cpu
