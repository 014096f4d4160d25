//===- lib/Target/CPU/ResultRows.h - results of a product that are neighbours along its rows ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Where channels become planes of an image, the results of an image's rows are neighbours, and those of a column are
// not: gathering from tiles in the first cache takes less than scattering to memory. Of several images
//   m = rows * kRowPiece + kRowPlace,  0 <= kRowPlace < rows
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_RESULTROWS_H
#define CUPOLA_LIB_TARGET_CPU_RESULTROWS_H

#include "lib/Target/CPU/Access.h"

namespace cupola::cpu {

constexpr const char *kRowPiece = "row_piece", *kRowPlace = "row_place";

/// `row` as made of piece and place, of so many rows.
Aliases piecesOfRow(const std::string &row, const Expr &rows);

/// How many rows have results side by side, if lanes along these are best for all that follows the only dot of `func`:
/// all of its rows, or those of an image; nothing where lanes along its columns are.
std::optional<Expr> resultRowsOf(kernel::Variables &vars, kernel::FuncOp func, const StoredTiles &tiles,
                                 unsigned lanes);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_RESULTROWS_H
