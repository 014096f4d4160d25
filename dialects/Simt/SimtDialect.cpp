//===- dialects/Simt/SimtDialect.cpp - registration, syntax, ranges ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Simt/Simt.h"

#include "dialects/Kernel/Syntax.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;
using graph::ExprAttr;
using kernel::Indices;

// The directives of the kernel dialect, and those of ops with more expressions.
namespace cupola::simt {
using namespace kernel;

/// [position] (mask [..])? into [index]
static ParseResult parseVectorAccess(OpAsmParser &parser, ExprAttr &position, ArrayAttr &mask, ArrayAttr &index,
                                     Indices &indices) {
  return failure(parseAccess(parser, position, mask, indices) || parser.parseKeyword("into") ||
                 parsePositions(parser, index, indices));
}
static void printVectorAccess(OpAsmPrinter &printer, Operation *op, ExprAttr position, ArrayAttr mask, ArrayAttr index,
                              OperandRange indices) {
  printAccess(printer, op, position, mask, indices);
  printer << " into ";
  printPositions(printer, op, index, indices);
}

/// [position] from [index]
static ParseResult parseVectorStore(OpAsmParser &parser, ArrayAttr &index, ExprAttr &position, Indices &indices) {
  return failure(parsePlace(parser, position, indices) || parser.parseKeyword("from") ||
                 parsePositions(parser, index, indices));
}
static void printVectorStore(OpAsmPrinter &printer, Operation *op, ArrayAttr index, ExprAttr position,
                             OperandRange indices) {
  printPlace(printer, op, position, indices);
  printer << " from ";
  printPositions(printer, op, index, indices);
}

/// [position] to [target] (mask [..])?
static ParseResult parseCopy(OpAsmParser &parser, ExprAttr &position, ExprAttr &target, ArrayAttr &mask,
                             Indices &indices) {
  return failure(parsePlace(parser, position, indices) || parser.parseKeyword("to") ||
                 parsePlace(parser, target, indices) || parseMask(parser, mask, indices));
}
static void printCopy(OpAsmPrinter &printer, Operation *op, ExprAttr position, ExprAttr target, ArrayAttr mask,
                      OperandRange indices) {
  printPlace(printer, op, position, indices);
  printer << " to ";
  printPlace(printer, op, target, indices);
  printMask(printer, op, mask, indices);
}

/// [position] to [target] count [count] (mask [..])?
static ParseResult parsePairCopy(OpAsmParser &parser, ExprAttr &position, ExprAttr &target, ExprAttr &count,
                                 ArrayAttr &mask, Indices &indices) {
  return failure(parsePlace(parser, position, indices) || parser.parseKeyword("to") ||
                 parsePlace(parser, target, indices) || parser.parseKeyword("count") ||
                 parseAccess(parser, count, mask, indices));
}
static void printPairCopy(OpAsmPrinter &printer, Operation *op, ExprAttr position, ExprAttr target, ExprAttr count,
                          ArrayAttr mask, OperandRange indices) {
  printPlace(printer, op, position, indices);
  printer << " to ";
  printPlace(printer, op, target, indices);
  printer << " count ";
  printAccess(printer, op, count, mask, indices);
}

/// [position] first [..] second [..] into [index]
static ParseResult parsePair(OpAsmParser &parser, ExprAttr &position, ArrayAttr &first, ArrayAttr &second,
                             ArrayAttr &index, Indices &indices) {
  return failure(parsePlace(parser, position, indices) || parser.parseKeyword("first") ||
                 parsePositions(parser, first, indices) || parser.parseKeyword("second") ||
                 parsePositions(parser, second, indices) || parser.parseKeyword("into") ||
                 parsePositions(parser, index, indices));
}
static void printPair(OpAsmPrinter &printer, Operation *op, ExprAttr position, ArrayAttr first, ArrayAttr second,
                      ArrayAttr index, OperandRange indices) {
  printPlace(printer, op, position, indices);
  printer << " first ";
  printPositions(printer, op, first, indices);
  printer << " second ";
  printPositions(printer, op, second, indices);
  printer << " into ";
  printPositions(printer, op, index, indices);
}

/// [place] of [other]
static ParseResult parsePlaceOf(OpAsmParser &parser, ExprAttr &place, ExprAttr &other, Indices &indices) {
  return failure(parsePlace(parser, place, indices) || parser.parseKeyword("of") || parsePlace(parser, other, indices));
}
static void printPlaceOf(OpAsmPrinter &printer, Operation *op, ExprAttr place, ExprAttr other, OperandRange indices) {
  printPlace(printer, op, place, indices);
  printer << " of ";
  printPlace(printer, op, other, indices);
}

/// [coordinates] (tap [taps])? to [target] for [barrier]
static ParseResult parseTensorCopy(OpAsmParser &parser, ArrayAttr &coordinates, ArrayAttr &taps, ExprAttr &target,
                                   ExprAttr &barrier, Indices &indices) {
  if (parsePositions(parser, coordinates, indices))
    return failure();
  taps = parser.getBuilder().getArrayAttr({});
  if (succeeded(parser.parseOptionalKeyword("tap")) && parsePositions(parser, taps, indices))
    return failure();
  return failure(parser.parseKeyword("to") || parsePlace(parser, target, indices) || parser.parseKeyword("for") ||
                 parsePlace(parser, barrier, indices));
}
static void printTensorCopy(OpAsmPrinter &printer, Operation *op, ArrayAttr coordinates, ArrayAttr taps,
                            ExprAttr target, ExprAttr barrier, OperandRange indices) {
  printPositions(printer, op, coordinates, indices);
  if (!taps.empty()) {
    printer << " tap ";
    printPositions(printer, op, taps, indices);
  }
  printer << " to ";
  printPlace(printer, op, target, indices);
  printer << " for ";
  printPlace(printer, op, barrier, indices);
}

/// simt.tile_loop .. compute .. {body} beside {body}
static ParseResult parseBeside(OpAsmParser &parser, Region &beside) {
  return failed(parser.parseOptionalKeyword("beside")) ? success() : kernel::parseRegion(parser, beside, {});
}
static void printBeside(OpAsmPrinter &printer, Operation *op, Region &beside) {
  if (beside.empty())
    return;
  printer << " beside ";
  printer.printRegion(beside, /*printEntryBlockArgs=*/false);
}

} // namespace cupola::simt

