//===- lib/Target/CUDA/Target.cpp - CUDA C++ for NVRTC ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/Target.h"

#include "lib/Conversion/GraphToKernel/Schedule.h"
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Target/CUDA/Horizontal.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/ProductRows.h"
#include "lib/Target/CUDA/RecurrenceTiles.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"
#include "lib/Target/CUDA/Tuning.h"
#include "lib/Target/PassErrors.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/ByteOperands.h"

using namespace mlir;

namespace cupola::cuda {

namespace {

using EmittedKernel = std::optional<CudaKernel>;

/// Of more rows a norm's own kernel takes less time than what each tile of the next product repeats for its rows.
constexpr int64_t mostFoldedRows = 1024;

/// Of rows of up to so many elements one block for a row takes less time than two stages.
constexpr int64_t longestWhole = 16384;

/// What is launched: kernels, but for those that are only parts of launches, and those launches.
std::vector<Operation *> launchedIn(ModuleOp module) {
  std::set<StringRef> used, parts;
  module.walk([&](graph::FusionOp fusion) {
    if (std::optional<StringRef> kernel = fusion.getKernel())
      used.insert(*kernel);
  });
  for (auto op : module.getOps<HorizontalOp>())
    for (auto part : op.getParts().getAsRange<FlatSymbolRefAttr>())
      parts.insert(part.getValue());
  std::vector<Operation *> launched;
  for (Operation &op : *module.getBody()) {
    auto func = dyn_cast<kernel::FuncOp>(op);
    if (func ? used.count(func.getSymName()) || !parts.count(func.getSymName()) : isa<HorizontalOp>(op))
      launched.push_back(&op);
  }
  return launched;
}

std::string describe(Operation *launched) {
  auto func = dyn_cast<kernel::FuncOp>(launched);
  return func ? "a kernel of kind '" + graph::stringifyKernelKind(func.getKind()).str() + "'"
              : "a launch of several kernels";
}

/// The text of every kernel, several at a time.
Status emitAll(ArrayRef<Operation *> prepared, const GpuArchitecture &gpu, const Workers &workers,
               std::vector<EmittedKernel> &emitted) {
  CodeJobs jobs;
  emitted.resize(prepared.size());
  for (size_t i = 0; i < prepared.size(); ++i)
    jobs.pieces.push_back([&gpu, op = prepared[i], &place = emitted[i]]() mutable -> Status {
      const PassErrors errors(op->getContext());
      FailureOr<CudaKernel> kernel = emitCudaKernel(op, gpu);
      if (failed(kernel))
        return errors.status(nodesText(op->getLoc()) + ": " + describe(op) + " has no CUDA form on " +
                             std::string(gpu.name));
      place = std::move(*kernel);
      return {};
    });
  return runJobs(jobs, workers);
}

/// Of a group: the matrix units compute eight at a time, and products of fewer have schedules of their own.
bool hasManyColumns(Operation *contraction) {
  constexpr int64_t manyColumns = 16;
  auto conv = dyn_cast<graph::ConvOp>(contraction);
  const graph::Exprs result = graph::shapeOf(contraction->getResult(0));
  const std::optional<int64_t> columns = result[conv ? conv.dims().channels : result.size() - 1].constant();
  return columns && *columns / (conv ? static_cast<int64_t>(conv.getGroups()) : 1) >= manyColumns;
}

class CudaTarget : public Target {
public:
  StringRef name() const override { return "cuda"; }

  Status chooseArchitectures(const TargetRequest &request, std::vector<std::string> &archs) const override {
    std::set<std::string_view> wanted;
    for (const std::string &gpu : request.gpus) {
      const GpuArchitecture *row = findGpu(gpu);
      if (!row)
        return Status::usage("unknown CUDA architecture '" + gpu +
                             "'; there are: " + architectureNames(kGpuArchitectures));
      wanted.insert(row->family);
    }
    for (const GpuArchitecture &row : kGpuArchitectures)
      if (row.name == row.family && (wanted.empty() || wanted.count(row.name)))
        archs.emplace_back(row.name);
    return {};
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<simt::SimtDialect>();
    registerCudaDialect(registry);
  }

