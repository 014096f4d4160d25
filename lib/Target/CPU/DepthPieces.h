//===- lib/Target/CPU/DepthPieces.h - a depth made of digits, piece by piece ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The depth of a convolution runs over places of the window and channels, so that the
// position of an element divides k. Within a piece of k the quotients are the same:
//   k = size * kPiece + kPlace,  0 <= kPlace < size
// and positions are linear in kPlace, or repeat neighbours (repeatsOf). Conditions that remain to be divided are
// turned round: floordiv(k, d) >= b is k >= b * d.
// Short pieces are written out in groups, in which it is known where the window's row ends; kPiece counts those then:
//   k = size * (group * kPiece + written) + kPlace
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_DEPTHPIECES_H
#define CUPOLA_LIB_TARGET_CPU_DEPTHPIECES_H

#include "dialects/Kernel/Kernel.h"

#include <set>

namespace cupola::cpu {

constexpr const char *kPiece = "depth_piece", *kPlace = "depth_place";

/// The d of every floordiv(k, d) in an operand of `dot`, and of its digits:
/// mod(floordiv(k, a), b) has a * b.
std::set<int64_t> depthDivisors(kernel::Variables &vars, kernel::DotOp dot, mlir::Region &operand);

class DepthPieces {
public:
  DepthPieces() = default; ///< size 0: the depth is not divided
  /// Pieces of an operand of `dot`, or none where they do not divide the depth or positions are not linear in them.
  static std::optional<DepthPieces> ofSize(kernel::Variables &vars, kernel::DotOp dot, mlir::Region &operand,
                                           int64_t size);
  /// Of an operand of `dot`, the longest of at most `most` elements among those of at
  /// least a vector whose conditions hold for all of it or for none.
  static DepthPieces of(kernel::Variables &vars, kernel::DotOp dot, mlir::Region &operand, int64_t most, int64_t lanes);

  /// The most neighbours that may be a group, of as many pieces as a block of the depth has.
  int64_t groupOf(int64_t pieces) const;

  int64_t size = 0;
  int64_t group = 1;      ///< pieces of a group
  int64_t written = 0;    ///< that of a group which positions and conditions are about
  bool isUniform = false; ///< conditions hold for all of a piece or for none
  /// `e` with k in parts; linear in kPlace, or repeating neighbours, if it is a position or the index of one.
  Expr position(const Expr &e) const;
  /// The same for a condition e >= 0.
  Expr condition(const Expr &e) const;

private:
  bool isLinear(kernel::Variables &vars, mlir::Region &operand) const;
  bool hasUniformConditions(kernel::Variables &vars, mlir::Region &operand) const;

  std::string depth; ///< the name of k
  std::set<int64_t> divisors;
  Ranges ranges;
};

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_DEPTHPIECES_H
