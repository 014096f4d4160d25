//===- lib/Import/Onnx/Ops/Ml/ForestBlocks.h - trees that are walked together ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FORESTBLOCKS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FORESTBLOCKS_H

#include "lib/Import/Onnx/Ops/Ml/ForestPlaces.h"

namespace cupola::onnx_import::ml {

/// Trees of about one depth: a kernel. Where all of a forest is more than a cache holds, they are in blocks, each of
/// which all rows walk before the next one: else every row would read the forest from memory.
struct ForestGroup {
  int64_t levels = 0; ///< steps of the deepest
  int64_t size = 0;   ///< trees of a block
  Ints roots;         ///< block by block
  Ints targets;       ///< by block, where ForestBlocks::areByTarget
};

struct ForestBlocks {
  std::vector<ForestGroup> groups;
  bool areByTarget = false; ///< all leaves of a block add to one target, of several
  int64_t empty = -1;       ///< the place of a tree without weights, which fills blocks up; -1: none does
};

/// `recordBytes`: of a place. Where some tree fills up a block, it is added to the places.
ForestBlocks blocksOf(const Forest &forest, ForestPlaces &places, int64_t recordBytes);

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FORESTBLOCKS_H