  bool callsSnippets() const override { return true; }
  void addGraphPasses(OpPassManager &main, StringRef arch, PassSwitch isOn, unsigned) const override {
    if (isOn("integer-products"))
      main.addPass(createByteProducts({/*signedLeft=*/true}));
    if (isOn("split-norms"))
      main.addPass(createSplitNorms({findGpu(arch)->multiprocessors, longestWhole}));
  }
  void addFusionPasses(OpPassManager &main, StringRef arch, PassSwitch isOn) const override {
    if (isOn("keep-recurrences"))
      main.addPass(createKeepRecurrences({arch.str()}));
    // Where a kernel begins while the one before ends, a norm's own hides most of its time: folded, BERT-base
    // takes 1.05 of it (docs/results/h100.md).
    if (const GpuArchitecture &gpu = *findGpu(arch); isOn("fold-norms") && gpu.mmaK > 0 && !gpu.wgmma)
      main.addPass(createFoldNorms({PartMoments::part, fewRows(), mostFoldedRows, gpu.mmaK >= 16}));
    if (isOn("cublaslt"))
      main.addPass(createChooseLibraries({arch.str()}));
  }
  uint32_t multiprocessorsFor(ModuleOp fused, StringRef arch) const override {
    uint32_t most = 0;
    fused.walk([&](graph::LoopOp loop) {
      if (!isa<graph::FusionOp>(loop->getParentOp()))
        return;
      const RecurrenceShape shape = *shapeOf(*graph::Recurrence::of(loop));
      most = std::max(most, cuda::multiprocessorsFor(shape, *chooseTiles(shape, *findGpu(arch))));
    });
    return most;
  }
  bool multipliesIntegers(StringRef arch, Operation *contraction) const override {
    const std::optional<QuantizedProduct> product = quantizedProduct(contraction);
    return findGpu(arch)->mmaK > 0 && hasManyColumns(contraction) &&
           (product->isFloat8() || isOfBytes(contraction, *product));
  }
  /// A token's attention has few threads; kernels of their own have many, and may share a launch with what comes
  /// before. On an H100 (docs/results/h100.md) they pay from some hundred KB on.
  int64_t mostKept() const override { return int64_t(1) << 17; }
  int64_t fewRows() const override { return cuda::fewRows; }
  /// Matrix units take 16 channels of 16 bits.
  WindowImages windowImages() const override { return {2, 16}; }
  /// cp.async brings bytes to shared memory, where they become numbers. Without it threads would wait for what they
  /// make numbers of.
  ByteKeys byteKeys(StringRef arch) const override {
    return findGpu(arch)->asyncCopy ? ByteKeys::Numbers : ByteKeys::None;
  }
  bool sharesKernels() const override { return false; }

  Status lower(ModuleOp module, StringRef arch, const TargetRequest &request, const Workers &workers,
               TargetKernels &kernels, TargetCode &code) const override {
    const GpuArchitecture &gpu = *findGpu(arch);
    TuningTables tables;
    if (request.tuning)
      tables.push_back(request.tuning.get());
    if (request.shippedTuning && !shippedTuning().isEmpty())
      tables.push_back(&shippedTuning());
    PassErrors errors(module.getContext());
    if (failed(prepareCudaKernels(module, gpu, tables, request.fuseHorizontally)))
      return errors.status("the kernels have no schedules on " + arch.str());
    code.warnings = errors.takeWarnings();
    const std::vector<Operation *> launched = launchedIn(module);
    std::vector<EmittedKernel> emitted;
    CUPOLA_TRY(emitAll(launched, gpu, workers, emitted));
    std::vector<CudaKernel> distinct;     // by text, and so by name
    std::map<std::string, size_t> places; // kernel name -> where in `distinct`
    std::vector<size_t> uses;             // parallel to `launched`
    for (EmittedKernel &kernel : emitted) {
      auto [place, isNew] = places.emplace(kernel->record.name, distinct.size());
      uses.push_back(place->second);
      if (isNew)
        distinct.push_back(*kernel);
    }
    code.sources = packSources(distinct);
    for (auto [op, kernel, use] : llvm::zip(launched, emitted, uses))
      kernels[cast<SymbolOpInterface>(op).getName().str()] = {distinct[use].record, kernel->grid, kernel->maps,
                                                              kernel->workspace};
    for (auto twin : module.getOps<TwinOp>()) {
      TargetKernel &own = kernels.at(twin.getKernel().str()), &other = kernels.at(twin.getOther().str());
      own.grid[0] = own.grid[0] * twin.getShare().getValue();
      other.grid[0] = other.grid[0] * (1 - twin.getShare().getValue());
      other.twin = twin.getKernel().str();
    }
    return {};
  }

