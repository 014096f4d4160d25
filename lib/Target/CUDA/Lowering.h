//===- lib/Target/CUDA/Lowering.h - from kernel to simt, what schedules share ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A schedule decides which thread runs which iterations. It writes the program of one
// thread beside the kernel: positions, loops, guards, registers, and clones of the scalar
// ops of the kernel, whose index values are bound to those of the thread first.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CUDA_LOWERING_H
#define CUPOLA_LIB_TARGET_CUDA_LOWERING_H

#include "dialects/Simt/Simt.h"
#include "lib/Target/CUDA/Nibbles.h"

#include "mlir/IR/IRMapping.h"

#include <functional>

namespace cupola::cuda {

/// `loc` with a name for sources. No other location has one: names of the model never
/// reach a source.
mlir::Location namedLoc(mlir::Location loc, llvm::StringRef hint);
std::optional<std::string> nameOf(mlir::Location loc);

/// Where a tile of the kernel lives, for the thread that runs the loop over the space that
/// the tile was made over: in registers, at `index` of the iteration's place in its vector.
struct TilePlace {
  mlir::Value registers;
  std::function<graph::Exprs(const Expr &place)> index;
  mlir::Value element = {}; ///< what stands there, where it was read before
};

class Lowering {
public:
  using Body = llvm::function_ref<mlir::LogicalResult()>;
  using LoopBody = llvm::function_ref<mlir::LogicalResult(const Expr &index)>;
  /// What an iteration yields, and its place in the vector (0 where there is none).
  using Yield = llvm::function_ref<void(mlir::ValueRange, const Expr &place)>;

  /// Adds an empty simt.func of the same name before `source`.
  explicit Lowering(kernel::FuncOp source);

  kernel::FuncOp source;
  simt::FuncOp func;
  mlir::OpBuilder builder;
  kernel::Variables vars;                       ///< of both functions
  mlir::IRMapping values;                       ///< of the kernel to those of the thread
  llvm::DenseMap<mlir::Value, TilePlace> tiles; ///< maps kept in registers
  std::map<std::string, int64_t> divisors;      ///< of n0, n1, ..

  mlir::Block &body() { return source.getBody().front(); }
  graph::Exprs grid() { return graph::exprsOf(source.getGrid()); }
  /// The block along an axis of the grid.
  Expr block(size_t axis = 0) { return vars.of(func.getBlockIndices()[axis]); }
  Expr thread() { return vars.of(func.getThreadIndex()); }
  /// Comes first, so that the block and the thread have ranges. `blocks` along one to three axes.
  void launch(int64_t threads, llvm::ArrayRef<Expr> blocks);
  /// The loop that is being distributed: its iterations read their own elements of tiles.
  void enter(mlir::Operation *loop);
  void enter(mlir::ValueRange indices, mlir::ArrayAttr extents);

  // Positions.
  /// Expressions of an op of the kernel, in the thread's variables.
  graph::Exprs read(mlir::ArrayAttr exprs, mlir::ValueRange indices);
  /// The same of an expression in the kernel's variables: those that are bound are replaced.
  Expr here(const Expr &expr);
  /// A new variable. `hint` is its name in the source.
  Expr let(llvm::StringRef hint, const Expr &value, const Expr &extent);
  /// Binds an index value of the kernel to a variable of the thread; a dot's k in both of its regions.
  void map(mlir::Value index, const Expr &variable);
  /// Binds it to a new variable.
  void bind(mlir::Value index, const Expr &value, const Expr &extent);
  /// The coordinates of row-major position `flat`.
  static graph::Exprs coordinatesOf(llvm::ArrayRef<Expr> extents, const Expr &flat);
  /// Binds index values to them.
  void bindCoordinates(mlir::ValueRange indices, llvm::ArrayRef<Expr> extents, const Expr &flat);
  void bindGrid(const Expr &flat) { bindCoordinates(source.getPoint(), grid(), flat); }

  // Structure.
  /// What the block does that comes here last of `blocks` that count at `counter`.
  mlir::LogicalResult lastBlock(mlir::Value counters, Expr counter, const Expr &blocks, Body body);
  mlir::LogicalResult loop(llvm::StringRef hint, const Expr &from, const Expr &to, const Expr &step, bool unroll,
                           LoopBody body);
  /// The loop of an index value of the kernel.
  mlir::LogicalResult loop(mlir::Value index, const Expr &from, const Expr &to, const Expr &step, bool unroll,
                           Body body);
  /// Runs the body where all conditions are >= 0; those proved to hold are dropped, and all of
  /// it where one is proved to fail. A condition is about the thread, the block and loops:
  /// other variables are in their range by definition.
  mlir::LogicalResult guard(llvm::ArrayRef<Expr> conditions, Body body);
  /// Leaves out blocks beyond those of the launch, which only plans with symbols launch. Where the body waits for the
  /// kernels before, they do so, too: a kernel that has ended says so of all that came before.
  mlir::LogicalResult guardBlocks(Body body);
  /// Whether `condition` is proved to be >= 0 here, or to be less.
  std::optional<bool> isKnown(const Expr &condition);

