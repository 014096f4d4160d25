//===- lib/Target/CPU/ChooseLibraries.cpp - fusions that a library may do ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/DescribeCall.h"
#include "lib/Target/CPU/Passes.h"

namespace cupola::cpu {
#define GEN_PASS_DEF_CHOOSELIBRARIES
#include "lib/Target/CPU/Passes.h.inc"

namespace {

struct ChooseLibraries : impl::ChooseLibrariesBase<ChooseLibraries> {
  void runOnOperation() override { describeContractions(getOperation(), describeCall); }
};

} // namespace
} // namespace cupola::cpu
