//===- lib/Target/CPU/Places.h - rows of a left operand in blocks of one place of the window ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Where a block of the depth is a place of a window, or some of its channels, a row lies there in one piece, or zeros
// do. With windows that reach far, most places of small images are zeros: blocks that no row has are left out.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_PLACES_H
#define CUPOLA_LIB_TARGET_CPU_PLACES_H

#include "lib/Target/CPU/DepthPieces.h"

namespace cupola::cpu {

/// Whether the left operand of `dot` is a load of `element` of which each of `pieces` is one in memory, or 0.
bool liesInPlaces(kernel::Variables &vars, kernel::DotOp dot, const DepthPieces &pieces, mlir::Type element);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_PLACES_H