  // Registers, memory, constants.
  static constexpr int64_t accessBytes = 16; ///< of the widest access to memory
  mlir::Value registers(llvm::ArrayRef<int64_t> extents, mlir::Type element, int64_t vector = 1, bool zero = false);
  mlir::Value variable(mlir::Value init);
  mlir::Value get(mlir::Value registers, graph::Exprs index = {});
  void set(mlir::Value value, mlir::Value registers, graph::Exprs index = {});
  void accumulate(graph::ReduceKind kind, mlir::Value value, mlir::Value registers, graph::Exprs index = {});
  mlir::Value constant(mlir::Type type, double number);
  mlir::Value cast(mlir::Value value, mlir::Type type);
  /// `over`: in the place of another that nobody uses any more; null: of its own.
  mlir::Value smem(int64_t count, mlir::Type element, int64_t swizzle = 0, mlir::Value over = {});
  /// Memory of the launch alone, the newest parameter: words, or where they are ui32 counters, which are 0 before and
  /// after.
  mlir::Value workspace(const Expr &elements, mlir::Type element);
  mlir::Value counters(const Expr &count) { return workspace(count, builder.getIntegerType(32, /*isSigned=*/false)); }
  /// Loops a0, a1, .. over all elements of registers: the index of each, and its number in their order.
  void forElements(mlir::Value registers, llvm::function_ref<void(const graph::Exprs &index, const Expr &number)> body);
  mlir::Value loadShared(mlir::Value smem, Expr position);
  void storeShared(mlir::Value value, mlir::Value smem, Expr position);
  /// Where an element or a vector comes from, and when: `other` elsewhere.
  struct Source {
    Expr position;
    graph::Exprs mask;
    mlir::Value other = {};
  };
  mlir::Value load(mlir::Value view, const Source &from);
  void store(mlir::Value value, mlir::Value view, const Expr &position);
  void loadVector(mlir::Value memory, const Source &from, mlir::Value registers, graph::Exprs index = {});
  void storeVector(mlir::Value registers, graph::Exprs index, mlir::Value memory, const Expr &position);

  // Clones of the kernel's ops.
  /// The ops of a block but its terminator, one iteration.
  mlir::LogicalResult clone(mlir::Block &block);
  mlir::LogicalResult clone(mlir::Operation &op);
  llvm::SmallVector<mlir::Value> yielded(mlir::Block &block);
  /// Clones what does not depend on the index values here, outside of the loop that
  /// the rest of the block will be cloned into.
  mlir::LogicalResult hoistInvariant(mlir::Block &block, mlir::ValueRange indices);
  /// Loads what `width` iterations of `block` along `index` read whatever `other` is, where `exists` holds: cloneVector
  /// with the same base takes it from there.
  void hoistVectors(mlir::Block &block, mlir::Value other, mlir::Value index, const Expr &base, int64_t width,
                    const Expr &exists);
  /// From here on cloneVector takes what an op gives from registers, at [before.., place in the vector].
  void hold(mlir::Operation *op, mlir::Value registers, graph::Exprs before) {
    hoistedVectors[op] = {registers, 1, 1, std::move(before)};
  }
  /// From here on cloneVector brings vectors that a store would write to `memory` instead, where `position` then says.
  void divert(kernel::StoreOp store, mlir::Value memory, std::function<Expr()> position) {
    diverted[store] = {memory, std::move(position)};
  }
  /// The loads of `block` whose `width` iterations along `index` read neighbours.
  llvm::SmallVector<kernel::LoadOp> vectorLoads(mlir::Block &block, mlir::Value index, int64_t width);
  /// Does those for `index` = base, base + 1, .., each to its registers[at.., 0 .. width), from which cloneVector takes
  /// them after hold().
  void fetchVectors(llvm::ArrayRef<kernel::LoadOp> loads, llvm::ArrayRef<mlir::Value> registers, mlir::Value index,
                    const Expr &base, const Expr &extent, int64_t width, const graph::Exprs &at);
  /// Positions are taken to be this far behind an aligned one, in the kernel's variables: cloneVector is told where
  /// vectors begin.
  Expr origin = 0;
  /// `width` iterations of `block`, for `index` = base, base + 1, ..; contiguous
  /// loads and stores become vectors.
  mlir::LogicalResult cloneVector(mlir::Block &block, mlir::Value index, const Expr &base, const Expr &extent,
                                  int64_t width, Yield yield);

private:
  /// A vector of iterations: the index value of the kernel, and that of the first of them.
  struct Vector {
    mlir::Value index;
    Expr base, first, extent;
    int64_t width;
  };
  mlir::LogicalResult cloneSerial(mlir::Operation &loop);
  bool readsOwn(kernel::ExtractOp op) const;
  mlir::LogicalResult cloneExtract(kernel::ExtractOp op);
  mlir::LogicalResult cloneReduce(kernel::ReduceOp op);
  mlir::LogicalResult cloneArgReduce(kernel::ArgReduceOp op);
  mlir::LogicalResult loops(mlir::ValueRange indices, mlir::ArrayAttr extents, Body body);
  mlir::LogicalResult cloneElements(mlir::Block &block, const Vector &vector, Yield yield);
  mlir::LogicalResult reduceVector(kernel::ReduceOp op, const Vector &vector, mlir::Value &sums);
  Expr atBase(const Expr &e, const Vector &vector);
  void cloneShared(kernel::InRangeOp op, const Vector &vector);
  /// An op that is the same for all elements of the vector, once.
  mlir::LogicalResult cloneShared(mlir::Operation &op, const Vector &vector);
  /// The elements of a vector in registers, `part` in each of them.
  struct Elements {
    mlir::Value registers;
    int64_t part, width;
    graph::Exprs before = {}; ///< indices that come first
    graph::Exprs index(const Expr &e) const;
    graph::Exprs access(int64_t e) const; ///< that of the part with element `e`, for a whole access
  };
  Elements elementsOf(mlir::Type type, int64_t width, int64_t part);
  static int64_t accessWidth(mlir::Type type, int64_t width); ///< the most elements of a vector in one access
  Elements cloneVectorLoad(kernel::LoadOp op, const Vector &vector);
  void loadVector(kernel::LoadOp op, const Vector &vector, mlir::Value registers, graph::Exprs index,
                  int64_t first = 0);
  Elements unpack(const Nibbles &nibbles, mlir::Type type, const Vector &vector);
  void nameIndices();
  std::string hintOf(mlir::Value index) const { return hints.lookup(index); }

