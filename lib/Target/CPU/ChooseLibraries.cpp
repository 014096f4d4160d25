//===- lib/Target/CPU/ChooseLibraries.cpp - fusions that a library may do ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/LibraryCallAttr.h"
#include "lib/Target/CPU/DescribeCall.h"
#include "lib/Target/CPU/Passes.h"

using namespace mlir;

namespace cupola::cpu {
#define GEN_PASS_DEF_CHOOSELIBRARIES
#include "lib/Target/CPU/Passes.h.inc"

namespace {

/// The fusion's contraction, or null.
Operation *contractionOf(graph::FusionOp fusion) {
  for (auto op : fusion.getBody().front().getOps<graph::ClassInterface>())
    if (op.getFusionClass() == graph::FusionClass::Contraction)
      return op;
  return nullptr;
}

class ChooseLibraries : public impl::ChooseLibrariesBase<ChooseLibraries> {
public:
  void runOnOperation() override {
    getOperation().walk([&](graph::FusionOp fusion) {
      if (Operation *hero = contractionOf(fusion))
        choose(fusion, describeCall(fusion, hero));
    });
  }

private:
  void choose(graph::FusionOp fusion, const CallDescription &description) {
    if (!description.refused.empty())
      return fusion.setLibraryRefusedAttr(graph::ReasonAttr::get(&getContext(), description.refused));
    fusion.setLibraryAttr(plan::libraryCallAttr(&getContext(), description.call));
    fusion.setLibraryInputs(description.inputs);
  }
};

} // namespace
} // namespace cupola::cpu
