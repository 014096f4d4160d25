//===- lib/Target/CUDA/LowerGemm.cpp - a product by tiles in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_LOWERGEMM
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

Expr var(StringRef name) { return Expr::symbol(name.str()); }

/// One operand's way to shared memory. There it lies as [k][outer], outer being m or n.
struct Operand {
  Block *body;
  std::string outerVar, kVar;
  Expr outerExtent, outerBase; ///< the matrix's extent, the block's first row or column
  int64_t outer, k;             ///< extents of the tile
  bool alongK = false;         ///< neighbouring threads take neighbouring k
  int64_t width = 1, count = 0; ///< of the vectors a thread moves, and how many
  int64_t pitch = 0;           ///< between rows of shared memory
  Value registers = {}, smem = {};
};

class Gemm {
public:
  explicit Gemm(FuncOp func) : low(func), params(func.getParams()) {}

  LogicalResult run() {
    for (Operation &op : low.source())
      if (auto candidate = dyn_cast<DotOp>(op))
        dot = candidate;
    extents = graph::exprsOf(dot.getExtents());
    Expr tilesM = ceilDiv(extents[0], tileM), tilesN = ceilDiv(extents[1], tileN);
    Expr blocks = graph::product(low.grid()) * tilesM * tilesN;
    low.launch(threads, blocks);
    return low.guardBlocks(blocks, [&]() -> LogicalResult {
      Expr b = var("b");
      low.let("tn", mod(b, tilesN), tilesN);
      low.let("tm", mod(floorDiv(b, tilesN), tilesM), tilesM);
      low.letGrid(floorDiv(b, tilesN * tilesM));
      low.let("tx", mod(var("t"), tileN / threadN), tileN / threadN);
      low.let("ty", floorDiv(var("t"), tileN / threadN), tileM / threadM);
      return body();
    });
  }

private:
  int64_t number(StringRef name) { return params.getAs<IntegerAttr>(name).getInt(); }

  LogicalResult body() {
    for (Operation &op : low.source()) {
      if (&op == dot.getOperation()) {
        if (failed(product()))
          return failure();
      } else if (auto each = dyn_cast<ForeachOp>(op)) {
        if (failed(epilogue(each)))
          return failure();
      } else if (failed(low.clone(op))) {
        return failure();
      }
    }
    return success();
  }

  LogicalResult product() {
    SmallVector<std::string> vars = cuda::names(dot.getVars());
    Operand a{&dot.getLhs().front(), vars[0], vars[2], extents[0], var("tm") * tileM, tileM, tileK};
    Operand b{&dot.getRhs().front(), vars[1], vars[2], extents[1], var("tn") * tileN, tileN, tileK};
    Type f32 = low.builder.getF32Type();
    acc = low.registers({threadM, threadN}, f32, 1, /*zero=*/true);
    for (Operand *operand : {&a, &b})
      plan(*operand);
    auto loop = TileLoopOp::create(low.builder, low.func.getLoc(), "kt",
                                   ceilDiv(extents[2], tileK).text(), "s", stages,
                                   /*async=*/false);
    OpBuilder::InsertionGuard saved(low.builder);
    low.builder.setInsertionPointToEnd(&loop.getFetch().emplaceBlock());
    if (failed(fetch(a)) || failed(fetch(b)))
      return failure();
    low.builder.setInsertionPointToEnd(&loop.getStore().emplaceBlock());
    store(a);
    store(b);
    low.builder.setInsertionPointToEnd(&loop.getCompute().emplaceBlock());
    return compute(a, b);
  }

  /// Along which axis threads follow the operand in memory, and by what vectors.
  void plan(Operand &op) {
    auto direction = [&](const std::string &along, const Expr &extent, int64_t tile) -> int64_t {
      for (auto load : op.body->getOps<LoadOp>()) {
        std::optional<Expr> stride = graph::exprOf(load.getPosition()).coefficient(along);
        if (!stride || !stride->isConstant(1))
          continue;
        int64_t width = cuda::vectorWidth({{op.body, along}}, extent, low.divisors);
        width = std::min<int64_t>(width, 4);
        while (width > 1 && op.outer * op.k % (threads * width) != 0)
          width /= 2;
        return width;
      }
      return 0;
    };
    int64_t outerWidth = direction(op.outerVar, op.outerExtent, op.outer);
    int64_t kWidth = direction(op.kVar, extents[2], op.k);
    op.alongK = kWidth > outerWidth || outerWidth == 0;
    op.width = std::max<int64_t>(op.alongK ? kWidth : outerWidth, 1);
    op.count = op.outer * op.k / (threads * op.width);
    op.pitch = op.outer + 4;
    Type element = op.body->getTerminator()->getOperand(0).getType();
    SmallVector<int64_t> shape = {op.count};
    if (op.width > 1)
      shape.push_back(op.width);
    op.registers = low.registers(shape, element);
    op.smem = low.smem(stages * op.k * op.pitch, low.builder.getF32Type());
  }

  /// Where vector i of this thread lies in the tile: its first outer and k.
  std::pair<Expr, Expr> place(const Operand &op) {
    Expr flat = var("i") * threads + var("t");
    int64_t minor = (op.alongK ? op.k : op.outer) / op.width;
    Expr inner = mod(flat, minor) * op.width, major = floorDiv(flat, minor);
    return op.alongK ? std::pair(major, inner) : std::pair(inner, major);
  }

