//===- lib/Target/CUDA/Schedules/KernelFacts.h - what the choice of a schedule asks of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_SCHEDULES_KERNELFACTS_H
#define CUPOLA_LIB_TARGET_CUDA_SCHEDULES_KERNELFACTS_H

#include "lib/Target/CUDA/AttentionParts.h"
#include "lib/Target/CUDA/ImagePatch.h"
#include "lib/Target/CUDA/RecurrenceTiles.h"
#include "lib/Target/CUDA/WindowParts.h"

namespace cupola::cuda {

/// The extents of a product, or of several, those that depend on symbols at a typical size.
struct ProductFacts {
  kernel::DotOp dot; ///< the first
  int64_t m, n, k;
  int64_t batch;        ///< products of this size: points of the grid
  bool isStatic;        ///< nothing of that depends on symbols
  bool isAlone;         ///< there is no other, and no loop comes before it, but for scalars of rows
  int64_t rowBytes = 0; ///< of shared memory for those of a row
};

/// Two products with steps over keys between them; rows and steps at a typical number.
struct AttentionFacts {
  AttentionParts parts;
  int64_t rows, steps;
  int64_t batch; ///< attentions of this size: points of the grid

  int64_t tiles(int64_t rowsOfTile) const { return llvm::divideCeilSigned(rows, rowsOfTile); }
  /// Whether the keys of such tiles may come in parts, of at least a step each.
  bool canMeet(int64_t rowsOfTile, int64_t groups, int64_t split) const;
};

/// Computed once per kernel. Without any of the two, unless that is said.
struct KernelFacts {
  explicit KernelFacts(kernel::FuncOp func);

  kernel::FuncOp func;
  kernel::Variables vars;
  std::map<std::string, int64_t> divisors;    ///< of n0, n1, ..
  std::optional<ProductFacts> product;        ///< if there is one
  std::optional<ImagePatch> patch;            ///< of its left operand
  std::optional<AttentionFacts> attention;    ///< or this
  std::optional<RecurrenceParts> recurrence;  ///< or this
  std::optional<WindowParts> window;          ///< or this
  llvm::SmallVector<mlir::Operation *> loops; ///< of the body, before a product
  std::optional<int64_t> points;              ///< of the grid; none: depends on symbols
  bool sharesLoops = false;                   ///< threads may share every loop, and there are some
  bool isElementwise = false;                 ///< they do nothing else, and there is no grid
  bool readsAlongRows = false;                ///< some load steps by one with the innermost index of its loop
  std::optional<unsigned> transposedAxis;     ///< of an elementwise kernel (Transpose.h)
  int64_t vector = 1;                         ///< widest that every loop that threads share agrees on
  int64_t peeledVector = 1;                   ///< or that of rows that begin anywhere, if none has more

  mlir::MLIRContext *context() const { return func->getContext(); }
  /// All loops of the body are of these types.
  template <class... Loops> bool hasOnly() const {
    return llvm::all_of(loops, [](mlir::Operation *loop) { return mlir::isa<Loops...>(loop); });
  }
  bool isProductAlone() const { return product && product->isAlone; }
  /// Neighbouring values of `index` read neighbouring elements.
  bool stepsByOne(kernel::LoadOp load, mlir::Value index);

private:
  void collectLoops();
  Expr gridPoints() const;
  ProductFacts productOf(kernel::DotOp dot) const;
  AttentionFacts attentionOf(const AttentionParts &parts) const;
  bool loadsAlongRows();
  int64_t widest();
  int64_t widestPeeled();
};

/// The iterations of loops that threads share, and their innermost index values.
llvm::SmallVector<std::pair<mlir::Block *, mlir::Value>> innermost(llvm::ArrayRef<mlir::Operation *> loops);

/// Where a row begins over which all of the loops go, one axis each: all that they load and store along it, at one
/// place, so that vectors of any width suit every loop but for the ends of the row.
std::optional<Expr> originOfRow(llvm::ArrayRef<mlir::Operation *> loops, kernel::Variables &vars);

/// The steps of a loop.
Expr iterationsOf(mlir::Operation *loop);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_SCHEDULES_KERNELFACTS_H
