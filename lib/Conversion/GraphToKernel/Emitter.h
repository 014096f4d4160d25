//===- lib/Conversion/GraphToKernel/Emitter.h - inlining of a fusion on demand ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A schedule makes loops; the emitter computes, inside a loop, the element of any
// value of the fusion at any index. Views compose into positions, pointwise ops become
// scalars, block arguments become loads. Everything is memoised per region.
//
// Half precision is stored in 16 bits and computed in f32: an emitted scalar has the
// compute type of its tensor's element type.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_EMITTER_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_EMITTER_H

#include "dialects/Graph/Placement.h"
#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/MapVector.h"

#include <functional>

namespace cupola {

class Emitter {
public:
  using Index = llvm::ArrayRef<Expr>;

  /// Creates an empty kernel.func for `fusion` at `builder`.
  Emitter(graph::FusionOp fusion, mlir::OpBuilder &builder, llvm::StringRef name, graph::KernelKind kind);

  kernel::FuncOp func() const { return kernelFunc; }
  graph::FusionOp fusion() const { return theFusion; }
  mlir::Location loc() { return theFusion.getLoc(); }
  mlir::OpBuilder &builder() { return b; }
  const Ranges &ranges() const { return known; }
  /// What n0, n1, .. are: symbols of the model, and numbers.
  llvm::ArrayRef<Expr> scalars() const { return scalarValues; }

  //===--- Iteration ---===//

  /// Adds a grid dimension and returns its variable; 0 for an extent of 1.
  Expr addGrid(const Expr &extent);
  /// Writes the grid collected so far to the function.
  void finishGrid();

  /// Variables for loops over `extents`; they become values when a region binds them.
  struct Loop {
    graph::Exprs index; ///< one per extent; 0 where the extent is 1
    graph::Exprs vars;  ///< the variables among them
    graph::Exprs kept;  ///< the extents that are not 1
    mlir::ArrayAttr extents;
  };
  /// `keepOnes`: extents of 1 get a variable, too (m, n and k of a contraction).
  Loop makeLoop(Index extents, bool keepOnes = false);

  /// Loops whose bodies `body` fills; it runs with the builder inside.
  void foreach (const Loop &loop, llvm::function_ref<void()> body);
  /// One tile per scalar that `body` returns.
  llvm::SmallVector<mlir::Value> map(const Loop &loop, llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);
  /// What `body` returns, combined by each of the kinds.
  llvm::SmallVector<mlir::Value> reduce(const Loop &loop, llvm::ArrayRef<graph::ReduceKind> kinds,
                                        llvm::function_ref<mlir::Value()> body);
  mlir::Value reduce(const Loop &loop, graph::ReduceKind kind, llvm::function_ref<mlir::Value()> body);
  /// A loop of ordered steps: `body` gets the step and what is carried to it and returns what goes on to the next;
  /// `meet` gets what comes of steps and of those behind them and returns what comes of both.
  llvm::SmallVector<mlir::Value>
  steps(const Expr &count, mlir::ValueRange inits,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(const Expr &step, mlir::ValueRange carried)> body,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange before, mlir::ValueRange behind)> meet);
  /// The same of steps that follow each other only; the step is the value of the symbol `index`, where that is not
  /// empty.
  llvm::SmallVector<mlir::Value>
  steps(const Expr &count, const std::string &index, mlir::ValueRange inits,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(const Expr &step, mlir::ValueRange carried)> body);
  /// The contraction over m, n and k of `mnk`, all of which have variables, in a tile of `element`, added to `init` if
  /// there is one; `lhs` and `rhs` return its operands at (m, k) and (k, n).
  mlir::Value dot(const Loop &mnk, mlir::Type element, mlir::Value init, llvm::function_ref<mlir::Value()> lhs,
                  llvm::function_ref<mlir::Value()> rhs);
  /// Runs `body` with the builder in `region`, whose block it creates with an argument for each of `vars`.
  void inRegion(mlir::Region &region, Index vars, llvm::function_ref<void()> body);

  //===--- Elements ---===//

  /// The element of `value` at `index`, in the compute type.
  mlir::Value emit(mlir::Value value, Index index);
  /// The same in the element type: what a contraction multiplies.
  mlir::Value emitStored(mlir::Value value, Index index) {
    return convert(emit(value, index), graph::elementOf(value));
  }
  /// The same where all conditions are >= 0, elsewhere 0.
  mlir::Value emitStoredInside(mlir::Value value, Index index, Index conditions);
  /// The element of a tile made by a loop over the same space as `loop`.
  mlir::Value extract(mlir::Value tile, const Loop &loop) { return extract(tile, loop.vars); }
  mlir::Value extract(mlir::Value tile, Index point);

