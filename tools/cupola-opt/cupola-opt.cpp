//===- tools/cupola-opt/cupola-opt.cpp - passes on IR files ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/Plan.h"
#include "lib/Conversion/GraphToKernel/Passes.h"
#include "lib/Target/CPU/Passes.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<cupola::graph::GraphDialect, cupola::kernel::KernelDialect, cupola::simt::SimtDialect,
              cupola::plan::PlanDialect, cupola::cuda::CudaDialect, cupola::cpu::CpuDialect, mlir::func::FuncDialect>();
  mlir::registerCSEPass();
  mlir::registerCanonicalizerPass();
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  cupola::registerCupolaTransformsPasses();
  cupola::registerCupolaGraphToKernelPasses();
  cupola::cuda::registerCudaTargetPasses();
  cupola::cpu::registerCpuTargetPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Runs Cupola's passes on IR files\n", registry));
}
