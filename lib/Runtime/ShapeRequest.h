//===- lib/Runtime/ShapeRequest.h - Input shapes from --shape options ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_SHAPEREQUEST_H
#define CUPOLA_LIB_RUNTIME_SHAPEREQUEST_H

#include "lib/Runtime/ShapeBinding.h"

namespace cupola::runtime {

/// Each request is "NAME=2x16" for an input ("NAME=" for a scalar) or "s0=16"
/// for a symbol, by its id or by the model's name of the dimension. Inputs that
/// are not named follow from the symbols. Code::Usage: no such name, no number,
/// a contradiction, or symbols that nothing gives a value, which are listed.
Result<std::vector<Shape>> requestShapes(const format::Package &package, const ParsedInterface &parsed,
                                         const std::vector<std::string> &requests);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_SHAPEREQUEST_H
