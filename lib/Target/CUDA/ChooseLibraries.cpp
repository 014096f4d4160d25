//===- lib/Target/CUDA/ChooseLibraries.cpp - products that a library may do ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/DescribeCall.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;

namespace cupola::cuda {
#define GEN_PASS_DEF_CHOOSELIBRARIES
#include "lib/Target/CUDA/Passes.h.inc"

namespace {

struct ChooseLibraries : impl::ChooseLibrariesBase<ChooseLibraries> {
  using ChooseLibrariesBase::ChooseLibrariesBase;
  void runOnOperation() override {
    const GpuArchitecture *target = findGpu(arch);
    if (!target) {
      getOperation()->emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    describeContractions(getOperation(),
                         [&](graph::FusionOp fusion, Operation *hero) { return describeCall(fusion, hero, *target); });
  }
};

} // namespace
} // namespace cupola::cuda
