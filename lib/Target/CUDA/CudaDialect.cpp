//===- lib/Target/CUDA/CudaDialect.cpp - registration ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Target/ScheduleAttr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::cuda;

#include "lib/Target/CUDA/CudaAttrInterfaces.cpp.inc"
#include "lib/Target/CUDA/CudaDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Target/CUDA/CudaAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "lib/Target/CUDA/CudaOps.cpp.inc"

void CudaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Target/CUDA/CudaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lib/Target/CUDA/CudaOps.cpp.inc"
      >();
}

LogicalResult HorizontalOp::verify() {
  if (getParts().size() < 2)
    return emitOpError() << "has " << getParts().size() << " kernels, expected two or more";
  if (getInputs().size() != getParts().size())
    return emitOpError() << "has " << getParts().size() << " kernels and inputs of " << getInputs().size();
  return success();
}

void cuda::registerCudaDialect(DialectRegistry &registry) { registry.insert<CudaDialect>(); }
