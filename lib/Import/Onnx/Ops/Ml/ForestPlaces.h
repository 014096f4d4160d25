//===- lib/Import/Onnx/Ops/Ml/ForestPlaces.h - where the nodes of trees stand ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FORESTPLACES_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FORESTPLACES_H

#include "lib/Import/Onnx/Ops/Ml/Forest.h"

namespace cupola::onnx_import::ml {

/// The nodes once more, the two children of each side by side, so that one number says where both are. A node that
/// several lead to stands in one place; in the other ones something leads to it, as a leaf leads to itself: by a
/// comparison with NaN, which never holds. A tree is in one piece, and the children of a node that fails follow its
/// siblings: every other step stays where the one before was.
struct ForestPlaces {
  struct Place {
    Forest::Node node;  ///< `fails` and `holds` are none
    int64_t next = 0;   ///< where the comparison fails; where it holds, the place behind that
    int64_t origin = 0; ///< which node of the forest it is; -1: it only leads to one

    /// Of a leaf, which leads to itself, and of what leads to a node elsewhere: the comparison never holds.
    static Place leadingTo(int64_t next, int64_t origin);
  };
  std::vector<Place> places;
  Ints roots;  ///< by tree, the deepest first
  Ints depths; ///< by tree: steps to its last leaf
};

/// Throws where a node is beneath itself.
ForestPlaces placesOf(OpBinder &op, const Forest &forest);

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FORESTPLACES_H
