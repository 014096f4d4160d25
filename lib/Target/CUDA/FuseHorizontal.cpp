//===- lib/Target/CUDA/FuseHorizontal.cpp - small kernels side by side ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A GPU that has a small kernel to run is idle for the most part, and between two launches it is idle altogether. The
// shortcut of a residual block, the heads of a detector, the projections of several inputs: what does not depend on
// each other can share a launch.

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Target/CUDA/Horizontal.h"
#include "lib/Target/CUDA/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {
#define GEN_PASS_DEF_FUSEHORIZONTAL
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

constexpr size_t mostParts = 8; // the registers are those of the part that needs most
constexpr size_t mostParameters = 64;
constexpr size_t window = 64;           // launches that are looked at for a fusion
constexpr int64_t mostWaves = 2;        // of blocks that run at once; a large launch gains nothing
constexpr int64_t registers = 64 << 10; // of a multiprocessor

/// What of a launch is known once its kernels are lowered.
struct Size {
  cuda::LaunchShape shape;
  int64_t blocks, counters;
};

/// Sizes of launches, each found by lowering its kernel when it is asked for.
class Sizes {
public:
  Sizes(ModuleOp module, const GpuArchitecture &gpu) : symbols(module), gpu(gpu) {}

  /// Nullopt where it must stay alone.
  std::optional<Size> of(graph::FusionOp fusion) {
    const std::optional<cuda::LaunchShape> &shape = shapeOf(*fusion.getKernel());
    auto func = symbols.lookup<kernel::FuncOp>(*fusion.getKernel()); // packed weights are found by their kernel
    if (!shape || !shape->isPlain || (func && func.getPacked()))
      return std::nullopt;
    const auto value = [&](const Expr &e) { return inSymbols(e, *fusion.getScalars()).constant(); };
    const std::optional<int64_t> blocks = value(shape->blocks), counters = value(shape->counters);
    return blocks && counters && *blocks > 0 ? std::optional(Size{*shape, *blocks, *counters}) : std::nullopt;
  }

  /// Nullopt where they do not fit together, or may take longer than one after the other.
  std::optional<Size> together(const Size &a, const Size &b) const {
    Size sum{a.shape, a.blocks + b.blocks, a.counters + b.counters};
    sum.shape.sharedBytes = std::max(a.shape.sharedBytes, b.shape.sharedBytes);
    sum.shape.registers = std::max(a.shape.registers, b.shape.registers);
    const bool fits = a.shape.threads == b.shape.threads && sum.counters <= kLaunchCounters &&
                      waves(sum) <= std::min(mostWaves, waves(a) + waves(b)) && isAsDense(sum, a) && isAsDense(sum, b);
    return fits ? std::optional(sum) : std::nullopt;
  }

private:
  /// Blocks that a multiprocessor has room for at once.
  int64_t residents(const cuda::LaunchShape &shape) const {
    const int64_t byThreads = std::min(gpu.residentThreads, registers / shape.registers) / shape.threads;
    const int64_t byShared = shape.sharedBytes ? gpu.sharedBytes / shape.sharedBytes : byThreads;
    return std::max<int64_t>(1, std::min(byThreads, byShared));
  }

  int64_t waves(const Size &size) const {
    return llvm::divideCeilSigned(size.blocks, residents(size.shape) * gpu.multiprocessors);
  }

  /// Whether a part has as many blocks on a multiprocessor as it would have alone.
  bool isAsDense(const Size &sum, const Size &part) const {
    const int64_t alone = std::min(residents(part.shape), llvm::divideCeilSigned(part.blocks, gpu.multiprocessors));
    return residents(sum.shape) >= alone;
  }

  const std::optional<cuda::LaunchShape> &shapeOf(StringRef kernel) {
    auto [found, isNew] = shapes.try_emplace(kernel);
    if (isNew)
      found->second = lowered(symbols.lookup<kernel::FuncOp>(kernel));
    return found->second;
  }

