//===- tools/cupola-opt/cupola-opt.cpp - passes on IR files ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<cupola::graph::GraphDialect, cupola::kernel::KernelDialect,
                  mlir::func::FuncDialect>();
  cupola::cuda::registerCudaTargetPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs Cupola's passes on IR files\n", registry));
}
