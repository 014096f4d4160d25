//===- lib/Transforms/DeclareAliases.h - results that lie in the memory of arguments ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A model that appends to a cache returns Concat(past, new). Where the caller keeps both in
// one memory with room for more rows, only the new ones need writing:
//
//   %present = graph.concat %past, %new axis 2              // before
//   %present = graph.join %past, %new axis 2                // after; both have
//   //  graph.storage = ["1", "4", "s1", "64"]               s1: rows that there is room for
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_DECLAREALIASES_H
#define CUPOLA_LIB_TRANSFORMS_DECLAREALIASES_H

#include "lib/Runtime/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace cupola {

/// The output that `--alias input=output` means for the input called `name`; nothing where it means another input. One
/// `*` in both stands for any text, the same in both.
std::optional<std::string> aliasOf(llvm::StringRef input, llvm::StringRef output, llvm::StringRef name);

/// Lets the output called `output` lie in the memory of the input called `input`, as aliasOf
/// says: all such pairs. Code::Usage where a name names
/// nothing, or something a second time; Code::Unsupported, with the node, where an output is
/// no Concat of its input and what follows it.
Status declareAliases(mlir::ModuleOp module, llvm::StringRef input, llvm::StringRef output);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_DECLAREALIASES_H
