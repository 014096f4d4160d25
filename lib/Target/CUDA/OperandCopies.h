//===- lib/Target/CUDA/OperandCopies.h - operands of products on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_OPERANDCOPIES_H
#define CUPOLA_LIB_TARGET_CUDA_OPERANDCOPIES_H

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/PackedOperand.h"

namespace cupola::cuda {

/// The load of an operand that is nothing but one element or zero, or another border of bytes, perhaps cast to a wider
/// type and back; null for a computed prologue.
kernel::LoadOp plainLoad(mlir::Block &operand);
/// A load that is made where conditions hold, or, of one expression, do not.
struct ChosenLoad {
  kernel::LoadOp load;
  llvm::SmallVector<std::pair<kernel::InRangeOp, bool>> where;
};
/// Such loads of an operand that is always one of them, as of parts of a concat; one without conditions if it is a
/// plain load; none if it is computed.
llvm::SmallVector<ChosenLoad> chosenLoads(mlir::Block &operand);
/// Its mask puts nothing but zeros around the tensor, as cp.async does.
bool hasZerosAround(kernel::LoadOp load);
/// The only load of an operand that is its elements, cast to floats that have them all, where these are bytes with
/// zeros around them; else null.
kernel::LoadOp byteLoad(mlir::Block &operand);

/// One operand's way to shared memory, tile by tile.
struct Operand {
  mlir::Block *body;
  mlir::Value outerIndex, kIndex; ///< of its region; outer is m of the lhs, n of the rhs
  Expr outerExtent, outerBase;    ///< the matrix's extent; the block's first row or column
  int64_t outer;                  ///< extent of the tile
  Expr depthExtent;               ///< the matrix's k
  int64_t depth;                  ///< the tile's
  bool alongK = false;            ///< neighbouring threads take neighbouring k
  int64_t width = 1, count = 0;   ///< of the vectors a thread moves, and how many
  int64_t atOnce = 0;             ///< those it has in registers at a time, a divisor of count; 0: all
  bool kMajor = true;             ///< in shared memory: [k][outer], else [outer][k]
  int64_t pitch = 0;              ///< between rows of shared memory
  int64_t swizzle = 0; ///< of rows of so many bytes, the pitch; longer ones lie in parts, one behind the other
  mlir::Value registers = {}, smem = {};
  std::optional<PackedOperand> packed = {};   ///< it comes through registers, where it stays packed
  llvm::SmallVector<mlir::Value> bytes = {};  ///< of it, a vector each
  llvm::SmallVector<mlir::Value> others = {}; ///< of its other loads, [count][runs of a vector that differ in them]
  kernel::LoadOp staged = {};                 ///< of bytes, which lie in shared memory before they become numbers there
  mlir::Value staging = {};                   ///< the bytes, vector by vector, [count][threads]

  /// Of a tile in shared memory, and the elements of such a row.
  int64_t rows() const { return kMajor ? depth : outer; }
  int64_t columns() const { return kMajor ? outer : depth; }
  int64_t held() const { return atOnce ? atOnce : count; }
  /// Elements of a buffer.
  int64_t size() const { return rows() * (swizzle ? columns() : pitch); }
};

/// How the threads of a block share an operand's tile.
struct OperandVectors {
  kernel::Variables &vars;
  const std::map<std::string, int64_t> &divisors; ///< of n0, n1, ..
  int64_t threads;

  /// Axis and width of the vectors a thread moves.
  void plan(Operand &op, int64_t mostWidth) const;
  /// The same for an operand that stays packed. False if this one cannot.
  bool planPacked(Operand &op) const;
  /// The same for one whose bytes cp.async brings.
  bool planStaged(Operand &op) const;
  /// Where the i-th vector of a thread begins: outer and k.
  std::pair<Expr, Expr> placeOf(const Operand &op, const Expr &i, const Expr &thread) const;
  /// The operand's load if a thread's vectors are single accesses, else null.
  kernel::LoadOp vectorLoad(const Operand &op) const;
  /// The operand's load if the elements of a thread's vectors are neighbours along k, wherever a vector begins, else
  /// null.
  kernel::LoadOp groupLoad(const Operand &op) const;
  /// Whether cp.async may bring it: whole vectors of at least four bytes along the rows of shared memory, or zeros.
  bool canCopyAsync(const Operand &op) const;

private:
  /// Whether the elements of a thread's vectors are neighbours, and all or none of them are loaded.
  bool isWhole(const Operand &op, const ChosenLoad &part) const;
  int64_t groupOf(Operand op) const;
};

/// Whether cp.async can bring the operands of a product: their neighbours along k, or along n for rhs, are neighbours
/// in memory. `packed`: rhs can stay so in registers.
struct AsyncOperands {
  bool lhs, rhs;
  std::optional<PackedOperand> packed;

  bool areBoth() const { return lhs && (rhs || packed); }
};
AsyncOperands asyncOperands(kernel::DotOp dot, kernel::Variables &vars, const std::map<std::string, int64_t> &divisors);

/// What the threads of a block do to bring tiles of operands to shared memory.
class OperandCopies {
public:
  OperandCopies(Lowering &low, int64_t threads)
      : vectors{low.vars, low.divisors, threads}, low(low), threads(threads) {}

  const OperandVectors vectors;
  Expr tile, stage; ///< of k, and its buffer, in the region that is being written
  /// Where a group of the block's threads brings operands for itself: the thread's number in it, and its buffer.
  std::optional<Expr> copier;
  Expr ownBuffer;

