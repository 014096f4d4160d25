//===- lib/Target/CPU/Packing.cpp - weights in the order of the micro-kernel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {

SmallVector<unsigned> gridOf(FuncOp func, LoadOp load) {
  SmallVector<unsigned> dims;
  for (auto [dim, index] : llvm::enumerate(func.getPoint()))
    if (llvm::is_contained(load.getIndices(), index))
      dims.push_back(dim);
  return dims;
}

/// The extents of these dimensions.
static graph::Exprs gridExtents(FuncOp func, ArrayRef<unsigned> dims) {
  const graph::Exprs grid = exprsOf(func.getGrid());
  return llvm::map_to_vector(dims, [&](unsigned dim) { return grid[dim]; });
}

/// The load of a right operand that is one matrix for all of the grid, or one for each point of static dimensions of
/// it.
static LoadOp packableLoad(FuncOp func, DotOp dot) {
  LoadOp load = plainOperand(dot.getRhs());
  if (!load)
    return nullptr;
  auto parameter = cast<BlockArgument>(load.getView());
  bool isShared = llvm::any_of(parameter.getUsers(), [&](Operation *user) { return user != load; });
  if (isShared || func.isPacked(parameter.getArgNumber()))
    return nullptr;
  bool isFixed = llvm::all_of(load.getIndices(), [&](Value index) {
    return index.getParentRegion() == &dot.getRhs() || llvm::is_contained(func.getPoint(), index);
  });
  isFixed &= llvm::all_of(gridExtents(func, gridOf(func, load)), [](const Expr &extent) { return extent.constant(); });
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

/// Of every matrix, foreach (panel, k, column) packed[..] = source(k, panel * width + column), or 0; `unit` rows of k
/// lie side by side.
static void buildPacker(OpBuilder &b, FuncOp func, FuncOp packer, DotOp dot, LoadOp load, int64_t width, int64_t unit) {
  Location loc = UnknownLoc::get(b.getContext());
  const graph::Exprs extents = exprsOf(dot.getExtents());
  const SmallVector<unsigned> dims = gridOf(func, load);
  graph::Exprs outer = gridExtents(func, dims), all = outer;
  all.append({ceilDiv(extents[1], width), ceilDiv(extents[2], unit) * unit, Expr(width)});
  auto loop = ForeachOp::create(b, loc, graph::exprArray(b.getContext(), all));
  b.createBlock(&loop.getBody(), {}, SmallVector<Type>(all.size(), b.getIndexType()),
                SmallVector<Location>(all.size(), loc));
  ValueRange point = loop.getBody().getArguments();
  const auto variable = [](size_t i) { return Expr::symbol("x" + std::to_string(i)); };
  Expr matrix = 0, p = variable(dims.size()), k = variable(dims.size() + 1), j = variable(dims.size() + 2);
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
  for (auto [i, dim] : llvm::enumerate(dims)) {
    matrix = matrix * outer[i] + variable(i);
    const auto at = llvm::find(load.getIndices(), func.getPoint()[dim]) - load.getIndices().begin();
    source["x" + std::to_string(at)] = variable(i);
  }
  Value value = LoadOp::create(b, loc, element, body->getArgument(0), load.getPosition().substitute(source),
                               graph::exprArray(b.getContext(), conditions), point, other);
  Type stored = cast<ViewType>(body->getArgument(1).getType()).getElement();
  if (stored != element)
    value = CastOp::create(b, loc, stored, value);
  const Expr panel = matrix * ceilDiv(extents[1], width) + p;
  Expr target = ((panel * ceilDiv(extents[2], unit) + floorDiv(k, unit)) * width + j) * unit + mod(k, unit);
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
  buildPacker(b, func, packer, dot, load, width, unit);

  // The operand now holds elements of this type, at positions of its own; the
  // load's position only says which they are.
  const Expr matrices = graph::product(gridExtents(func, gridOf(func, load)));
  const Expr bytes =
      matrices * ceilDiv(extents[1], width) * ceilDiv(extents[2], unit) * (width * unit * graph::byteSize(stored));
  SmallVector<Attribute> packed;
  llvm::append_range(packed, func.getPackedOperands());
  packed.push_back(
      PackedAttr::get(context, parameter, graph::ExprAttr::get(context, bytes), FlatSymbolRefAttr::get(context, name)));
  func.setPackedAttr(b.getArrayAttr(packed));
  return packer;
}

} // namespace cupola::cpu
