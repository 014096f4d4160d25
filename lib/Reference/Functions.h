//===- lib/Reference/Functions.h - the scalar functions of graph.unary and graph.binary ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_REFERENCE_FUNCTIONS_H
#define CUPOLA_LIB_REFERENCE_FUNCTIONS_H

#include "dialects/Graph/Graph.h"

namespace cupola::reference {

/// W is double, int64_t or uint64_t (bool included). Predicates and comparisons give 0
/// or 1. Null where the kind has no meaning for W.
template <class W> using UnaryFunction = W (*)(W x, double alpha, double beta);
template <class W> using BinaryFunction = W (*)(W a, W b);

template <class W> UnaryFunction<W> unaryFunction(graph::UnaryKind kind);
template <class W> BinaryFunction<W> binaryFunction(graph::BinaryKind kind);

/// NaN wins.
double maxOf(double a, double b);
double minOf(double a, double b);

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_FUNCTIONS_H
