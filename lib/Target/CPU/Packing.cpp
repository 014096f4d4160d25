//===- lib/Target/CPU/Packing.cpp - weights in the order of the micro-kernel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {

SmallVector<unsigned> gridOf(FuncOp func, Region &operand) {
  SmallVector<unsigned> dims;
  for (auto [dim, index] : llvm::enumerate(func.getPoint()))
    if (llvm::any_of(index.getUsers(), [&](Operation *user) { return user->getParentRegion() == &operand; }))
      dims.push_back(dim);
  return dims;
}

/// The extents of these dimensions.
static graph::Exprs gridExtents(FuncOp func, ArrayRef<unsigned> dims) {
  const graph::Exprs grid = exprsOf(func.getGrid());
  return llvm::map_to_vector(dims, [&](unsigned dim) { return grid[dim]; });
}

/// Of func's parameters, those that the operand is made of, each once.
static SmallVector<BlockArgument> sourcesOf(Region &operand) {
  llvm::SmallSetVector<BlockArgument, 4> sources;
  for (LoadOp load : operand.getOps<LoadOp>())
    sources.insert(cast<BlockArgument>(load.getView()));
  return sources.takeVector();
}

/// An op that another kernel can compute, at an index of the operand or at a point of the grid.
static bool canMove(FuncOp func, Region &operand, Operation &op) {
  if (!isa<LoadOp, IndexOp, InRangeOp, CastOp, BitcastOp, UnaryOp, BinaryOp, SelectOp, kernel::ConstantOp, YieldOp>(op))
    return false;
  return llvm::all_of(op.getOperands(), [&](Value value) {
    return value.getParentRegion() == &operand || llvm::is_contained(func.getPoint(), value) ||
           llvm::is_contained(func.getViews(), value);
  });
}

/// Whether an operand is one matrix for all of the grid, or one for each point of static dimensions of it, made of
/// parameters that nothing else reads.
static bool isPackable(FuncOp func, Region &operand) {
  const auto isOwn = [&](BlockArgument view) {
    return !func.isPacked(view.getArgNumber()) &&
           llvm::all_of(view.getUsers(), [&](Operation *user) { return user->getParentRegion() == &operand; });
  };
  const SmallVector<BlockArgument> sources = sourcesOf(operand);
  const bool isStatic =
      llvm::all_of(gridExtents(func, gridOf(func, operand)), [](const Expr &extent) { return extent.constant(); });
  return isStatic && !sources.empty() && llvm::all_of(sources, isOwn) &&
         llvm::all_of(operand.front(), [&](Operation &op) { return canMove(func, operand, op); });
}

/// Floats of which memory holds four bits each: a panel would take eight times as much.
static bool isOfFewBits(Region &operand) {
  const auto isMask = [](BinaryOp op) {
    return op.getKind() == graph::BinaryKind::BitwiseAnd && op.getType().isUnsignedInteger(8);
  };
  return isa<FloatType>(yieldedBy(operand)) && llvm::any_of(operand.getOps<BinaryOp>(), isMask);
}

SmallVector<Region *> packableOperands(FuncOp func) {
  DotOp dot = dotOf(func);
  Variables vars(func);
  if (!dot || readContraction(vars, func).failed())
    return {};
  SmallVector<Region *> operands;
  if (isPackable(func, dot.getRhs()) && !isOfFewBits(dot.getRhs()))
    operands.push_back(&dot.getRhs());
  if (dot.getBlock() && isPackable(func, dot.getRhsScale()) && gridOf(func, dot.getRhsScale()).empty())
    operands.push_back(&dot.getRhsScale());
  return operands;
}

std::vector<unsigned> parametersOf(Region &operand) {
  std::vector<unsigned> parameters;
  for (BlockArgument source : sourcesOf(operand))
    parameters.push_back(source.getArgNumber());
  return parameters;
}

namespace {

/// How many numbers there are of four bits.
constexpr int64_t kNibbles = 16;

/// Whether the right operand is .. & 15 in blocks of whole bytes.
bool isOfNibbles(DotOp dot) {
  const std::optional<int64_t> depth = exprsOf(dot.getExtents())[2].constant();
  if (!dot.getBlock() || *dot.getBlock() % kNibbleRows != 0 || !depth || *depth % kNibbleRows != 0 ||
      depthUnitOf(dot) != kNibbleRows / 2)
    return false;
  auto masked = dot.getRhs().front().getTerminator()->getOperand(0).getDefiningOp<BinaryOp>();
  return masked && masked.getKind() == graph::BinaryKind::BitwiseAnd && isInteger(masked.getRhs(), kNibbles - 1);
}

/// Of a column: `unit` rows of the depth, or as many bytes of two.
Expr wordsOf(const Expr &depth, int64_t unit, bool nibbles) { return ceilDiv(depth, nibbles ? kNibbleRows : unit); }

/// What a packer makes of an operand [depth, columns]: panels of so many columns, in each of which `unit` neighbours of
/// the depth lie side by side. `nibbles`: Contraction::areNibbles.
struct Panels {
  Region &operand;
  Expr depth, columns;
  int64_t width, unit;
  Type stored;
  bool nibbles;

