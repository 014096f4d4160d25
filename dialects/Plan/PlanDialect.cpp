//===- dialects/Plan/PlanDialect.cpp - registration and verifiers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/Plan.h"

#include "dialects/Plan/LibraryCallAttr.h"
#include "lib/Runtime/Format/TensorMapLimits.h"

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

/// One expression, or a list.
static ParseResult parseGrid(OpAsmParser &parser, ArrayAttr &grid) {
  SmallVector<graph::ExprAttr> extents;
  const bool isList = succeeded(parser.parseOptionalLSquare());
  if (failed(isList ? graph::parseExprList(parser, extents) : graph::parseExpr(parser, extents.emplace_back())) ||
      (isList && failed(parser.parseRSquare())))
    return failure();
  grid = ArrayAttr::get(parser.getContext(), SmallVector<Attribute>(extents.begin(), extents.end()));
  return success();
}

static void printGrid(OpAsmPrinter &printer, Operation *op, ArrayAttr grid) {
  if (grid.size() == 1)
    graph::printExpr(printer, cast<graph::ExprAttr>(grid[0]));
  else
    graph::printExprs(printer, op, grid);
}

static ParseResult parseExprArray(AsmParser &parser, SmallVectorImpl<graph::ExprAttr> &exprs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return graph::parseExpr(parser, exprs.emplace_back()); });
}

static void printExprArray(AsmPrinter &printer, ArrayRef<graph::ExprAttr> exprs) {
  printer << '[';
  graph::printExprList(printer, exprs);
  printer << ']';
}

using graph::parseExpr, graph::parseExprs, graph::parseReason, graph::printExpr, graph::printExprs, graph::printReason;

} // namespace cupola::plan

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/PlanAttrs.cpp.inc"
      >();
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

//===--- Launches ---===//

LogicalResult TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError, uint32_t, graph::ExprAttr, Type,
                                    ArrayRef<graph::ExprAttr> extents, ArrayRef<graph::ExprAttr> strides,
                                    ArrayRef<uint32_t> box, uint32_t swizzle, ArrayRef<int64_t> lower,
                                    ArrayRef<int64_t> upper, ArrayRef<uint32_t> steps) {
  if (extents.empty() || extents.size() > format::kTensorMapRank)
    return emitError() << "has " << extents.size() << " extents, possible are 1 to " << format::kTensorMapRank;
  if (strides.size() + 1 != extents.size() || box.size() != extents.size())
    return emitError() << "of " << extents.size() << " extents has " << strides.size() << " strides and a box of "
                       << box.size();
  if (llvm::any_of(box, [](uint32_t elements) { return elements == 0 || elements > format::kTensorMapBox; }))
    return emitError() << "has a box of other than 1 to " << format::kTensorMapBox << " elements";
  if (!format::isSwizzle(swizzle))
    return emitError() << "has an unknown swizzle of " << swizzle << " bytes";
  if (!lower.empty())
    if (const std::string fault = format::tensorWindowFault(extents.size(), lower, upper, steps); !fault.empty())
      return emitError() << "has " << fault;
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError() << "has a grid of " << getGrid().size() << " extents, possible are 1 to 3";
  if (std::optional<ArrayAttr> maps = getMaps())
    for (auto map : maps->getAsRange<TensorMapAttr>())
      if (map.getBuffer() >= getBuffers().size())
        return emitOpError() << "has a tensor map of buffer " << map.getBuffer() << " of " << getBuffers().size();
  if (!getCall() && !getCallBuffers().empty())
    return emitOpError() << "has " << getCallBuffers().size() << " buffers of a library call, and no call";
  if (getCall()) {
    cupola::format::LibraryCall call = libraryCallOf(*getCall());
    call.buffers.resize(getCallBuffers().size());
    if (cupola::Status status = checkLibraryCall(call); status.failed())
      return emitOpError() << status.message();
  }
  return success();
}
