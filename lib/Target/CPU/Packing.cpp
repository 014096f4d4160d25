//===- lib/Target/CPU/Packing.cpp - weights in the order of the micro-kernel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {

/// The load of a right operand of which one matrix serves all of the grid.
static LoadOp packableLoad(FuncOp func, DotOp dot) {
  LoadOp load = plainOperand(dot.getRhs());
  if (!load)
    return nullptr;
  auto parameter = cast<BlockArgument>(load.getView());
  bool isShared = llvm::any_of(parameter.getUsers(), [&](Operation *user) { return user != load; });
  if (isShared || func.isPacked(parameter.getArgNumber()))
    return nullptr;
  bool isFixed = llvm::all_of(load.getIndices(), [&](Value index) { return index.getParentRegion() == &dot.getRhs(); });
  return isFixed ? load : nullptr;
}

std::vector<unsigned> packableOperands(FuncOp func) {
  DotOp dot = dotOf(func);
  if (!dot)
    return {};
  Variables vars(func);
  if (readContraction(vars, func).failed())
    return {};
  LoadOp load = packableLoad(func, dot);
  if (!load)
    return {};
  return {cast<BlockArgument>(load.getView()).getArgNumber()};
}

/// foreach (panel, k, column) packed[..] = source(k, panel * width + column), or 0; `unit` rows of k lie side by side.
static void buildPacker(OpBuilder &b, FuncOp packer, DotOp dot, LoadOp load, int64_t width, int64_t unit) {
  Location loc = UnknownLoc::get(b.getContext());
  graph::Exprs extents = exprsOf(dot.getExtents());
  auto loop = ForeachOp::create(
      b, loc,
      graph::exprArray(b.getContext(), {ceilDiv(extents[1], width), ceilDiv(extents[2], unit) * unit, Expr(width)}));
  b.createBlock(&loop.getBody(), {}, SmallVector<Type>(3, b.getIndexType()), {loc, loc, loc});
  ValueRange point = loop.getBody().getArguments();
  Expr p = Expr::symbol("x0"), k = Expr::symbol("x1"), j = Expr::symbol("x2");
  Expr column = p * width + j;
  mlir::Block *body = &packer.getBody().front();
  Type element = load.getResult().getType();
  TypedAttr zero =
      isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, 0)) : TypedAttr(b.getIntegerAttr(element, 0));
  Value other = kernel::ConstantOp::create(b, loc, zero);
  graph::Exprs conditions{extents[1] - column - 1};
  if (unit != 1)
    conditions.push_back(extents[2] - k - 1);
  std::map<std::string, Expr> source;
  for (auto [i, index] : llvm::enumerate(load.getIndices()))
    source["x" + std::to_string(i)] = index == dot.getRhs().getArgument(0) ? k : column;
  Value value = LoadOp::create(b, loc, element, body->getArgument(0), load.getPosition().substitute(source),
                               graph::exprArray(b.getContext(), conditions), point, other);
  Type stored = cast<ViewType>(body->getArgument(1).getType()).getElement();
  if (stored != element)
    value = CastOp::create(b, loc, stored, value);
  Expr target = ((p * ceilDiv(extents[2], unit) + floorDiv(k, unit)) * width + j) * unit + mod(k, unit);
  StoreOp::create(b, loc, value, body->getArgument(1), target, b.getArrayAttr({}), point);
}

OwningOpRef<FuncOp> packOperand(FuncOp func, unsigned parameter, StringRef name, const CpuArchitecture &isa) {
  DotOp dot = dotOf(func);
  LoadOp load = packableLoad(func, dot);
  graph::Exprs extents = exprsOf(dot.getExtents());
  Type accumulator = dot.getTile().getType().getElement();
  const int64_t width = panelWidth(accumulator, isa), unit = depthUnitOf(dot);
  MLIRContext *context = func.getContext();
  OpBuilder b(context);
  auto packer = FuncOp::create(b, UnknownLoc::get(context), name, graph::KernelKind::Pack, b.getArrayAttr({}),
                               func.getScalars(), /*schedule=*/nullptr, /*packed=*/nullptr);
  mlir::Block &body = packer.getBody().emplaceBlock();
  Location loc = packer.getLoc();
  body.addArgument(ViewType::get(context, load.getResult().getType(), Access::Read), loc);
  Type stored = operandType(dot.getRhs());
  body.addArgument(ViewType::get(context, stored, Access::Write), loc);
  b.setInsertionPointToStart(&body);
  buildPacker(b, packer, dot, load, width, unit);

  // The operand now holds elements of this type, at positions of its own; the
  // load's position only says which they are.
  const Expr bytes = ceilDiv(extents[1], width) * ceilDiv(extents[2], unit) * (width * unit * graph::byteSize(stored));
  SmallVector<Attribute> packed;
  llvm::append_range(packed, func.getPackedOperands());
  packed.push_back(
      PackedAttr::get(context, parameter, graph::ExprAttr::get(context, bytes), FlatSymbolRefAttr::get(context, name)));
  func.setPackedAttr(b.getArrayAttr(packed));
  return packer;
}

} // namespace cupola::cpu
