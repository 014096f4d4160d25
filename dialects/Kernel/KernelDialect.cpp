//===- dialects/Kernel/KernelDialect.cpp - registration, syntax, helpers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Syntax.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"
#include "dialects/Kernel/KernelEnums.cpp.inc"
#include "dialects/Kernel/KernelInterfaces.cpp.inc"

#include "dialects/Kernel/KernelAttrInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kernel/KernelAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Kernel/KernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
}

OpFoldResult kernel::ConstantOp::fold(FoldAdaptor) { return getValue(); }

// kernel.func @name kind grid (%g0, ..) in [..] scalars [..] (schedule attribute)? (packed [..])? (%a: type, ..) {body}
void kernel::FuncOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << ' ' << getKind() << " grid (";
  llvm::interleaveComma(getPoint(), p, [&](BlockArgument arg) { p.printOperand(arg); });
  p << ") in ";
  printExtents(p, *this, getGridAttr());
  p << " scalars " << getScalarsAttr();
  if (ScheduleInterface schedule = getScheduleAttr())
    p << " schedule " << schedule;
  if (ArrayAttr packed = getPackedAttr())
    p << " packed " << packed;
  p << " (";
  llvm::interleaveComma(getViews(), p, [&](BlockArgument arg) { p.printRegionArgument(arg); });
  p << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {"sym_name", "kind", "grid", "scalars", "schedule", "packed"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

static ParseResult parseKind(OpAsmParser &parser, NamedAttrList &attributes) {
  FailureOr<graph::KernelKind> kind = FieldParser<graph::KernelKind>::parse(parser);
  if (succeeded(kind))
    attributes.append("kind", graph::KernelKindAttr::get(parser.getContext(), *kind));
  return success(succeeded(kind));
}

/// `name` and its attribute, or nothing.
template <class Attr> static ParseResult parseOptional(OpAsmParser &parser, StringRef name, NamedAttrList &attributes) {
  Attr attr;
  return failed(parser.parseOptionalKeyword(name)) ? success() : parser.parseAttribute(attr, name, attributes);
}

ParseResult kernel::FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  ArrayAttr grid, scalars;
  SmallVector<OpAsmParser::Argument> point, args;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) || parseKind(parser, result.attributes) ||
      parser.parseKeyword("grid") || parser.parseArgumentList(point, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") || parseExtents(parser, grid) || parser.parseKeyword("scalars") ||
      parser.parseAttribute(scalars, "scalars", result.attributes) ||
      parseOptional<ScheduleInterface>(parser, "schedule", result.attributes) ||
      parseOptional<ArrayAttr>(parser, "packed", result.attributes) ||
      parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute("grid", grid);
  for (OpAsmParser::Argument &index : point)
    index.type = parser.getBuilder().getIndexType();
  args.append(point);
  return parseRegion(parser, *result.addRegion(), args);
}

// kernel.for (%step) below extent carry (%carried = %init, ..) (: types)? {body}
void ForOp::print(OpAsmPrinter &p) {
  p << " (";
  p.printOperand(getStep());
  p << ") below ";
  printExtent(p, *this, getStepsAttr());
  if (ArrayAttr visible = getVisibleAttr()) {
    p << " visible ";
    printExtents(p, *this, visible);
  }
  p << " carry (";
  llvm::interleaveComma(llvm::zip_equal(getCarried(), getInits()), p, [&](auto pair) {
    p.printOperand(std::get<0>(pair));
    p << " = ";
    p.printOperand(std::get<1>(pair));
  });
  p << ')';
  if (getNumResults() > 0)
    p << " : " << getResultTypes();
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"steps", "visible"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (getMeet().empty())
    return;
  p << " meet";
  for (ValueRange state : {ValueRange(getBefore()), ValueRange(getBehind())}) {
    p << " (";
    p.printOperands(state);
    p << ')';
  }
  p << ' ';
  p.printRegion(getMeet(), /*printEntryBlockArgs=*/false);
}

/// Names of the two states of a region `meet`.
static ParseResult parseMeet(OpAsmParser &parser, Region &meet, TypeRange carried) {
  if (failed(parser.parseOptionalKeyword("meet")))
    return success();
  SmallVector<OpAsmParser::Argument> states;
  for (int i = 0; i < 2; ++i)
    if (parser.parseArgumentList(states, OpAsmParser::Delimiter::Paren))
      return failure();
  if (states.size() != 2 * carried.size())
    return parser.emitError(parser.getCurrentLocation(), "wants two names for each of what is carried");
  for (auto [i, state] : llvm::enumerate(states))
    state.type = carried[i % carried.size()];
  return parseRegion(parser, meet, states);
}

static ParseResult parseVisible(OpAsmParser &parser, OperationState &result) {
  ArrayAttr visible;
  if (failed(parser.parseOptionalKeyword("visible")))
    return success();
  if (failed(parseExtents(parser, visible)))
    return failure();
  result.addAttribute("visible", visible);
  return success();
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments(1);
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  graph::ExprAttr steps;
  auto carried = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  };
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseArgument(arguments[0]) || parser.parseRParen() ||
      parser.parseKeyword("below") || parseExtent(parser, steps) || parseVisible(parser, result) ||
      parser.parseKeyword("carry") || parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, carried) ||
      parser.parseOptionalColonTypeList(result.types) ||
      parser.resolveOperands(inits, result.types, where, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute("steps", steps);
  arguments[0].type = parser.getBuilder().getIndexType();
  for (auto [argument, type] : llvm::zip_equal(llvm::drop_begin(arguments), result.types))
    argument.type = type;
  Region &body = *result.addRegion(), &meet = *result.addRegion();
  return failure(parseRegion(parser, body, arguments) || parseMeet(parser, meet, result.types));
}

