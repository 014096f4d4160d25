//===- lib/Sim/Matrix.cpp - ldmatrix and mma.sync for the 32 lanes of a warp ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Matrix.h"

#include "lib/Sim/Access.h"
#include "lib/Sim/FragmentLayout.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>
#include <cstring>

// The arithmetic is compiled twice; the faster one needs AVX2, FMA and F16C.
#define CUPOLA_SIM_FAST __attribute__((target_clones("arch=x86-64-v3", "default")))

namespace cupola::sim {

void checkMatrixRow(const void *row, uintptr_t pc) {
  const auto address = reinterpret_cast<uintptr_t>(row);
  if (address - machine.sharedBase >= kMaxSharedBytes)
    failAccess(Finding::OutOfBounds, address, 16, false, pc, "ldmatrix reads shared memory only");
  checkAccess(address, 16, false, pc);
}

void loadMatrices(Thread *lanes, uint32_t parameter) {
  const bool transposed = parameter & 1;
  const unsigned count = parameter >> 1;
  for (unsigned matrix = 0; matrix < count * 4; ++matrix) {
    uint16_t m[8][8];
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(m[row], static_cast<const void *const *>(lanes[matrix % 4 * 8 + row].operandA)[matrix / 4], 16);
    for (unsigned l = 0; l < kWarpLanes; ++l) {
      const unsigned i = l / 4, j = l % 4 * 2;
      const uint32_t low = transposed ? m[j][i] : m[i][j], high = transposed ? m[j + 1][i] : m[i][j + 1];
      static_cast<uint32_t *>(lanes[l].result)[matrix] = low | high << 16;
    }
  }
}

namespace {

template <class Bits, Coordinate (*PlaceOfA)(unsigned, unsigned), Coordinate (*PlaceOfB)(unsigned, unsigned)>
void gatherOperands(Tile &tile, const Thread *lanes, unsigned mi, unsigned ni, unsigned k) {
  const unsigned elementsA = 16 * k / kWarpLanes, elementsB = 8 * k / kWarpLanes;
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    const auto *a = static_cast<const Bits *>(lanes[l].operandA);
    const auto *b = static_cast<const Bits *>(lanes[l].operandB);
    for (unsigned i = 0; i < mi; ++i)
      for (unsigned e = 0; e < elementsA; ++e) {
        const Coordinate at = PlaceOfA(l, e);
        tile.a[at.column][i * 16 + at.row] = a[i * elementsA + e];
      }
    for (unsigned j = 0; j < ni; ++j)
      for (unsigned e = 0; e < elementsB; ++e) {
        const Coordinate at = PlaceOfB(l, e);
        tile.b[at.row][j * 8 + at.column] = b[j * elementsB + e];
      }
  }
}

/// Between lanes and `sums` of the tile, in which accumulators are.
template <bool Store, class Number>
void moveAccumulators(Number (&sums)[Tile::kMaxRows][Tile::kMaxColumns], const Thread *lanes, unsigned mi,
                      unsigned ni) {
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    auto *acc = static_cast<Number *>(lanes[l].result);
    for (unsigned i = 0; i < mi; ++i)
      for (unsigned j = 0; j < ni; ++j)
        for (unsigned e = 0; e < 4; ++e) {
          const Coordinate at = coordinateOfC(l, e);
          Number &inTile = sums[i * 16 + at.row][j * 8 + at.column];
          Number &inLane = acc[(i * ni + j) * 4 + e];
          (Store ? inLane : inTile) = Store ? inTile : inLane;
        }
  }
}

/// Adds the sums of the tile to those that lanes have.
void addAccumulators(const Tile &tile, const Thread *lanes, unsigned mi, unsigned ni) {
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    auto *acc = static_cast<float *>(lanes[l].result);
    for (unsigned place = 0; place < mi * ni * 4; ++place) {
      const Coordinate at = coordinateOfC(l, place % 4);
      acc[place] += tile.c[place / 4 / ni * 16 + at.row][place / 4 % ni * 8 + at.column];
    }
  }
}

/// f16 to f32 by moving the bits; the product scales the exponent and is exact for subnormals, too.
inline float halfToFloat(uint32_t bits) {
  const uint32_t magnitude = (bits & 0x7fffu) << 13, sign = bits >> 15 << 31;
  const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  const uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0; // infinity and NaN
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, scaled) | special | sign);
}

CUPOLA_SIM_FAST void multiplyTile(Tile &tile, unsigned rows, unsigned columns, unsigned k, Operands operands) {
  static float b[Tile::kMaxK][Tile::kMaxColumns];
  const auto widen = [operands](uint32_t bits) {
    if (operands == Operands::F16)
      return halfToFloat(bits);
    return __builtin_bit_cast(float, operands == Operands::Bf16 ? bits << 16 : bits & 0xffffe000u);
  };
  for (unsigned p = 0; p < k; ++p)
    for (unsigned j = 0; j < columns; ++j)
      b[p][j] = widen(tile.b[p][j]);
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned p = 0; p < k; ++p) {
      const float a = widen(tile.a[p][i]);
      for (unsigned j = 0; j < columns; ++j)
        tile.c[i][j] = __builtin_fmaf(a, b[p][j], tile.c[i][j]);
    }
}

