//===- lib/Import/Onnx/Ops/Ml/Forest.h - decision trees --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Both forms of ONNX, nodes by (tree, id) and nodes by place, are read into one. Six comparisons are two here: the
// others change places of children and splits. A leaf leads to itself, so that every row takes as many steps.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FOREST_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FOREST_H

#include "lib/Import/Onnx/Ops/Ml/Ops.h"

namespace cupola::onnx_import::ml {

/// How a node compares, numbered as the attribute `nodes_modes` of TreeEnsemble is.
enum class Compare { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };

struct Forest {
  struct Node {
    bool isEqual = false;   ///< x == split, else x <= split
    bool isNegated = false; ///< -x <= split
    bool nanHolds = false;  ///< of x == split; NaN makes x <= split fail
    int64_t feature = 0;
    double split = 0;
    int64_t holds = 0, fails = 0; ///< the node itself, both: a leaf
  };
  struct Weight {
    int64_t leaf, target;
    double value;
  };
  std::vector<Node> nodes;
  Ints roots; ///< one per tree
  std::vector<Weight> weights;
  int64_t targets = 1;
  bool isFloat64 = false; ///< in which features and splits are compared, else float32

  bool isLeaf(int64_t node) const { return nodes[node].holds == node; }
  /// A node that compares so; children are (true, false).
  Node inner(Compare compare, int64_t feature, double split, bool missingHolds, int64_t onTrue, int64_t onFalse) const;
};

/// The attributes nodes_* of the older ensembles, and their weights, `prefix`_ids and so on.
Forest readForestById(OpBinder &op, llvm::StringRef prefix, int64_t targets);
/// The attributes of TreeEnsemble.
Forest readForestByPlace(OpBinder &op);

/// How the weights that a row finds become its score.
enum class Aggregate { Average, Sum, Min, Max };

/// x [rows, features] -> scores [rows, targets]
Value scoresOf(OpBinder &op, const Forest &forest, Aggregate aggregate, Value x);

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_FOREST_H