  /// Tile `kt` into registers; zeros beyond the matrix.
  LogicalResult fetch(Operand &op) {
    Type element = llvm::cast<RegistersType>(op.registers.getType()).getElement();
    return low.loop("i", 0, op.count, 1, /*unroll=*/true, [&]() -> LogicalResult {
      auto [outer, k] = place(op);
      Expr atOuter = op.outerBase + outer, atK = var("kt") * tileK + k;
      SmallVector<Expr> inside = {op.outerExtent - 1 - atOuter, extents[2] - 1 - atK};
      auto clear = [&] { return forElements(op, [&](ArrayRef<Expr> index) {
        low.set(low.constant(element, 0), op.registers, index); }); };
      if (!alwaysInside(inside) && failed(clear()))
        return failure();
      return low.guard(inside, [&] {
        low.let(op.alongK ? op.outerVar : op.kVar, op.alongK ? atOuter : atK,
                op.alongK ? op.outerExtent : extents[2]);
        return low.cloneVector(*op.body, op.alongK ? op.kVar : op.outerVar,
                               op.alongK ? atK : atOuter, op.alongK ? extents[2] : op.outerExtent,
                               op.width, [&](ValueRange value) {
                                 low.set(value[0], op.registers, index(op));
                               });
      });
    });
  }

  bool alwaysInside(ArrayRef<Expr> conditions) {
    return llvm::all_of(conditions, [&](const Expr &condition) {
      return proveLessEqual(0, condition, low.rangesHere()) == true;
    });
  }

  graph::Exprs index(const Operand &op) {
    graph::Exprs index = {var("i")};
    if (op.width > 1)
      index.push_back(var("e"));
    return index;
  }

  LogicalResult forElements(const Operand &op, llvm::function_ref<void(ArrayRef<Expr>)> body) {
    if (op.width == 1)
      return body(index(op)), success();
    return low.loop("e", 0, op.width, 1, /*unroll=*/true, [&]() -> LogicalResult {
      body(index(op));
      return success();
    });
  }

  /// Registers to buffer `s` of shared memory.
  void store(Operand &op) {
    Location loc = low.func.getLoc();
    (void)low.loop("i", 0, op.count, 1, /*unroll=*/true, [&] {
      return forElements(op, [&](ArrayRef<Expr> index) {
        auto [outer, k] = place(op);
        Expr e = op.width > 1 ? var("e") : Expr(0);
        Expr at = var("s") * (op.k * op.pitch) + (op.alongK ? k + e : k) * op.pitch +
                  (op.alongK ? outer : outer + e);
        Value value = low.cast(low.get(op.registers, index), low.builder.getF32Type());
        StoreSharedOp::create(low.builder, loc, value, op.smem, at.text());
      });
    });
  }

  LogicalResult compute(const Operand &a, const Operand &b) {
    Location loc = low.func.getLoc();
    return low.loop("k", 0, tileK, 1, /*unroll=*/true, [&]() -> LogicalResult {
      SmallVector<Value> fragments;
      for (const Operand *op : {&a, &b}) {
        bool isA = op == &a;
        int64_t mine = isA ? threadM : threadN;
        Expr at = var("s") * (op->k * op->pitch) + var("k") * op->pitch + (isA ? var("ty") : var("tx")) * 4;
        Value fragment = low.registers({mine}, low.builder.getF32Type());
        LoadFragmentOp::create(low.builder, loc, op->smem, at.text(), 4,
                               (isA ? tileM / threadM : tileN / threadN) * 4, fragment);
        fragments.push_back(fragment);
      }
      FmaTileOp::create(low.builder, loc, acc, fragments[0], fragments[1]);
      return success();
    });
  }

  /// The loop over [m, n] after the product: every thread runs it on its accumulators.
  LogicalResult epilogue(ForeachOp each) {
    if (each.getExtents() != low.builder.getArrayAttr(dot.getExtents().getValue().drop_back()))
      return each.emitOpError("follows a product over other extents than its own");
    SmallVector<std::string> vars = cuda::names(each.getVars());
    Block &body = each.getBody().front();
    int64_t width = std::min<int64_t>(
        cuda::vectorWidth({{&body, vars[1]}}, extents[1], low.divisors), 4);
    graph::Exprs column = {var("i"), var("j") * 4};
    if (width < 4)
      column[1] += var("c") * width;
    if (width > 1)
      column[1] += var("e");
    low.tiles[dot.getTile()] = {acc, column};
    low.enter(each.getVars(), each.getExtents());
    Expr m = var("tm") * tileM + var("ty") * 4 + mod(var("i"), 4) +
             floorDiv(var("i"), 4) * (4 * tileM / threadM);
    Expr n = var("tn") * tileN + var("tx") * 4 + var("j") * (4 * tileN / threadN);
    auto vector = [&](const Expr &first) {
      return low.guard({extents[1] - 1 - first}, [&] {
        return low.cloneVector(body, vars[1], first, extents[1], width, [](ValueRange) {});
      });
    };
    return low.loop("i", 0, threadM, 1, /*unroll=*/true, [&] {
      return low.guard({extents[0] - 1 - m}, [&] {
        low.let(vars[0], m, extents[0]);
        return low.loop("j", 0, threadN / 4, 1, /*unroll=*/true, [&]() -> LogicalResult {
          if (width == 4)
            return vector(n);
          return low.loop("c", 0, 4 / width, 1, /*unroll=*/true,
                          [&] { return vector(n + var("c") * width); });
        });
      });
    });
  }

  static constexpr int64_t stages = 2;
  cuda::Lowering low;
  DictionaryAttr params;
  DotOp dot;
  graph::Exprs extents;
  Value acc;
  int64_t tileM = number("tile_m"), tileN = number("tile_n"), tileK = number("tile_k");
  int64_t threadM = number("thread_m"), threadN = number("thread_n");
  int64_t threads = tileM / threadM * (tileN / threadN);
};

struct LowerGemm : cuda::impl::LowerGemmBase<LowerGemm> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "gemm" && !func->hasAttr("launch"))
      if (failed(Gemm(func).run()))
        signalPassFailure();
  }
};

} // namespace
