//===- lib/Transforms/Layout/Rewrite.h - chains become channels last ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_LAYOUT_REWRITE_H
#define CUPOLA_LIB_TRANSFORMS_LAYOUT_REWRITE_H

#include "dialects/Graph/Graph.h"
#include "dialects/Graph/Provenance.h"

namespace cupola::layout {

/// Makes the convolutions of `last`, which are channels first, channels last, and has what reads them, or a transpose
/// of the model from channels last, compute on what carries it. Transposes of the model that are no more go into
/// `gone`.
void carryChannelsLast(mlir::Block &body, const llvm::DenseSet<mlir::Operation *> &last, graph::NodeNames &gone);

} // namespace cupola::layout

#endif // CUPOLA_LIB_TRANSFORMS_LAYOUT_REWRITE_H
