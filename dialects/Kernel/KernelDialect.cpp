//===- dialects/Kernel/KernelDialect.cpp - registration, syntax, helpers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Kernel.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"
#include "dialects/Kernel/KernelEnums.cpp.inc"
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

// kernel.func @name "schedule" grid [..] scalars [..] {params} (%a: type, ..) {body}
void kernel::FuncOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << ' ' << getScheduleAttr() << " grid ";
  graph::printExprs(p, *this, getGridAttr());
  p << " scalars " << getScalarsAttr() << ' ' << getParamsAttr() << ' ';
  p << '(';
  llvm::interleaveComma(getBody().getArguments(), p, [&](BlockArgument arg) { p.printRegionArgument(arg); });
  p << ") ";
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name", "schedule", "grid", "scalars", "params"});
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

ParseResult kernel::FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name, schedule;
  ArrayAttr grid, scalars;
  DictionaryAttr params;
  SmallVector<OpAsmParser::Argument> args;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) ||
      parser.parseAttribute(schedule, "schedule", result.attributes) || parser.parseKeyword("grid") ||
      graph::parseExprs(parser, grid) || parser.parseKeyword("scalars") ||
      parser.parseAttribute(scalars, "scalars", result.attributes) ||
      parser.parseAttribute(params, "params", result.attributes) ||
      parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute("grid", grid);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

TileType kernel::tileType(Type element, ArrayRef<Expr> extents) {
  SmallVector<graph::ExprAttr> attrs;
  for (const Expr &extent : extents)
    attrs.push_back(graph::exprAttr(element.getContext(), extent));
  return TileType::get(element.getContext(), element, attrs);
}

ArrayAttr kernel::pointOf(ArrayAttr vars) {
  auto point =
      llvm::map_to_vector(vars.getAsRange<StringAttr>(), [](StringAttr var) { return Expr::symbol(var.str()); });
  return graph::exprArray(vars.getContext(), point);
}

static void addLoop(Ranges &ranges, ArrayAttr vars, ArrayAttr extents) {
  for (auto [var, extent] : llvm::zip_equal(vars.getAsRange<StringAttr>(), graph::exprsOf(extents)))
    ranges[var.str()] = {Expr(0), extent - 1};
}

Ranges kernel::rangesAt(Operation *op) {
  Ranges ranges;
  for (; op; op = op->getParentOp()) {
    if (auto vars = op->getAttrOfType<ArrayAttr>("vars"))
      addLoop(ranges, vars, op->getAttrOfType<ArrayAttr>("extents"));
    addLevel2Scope(op, ranges);
    auto func = dyn_cast<FuncOp>(op);
    if (!func)
      continue;
    for (auto [i, extent] : llvm::enumerate(graph::exprsOf(func.getGrid())))
      ranges["g" + std::to_string(i)] = {Expr(0), extent - 1};
    for (auto [i, scalar] : llvm::enumerate(func.getScalars().getAsRange<ScalarAttr>())) {
      Range &range = ranges["n" + std::to_string(i)];
      range.lo = Expr(scalar.getMin());
      if (scalar.getMax() > 0)
        range.hi = Expr(scalar.getMax());
    }
  }
  return ranges;
}

std::map<std::string, int64_t> kernel::scalarDivisors(FuncOp func) {
  std::map<std::string, int64_t> divisors;
  for (auto [i, scalar] : llvm::enumerate(func.getScalars().getAsRange<ScalarAttr>()))
    divisors["n" + std::to_string(i)] = scalar.getDivisor();
  return divisors;
}
