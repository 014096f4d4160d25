//===- dialects/Plan/PlanDialect.cpp - registration and verifiers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/Plan.h"

#include "dialects/Plan/LibraryCallAttr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola::plan;

namespace cupola::plan {

/// An expression, or `?`.
static ParseResult parseSize(OpAsmParser &parser, graph::ExprAttr &bytes) {
  return succeeded(parser.parseOptionalQuestion()) ? success() : graph::parseExpr(parser, bytes);
}

static void printSize(OpAsmPrinter &printer, Operation *, graph::ExprAttr bytes) {
  if (bytes)
    graph::printExpr(printer, bytes);
  else
    printer << '?';
}

using graph::parseExpr, graph::parseExprs, graph::parseReason, graph::printExpr, graph::printExprs, graph::printReason;

} // namespace cupola::plan

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

//===--- Branches and loops ---===//

/// Parameters stand for one of `count` buffers that the step hands over.
static LogicalResult verifyBodies(Operation *op, int64_t count) {
  for (Region &body : op->getRegions())
    for (auto buffer : body.getOps<BufferOp>())
      if (buffer.getKind() == BufferKind::Parameter && buffer.getIndex() >= static_cast<uint64_t>(count))
        return buffer.emitOpError() << "is parameter " << buffer.getIndex() << " of a body that gets " << count;
  return success();
}

LogicalResult IfOp::verify() {
  if (getThenValues().size() != getSymbols().size() || getElseValues().size() != getSymbols().size())
    return emitOpError() << "gives " << getSymbols().size() << " symbols " << getThenValues().size() << " and "
                         << getElseValues().size() << " values";
  return verifyBodies(*this, getCaptures().size() + getResults().size());
}

LogicalResult CallOp::verify() { return verifyBodies(*this, getCaptures().size() + getResults().size()); }

LogicalResult WhileOp::verify() {
  const size_t carried = getInitial().size(), symbols = getSymbols().size();
  if (getResults().size() != carried || getSpare().size() != carried || getRow().size() != getRows().size())
    return emitOpError("has another number of buffers for the values before an iteration than after it");
  if (getFirstValues().size() != symbols || getNextValues().size() != symbols || getLastSymbols().size() != symbols)
    return emitOpError() << "carries " << symbols << " symbols with another number of values";
  return verifyBodies(*this, getCaptures().size() + 2 * carried + getRow().size() + (getProceed() ? 1 : 0));
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
