//===- lib/Runtime/Format/ShapeElements.h - elements of inputs as symbols ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Values of shape inputs (Tensor::elements) are read on the host when shapes are
// bound. An integer is the value of one symbol. A float is the quotient of two: it
// is exact as numerator / denominator, a power of two, in lowest terms.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_SHAPEELEMENTS_H
#define CUPOLA_LIB_RUNTIME_FORMAT_SHAPEELEMENTS_H

#include "lib/Runtime/Format/ElementTypes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cupola::format {

/// How many symbols an element has: 1 of integers, 2 of floats, 0 of types whose values are no symbols.
size_t symbolsPerElement(DType dtype);

/// The values of the symbols of `count` elements, in order; nullopt of types that have none. A float that is infinite,
/// no number, or has a numerator or denominator beyond 62 bits is 0 / 0: its symbols have no values.
std::optional<std::vector<int64_t>> symbolValues(DType dtype, const void *elements, size_t count);
/// Whether values[place] is the value of a symbol.
bool hasValue(DType dtype, const std::vector<int64_t> &values, size_t place);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_SHAPEELEMENTS_H
