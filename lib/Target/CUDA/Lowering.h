//===- lib/Target/CUDA/Lowering.h - from level 1 to level 2, what schedules share ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A schedule decides which thread runs which iterations. It takes a kernel's body
// out, and writes the program of one thread in its place: names for positions,
// loops, guards, registers, and clones of the scalar ops of level 1, whose
// expressions keep their meaning because the names they use are defined again.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_LOWERING_H
#define CUPOLA_LIB_TARGET_CUDA_LOWERING_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/IRMapping.h"

namespace cupola::cuda {

inline Expr symbol(llvm::StringRef name) { return Expr::symbol(name.str()); }
llvm::SmallVector<std::string> names(mlir::ArrayAttr texts);
/// Bytes of an element in memory; a bool takes one.
int64_t byteSize(mlir::Type type);

/// The expressions of an op, without those of ops inside it.
llvm::SmallVector<Expr> expressions(mlir::Operation *op);
bool usesVariable(mlir::Operation *op, llvm::StringRef var);

/// Replaces variables in every expression of `op` and of the ops inside it.
void substitute(mlir::Operation *op, const std::map<std::string, Expr> &values);

/// Where a tile of level 1 lives: in registers at `index`, for the thread that
/// runs the loop whose variables are those the tile was made over.
struct TilePlace {
  mlir::Value registers;
  graph::Exprs index;
  mlir::Value element = {}; ///< what stands there, where it was read before
};

class Lowering {
public:
  using Body = llvm::function_ref<mlir::LogicalResult()>;
  using Yield = llvm::function_ref<void(mlir::ValueRange)>;

  explicit Lowering(kernel::FuncOp func);
  ~Lowering();

  kernel::FuncOp func;
  mlir::OpBuilder builder;
  mlir::IRMapping values;                       ///< level 1 to level 2
  llvm::DenseMap<mlir::Value, TilePlace> tiles; ///< maps kept in registers
  mlir::ArrayAttr space, spaceExtents;          ///< of the loop being distributed
  std::map<std::string, int64_t> divisors;      ///< of n0, n1, ..

  mlir::Block &source() { return *old; }
  graph::Exprs grid() const { return gridExtents; }
  /// Sets the launch; comes first, so that t and b have ranges.
  void launch(int64_t threads, const Expr &blocks);

  void enter(mlir::ArrayAttr vars, mlir::ArrayAttr extents) {
    space = vars;
    spaceExtents = extents;
  }

  // Structure.
  /// What is known of the variables in scope at the insertion point.
  Ranges rangesHere();
  void let(llvm::StringRef name, const Expr &value, const Expr &extent);
  /// Names the coordinates of row-major position `flat`.
  void letCoordinates(llvm::ArrayRef<std::string> vars, llvm::ArrayRef<Expr> extents, const Expr &flat);
  void letGrid(const Expr &flat);
  mlir::LogicalResult loop(llvm::StringRef name, const Expr &from, const Expr &to, const Expr &step, bool unroll,
                           Body body);
  /// Runs the body where all conditions are >= 0; those proved to hold are dropped. A
  /// condition is about t, b and loops: a name of `let` is in its range by definition.
  mlir::LogicalResult guard(llvm::ArrayRef<Expr> conditions, Body body);
  /// Leaves out blocks beyond `blocks`, which only plans with symbols launch.
  mlir::LogicalResult guardBlocks(const Expr &blocks, Body body);

  // Registers, constants.
  mlir::Value registers(llvm::ArrayRef<int64_t> extents, mlir::Type element, int64_t vector = 1, bool zero = false);
  mlir::Value variable(mlir::Value init);
  mlir::Value get(mlir::Value registers, llvm::ArrayRef<Expr> index = {});
  void set(mlir::Value value, mlir::Value registers, llvm::ArrayRef<Expr> index = {});
  mlir::Value constant(mlir::Type type, double number);
  mlir::Value cast(mlir::Value value, mlir::Type type);
  mlir::Value smem(int64_t count, mlir::Type element);

