//===- lib/Target/CUDA/TurnWeights.cpp - weights along the depth ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Variables.h"
#include "lib/Target/CUDA/Constants.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_TURNWEIGHTS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Lanes of a warp read a vector of 16 bytes each; shorter columns leave some of them idle, and smaller matrices stay
/// in caches.
constexpr int64_t vectorBytes = 16, leastBytes = 64 * 1024;
/// Each row is read again for every few columns: on an H100 two columns of eight rows took 30 us where 32 columns
/// took 21. Other products of few rows are for the matrix units if they are as deep as that (fewRowsCost).
constexpr int64_t mostRows = 2, leastDepth = 512;

/// What a right operand reads: its element (k, n) at stride * k + n + offset of a parameter.
struct Weights {
  LoadOp load;
  int64_t depth, columns, stride, offset;

  BlockArgument view() { return cast<BlockArgument>(load.getView()); }
  Type type() { return load.getType(); }
  int64_t bytes() { return depth * columns * graph::byteSize(type()); }
  int64_t bytesOfColumn() { return depth * graph::byteSize(type()); }
  /// A lane reads a vector of a column.
  bool areLong() {
    return bytesOfColumn() % vectorBytes == 0 && bytesOfColumn() >= 32 * vectorBytes && bytes() >= leastBytes;
  }
  /// Turned they suit so many rows; none: it is not known how many there are.
  bool areWanted(std::optional<int64_t> rows) {
    if (rows && *rows <= mostRows)
      return areLong();
    return beginAnywhere() && (!rows || *rows > cuda::fewRows || depth >= leastDepth);
  }
  /// Rows of numbers of 16 bits have no vectors, which those of the turned ones do: nothing else copies tiles of them.
  bool beginAnywhere() {
    return graph::byteSize(type()) == 2 && bytesOfColumn() % vectorBytes == 0 &&
           (2 * stride % vectorBytes != 0 || 2 * offset % vectorBytes != 0);
  }
};

std::optional<Weights> weightsOf(DotOp dot, Variables &vars) {
  const graph::Exprs extents = graph::exprsOf(dot.getExtents());
  const std::optional<int64_t> rows = extents[0].constant(), columns = extents[1].constant(),
                               depth = extents[2].constant();
  Block &rhs = dot.getRhs().front();
  auto load = rhs.getTerminator()->getOperand(0).getDefiningOp<LoadOp>();
  if (!columns || !depth || !load || load->getBlock() != &rhs || !load.getMask().empty() ||
      !llvm::hasSingleElement(rhs.without_terminator()))
    return std::nullopt;
  const Expr position = vars.read(load.getPosition(), load.getIndices());
  const std::string k = vars.name(rhs.getArgument(0)), n = vars.name(rhs.getArgument(1));
  const auto ofDepth = position.coefficient(k), ofColumn = position.coefficient(n);
  const auto stride = ofDepth ? ofDepth->constant() : std::nullopt;
  if (!stride || !ofColumn || !ofColumn->isConstant(1))
    return std::nullopt;
  const auto offset = simplify(position - Expr::symbol(k) * *stride - Expr::symbol(n), vars.ranges()).constant();
  if (!offset)
    return std::nullopt;
  Weights weights{load, *depth, *columns, *stride, *offset};
  return weights.areWanted(rows) && weights.view().hasOneUse() ? std::optional(weights) : std::nullopt;
}

class Turner {
public:
  explicit Turner(ModuleOp module) : module(module), constants(cuda::constantParameters(module)) {}

  void run() {
    for (auto func : llvm::to_vector(module.getOps<FuncOp>()))
      if (const auto found = constants.find(func.getSymName()); found != constants.end())
        turn(func, found->second);
  }

private:
  /// The weights of all products of a kernel, or of none: one schedule does them all.
  void turn(FuncOp func, ArrayRef<int64_t> constant) {
    Variables vars(func);
    SmallVector<Weights> all;
    for (DotOp dot : func.getBody().getOps<DotOp>()) {
      std::optional<Weights> weights = weightsOf(dot, vars);
      if (!weights || !dot.getTile().getType().getElement().isF32() ||
          !llvm::is_contained(constant, weights->view().getArgNumber()) ||
          func.isPacked(weights->view().getArgNumber()))
        return;
      all.push_back(*weights);
    }
    SmallVector<Attribute> packed = llvm::to_vector_of<Attribute>(func.getPackedOperands());
    for (Weights &weights : all) {
      packed.push_back(PackedAttr::get(func.getContext(), weights.view().getArgNumber(), /*others=*/{},
                                       graph::ExprAttr::get(func.getContext(), weights.bytes()), packerOf(weights),
                                       /*nibbles=*/false));
      readTurned(weights);
    }
    if (!all.empty())
      func.setPackedAttr(ArrayAttr::get(func.getContext(), packed));
  }

  /// element (k, n) at depth * n + k
  static void readTurned(Weights &weights) {
    weights.load.setPosition(Expr::symbol("x0") + Expr::symbol("x1") * weights.depth);
    weights.load.getIndicesMutable().assign(weights.load->getBlock()->getArguments());
  }

  /// One for all weights of the same extents.
  FlatSymbolRefAttr packerOf(Weights &weights) {
    const auto key =
        std::tuple(weights.type().getAsOpaquePointer(), weights.depth, weights.columns, weights.stride, weights.offset);
    auto [found, isNew] = packers.try_emplace(key, nullptr);
    if (isNew)
      found->second = FlatSymbolRefAttr::get(makePacker(weights).getSymNameAttr());
    return found->second;
  }

  /// foreach (n, k) out[depth * n + k] = in[stride * k + n + offset]
  FuncOp makePacker(Weights &weights) {
    MLIRContext *context = module.getContext();
    const Location loc = UnknownLoc::get(context);
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto packer = FuncOp::create(b, loc, "turn" + std::to_string(packers.size() - 1), graph::KernelKind::Pack,
                                 b.getArrayAttr({}), b.getArrayAttr({}), /*schedule=*/nullptr, /*packed=*/nullptr);
    Block &body = packer.getBody().emplaceBlock();
    const Value source = body.addArgument(ViewType::get(context, weights.type(), Access::Read), loc),
                target = body.addArgument(ViewType::get(context, weights.type(), Access::Write), loc);
    b.setInsertionPointToStart(&body);
    auto loop = ForeachOp::create(b, loc, graph::exprArray(context, {Expr(weights.columns), Expr(weights.depth)}));
    b.createBlock(&loop.getBody(), {}, SmallVector<Type>(2, b.getIndexType()), {loc, loc});
    const ValueRange point = loop.getBody().getArguments();
    const Expr n = Expr::symbol("x0"), k = Expr::symbol("x1");
    const Value value = LoadOp::create(b, loc, weights.type(), source, k * weights.stride + n + weights.offset,
                                       b.getArrayAttr({}), point, /*other=*/Value());
    StoreOp::create(b, loc, value, target, n * weights.depth + k, b.getArrayAttr({}), point);
    return packer;
  }

  ModuleOp module;
  const std::map<StringRef, SmallVector<int64_t>> constants;
  std::map<std::tuple<const void *, int64_t, int64_t, int64_t, int64_t>, FlatSymbolRefAttr> packers;
};

struct TurnWeights : cuda::impl::TurnWeightsBase<TurnWeights> {
  void runOnOperation() override { Turner(getOperation()).run(); }
};

} // namespace
