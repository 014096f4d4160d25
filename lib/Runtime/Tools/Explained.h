//===- lib/Runtime/Tools/Explained.h - What a package says about its own kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_EXPLAINED_H
#define CUPOLA_LIB_RUNTIME_TOOLS_EXPLAINED_H

#include "lib/Runtime/Executable.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cupola::runtime {

/// What the compiler recorded of the executable's variant (cupola.explain/1), with `sources` where the package has
/// them; null where it recorded nothing.
nlohmann::ordered_json explainedVariant(const Executable &executable);

/// By kernel: its text in the variant's CUDA sources. Empty for a variant without.
nlohmann::ordered_json kernelTexts(const format::Variant &variant);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_EXPLAINED_H
