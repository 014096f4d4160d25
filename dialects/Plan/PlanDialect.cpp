//===- dialects/Plan/PlanDialect.cpp - registration and verifiers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/Plan.h"

#include "dialects/Plan/LibraryCallAttr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola::plan;

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Plan/PlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/PlanOps.cpp.inc"
      >();
}

LogicalResult LaunchOp::verify() {
  if (getCall()) {
    cupola::format::LibraryCall call = libraryCallOf(*getCall());
    call.buffers.resize(getCallBuffers().size());
    if (cupola::Status status = checkLibraryCall(call); status.failed())
      return emitOpError() << status.message();
  }
  return success();
}