  /// From here on (in this region) the hero's element at `index` is `scalar`.
  void setHero(mlir::Value heroResult, Index index, mlir::Value scalar) { setHeroes(heroResult, index, scalar); }
  /// The same of several heroes at once.
  void setHeroes(mlir::ValueRange results, Index index, mlir::ValueRange scalars);
  /// Before a product reads `operand` at this batch: an index that chooses a matrix of it is read once for all of that.
  void chooseMatrices(mlir::Value operand, Index batch);
  /// From here on elements of `value` are what `element` gives.
  void setElements(mlir::Value value, std::function<mlir::Value(Index)> element) { elements[value] = element; }
  /// The hero's element taken on to `value`, which is computed from it; what else it reads is read where all
  /// conditions are >= 0.
  mlir::Value emitAfterHero(mlir::Value value, Index conditions);
  /// Computes everything after the hero and stores those of the fusion's results.
  void storeResults();
  /// Stores the element of result `i` at `index` where all conditions are >= 0.
  void store(unsigned i, Index index, mlir::Value scalar, Index conditions = {});
  /// Whether `operand` is a result of the fusion, or views of one.
  bool isViewOfResult(mlir::Value operand);
  /// Stores the element of `operand` at `index` in the result that the operand is views of, once for all elements that
  /// repeat it.
  void storeOrigin(mlir::Value operand, Index index);

  //===--- Scalars ---===//

  mlir::Value constant(mlir::Type type, double value);
  mlir::Value unary(graph::UnaryKind kind, mlir::Value input, bool coarse = false);
  mlir::Value binary(graph::BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  /// `inside` where all conditions are >= 0.
  mlir::Value selectInside(Index conditions, mlir::Value inside, mlir::Value outside);
  mlir::Value convert(mlir::Value scalar, mlir::Type type);
  /// The value of an expression, as `type`.
  mlir::Value indexValue(const Expr &expr, mlir::Type type);

private:
  using Key = std::pair<void *, std::string>;

  mlir::Value beforeWidening(mlir::Value scalar, mlir::Type type);

  kernel::ForOp createSteps(const Expr &count, const std::string &name, mlir::ValueRange inits,
                            llvm::function_ref<llvm::SmallVector<mlir::Value>(const Expr &, mlir::ValueRange)> body);
  void declareScalars();
  /// The model's constant `value` as a scalar of the launch.
  void declareConstant(const std::string &symbol, int64_t value, Range range, int64_t divisor);
  /// Where a result lies in a tensor of many parts.
  void declareBegin(unsigned result);
  /// Where slices begin that are among many of one tensor.
  void declareSliceBegins();
  void declareSliceBegin(graph::SliceOp slice, bool alone);
  static std::string beginOf(unsigned result) { return "begin" + std::to_string(result); }
  void createFunc(llvm::StringRef name, graph::KernelKind kind);
  mlir::Value emitUncached(mlir::Value value, Index index);
  mlir::Value emitLoad(mlir::BlockArgument argument, Index index);
  /// The element at a row-major position of the argument's memory.
  mlir::Value emitLoadAt(mlir::BlockArgument argument, const Expr &position);
  mlir::Value emitConstant(graph::ConstantOp op);
  mlir::BlockArgument inputOf(mlir::Value value);
  bool readsAs(graph::BitcastOp bits);
  mlir::Value emitPointwise(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value emitView(mlir::Operation *op, Index index);
  mlir::Value emitPad(graph::PadOp op, Index index);
  mlir::Value emitConcat(graph::ConcatOp op, Index index);
  /// Whether all conditions are >= 0.
  mlir::Value inRange(Index conditions);
  mlir::Value emitMasked(mlir::Value value, const graph::OperandIndex &at);
  mlir::Value emitDims(graph::DimsOp op, Index index);
  mlir::Value emitGather(mlir::Operation *op, Index index);
  mlir::Value emitGatherND(graph::GatherNDOp op, Index index);
  /// A variable for the element of `indices`, checked against `extent`.
  Expr emitIndirect(mlir::Value indices, Index index, const Expr &extent, bool isInRange = false);
  mlir::Value emitChain(mlir::Value value);

  /// An expression of the launch's constants, over n0, n1, ..
  Expr inKernel(const Expr &expr) const { return expr.substitute(toKernel); }
  /// Expressions as an op takes them: in place, over n0, .. and x0, .. ; the values of these.
  llvm::SmallVector<mlir::Value> operandsOf(llvm::MutableArrayRef<Expr> exprs) const;
  void bind(const Expr &variable, mlir::Value value);

  graph::FusionOp theFusion;
  mlir::OpBuilder &b;
  kernel::FuncOp kernelFunc;
  Ranges known;
  std::map<std::string, int64_t> divisors; ///< of symbols
  std::vector<std::string> scalarSymbols;  ///< of n0, n1, .. as expressions here name them
  graph::Exprs scalarValues;
  std::map<std::string, Expr> toKernel; ///< model symbol -> n_i
  /// Per slice and axis: what its begin as a scalar is above its begin as a constant.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::pair<unsigned, Expr>, 1>> sliceBegins;
  graph::Exprs gridExtents;
  unsigned loopVariables = 0, indirectVariables = 0;

  /// Points of the grid, of loops, and checked indices: their values, in the order of the first binding.
  std::map<std::string, kernel::Variable> variables;
  graph::Exprs mask; ///< every load happens where these are >= 0
  std::map<Key, mlir::Value> memo;
  std::map<Key, Expr> chosen;                                              ///< indices that chooseMatrices has read
  llvm::MapVector<mlir::Value, graph::Exprs> forward;                      ///< values after the hero: their index
  llvm::DenseMap<mlir::Value, mlir::Value> chain;                          ///< and their scalar
  llvm::DenseMap<mlir::Value, std::function<mlir::Value(Index)>> elements; ///< of heroes before the last
};

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_EMITTER_H
