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

/// The values of the symbols of `count` elements, in order. Nullopt where one of them has none: infinite, no number,
/// or with a numerator or denominator beyond 62 bits; `bad` is its index then.
std::optional<std::vector<int64_t>> symbolValues(DType dtype, const void *elements, size_t count, size_t &bad);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_SHAPEELEMENTS_H
