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

/// Whether the right operand is one matrix for all of the grid, or one for each point of static dimensions of it, made
/// of parameters that nothing else reads.
static bool isPackable(FuncOp func, DotOp dot) {
  Region &operand = dot.getRhs();
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
  return isa<FloatType>(operand.front().getTerminator()->getOperand(0).getType()) &&
         llvm::any_of(operand.getOps<BinaryOp>(), isMask);
}

std::vector<unsigned> packableOperand(FuncOp func) {
  DotOp dot = dotOf(func);
  Variables vars(func);
  if (!dot || readContraction(vars, func).failed() || !isPackable(func, dot) || isOfFewBits(dot.getRhs()))
    return {};
  std::vector<unsigned> parameters;
  for (BlockArgument source : sourcesOf(dot.getRhs()))
    parameters.push_back(source.getArgNumber());
  return parameters;
}

namespace {

/// What a number of four bits is less.
constexpr int64_t kMiddle = 8;

BinaryOp binaryOf(Value value, graph::BinaryKind kind) {
  auto op = value.getDefiningOp<BinaryOp>();
  return op && op.getKind() == kind ? op : BinaryOp();
}

/// Whether the right operand is (.. & 15) - 8 in blocks of whole bytes.
bool isOfNibbles(DotOp dot) {
  const std::optional<int64_t> depth = exprsOf(dot.getExtents())[2].constant();
  if (!dot.getBlock() || *dot.getBlock() % kNibbleRows != 0 || !depth || *depth % kNibbleRows != 0 ||
      depthUnitOf(dot) != kNibbleRows / 2)
    return false;
  BinaryOp difference = binaryOf(dot.getRhs().front().getTerminator()->getOperand(0), graph::BinaryKind::Sub);
  auto number = difference ? difference.getLhs().getDefiningOp<CastOp>() : CastOp();
  BinaryOp masked = number ? binaryOf(number.getInput(), graph::BinaryKind::BitwiseAnd) : BinaryOp();
  return masked && isInteger(masked.getRhs(), 2 * kMiddle - 1) && isInteger(difference.getRhs(), kMiddle);
}

/// Of a column: `unit` rows of the depth, or as many bytes of two.
Expr wordsOf(const Expr &depth, int64_t unit, bool nibbles) { return ceilDiv(depth, nibbles ? kNibbleRows : unit); }

/// Builds the body of a packer: of every matrix, foreach (panel, k, column) packed[..] = element(k, panel * width +
/// column), or 0; `unit` rows of k lie side by side. `nibbles`: as Contraction::areNibbles, k counts bytes.
class PackerBuilder {
public:
  PackerBuilder(FuncOp func, DotOp dot, int64_t width, int64_t unit, bool nibbles)
      : func(func), operand(dot.getRhs()), extents(exprsOf(dot.getExtents())), dims(gridOf(func, operand)),
        width(width), unit(unit), nibbles(nibbles), loc(UnknownLoc::get(func.getContext())) {}

  void build(OpBuilder &b, mlir::Block &body) {
    const graph::Exprs outer = gridExtents(func, dims);
    graph::Exprs all = outer;
    const Expr words = wordsOf(extents[2], unit, nibbles);
    all.append({ceilDiv(extents[1], width), words * unit, Expr(width)});
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
    Value value = nibbles ? twoElements(b, k) : element(b, k);
    if (stored != value.getType())
      value = CastOp::create(b, loc, stored, value);
    const Expr panel = matrix * ceilDiv(extents[1], width) + p;
    const Expr at = ((panel * words + floorDiv(k, unit)) * width + j) * unit + mod(k, unit);
    StoreOp::create(b, loc, value, target, at, b.getArrayAttr({}), point);
  }

private:
  static Value zeroOf(OpBuilder &b, Location loc, Type type) {
    return kernel::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  }

  /// Those of a byte, each more than it is by `kMiddle`.
  Value twoElements(OpBuilder &b, const Expr &byte) {
    const Type type = b.getIntegerType(8, /*isSigned=*/false);
    const auto number = [&](int64_t value) {
      return kernel::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
    };
    const auto binary = [&](graph::BinaryKind kind, Value lhs, Value rhs) {
      return BinaryOp::create(b, loc, lhs.getType(), kind, lhs, rhs).getResult();
    };
    const auto more = [&](const Expr &k) {
      Value bits = CastOp::create(b, loc, type, element(b, k));
      return binary(graph::BinaryKind::Add, bits, number(kMiddle)); // wraps around where the element is negative
    };
    const Expr first = floorDiv(byte, unit) * (2 * unit) + mod(byte, unit);
    Value low = more(first), high = more(first + unit);
    return binary(graph::BinaryKind::Add, low, binary(graph::BinaryKind::Mul, high, number(2 * kMiddle)));
  }

  /// What the operand's region yields at row k of the column; 0 outside of the matrix.
  Value element(OpBuilder &b, const Expr &k) {
    places[operand.getArgument(0)] = k;
    inside = {extents[1] - column - 1};
    if (unit != 1)
      inside.push_back(extents[2] - k - 1);
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
  Region &operand;
  const graph::Exprs extents;
  const SmallVector<unsigned> dims;
  const int64_t width, unit;
  const bool nibbles;
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
static void readPacked(FuncOp func, DotOp dot, ArrayRef<BlockArgument> sources) {
  Region &operand = dot.getRhs();
  if (plainOperand(operand))
    return;
  const graph::Exprs extents = exprsOf(dot.getExtents()), grid = exprsOf(func.getGrid());
  const Type element = operand.front().getTerminator()->getOperand(0).getType();
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
  add(block.getArgument(0), extents[2]);
  add(block.getArgument(1), extents[1]);
  while (!block.empty()) // readers before what they read
    block.back().erase();
  BlockArgument parameter = sources.front();
  parameter.setType(ViewType::get(func.getContext(), element, Access::Read));
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  const Value value =
      LoadOp::create(b, dot.getLoc(), element, parameter, position, b.getArrayAttr({}), indices, /*other=*/Value());
  YieldOp::create(b, dot.getLoc(), value);
}

OwningOpRef<FuncOp> packOperand(FuncOp func, StringRef name, const CpuArchitecture &isa) {
  DotOp dot = dotOf(func);
  const SmallVector<BlockArgument> sources = sourcesOf(dot.getRhs());
  const graph::Exprs extents = exprsOf(dot.getExtents());
  const int64_t width = panelOf(dot, isa).columns, unit = packedUnitOf(dot, isa);
  const bool nibbles = isOfNibbles(dot);
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
  const Type stored = nibbles ? b.getIntegerType(8, /*isSigned=*/false) : operandType(dot.getRhs());
  body.addArgument(ViewType::get(context, stored, Access::Write), packer.getLoc());
  b.setInsertionPointToStart(&body);
  PackerBuilder(func, dot, width, unit, nibbles).build(b, body);

  const Expr matrices = graph::product(gridExtents(func, gridOf(func, dot.getRhs())));
  const Expr bytes = matrices * ceilDiv(extents[1], width) * wordsOf(extents[2], unit, nibbles) *
                     (width * unit * graph::byteSize(stored));
  readPacked(func, dot, sources);
  SmallVector<Attribute> packed;
  llvm::append_range(packed, func.getPackedOperands());
  packed.push_back(PackedAttr::get(context, sources.front().getArgNumber(), others,
                                   graph::ExprAttr::get(context, bytes), FlatSymbolRefAttr::get(context, name),
                                   nibbles));
  func.setPackedAttr(b.getArrayAttr(packed));
  return packer;
}

} // namespace cupola::cpu
