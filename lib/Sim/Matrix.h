//===- lib/Sim/Matrix.h - ldmatrix and mma.sync for the 32 lanes of a warp ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Fragment layouts: PTX ISA, "Matrix fragments for mma.m16n8k8 / mma.m16n8k16" and "ldmatrix". Sums are taken in f32 by
// fused multiply-add in order of k; hardware may add in another order and with other rounding, so that results agree with
// it within a tolerance only.
#ifndef CUPOLA_LIB_SIM_MATRIX_H
#define CUPOLA_LIB_SIM_MATRIX_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// The running lane's row pointer of an ldmatrix: 16 bytes of shared memory, aligned to 16.
void checkMatrixRow(const void *row, uintptr_t pc);
/// `parameter`: count << 1 | transposed. Lane operands: rows in operandA, fragments in result.
void loadMatrices(Thread *lanes, uint32_t parameter);
/// `parameter`: mi << 16 | ni << 8 | CupolaSimMma. Lane operands: a, b, and the accumulators in result.
void multiplyTiles(Thread *lanes, uint32_t parameter);

/// Row and k (for A), k and column (for B), row and column (for C) of the elements that a lane holds. `element` counts the
/// 16-bit halves of a lane's fragment registers (A, B) or its accumulators (C).
struct Coordinate {
  unsigned row, column;
};
Coordinate coordinateOfA(unsigned lane, unsigned element);
Coordinate coordinateOfB(unsigned lane, unsigned element);
Coordinate coordinateOfC(unsigned lane, unsigned element);

} // namespace cupola::sim

#endif