  /// The error of a kernel that cannot be lowered is told when it is emitted.
  std::optional<cuda::LaunchShape> lowered(kernel::FuncOp func) {
    OwningOpRef<ModuleOp> holder(ModuleOp::create(func.getLoc()));
    holder->push_back(func.clone());
    PassManager passes(func.getContext(), ModuleOp::getOperationName());
    cuda::buildCudaPipeline(passes, gpu);
    ScopedDiagnosticHandler quiet(func.getContext(), [](Diagnostic &) { return success(); });
    if (failed(passes.run(*holder)))
      return std::nullopt;
    return cuda::LaunchShape::of(*holder->getOps<simt::FuncOp>().begin());
  }

  SymbolTable symbols;
  const GpuArchitecture &gpu;
  llvm::StringMap<std::optional<cuda::LaunchShape>> shapes;
};

/// Rows that are appended to memory of an argument lie behind its own, which others may read meanwhile.
bool mayShare(graph::FusionOp fusion) { return fusion.getKernel() && !fusion.getLibrary(); }

size_t parametersOf(graph::FusionOp fusion) { return fusion.getInputs().size() + fusion.getNumResults(); }

/// Fusions that become one launch, which stands where the first of them does.
struct Launch {
  SmallVector<graph::FusionOp> fusions;
  size_t place, parameters;
  std::optional<Size> size = {}; ///< once it was asked for
  bool isAlone = false;          ///< and is none

  bool isFull(graph::FusionOp other) const {
    return isAlone || fusions.size() == mostParts || parameters + parametersOf(other) > mostParameters;
  }
};

/// Gives every fusion of a block its launch.
class Launches {
public:
  explicit Launches(Sizes &sizes) : sizes(sizes) {}

  std::vector<Launch> all;

  void collect(Block &block) {
    size_t place = 0;
    for (Operation &op : block) {
      places[&op] = ++place;
      auto fusion = dyn_cast<graph::FusionOp>(op);
      if (!fusion) {
        if (!isa<graph::ConstantOp, graph::JoinOp>(op)) // checks, branches, loops and the host stay where they are
          open = all.size();
      } else if (mayShare(fusion) && !addToFirst(fusion, place)) {
        all.push_back({{fusion}, place, parametersOf(fusion)});
      }
    }
  }

private:
  /// To the first launch at which all that it reads is there, and which has room. That leaves later ones to what
  /// reads its results.
  bool addToFirst(graph::FusionOp fusion, size_t place) {
    const size_t ready = readyAt(fusion), first = std::max(open, all.size() - std::min(window, all.size()));
    std::optional<Size> own;
    for (Launch &launch : MutableArrayRef(all).drop_front(first)) {
      if (launch.place <= ready || launch.isFull(fusion))
        continue;
      if (!own && !(own = sizes.of(fusion)))
        return false;
      if (const std::optional<Size> &size = sizeOf(launch))
        if (std::optional<Size> sum = sizes.together(*size, *own)) {
          launch.fusions.push_back(fusion);
          launch.parameters += parametersOf(fusion);
          launch.size = sum;
          places[fusion] = launch.place;
          return true;
        }
    }
    return false;
  }

  const std::optional<Size> &sizeOf(Launch &launch) {
    if (!launch.size && !launch.isAlone) {
      launch.size = sizes.of(launch.fusions.front());
      launch.isAlone = !launch.size;
    }
    return launch.size;
  }

  /// The place of the last op that it reads from. Constants can be anywhere.
  size_t readyAt(graph::FusionOp fusion) {
    size_t ready = 0;
    for (Value input : fusion.getInputs())
      if (Operation *op = input.getDefiningOp(); op && !isa<graph::ConstantOp>(op))
        ready = std::max(ready, places.lookup(op));
    return ready;
  }

  Sizes &sizes;
  DenseMap<Operation *, size_t> places; ///< of a fusion: that of its launch
  size_t open = 0;                      ///< the first launch that others may still be added to
};

struct FuseHorizontal : cuda::impl::FuseHorizontalBase<FuseHorizontal> {
  using FuseHorizontalBase::FuseHorizontalBase;

  void runOnOperation() override {
    const GpuArchitecture *gpu = findGpu(arch);
    if (!gpu) {
      getOperation().emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    Sizes sizes(getOperation(), *gpu);
    cuda::FusionJoiner joiner(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (Block *block : graph::bodiesOf(func)) {
        Launches launches(sizes);
        launches.collect(*block);
        for (const Launch &launch : launches.all)
          if (launch.fusions.size() > 1)
            joiner.join(launch.fusions);
      }
  }
};

} // namespace
