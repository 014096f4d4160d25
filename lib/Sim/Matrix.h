//===- lib/Sim/Matrix.h - ldmatrix and mma.sync for the 32 lanes of a warp ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Sums are taken in f32 by fused multiply-add in order of k; hardware may add in another order and with other rounding,
// so that results agree with it within a tolerance only.
#ifndef CUPOLA_LIB_SIM_MATRIX_H
#define CUPOLA_LIB_SIM_MATRIX_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// A product of one warp: c += a * b.
struct Tile {
  static constexpr unsigned kMaxRows = 16 * 8, kMaxColumns = 8 * 32, kMaxK = 16;
  uint16_t a[kMaxK][kMaxRows];    ///< [k][row]
  uint16_t b[kMaxK][kMaxColumns]; ///< [k][column]
  alignas(32) float c[kMaxRows][kMaxColumns];
  void multiply(unsigned rows, unsigned columns, unsigned k, bool bf16);
};

/// The running lane's row pointer of an ldmatrix: 16 bytes of shared memory, aligned to 16.
void checkMatrixRow(const void *row, uintptr_t pc);
/// `parameter`: count << 1 | transposed. Lane operands: rows in operandA, fragments in result.
void loadMatrices(Thread *lanes, uint32_t parameter);
/// `parameter`: mi << 16 | ni << 8 | CupolaSimMma. Lane operands: a, b, and the accumulators in result.
void multiplyTiles(Thread *lanes, uint32_t parameter);

} // namespace cupola::sim

#endif