  Expr words() const { return wordsOf(depth, unit, nibbles); }
};

Panels panelsOf(DotOp dot, Region &operand, const CpuArchitecture &isa) {
  const graph::Exprs extents = exprsOf(dot.getExtents());
  const int64_t width = panelOf(dot, isa).columns;
  if (&operand != &dot.getRhs())
    return {operand,
            floorDiv(extents[2], static_cast<int64_t>(*dot.getBlock())),
            extents[1],
            width,
            1,
            yieldedBy(operand),
            /*nibbles=*/false};
  return {operand, extents[2], extents[1], width, packedUnitOf(dot, isa), operandType(operand), isOfNibbles(dot)};
}

/// Builds the body of a packer: of every matrix, foreach (panel, k, column) packed[..] = element(k, panel * width +
/// column), or 0. Of nibbles k counts bytes.
class PackerBuilder {
public:
  PackerBuilder(FuncOp func, const Panels &panels)
      : func(func), panels(panels), operand(panels.operand), dims(gridOf(func, operand)), width(panels.width),
        unit(panels.unit), loc(UnknownLoc::get(func.getContext())) {}

  void build(OpBuilder &b, mlir::Block &body) {
    const graph::Exprs outer = gridExtents(func, dims);
    graph::Exprs all = outer;
    const Expr words = panels.words(), count = ceilDiv(panels.columns, width);
    all.append({count, words * unit, Expr(width)});
    auto loop = ForeachOp::create(b, loc, graph::exprArray(b.getContext(), all));
    b.createBlock(&loop.getBody(), {}, SmallVector<Type>(all.size(), b.getIndexType()),
                  SmallVector<Location>(all.size(), loc));
    point = loop.getBody().getArguments();
    const auto variable = [](size_t i) { return Expr::symbol("x" + std::to_string(i)); };
    Expr matrix = 0, p = variable(dims.size()), k = variable(dims.size() + 1), j = variable(dims.size() + 2);
    column = p * width + j;
    places[operand.getArgument(1)] = column;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      matrix = matrix * outer[i] + variable(i);
      places[func.getPoint()[dim]] = variable(i);
    }
    for (auto [source, view] : llvm::zip(sourcesOf(operand), body.getArguments()))
      map.map(source, view);
    const Value target = body.getArguments().back();
    const Type stored = cast<ViewType>(target.getType()).getElement();
    Value value = panels.nibbles ? twoElements(b, k) : element(b, k);
    if (stored != value.getType())
      value = CastOp::create(b, loc, stored, value);
    const Expr panel = matrix * count + p;
    const Expr at = ((panel * words + floorDiv(k, unit)) * width + j) * unit + mod(k, unit);
    StoreOp::create(b, loc, value, target, at, b.getArrayAttr({}), point);
  }

private:
  static Value zeroOf(OpBuilder &b, Location loc, Type type) {
    return kernel::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  }

  /// Those of a byte.
  Value twoElements(OpBuilder &b, const Expr &byte) {
    const auto binary = [&](graph::BinaryKind kind, Value lhs, Value rhs) {
      return BinaryOp::create(b, loc, lhs.getType(), kind, lhs, rhs).getResult();
    };
    const Expr first = floorDiv(byte, unit) * (2 * unit) + mod(byte, unit);
    Value low = element(b, first), high = element(b, first + unit);
    Value upper = kernel::ConstantOp::create(b, loc, b.getIntegerAttr(high.getType(), kNibbles));
    return binary(graph::BinaryKind::Add, low, binary(graph::BinaryKind::Mul, high, upper));
  }

  /// What the operand's region yields at row k of the column; 0 outside of the matrix.
  Value element(OpBuilder &b, const Expr &k) {
    places[operand.getArgument(0)] = k;
    inside = {panels.columns - column - 1};
    if (unit != 1)
      inside.push_back(panels.depth - k - 1);
    mlir::Block &block = operand.front();
    for (Operation &op : block.without_terminator())
      move(b, op);
    const Value value = map.lookup(block.getTerminator()->getOperand(0));
    if (plainOperand(operand)) // whose mask has done it
      return value;
    auto isInside = InRangeOp::create(b, loc, b.getI1Type(), graph::exprArray(b.getContext(), inside), point);
    return SelectOp::create(b, loc, value.getType(), isInside, value, zeroOf(b, loc, value.getType()));
  }