  mlir::Location loc;
  llvm::DenseSet<mlir::Operation *> hoisted;
  llvm::DenseMap<mlir::Operation *, Elements> hoistedVectors;
  struct Diversion {
    mlir::Value memory;
    std::function<Expr()> position;
  };
  llvm::DenseMap<mlir::Operation *, Diversion> diverted;
  llvm::DenseMap<mlir::Value, std::string> hints; ///< names of the kernel's index values in the source
  llvm::SmallVector<mlir::Value> space;           ///< of the loop being distributed
  mlir::ArrayAttr spaceExtents;
  Expr place;                  ///< of the current iteration in its vector
  bool mayHaveSurplus = false; ///< blocks beyond those of the launch are here, too
};

/// The accumulator of a reduction: in the result's type, or in a wider one that
/// threads can exchange.
struct Accumulator {
  graph::ReduceKind kind;
  mlir::Type type;       ///< of the result
  mlir::Value registers; ///< a variable
};
Accumulator makeAccumulator(Lowering &lowering, graph::ReduceKind kind, mlir::Type type);
void accumulate(Lowering &lowering, const Accumulator &accumulator, mlir::Value value, const graph::Exprs &index = {});
/// What threads exchange in place of such values: f32 for f16 and bf16, 32 bits for smaller integers.
mlir::Type wordType(mlir::Type type);
/// The value a reduction starts with, in the type it accumulates in.
mlir::Value neutralValue(Lowering &lowering, graph::ReduceKind kind, mlir::Type type);

/// The most elements along an index value that every loop of a kernel can handle at once:
/// `blocks` and their innermost index values. At least one access becomes a vector and no
/// store is left behind. 1 if there is no such width. What is hoisted out of the loops does not count.
int64_t vectorWidth(llvm::ArrayRef<std::pair<mlir::Block *, mlir::Value>> blocks, const Expr &extent,
                    kernel::Variables &vars, const std::map<std::string, int64_t> &divisors,
                    const llvm::DenseSet<mlir::Operation *> &hoisted = {});

/// Where the first elements along index values lie, if it is one place for all that is loaded and stored along them.
std::optional<Expr> originOf(llvm::ArrayRef<std::pair<mlir::Block *, mlir::Value>> blocks, kernel::Variables &vars);

/// Whether the kernel waits by itself for those before it.
bool waitsForKernels(simt::FuncOp func);

/// Loads of a block that are the same for all values of `index`.
llvm::DenseSet<mlir::Operation *> loadsWithout(mlir::Block &block, mlir::Value index);

/// Whether the reductions of a block can be made for several elements along `index` at once:
/// none needs what comes of another.
bool reducesVectors(mlir::Block &block, mlir::Value index);

/// Whether a position depends on data: some index comes from a tensor.
bool isIndirect(mlir::ValueRange indices);

/// Ops of a block that give different values for different values of the indices.
llvm::DenseSet<mlir::Operation *> varyingOps(mlir::Block &block, mlir::ValueRange indices);

/// Whether `width` elements from a multiple of `width` on lie in one aligned vector.
bool isContiguous(const Expr &position, llvm::StringRef var, int64_t width,
                  const std::map<std::string, int64_t> &divisors);
/// Whether the first two elements along `var` are neighbours.
bool stepsByOne(const Expr &position, llvm::StringRef var);
/// Whether a mask is the same for all elements of such a vector.
bool sharesMask(llvm::ArrayRef<Expr> mask, llvm::StringRef var, int64_t width,
                const std::map<std::string, int64_t> &divisors);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_LOWERING_H