#include "dialects/Simt/SimtDialect.cpp.inc"
#include "dialects/Simt/SimtEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Simt/SimtAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Simt/SimtTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Simt/SimtOps.cpp.inc"

void SimtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Simt/SimtAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Simt/SimtTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Simt/SimtOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// simt.func @name block %b of n0 cluster 2 thread %t of 128 scalars [..] maps [..] workspace [..] (%a: type, ..) {body}
//===----------------------------------------------------------------------===//

void simt::FuncOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << " block ";
  llvm::interleaveComma(llvm::zip_equal(getBlockIndices(), getBlocks().getAsRange<ExprAttr>()), p, [&](auto axis) {
    p.printOperand(std::get<0>(axis));
    p << " of ";
    kernel::printExtent(p, *this, std::get<1>(axis));
  });
  if (getCluster())
    p << " cluster " << getCluster();
  p << " thread ";
  p.printOperand(getThreadIndex());
  p << " of " << getThreads() << " scalars " << getScalarsAttr();
  if (!getMaps().empty())
    p << " maps " << getMapsAttr();
  if (!getWorkspace().empty()) {
    p << " workspace ";
    kernel::printExtents(p, *this, getWorkspaceAttr());
  }
  p << " (";
  llvm::interleaveComma(getViews(), p, [&](BlockArgument arg) { p.printRegionArgument(arg); });
  p << ") ";
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {"sym_name", "blocks", "threads", "scalars", "cluster", "maps", "workspace"});
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

/// %x of extent, ..
static ParseResult parseBlocks(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &indices,
                               SmallVectorImpl<Attribute> &extents) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    ExprAttr extent;
    if (parser.parseArgument(indices.emplace_back()) || parser.parseKeyword("of") ||
        kernel::parseExtent(parser, extent))
      return failure();
    extents.push_back(extent);
    return success();
  });
}

ParseResult simt::FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  ArrayAttr scalars, maps, workspace;
  int64_t threads = 0, cluster = 0;
  SmallVector<Attribute> blocks;
  SmallVector<OpAsmParser::Argument> args, indices;
  OpAsmParser::Argument thread;
  Builder &builder = parser.getBuilder();
  if (parser.parseSymbolName(name, "sym_name", result.attributes) || parser.parseKeyword("block") ||
      parseBlocks(parser, indices, blocks))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("cluster")) && parser.parseInteger(cluster))
    return failure();
  if (parser.parseKeyword("thread") || parser.parseArgument(thread) || parser.parseKeyword("of") ||
      parser.parseInteger(threads) || parser.parseKeyword("scalars") ||
      parser.parseAttribute(scalars, "scalars", result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("maps")) && parser.parseAttribute(maps, "maps", result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("workspace"))) {
    if (kernel::parseExtents(parser, workspace))
      return failure();
    result.addAttribute("workspace", workspace);
  }
  if (parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute("blocks", builder.getArrayAttr(blocks));
  result.addAttribute("threads", builder.getI64IntegerAttr(threads));
  result.addAttribute("cluster", builder.getI64IntegerAttr(cluster));
  indices.push_back(thread);
  for (OpAsmParser::Argument &index : indices)
    index.type = builder.getIndexType();
  args.append(indices);
  return kernel::parseRegion(parser, *result.addRegion(), args);
}

//===----------------------------------------------------------------------===//
// simt.for %i = from to end step 1 unroll {body}
// simt.for %i = from to end step 1 ring 3 (%s = 0, ..) {body}
//===----------------------------------------------------------------------===//

