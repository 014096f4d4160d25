//===- lib/Compiler/CApi/Options.h - The caller's structs as the compiler takes them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_CAPI_OPTIONS_H
#define CUPOLA_LIB_COMPILER_CAPI_OPTIONS_H

#include "cupola/Compiler/Compiler.h"
#include "lib/Compiler/Compilation.h"

namespace cupola::compiler::capi {

/// Code::Usage for what no model is: neither a path nor bytes, or both.
Result<ModelSource> sourceOf(const cupola_model *model);
Result<Options> optionsOf(const cupola_compile_options *options);

} // namespace cupola::compiler::capi

#endif // CUPOLA_LIB_COMPILER_CAPI_OPTIONS_H