  Status tunables(ModuleOp module, StringRef arch, size_t most, std::vector<Tunable> &kernels) const override {
    const GpuArchitecture &gpu = *findGpu(arch);
    OwningOpRef<ModuleOp> prepared = module.clone();
    const PassErrors errors(module.getContext());
    PassManager passes(module.getContext(), ModuleOp::getOperationName());
    buildPreparation(passes.nest<kernel::FuncOp>(), gpu);
    if (failed(passes.run(*prepared)))
      return errors.status("the kernels cannot be prepared for " + arch.str());
    for (auto func : prepared->getOps<kernel::FuncOp>()) {
      KernelFacts facts(func);
      Tunable tunable{func.getSymName().str(), tuningKey(func)};
      llvm::append_range(tunable.schedules, worthMeasuring(allCandidates(facts, gpu), facts, gpu, most));
      kernels.push_back(std::move(tunable));
    }
    return {};
  }

  std::vector<format::Source> headers() const override {
    std::vector<format::Source> headers;
    for (const auto &header : runtime::cuda::deviceHeaders())
      headers.push_back({std::string(header.name), std::string(header.text)});
    return headers;
  }

  CodeJobs compile(ModuleOp, StringRef arch, const format::Program &program, const TargetRequest &request,
                   TargetServices &services, TargetCode &code) const override;
};

/// The compilation of sources for one architecture after the other.
struct CubinJobs {
  struct Cubin {
    std::string arch;
    size_t source;
    runtime::cuda::CudaBinary binary = {};
  };
  const format::Program &program;
  TargetServices &services;
  TargetCode &code;
  std::vector<Cubin> cubins;

  Status compile(Cubin &cubin) {
    const format::Source &source = code.sources[cubin.source];
    if (services.progress)
      services.progress("NVRTC for " + cubin.arch + ": source " + std::to_string(cubin.source + 1) + " of " +
                        std::to_string(code.sources.size()));
    runtime::cuda::NvrtcRequest request;
    request.name = source.name;
    request.source = source.text;
    request.arch = cubin.arch;
    for (const auto &header : runtime::cuda::deviceHeaders())
      request.headers.push_back({std::string(header.name), header.text});
    CUPOLA_ASSIGN(cubin.binary, services.nvrtc->compile(request));
    return {};
  }

  Status join() {
    for (Cubin &cubin : cubins) {
      format::Binary record;
      record.arch = cubin.arch;
      for (auto [k, kernel] : llvm::enumerate(program.kernels))
        if (kernel.source == cubin.source)
          record.kernels.push_back(k);
      record.image = std::move(cubin.binary.cubin);
      code.binaries.push_back(std::move(record));
      llvm::append_range(code.resources[cubin.arch], cubin.binary.kernels);
    }
    return {};
  }
};

CodeJobs CudaTarget::compile(ModuleOp, StringRef arch, const format::Program &program, const TargetRequest &request,
                             TargetServices &services, TargetCode &code) const {
  auto work = std::shared_ptr<CubinJobs>(new CubinJobs{program, services, code, {}});
  if (!request.sourceOnly)
    for (const std::string &gpu : request.gpus)
      for (size_t i = 0; StringRef(findGpu(gpu)->family) == arch && i < code.sources.size(); ++i)
        work->cubins.push_back({gpu, i});
  CodeJobs jobs;
  for (CubinJobs::Cubin &cubin : work->cubins)
    jobs.pieces.push_back([work, &cubin] { return work->compile(cubin); });
  jobs.join = [work] { return work->join(); };
  return jobs;
}

} // namespace

const Target &target() {
  static const CudaTarget instance;
  return instance;
}

} // namespace cupola::cuda
