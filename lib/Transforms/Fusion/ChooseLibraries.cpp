//===- lib/Transforms/Fusion/ChooseLibraries.cpp - fusions that a library may do ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/LibraryCallAttr.h"
#include "lib/Transforms/Fusion/DescribeCall.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_CHOOSELIBRARIES
#include "lib/Transforms/Passes.h.inc"

namespace {

bool hasContraction(graph::FusionOp fusion) {
  return llvm::any_of(fusion.getBody().front().getOps<graph::ClassInterface>(), [](graph::ClassInterface op) {
    return op.getFusionClass() == graph::FusionClass::Contraction;
  });
}

class ChooseLibraries : public impl::ChooseLibrariesBase<ChooseLibraries> {
public:
  using ChooseLibrariesBase::ChooseLibrariesBase;

  void runOnOperation() override {
    Builder b(&getContext());
    for (auto fusion : getOperation().getOps<graph::FusionOp>()) {
      if (!hasContraction(fusion))
        continue;
      fusion::CallDescription description = fusion::describeCall(fusion);
      if (description.refused.empty())
        description.refused = fusion::cheaperByKernel(description.call, level);
      if (!description.refused.empty()) {
        fusion->setAttr(libraryRefusedAttrName, b.getStringAttr(description.refused));
        continue;
      }
      fusion->setAttr(libraryCallAttrName, plan::libraryCallAttr(&getContext(), description.call));
      fusion->setAttr(libraryInputsAttrName, b.getDenseI64ArrayAttr(description.inputs));
    }
  }
};

} // namespace
} // namespace cupola
