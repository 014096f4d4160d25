//===- test/Sim/Cute/CuteAnswers.h - What CuTe says of layouts, descriptors, fragments and tensor maps ---===//
// SPDX-License-Identifier: Apache-2.0
//
// CuTe's templates are instantiated in CuteAnswers.cpp alone; here are their answers as numbers. Elements are f16, but
// in fragments of k32, which are bytes.
#ifndef CUPOLA_TEST_SIM_CUTE_CUTEANSWERS_H
#define CUPOLA_TEST_SIM_CUTE_CUTEANSWERS_H

#include <cstdint>
#include <vector>

namespace cupola::test {

/// Which elements of a tile in shared memory are neighbours, and in which order its swizzle atoms lie.
enum class Order {
  AlongK,    ///< k innermost; atoms of 8 rows along the rows first
  GroupsOfN, ///< n innermost; atoms of 64 n x 8 k along k first: [64 n] x all k, then the next 64 n
  GroupsOfK, ///< n innermost; atoms along n first: all n x [8 k], then the next 8 k
};

/// The 64-bit operand of wgmma for 16 k from `k` on and the rows of A (or columns of B) from `outer` on. The tile
/// begins at address 0 of shared memory.
struct CuteDescriptor {
  uint32_t outer, k;
  uint64_t bits;
};

struct CuteTile {
  const char *name;
  Order order;
  uint32_t span;               ///< bytes of the swizzle
  uint32_t outer, k;           ///< extents; `outer`: rows of A or columns of B
  uint32_t width;              ///< how many of `outer` a descriptor is for
  std::vector<uint32_t> bytes; ///< of element (o, i), at o * k + i: from the tile's start
  std::vector<CuteDescriptor> descriptors;
};

/// Which element of a tile value `v` of thread `t` is: `places[t * values + v]`.
struct CuteFragment {
  struct Place {
    uint32_t row, column;
  };
  const char *name;
  uint32_t threads, values;
  std::vector<Place> places; ///< of B: column (n) first, then k
};

/// What CuTe asks cuTensorMapEncodeTiled for. Extents, strides (bytes, of all dimensions but the innermost) and box
/// innermost first; enumerators as the numbers of cuda.h.
struct CuteTensorMap {
  const char *name;
  uint32_t type, interleave, swizzle, promotion, fill;
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box, elementStrides;
};

std::vector<CuteTile> cuteTiles();
std::vector<CuteFragment> cuteFragments();
/// Of tensors of 3000 x 1024 elements (rows x k; of B: n x k).
std::vector<CuteTensorMap> cuteTensorMaps();

} // namespace cupola::test

#endif