void simt::ForOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printOperand(getIndex());
  p << " = ";
  kernel::printPosition(p, *this, getFromAttr(), getIndices());
  p << " to ";
  kernel::printPosition(p, *this, getToAttr(), getIndices());
  p << " step ";
  kernel::printPosition(p, *this, getStepAttr(), getIndices());
  p << (getUnroll() ? " unroll " : " ");
  if (getRing()) {
    p << "ring " << getRing() << " (";
    llvm::interleaveComma(llvm::zip_equal(getCounters(), getStarts()), p, [&](auto counter) {
      p.printOperand(std::get<0>(counter));
      p << " = " << std::get<1>(counter);
    });
    p << ") ";
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"from", "to", "step", "unroll", "ring", "starts"});
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// ring 3 (%s = 0, ..)
static ParseResult parseRing(OpAsmParser &parser, OperationState &result,
                             SmallVectorImpl<OpAsmParser::Argument> &indices) {
  int64_t ring = 0;
  SmallVector<int64_t> starts;
  if (failed(parser.parseOptionalKeyword("ring")))
    return success();
  if (parser.parseInteger(ring) || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
        return failure(parser.parseArgument(indices.emplace_back()) || parser.parseEqual() ||
                       parser.parseInteger(starts.emplace_back()));
      }))
    return failure();
  result.addAttribute("ring", parser.getBuilder().getI64IntegerAttr(ring));
  result.addAttribute("starts", parser.getBuilder().getDenseI64ArrayAttr(starts));
  return success();
}

ParseResult simt::ForOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments(1);
  Type index = parser.getBuilder().getIndexType();
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  ExprAttr from, to, step;
  if (parser.parseArgument(arguments[0]) || parser.parseEqual() || kernel::parsePosition(parser, from, indices) ||
      parser.parseKeyword("to") || kernel::parsePosition(parser, to, indices) || parser.parseKeyword("step") ||
      kernel::parsePosition(parser, step, indices))
    return failure();
  result.addAttribute("from", from);
  result.addAttribute("to", to);
  result.addAttribute("step", step);
  if (succeeded(parser.parseOptionalKeyword("unroll")))
    result.addAttribute("unroll", parser.getBuilder().getUnitAttr());
  if (parseRing(parser, result, arguments) || parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(indices, index, result.operands))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = index;
  return kernel::parseRegion(parser, *result.addRegion(), arguments);
}

//===----------------------------------------------------------------------===//
// What is known of index values
//===----------------------------------------------------------------------===//

cupola::Range simt::FuncOp::getIndexRange(Value index, kernel::Variables &) {
  for (auto [block, extent] : llvm::zip_equal(getBlockIndices(), graph::exprsOf(getBlocks())))
    if (index == block)
      return {Expr(0), extent - 1};
  return {Expr(0), Expr(getThreads()) - 1};
}

cupola::Range ClusterRankOp::getIndexRange(Value, kernel::Variables &) {
  return {Expr(0), Expr((*this)->getParentOfType<simt::FuncOp>().getCluster() - 1)};
}

cupola::Range WarpgroupOp::getIndexRange(Value, kernel::Variables &) {
  return {Expr(0), Expr((*this)->getParentOfType<simt::FuncOp>().getThreads() / 128 - 1)};
}

cupola::Range simt::ForOp::getIndexRange(Value index, kernel::Variables &variables) {
  if (index != getIndex())
    return {Expr(0), Expr(getRing() - 1)};
  return {variables.read(getFrom(), getIndices()), variables.read(getTo(), getIndices()) - 1};
}

cupola::Range TileLoopOp::getIndexRange(Value index, kernel::Variables &) {
  const Expr extents[] = {getTrips(), getStages(), getSteps()};
  return {Expr(0), extents[cast<BlockArgument>(index).getArgNumber()] - 1};
}

//===----------------------------------------------------------------------===//
// Types: <2x4xf32>, <2xf32, vector 4>, <4096xf32>, <8192xf16, swizzle 128>
//===----------------------------------------------------------------------===//

Type RegistersType::parse(AsmParser &parser) {
  SmallVector<int64_t> extents;
  Type element;
  int64_t vector = 1;
  if (parser.parseLess() || parser.parseDimensionList(extents, /*allowDynamic=*/false) || parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("vector") || parser.parseInteger(vector)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RegistersType>(parser.getContext(), extents, element, vector);
}

void RegistersType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getExtents())
    printer << extent << 'x';
  printer << getElement();
  if (getVector() > 1)
    printer << ", vector " << getVector();
  printer << '>';
}

Type SmemType::parse(AsmParser &parser) {
  SmallVector<int64_t> extents;
  Type element;
  int64_t swizzle = 0;
  if (parser.parseLess() || parser.parseDimensionList(extents, /*allowDynamic=*/false) || parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("swizzle") || parser.parseInteger(swizzle)))
    return {};
  if (parser.parseGreater())
    return {};
  if (extents.size() != 1) {
    parser.emitError(parser.getNameLoc(), "shared memory has one extent");
    return {};
  }
  return parser.getChecked<SmemType>(parser.getContext(), extents[0], element, swizzle);
}

void SmemType::print(AsmPrinter &printer) const {
  printer << '<' << getCount() << 'x' << getElement();
  if (getSwizzle())
    printer << ", swizzle " << getSwizzle();
  printer << '>';
}