  // Clones of level 1.
  /// The ops of a block but its terminator, one iteration.
  mlir::LogicalResult clone(mlir::Block &block);
  mlir::LogicalResult clone(mlir::Operation &op);
  llvm::SmallVector<mlir::Value> yielded(mlir::Block &block);
  /// Clones what does not depend on the loop variables here, outside of the loop that
  /// the rest of the block will be cloned into.
  mlir::LogicalResult hoistInvariant(mlir::Block &block, llvm::ArrayRef<std::string> vars);
  /// A loop of level 1 run by this thread alone.
  mlir::LogicalResult cloneSerial(mlir::Operation &loop);
  /// `width` iterations of `block`, for `var` = base, base + 1, ..; contiguous
  /// loads and stores become vectors. `yield` gets what each iteration yields; its
  /// position in the vector is the variable "e" (absent if width is 1).
  mlir::LogicalResult cloneVector(mlir::Block &block, llvm::StringRef var, const Expr &base, const Expr &extent,
                                  int64_t width, Yield yield);

private:
  mlir::LogicalResult cloneExtract(kernel::ExtractOp op);
  mlir::LogicalResult cloneReduce(kernel::ReduceOp op);
  mlir::LogicalResult cloneArgReduce(kernel::ArgReduceOp op);
  mlir::LogicalResult loops(mlir::ArrayAttr vars, mlir::ArrayAttr extents, Body body, size_t depth = 0);
  /// The `width` iterations that start at `base`, named var + "v".
  mlir::LogicalResult cloneElements(mlir::Block &block, llvm::StringRef var, const Expr &base, const Expr &extent,
                                    int64_t width, Yield yield);
  mlir::LogicalResult reduceVector(kernel::ReduceOp op, llvm::StringRef var, const Expr &base, const Expr &extent,
                                   int64_t width, mlir::Value &registers);
  /// An expression in `var` for the first element of a vector.
  Expr atBase(const Expr &e, llvm::StringRef var, const Expr &base);
  void cloneShared(kernel::InRangeOp op, llvm::StringRef var, const Expr &base);
  void cloneVectorLoad(kernel::LoadOp op, llvm::StringRef var, const Expr &base, int64_t width, mlir::Value &registers);

  std::unique_ptr<mlir::Block> old;
  llvm::DenseSet<mlir::Operation *> hoisted;
  graph::Exprs gridExtents;
  bool mayHaveSurplus = false; ///< blocks beyond those of the launch are here, too
  mlir::Location loc;
};

/// The accumulator of a reduction: in the result's type, or in a wider one that
/// threads can exchange.
struct Accumulator {
  graph::ReduceKind kind;
  mlir::Type type;       ///< of the result
  mlir::Value registers; ///< a variable
};
Accumulator makeAccumulator(Lowering &lowering, graph::ReduceKind kind, mlir::Type type);
void accumulate(Lowering &lowering, const Accumulator &accumulator, mlir::Value value, llvm::ArrayRef<Expr> index = {});
/// The value a reduction starts with, in the type it accumulates in.
mlir::Value neutralValue(Lowering &lowering, graph::ReduceKind kind, mlir::Type type);

/// The most elements of `var` that every loop of a kernel can handle at once:
/// `blocks` and their innermost variables. At least one access becomes a vector
/// and no store is left behind. 1 if there is no such width.
int64_t vectorWidth(llvm::ArrayRef<std::pair<mlir::Block *, std::string>> blocks, const Expr &extent,
                    const std::map<std::string, int64_t> &divisors);

/// Whether the reductions of a block can be made for several elements of `var` at once: none
/// needs what comes of another.
bool reducesVectors(mlir::Block &block, llvm::StringRef var);

/// Ops of a block that give different values for different values of the variables.
llvm::DenseSet<mlir::Operation *> varyingOps(mlir::Block &block, llvm::ArrayRef<std::string> vars);

/// Whether `width` elements from a multiple of `width` on lie in one aligned vector.
bool isContiguous(const Expr &position, llvm::StringRef var, int64_t width,
                  const std::map<std::string, int64_t> &divisors);
/// Whether the first two elements along `var` are neighbours.
bool stepsByOne(const Expr &position, llvm::StringRef var);
/// Whether a mask is the same for all elements of such a vector.
bool sharesMask(mlir::ArrayAttr mask, llvm::StringRef var, int64_t width,
                const std::map<std::string, int64_t> &divisors);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_LOWERING_H
