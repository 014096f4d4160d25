//===- lib/Target/CUDA/EmitKernel.cpp - one kernel through all passes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Sha256.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Print.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

void cuda::buildPreparation(OpPassManager &passes, const CudaTargetInfo &target) {
  passes.addPass(createDecomposeDot());
  passes.addPass(createFoldGrid());
  passes.addPass(createCollapseLoops());
  passes.addPass(createChooseSchedule({target.arch}));
}

void cuda::buildCudaPipeline(OpPassManager &passes) {
  passes.addPass(createDistributePointwise());
  passes.addPass(createDistributeTranspose());
  passes.addPass(createDistributeRows());
  passes.addPass(createDistributeColumns());
  passes.addPass(createDistributePoints());
  passes.addPass(createLowerGemm());
  passes.addPass(createLowerMma());
  passes.addPass(createLowerMatvec());
  passes.addPass(createPipelineCopies());
  passes.addPass(createDropUnused());
  passes.addPass(createPlaceShared());
}

/// Ops that only level 1 has must be gone.
static LogicalResult checkLevel2(FuncOp func) {
  if (!func->hasAttr("launch"))
    return func.emitError() << "schedule '" << func.getSchedule() << "' has no CUDA form";
  auto left = func.walk([](Operation *op) {
    if (!isa<ForeachOp, MapOp, kernel::ReduceOp, ArgReduceOp, DotOp, ExtractOp, TileLoopOp>(op))
      return WalkResult::advance();
    op->emitError("is left over from level 1");
    return WalkResult::interrupt();
  });
  return failure(left.wasInterrupted());
}

static int64_t sharedBytes(FuncOp func) {
  int64_t end = 0;
  func.walk([&](SmemOp op) {
    SmemType type = op.getSmem().getType();
    end = std::max<int64_t>(end, *op.getOffset() + type.getCount() * cuda::byteSize(type.getElement()));
  });
  return end;
}

LogicalResult cuda::prepareCudaKernels(ModuleOp module, const CudaTargetInfo &target) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  buildPreparation(passes.nest<FuncOp>(), target);
  passes.addPass(createShareKernels());
  return passes.run(module);
}

FailureOr<cuda::CudaKernel> cuda::emitCudaKernel(FuncOp prepared, const CudaTargetInfo &target,
                                                 const CudaOptions &options) {
  OwningOpRef<FuncOp> func(prepared.clone());
  PassManager passes(func->getContext(), FuncOp::getOperationName());
  buildCudaPipeline(passes);
  if (failed(passes.run(*func)) || failed(checkLevel2(*func)))
    return failure();
  int64_t shared = sharedBytes(*func);
  if (shared > target.sharedBytes)
    return func->emitError() << "needs " << shared << " bytes of shared memory, " << target.arch << " has "
                             << target.sharedBytes;

  // The name is the hash of everything else: equal kernels of different models are one.
  bool wide = options.force64BitIndex || needsWideIndex(*func);
  CudaKernel kernel;
  format::Kernel &record = kernel.record;
  record.sourceHash = format::hex(format::sha256(printKernel(*func, "", wide)));
  record.name = "k_" + record.sourceHash.substr(0, 16);
  record.schedule = func->getSchedule().str();
  auto launch = func.get()->getAttrOfType<LaunchAttr>("launch");
  record.threads = launch.getThreads();
  record.sharedBytes = shared;
  for (Type type : func->getBody().getArgumentTypes()) {
    Access access = cast<ViewType>(type).getAccess();
    record.readWrite.push_back(access == Access::Read ? "r" : access == Access::Write ? "w" : "rw");
  }
  kernel.text = printKernel(*func, record.name, wide);
  kernel.grid = launch.getBlocks().getValue();
  return kernel;
}