  /// The tile loops go over one of so many equal parts of k alone.
  void share(const Expr &which, int64_t count) {
    part = which;
    parts = count;
  }
  /// Rows in shared memory without bank conflicts of a matrix of eight rows.
  void swizzle(Operand &op);
  /// Registers and shared memory of an operand.
  void allocate(Operand &op, mlir::Type shared, int64_t stages, bool withRegisters);
  /// What is done with a tile, in steps: `load` fills the fragments that `compute` uses.
  struct Steps {
    int64_t count;
    llvm::function_ref<void(const Expr &step)> load;
    Lowering::Body compute;
  };
  /// What is done once, while the first tiles are under way.
  std::function<mlir::LogicalResult()> beside;
  /// Emits a tile_loop that brings the operands tile by tile; `async`: all but packed ones by cp.async.
  mlir::LogicalResult tileLoop(llvm::ArrayRef<Operand *> operands, int64_t stages, bool async, const Steps &steps);
  /// The same through registers; one step loads what it needs.
  mlir::LogicalResult tileLoop(llvm::ArrayRef<Operand *> operands, int64_t stages, Lowering::Body compute) {
    return tileLoop(operands, stages, /*async=*/false, {1, [](const Expr &) {}, compute});
  }
  /// The whole operand, which is one tile, to the group's buffer, without waiting for other threads. `async`: by
  /// cp.async, whose group stays open.
  mlir::LogicalResult bring(Operand &op, bool async);
  /// The bytes of a staged operand, by cp.async, whose group stays open; what this thread brought of them, as numbers
  /// to the group's buffer.
  mlir::LogicalResult bringStaged(Operand &op), storeStaged(Operand &op);
  /// Where the current buffer of an operand begins.
  Expr buffer(const Operand &op) const { return stage * op.size(); }
  /// Where an element of the tile is.
  Expr sharedPlace(const Operand &op, const Expr &outer, const Expr &k) const;

private:
  /// The tile into registers, zeros beyond the matrix.
  mlir::LogicalResult fetch(Operand &op);
  /// The tile to its buffer of shared memory by cp.async.
  mlir::LogicalResult fetchAsync(Operand &op);
  /// Registers to the buffer of shared memory.
  mlir::LogicalResult store(Operand &op);
  /// Enters a region of a tile_loop. Returns its step, if it has one.
  Expr enterRegion(mlir::Region &region, bool hasStep = false);
  mlir::LogicalResult copyAsync(const Operand &op, const ChosenLoad &part, const Expr &outer, const Expr &k,
                                bool guarded);
  bool follows(const Expr &condition, llvm::ArrayRef<Expr> known);
  /// What expressions of the operand are at a place of the tile.
  using Resolve = std::function<Expr(const Expr &)>;
  /// cp.async of a vector from where `load` reads, with zeros where the mask fails.
  void createCopy(const Operand &op, kernel::LoadOp load, const Lowering::Source &from, mlir::Value smem,
                  const Expr &to);
  /// Binds the operand's indices to the place.
  Resolve bindPlace(const Operand &op, const Expr &outer, const Expr &k);
  Lowering::Source source(const Operand &op, kernel::LoadOp load, const Expr &outer, const Expr &k);
  /// The same where they are bound.
  Lowering::Source source(const Operand &op, kernel::LoadOp load, const Expr &outer, const Expr &k,
                          const Resolve &resolve);
  std::optional<Expr> leastInTile(const Operand &op, const ChosenLoad &part);
  /// What stands where its mask fails.
  mlir::Value fill(kernel::LoadOp load);
  using VectorBody = llvm::function_ref<mlir::LogicalResult(const Expr &i, const Expr &outer, const Expr &k)>;
  mlir::LogicalResult forVectors(Operand &op, VectorBody body);
  /// So many of the thread's vectors, one behind the other, from `first` on.
  mlir::LogicalResult forSomeVectors(const Operand &op, const Expr &first, int64_t count, VectorBody body);
  mlir::LogicalResult fetchVector(Operand &op, const Expr &i, const Expr &outer, const Expr &k);
  mlir::LogicalResult store(Operand &op, const Expr &i, const Expr &outer, const Expr &k);
  mlir::LogicalResult fetchPlain(Operand &op, kernel::LoadOp load, const Expr &i, const Expr &outer, const Expr &k);
  mlir::LogicalResult fetchGroup(Operand &op, kernel::LoadOp load, const Expr &i, const Expr &outer, const Expr &k);
  mlir::LogicalResult fetchComputed(Operand &op, const Expr &i, const Expr &outer, const Expr &k);
  // Staged operands.
  void allocateStaged(Operand &op, int64_t stages);
  Expr stagedPlace(const Operand &op, const Expr &i) const;
  // Packed operands.
  void allocatePacked(Operand &op);
  void fetchPacked(Operand &op);
  void storePacked(Operand &op);
  void forPacked(const Operand &op, llvm::function_ref<void(int64_t i, const Expr &outer, const Expr &k)> body);
  void storeRun(const Operand &op, int64_t i, int64_t run, const Expr &outer, const Expr &k);
  void unpackRun(const Operand &op, int64_t i, const graph::Exprs &at, const Expr &k, mlir::Value vectors);
  void computeRun(const Operand &op, int64_t i, const graph::Exprs &at, mlir::Value vectors);
  mlir::Value shiftAt(const Operand &op, const Expr &k);
  /// Where a packed operand's load reads, with zeros beyond the operand.
  Lowering::Source packedSource(const Operand &op, kernel::LoadOp load, const Expr &outer, const Expr &k);
  mlir::LogicalResult forElements(const Operand &op, llvm::function_ref<void(const Expr &e)> body);
  graph::Exprs inside(const Operand &op, const Expr &outer, const Expr &k);
  static graph::Exprs element(const Operand &op, const Expr &i, const Expr &e);

  Lowering &low;
  int64_t threads;
  Expr part = 0;
  int64_t parts = 1;
  Expr first = 0; ///< tile of the block's part
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_OPERANDCOPIES_H
