//===- dialects/Plan/LibraryCallAttr.h - library calls as attributes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// #graph.library_call is the package's format::LibraryCall without its buffers.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_PLAN_LIBRARYCALLATTR_H
#define CUPOLA_DIALECTS_PLAN_LIBRARYCALLATTR_H

#include "dialects/Graph/Graph.h"
#include "lib/Runtime/Format/LibraryCall.h"

namespace cupola::plan {

/// `call` is of a kind, not None.
graph::LibraryCallAttr libraryCallAttr(mlir::MLIRContext *context, const format::LibraryCall &call);

/// With no buffers.
format::LibraryCall libraryCallOf(graph::LibraryCallAttr attr);

} // namespace cupola::plan

#endif // CUPOLA_DIALECTS_PLAN_LIBRARYCALLATTR_H
