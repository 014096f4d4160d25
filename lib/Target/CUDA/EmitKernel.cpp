//===- lib/Target/CUDA/EmitKernel.cpp - one kernel through all passes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Sha256.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Horizontal.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Print.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

void cuda::buildPreparation(OpPassManager &passes, const GpuArchitecture &target) {
  passes.addPass(createDecomposeDot({std::string(target.name)}));
  passes.addPass(createFoldGrid());
  passes.addPass(createCollapseLoops());
  passes.addPass(createFoldBorders());
  passes.addPass(createPadDepth({std::string(target.name)}));
}

void cuda::buildCudaPipeline(OpPassManager &passes, const GpuArchitecture &target) {
  passes.addPass(createKernelToSimt());
  OpPassManager &threads = passes.nest<simt::FuncOp>();
  threads.addPass(createPipelineCopies());
  if (target.wgmma) // its family has programmatic launches, too
    threads.addPass(createPrefetchWeights());
  threads.addPass(createHoistPositions());
  threads.addPass(createCSEPass());
  threads.addPass(createCanonicalizerPass());
  threads.addPass(createPlaceShared());
  if (target.wgmma)
    threads.addPass(createOverlapLaunches());
  passes.addPass(createMergeHorizontal());
}

/// Ops that only the kernel dialect has must be gone.
static LogicalResult checkLowered(simt::FuncOp func) {
  auto left = func.walk([](Operation *op) {
    if (!isa<ForeachOp, MapOp, kernel::ReduceOp, ArgReduceOp, DotOp, ExtractOp, simt::TileLoopOp>(op))
      return WalkResult::advance();
    op->emitError("is left over in the program of a thread");
    return WalkResult::interrupt();
  });
  return failure(left.wasInterrupted());
}

/// In bytes, as the driver wants it.
static KernelTensorMap tensorMap(simt::FuncOp func, simt::TensorMapAttr map) {
  Type element = cast<ViewType>(func.getViews()[map.getView()].getType()).getElement();
  const int64_t bytes = graph::byteSize(element);
  KernelTensorMap result;
  result.buffer = map.getView();
  result.offset = map.getOffset().getValue() * bytes;
  result.dtype = graph::elementTypeOf(element).dtype;
  for (graph::ExprAttr extent : map.getExtents())
    result.extents.push_back(extent.getValue());
  for (graph::ExprAttr stride : map.getStrides().drop_front())
    result.strides.push_back(stride.getValue() * bytes);
  result.box.assign(map.getBox().begin(), map.getBox().end());
  result.swizzle = map.getSwizzle();
  result.window = {map.getLower().vec(), map.getUpper().vec(), {}};
  result.window.steps.assign(map.getSteps().begin(), map.getSteps().end());
  return result;
}

LogicalResult cuda::prepareCudaKernels(ModuleOp module, const GpuArchitecture &target,
                                       ArrayRef<const TuningTable *> tuning, bool fuseHorizontally) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(createSplitTokens());
  buildPreparation(passes.nest<kernel::FuncOp>(), target);
  passes.addPass(createTurnWeights());
  passes.addNestedPass<kernel::FuncOp>(createChooseSchedule(target.name, tuning));
  passes.addPass(createShareKernels());
  if (target.wgmma)
    passes.addPass(createMarkConstants());
  if (fuseHorizontally)
    passes.addPass(createFuseHorizontal({std::string(target.name)}));
  return passes.run(module);
}

/// What is lowered as one: a kernel, or those of a launch, each once, and the op that says so.
static OwningOpRef<ModuleOp> moduleOf(Operation *prepared, ArrayRef<kernel::FuncOp> parts) {
  OwningOpRef<ModuleOp> holder(ModuleOp::create(prepared->getLoc()));
  for (kernel::FuncOp part : llvm::SetVector<kernel::FuncOp>(parts.begin(), parts.end()))
    holder->push_back(part.clone());
  if (isa<cuda::HorizontalOp>(prepared))
    holder->push_back(prepared->clone());
  return holder;
}

/// "gemm_mma + gemm_mma"
static std::string labelOf(ArrayRef<kernel::FuncOp> parts) {
  return llvm::join(llvm::map_range(parts,
                                    [](kernel::FuncOp part) {
                                      auto schedule = cast<cuda::ScheduleInterface>(part.getScheduleAttr());
                                      return schedule.getLabel(part.getKind()).str();
                                    }),
                    " + ");
}

static Expr operationsOf(ArrayRef<kernel::FuncOp> parts) {
  Expr sum(0);
  size_t scalars = 0;
  for (kernel::FuncOp part : parts) {
    sum = sum + cuda::behindScalars(kernel::operationsOf(part), scalars);
    scalars += part.getScalars().size();
  }
  return sum;
}

FailureOr<cuda::CudaKernel> cuda::emitCudaKernel(Operation *prepared, const GpuArchitecture &target,
                                                 const CudaOptions &options) {
  auto horizontal = dyn_cast<HorizontalOp>(prepared);
  const auto parts = horizontal ? partsOf(horizontal) : SmallVector<kernel::FuncOp>{cast<kernel::FuncOp>(prepared)};
  OwningOpRef<ModuleOp> holder = moduleOf(prepared, parts);
  PassManager passes(prepared->getContext(), ModuleOp::getOperationName());
  buildCudaPipeline(passes, target);
  if (failed(passes.run(*holder)))
    return failure();
  simt::FuncOp func = *holder->getOps<simt::FuncOp>().begin();
  if (failed(checkLowered(func)))
    return failure();
  int64_t shared = sharedBytes(func);
  if (shared > target.sharedBytes)
    return func.emitError() << "needs " << shared << " bytes of shared memory, " << StringRef(target.name) << " has "
                            << target.sharedBytes;

  // The name is the hash of everything else: equal kernels of different models are one.
  bool wide = options.force64BitIndex || needsWideIndex(func);
  CudaKernel kernel;
  format::Kernel &record = kernel.record;
  record.sourceHash = format::hex(format::sha256(printKernel(func, "", wide)));
  record.name = "k_" + record.sourceHash.substr(0, 16);
  record.schedule = labelOf(parts);
  record.flops = ::operationsOf(parts).text();
  record.threads = func.getThreads();
  record.sharedBytes = shared;
  for (BlockArgument view : func.getViews()) {
    Access access = cast<ViewType>(view.getType()).getAccess();
    record.readWrite.push_back(access == Access::Read ? "r" : access == Access::Write ? "w" : "rw");
  }
  kernel.text = printKernel(func, record.name, wide);
  record.cluster = func.getCluster();
  record.cooperative = func.isCooperative();
  record.programmatic = func.walk([](simt::GridWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  const graph::Exprs blocks = graph::exprsOf(func.getBlocks());
  kernel.grid.assign(blocks.begin(), blocks.end());
  for (auto map : func.getMaps().getAsRange<simt::TensorMapAttr>())
    kernel.maps.push_back(tensorMap(func, map));
  for (auto [part, elements] :
       llvm::zip_equal(func.getViews().take_back(func.getWorkspace().size()), graph::exprsOf(func.getWorkspace()))) {
    Type element = cast<ViewType>(part.getType()).getElement();
    kernel.workspace.push_back({elements * graph::byteSize(element), element.isUnsignedInteger(32)});
  }
  kernel.compilesAlone = llvm::any_of(
      parts, [](kernel::FuncOp part) { return cast<ScheduleInterface>(part.getScheduleAttr()).compilesAlone(); });
  return kernel;
}