CUPOLA_SIM_FAST void multiplyByteTile(Tile &tile, unsigned rows, unsigned columns, unsigned k, bool signedA,
                                      bool signedB) {
  static uint32_t b[Tile::kMaxK][Tile::kMaxColumns];
  const auto widen = [](uint32_t bits, bool isSigned) { return isSigned ? bits - (bits << 1 & 0x100u) : bits; };
  for (unsigned p = 0; p < k; ++p)
    for (unsigned j = 0; j < columns; ++j)
      b[p][j] = widen(tile.b[p][j], signedB);
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned p = 0; p < k; ++p) {
      const uint32_t a = widen(tile.a[p][i], signedA);
      for (unsigned j = 0; j < columns; ++j)
        tile.sums[i][j] += a * b[p][j];
    }
}

/// The f16 that a float8 is.
uint32_t halfOfFloat8(uint32_t bits, bool isE5m2) {
  if (isE5m2)
    return bits << 8;
  const uint32_t sign = (bits & 0x80u) << 8, code = bits & 0x7fu, fraction = code & 7u;
  if (code == 0x7f)
    return sign | 0x7e00u;
  if (code >= 8)
    return sign | (code + (8 << 3)) << 7; // the biases are 7 and 15
  const unsigned shift = fraction ? static_cast<unsigned>(__builtin_clz(fraction)) - 28 : 0;
  return fraction ? sign | (9 - shift) << 10 | (fraction << shift & 7u) << 7 : sign;
}

void multiplyFloat8(Tile &tile, const Thread *lanes, unsigned mi, unsigned ni, unsigned shape) {
  constexpr unsigned k = 32;
  gatherOperands<uint8_t, coordinateOfByteA, coordinateOfByteB>(tile, lanes, mi, ni, k);
  for (unsigned p = 0; p < k; ++p) {
    for (unsigned i = 0; i < mi * 16; ++i)
      tile.a[p][i] = halfOfFloat8(tile.a[p][i], shape & CupolaSimE5m2A);
    for (unsigned j = 0; j < ni * 8; ++j)
      tile.b[p][j] = halfOfFloat8(tile.b[p][j], shape & CupolaSimE5m2B);
  }
  for (unsigned i = 0; i < mi * 16; ++i)
    std::fill_n(tile.c[i], ni * 8, 0.0F);
  tile.multiply(mi * 16, ni * 8, k, Operands::F16);
  addAccumulators(tile, lanes, mi, ni);
}

} // namespace

void Tile::multiplyBytes(unsigned rows, unsigned columns, unsigned k, bool signedA, bool signedB) {
  multiplyByteTile(*this, rows, columns, k, signedA, signedB);
}

void Tile::multiply(unsigned rows, unsigned columns, unsigned k, Operands operands) {
  multiplyTile(*this, rows, columns, k, operands);
}

void multiplyTiles(Thread *lanes, uint32_t parameter) {
  static Tile tile;
  const unsigned mi = parameter >> 16, ni = parameter >> 8 & 255, shape = parameter & 255;
  if (mi * 16 > Tile::kMaxRows || ni * 8 > Tile::kMaxColumns) {
    machine.reports.add(Finding::Limit, "a warp tile of more than 128x256 elements", lanes[0].waitPc);
    abandonLaunch();
  }
  if (shape >= CupolaSimFloat8K32)
    return multiplyFloat8(tile, lanes, mi, ni, shape);
  if (shape >= CupolaSimBytesK32) {
    gatherOperands<uint8_t, coordinateOfByteA, coordinateOfByteB>(tile, lanes, mi, ni, 32);
    moveAccumulators<false>(tile.sums, lanes, mi, ni);
    tile.multiplyBytes(mi * 16, ni * 8, 32, shape & CupolaSimSignedA, shape & CupolaSimSignedB);
    return moveAccumulators<true>(tile.sums, lanes, mi, ni);
  }
  const unsigned k = shape == CupolaSimHalfK8 || shape == CupolaSimTf32K8 ? 8 : 16;
  if (shape == CupolaSimTf32K8)
    gatherOperands<uint32_t, coordinateOfTf32A, coordinateOfTf32B>(tile, lanes, mi, ni, k);
  else
    gatherOperands<uint16_t, coordinateOfA, coordinateOfB>(tile, lanes, mi, ni, k);
  moveAccumulators<false>(tile.c, lanes, mi, ni);
  const Operands narrow = shape == CupolaSimBf16K16 ? Operands::Bf16 : Operands::F16;
  tile.multiply(mi * 16, ni * 8, k, shape == CupolaSimTf32K8 ? Operands::Tf32 : narrow);
  moveAccumulators<true>(tile.c, lanes, mi, ni);
}

} // namespace cupola::sim
