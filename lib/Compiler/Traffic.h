//===- lib/Compiler/Traffic.h - the least that a kernel has to move ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_TRAFFIC_H
#define CUPOLA_LIB_COMPILER_TRAFFIC_H

#include "dialects/Graph/Graph.h"

namespace cupola::compiler {

/// Each byte that is needed of an input, and each byte of a result, once, over the model's
/// symbols. Of what a slice or a gather reads, only the part that it selects.
Expr compulsoryBytes(graph::FusionOp fusion);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_TRAFFIC_H