YieldOp ForOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

std::pair<Expr, Expr> ForOp::stepsOfRows(const Expr &first, const Expr &last) {
  if (!getVisible())
    return {Expr(0), getSteps()};
  const graph::Exprs ends = graph::exprsOf(*getVisible());
  return {max(ends[0].substitute({{rowSymbol, first}}), 0), min(ends[1].substitute({{rowSymbol, last}}), getSteps())};
}

SmallVector<PackedAttr> kernel::FuncOp::getPackedOperands() {
  ArrayAttr packed = getPackedAttr();
  return packed ? llvm::to_vector(packed.getAsRange<PackedAttr>()) : SmallVector<PackedAttr>();
}

PackedAttr kernel::FuncOp::getPackedOperand(unsigned parameter) {
  for (PackedAttr packed : getPackedOperands())
    if (packed.getParameter() == parameter)
      return packed;
  return {};
}

bool kernel::isInteger(Value value, int64_t number) {
  auto constant = value.getDefiningOp<kernel::ConstantOp>();
  auto attribute = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return attribute && attribute.getValue().getSExtValue() == number;
}

TileType kernel::tileType(Type element, ArrayRef<Expr> extents) {
  MLIRContext *context = element.getContext();
  auto attrOf = [&](const Expr &extent) { return graph::ExprAttr::get(context, extent); };
  return TileType::get(context, element, llvm::map_to_vector(extents, attrOf));
}

//===----------------------------------------------------------------------===//
// What is known of index values
//===----------------------------------------------------------------------===//

static cupola::Range below(const Expr &extent) { return {Expr(0), extent - 1}; }

static cupola::Range ofLoop(Value index, ArrayAttr extents) {
  return below(graph::exprOf(extents[cast<BlockArgument>(index).getArgNumber()]));
}

cupola::Range kernel::FuncOp::getIndexRange(Value index, Variables &) {
  return below(graph::exprOf(getGrid()[cast<BlockArgument>(index).getArgNumber() - getViews().size()]));
}
cupola::Range ForeachOp::getIndexRange(Value index, Variables &) { return ofLoop(index, getExtents()); }
cupola::Range MapOp::getIndexRange(Value index, Variables &) { return ofLoop(index, getExtents()); }
cupola::Range kernel::ReduceOp::getIndexRange(Value index, Variables &) { return ofLoop(index, getExtents()); }
cupola::Range ArgReduceOp::getIndexRange(Value index, Variables &) { return ofLoop(index, getExtents()); }
cupola::Range ForOp::getIndexRange(Value, Variables &) { return below(getSteps()); }
cupola::Range ApplyOp::getIndexRange(Value, Variables &) { return below(getBelow()); }
cupola::Range CheckedIndexOp::getIndexRange(Value, Variables &) { return below(getExtent()); }
/// An i32 is no more than it can hold, however long what it points into may be.
cupola::Range KnownIndexOp::getIndexRange(Value, Variables &) {
  const Range range = below(getExtent());
  return getValue().getType().isInteger(32) ? Range{range.lo, min(*range.hi, Expr(INT32_MAX))} : range;
}

cupola::Range DotOp::getIndexRange(Value index, Variables &) {
  const DotIndices indices = indicesOf(*this);
  const Value known = sharedIndex(*this, cast<BlockArgument>(index));
  if (known == indices.b)
    return below(floorDiv(graph::exprOf(getExtents()[2]), static_cast<int64_t>(*getBlock())));
  return below(graph::exprOf(getExtents()[known == indices.m ? 0 : known == indices.n ? 1 : 2]));
}

DotIndices kernel::indicesOf(DotOp dot) {
  return {dot.getLhs().getArgument(0), dot.getRhs().getArgument(1), dot.getLhs().getArgument(1),
          dot.getBlock() ? dot.getRhsScale().getArgument(0) : Value()};
}

Value kernel::sharedIndex(DotOp dot, BlockArgument argument) {
  const DotIndices all = indicesOf(dot);
  const Value ofRegions[][2] = {{all.m, all.k}, {all.k, all.n}, {all.m, all.b}, {all.m, all.b}, {all.b, all.n}};
  return ofRegions[argument.getOwner()->getParent()->getRegionNumber()][argument.getArgNumber()];
}

ArrayAttr kernel::extentsOf(Operation *loop) {
  return llvm::TypeSwitch<Operation *, ArrayAttr>(loop)
      .Case<ForeachOp, MapOp, kernel::ReduceOp, ArgReduceOp, DotOp>([](auto op) { return op.getExtents(); })
      .Default([](Operation *) { return ArrayAttr(); });
}

Value kernel::bareIndex(ExtractOp extract, unsigned i) {
  std::optional<std::string> symbol = graph::exprOf(extract.getPoint()[i]).asSymbol();
  unsigned place = 0;
  bool isOperand = symbol && symbol->front() == 'x' && !StringRef(*symbol).drop_front().getAsInteger(10, place);
  return isOperand && place < extract.getIndices().size() ? extract.getIndices()[place] : Value();
}

bool kernel::isOwnPoint(ExtractOp extract, ValueRange point) {
  if (extract.getPoint().size() != point.size())
    return false;
  for (auto [i, index] : llvm::enumerate(point))
    if (bareIndex(extract, i) != index)
      return false;
  return true;
}

std::map<std::string, int64_t> kernel::scalarDivisors(ArrayAttr scalars) {
  std::map<std::string, int64_t> divisors;
  for (auto [i, scalar] : llvm::enumerate(scalars.getAsRange<ScalarAttr>()))
    divisors["n" + std::to_string(i)] = scalar.getDivisor();
  return divisors;
}
