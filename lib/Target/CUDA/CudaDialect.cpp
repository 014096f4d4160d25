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

ArrayRef<int64_t> cuda::constantsOf(Operation *func) {
  auto constants = func->getAttrOfType<DenseI64ArrayAttr>(constantsAttr);
  return constants ? constants.asArrayRef() : ArrayRef<int64_t>();
}

/// The buffer parameters come first among the arguments of the body.
static bool areParametersOf(Operation *func, ArrayRef<int64_t> parameters) {
  Block &body = func->getRegion(0).front();
  return llvm::is_sorted(parameters, std::less_equal<>()) && llvm::all_of(parameters, [&](int64_t i) {
           return i >= 0 && i < body.getNumArguments() && isa<kernel::ViewType>(body.getArgument(i).getType());
         });
}

LogicalResult CudaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() != constantsAttr || op->getNumRegions() != 1 || op->getRegion(0).empty())
    return op->emitError() << "no op has the attribute " << attr.getName();
  auto constants = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  if (!constants || !areParametersOf(op, constants))
    return op->emitError() << constantsAttr << " are no different buffer parameters in ascending order";
  return success();
}

LogicalResult HorizontalOp::verify() {
  if (getParts().size() < 2)
    return emitOpError() << "has " << getParts().size() << " kernels, expected two or more";
  if (getInputs().size() != getParts().size())
    return emitOpError() << "has " << getParts().size() << " kernels and inputs of " << getInputs().size();
  return success();
}

void cuda::registerCudaDialect(DialectRegistry &registry) { registry.insert<CudaDialect>(); }
