//===- dialects/Plan/LibraryCallAttr.h - library calls as attributes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A format::LibraryCall without its buffers, which are operands in the IR:
//   {kind = "convolution", source = array<i64: 1, 56, 56, 64>, weights = array<i64: 3, 3, 64, 64>,
//    result = array<i64: 1, 56, 56, 64>, strides = .., dilations = .., padding = array<i64: 1, 1>,
//    post_ops = [{kind = "add_channel"}, {kind = "clip", alpha = 0.0, beta = 6.0}]}
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_PLAN_LIBRARYCALLATTR_H
#define CUPOLA_DIALECTS_PLAN_LIBRARYCALLATTR_H

#include "lib/Runtime/Format/LibraryCall.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace cupola {

/// On a graph.fusion: what a library may do instead of its kernel, and which of the inputs
/// are source, weights and the post-ops' operands. The one result is the call's.
constexpr llvm::StringLiteral libraryCallAttrName = "library", libraryInputsAttrName = "library_inputs";
/// Or why the kernel is the better or the only way.
constexpr llvm::StringLiteral libraryRefusedAttrName = "library_refused";

namespace plan {

mlir::DictionaryAttr libraryCallAttr(mlir::MLIRContext *context, const format::LibraryCall &call);

/// With no buffers; nullopt where the attribute has not this form.
std::optional<format::LibraryCall> libraryCallOf(mlir::DictionaryAttr attr);

} // namespace plan
} // namespace cupola

#endif // CUPOLA_DIALECTS_PLAN_LIBRARYCALLATTR_H
