//===- lib/Sim/Matrix.h - ldmatrix and mma.sync for the 32 lanes of a warp ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Sums are taken in f32 by fused multiply-add in order of k; hardware may add in another order and with other rounding,
// so that results agree with it within a tolerance only. Those of bytes are exact, modulo 2^32. A float8 is the f16 of
// the same number; sums of 32 products of them are added to the others.
#ifndef CUPOLA_LIB_SIM_MATRIX_H
#define CUPOLA_LIB_SIM_MATRIX_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// What the operands of a product are. Of an f32 the units read the first 19 bits.
enum class Operands { F16, Bf16, Tf32 };

/// A product of one warp: c += a * b, of bytes sums += a * b.
struct Tile {
  static constexpr unsigned kMaxRows = 16 * 8, kMaxColumns = 8 * 32, kMaxK = 32;
  uint32_t a[kMaxK][kMaxRows];    ///< bits, [k][row]
  uint32_t b[kMaxK][kMaxColumns]; ///< bits, [k][column]
  union {
    alignas(32) float c[kMaxRows][kMaxColumns];
    alignas(32) uint32_t sums[kMaxRows][kMaxColumns];
  };
  void multiply(unsigned rows, unsigned columns, unsigned k, Operands operands);
  void multiplyBytes(unsigned rows, unsigned columns, unsigned k, bool signedA, bool signedB);
};

/// The running lane's row pointer of an ldmatrix: 16 bytes of shared memory, aligned to 16.
void checkMatrixRow(const void *row, uintptr_t pc);
/// `parameter`: count << 1 | transposed. Lane operands: rows in operandA, fragments in result.
void loadMatrices(Thread *lanes, uint32_t parameter);
/// `parameter`: mi << 16 | ni << 8 | CupolaSimMma. Lane operands: a, b, and the accumulators in result.
void multiplyTiles(Thread *lanes, uint32_t parameter);

} // namespace cupola::sim

#endif