  void move(OpBuilder &b, Operation &op) {
    Operation *copy = b.clone(op, map);
    copy->setLoc(loc);
    auto at = dyn_cast<PositionInterface>(copy);
    if (!at)
      return;
    std::map<std::string, Expr> source;
    for (auto [i, index] : llvm::enumerate(OperandRange(cast<PositionInterface>(op).getIndicesMutable())))
      source["x" + std::to_string(i)] = places.at(index);
    mapExprs(copy, [&](const Expr &e) { return e.substitute(source); });
    at.getIndicesMutable().assign(point);
    if (auto moved = dyn_cast<LoadOp>(copy))
      guard(b, moved);
  }

  /// Nothing is read outside of the matrix.
  void guard(OpBuilder &b, LoadOp load) {
    graph::Exprs mask = exprsOf(load.getMask());
    mask.append(inside);
    load.setMaskAttr(graph::exprArray(b.getContext(), mask));
    if (load.getOther())
      return;
    OpBuilder::InsertionGuard saved(b);
    b.setInsertionPoint(load);
    load.getOtherMutable().assign(zeroOf(b, loc, load.getType()));
  }

  FuncOp func;
  const Panels &panels;
  Region &operand;
  const SmallVector<unsigned> dims;
  const int64_t width, unit;
  const Location loc;
  Expr column;
  IRMapping map;
  ValueRange point;
  graph::Exprs inside;
  llvm::DenseMap<Value, Expr> places; ///< of the operand's indices, in the packer's loops
};

} // namespace

/// The operand becomes a load of its first parameter. Elements lie at positions of their own; that of the load only
/// says which of them it is.
static void readPacked(FuncOp func, const Panels &panels, ArrayRef<BlockArgument> sources) {
  Region &operand = panels.operand;
  if (plainOperand(operand))
    return;
  const Location loc = operand.getLoc();
  const graph::Exprs grid = exprsOf(func.getGrid());
  const Type element = yieldedBy(operand);
  const SmallVector<unsigned> dims = gridOf(func, operand);
  mlir::Block &block = operand.front();
  SmallVector<Value> indices;
  Expr position = 0;
  const auto add = [&](Value index, const Expr &extent) {
    position = position * extent + Expr::symbol("x" + std::to_string(indices.size()));
    indices.push_back(index);
  };
  for (unsigned dim : dims)
    add(func.getPoint()[dim], grid[dim]);
  add(block.getArgument(0), panels.depth);
  add(block.getArgument(1), panels.columns);
  while (!block.empty()) // readers before what they read
    block.back().erase();
  BlockArgument parameter = sources.front();
  parameter.setType(ViewType::get(func.getContext(), element, Access::Read));
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  const Value value =
      LoadOp::create(b, loc, element, parameter, position, b.getArrayAttr({}), indices, /*other=*/Value());
  YieldOp::create(b, loc, value);
}

OwningOpRef<FuncOp> packOperand(FuncOp func, Region &operand, StringRef name, const CpuArchitecture &isa) {
  const Panels panels = panelsOf(dotOf(func), operand, isa);
  const SmallVector<BlockArgument> sources = sourcesOf(operand);
  MLIRContext *context = func.getContext();
  OpBuilder b(context);
  auto packer = FuncOp::create(b, UnknownLoc::get(context), name, graph::KernelKind::Pack, b.getArrayAttr({}),
                               func.getScalars(), /*schedule=*/nullptr, /*packed=*/nullptr);
  mlir::Block &body = packer.getBody().emplaceBlock();
  SmallVector<unsigned> others;
  for (BlockArgument source : sources) {
    body.addArgument(ViewType::get(context, cast<ViewType>(source.getType()).getElement(), Access::Read),
                     packer.getLoc());
    if (source != sources.front())
      others.push_back(source.getArgNumber());
  }
  body.addArgument(ViewType::get(context, panels.stored, Access::Write), packer.getLoc());
  b.setInsertionPointToStart(&body);
  PackerBuilder(func, panels).build(b, body);

  const Expr matrices = graph::product(gridExtents(func, gridOf(func, operand)));
  const Expr bytes = matrices * ceilDiv(panels.columns, panels.width) * panels.words() *
                     (panels.width * panels.unit * graph::byteSize(panels.stored));
  readPacked(func, panels, sources);
  SmallVector<Attribute> packed;
  llvm::append_range(packed, func.getPackedOperands());
  packed.push_back(PackedAttr::get(context, sources.front().getArgNumber(), others,
                                   graph::ExprAttr::get(context, bytes), FlatSymbolRefAttr::get(context, name),
                                   panels.nibbles));
  func.setPackedAttr(b.getArrayAttr(packed));
  return packer;
}

} // namespace cupola::cpu
