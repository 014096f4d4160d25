//===- lib/Runtime/ShapeBinding.h - From the inputs' extents to symbol values ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_SHAPEBINDING_H
#define CUPOLA_LIB_RUNTIME_SHAPEBINDING_H

#include "lib/Planner/SolveDim.h"
#include "lib/Runtime/ParsedProgram.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cupola::runtime {

using Shape = std::vector<int64_t>;
/// Elements between neighbours, by dimension; empty: not given.
using Strides = std::vector<int64_t>;
/// Of a shape input: the values of its symbols (lib/Runtime/Format/ShapeElements.h). Of others empty.
using Elements = std::vector<int64_t>;

/// Solves the declared dims for the symbols, then holds the extents against
/// them, the symbols against their ranges and the package's checks. Code::Usage
/// names the input, the dimension, what was found and what was expected. Run
/// symbols get no value.
///
/// `strides`, by input or empty, are those of inputs that share their memory with an
/// output; they tell for how many rows there is room. Where they are not given, or no
/// element shows them, there is room for as many as the output has.
///
/// `elements`, by input, are those of shape inputs; it may be empty where there are none.
Result<SymbolValues> bindShapes(const format::Package &package, const ParsedInterface &parsed,
                                const std::vector<Shape> &inputs, const std::vector<Strides> &strides = {},
                                const std::vector<Elements> &elements = {});

/// Of a dense tensor in host memory, for bindShapes; empty of inputs that are no shape inputs.
Result<Elements> readElements(const format::Tensor &input, const void *data, const Shape &shape);

/// "s0 'batch'": the id, and the model's name if it has one.
std::string symbolText(const format::Package &package, const std::string &id);

/// Of a symbol that has no value: Code::Usage names the element of an input that it is, which is no number that
/// anything can follow from.
Status checkElement(const format::Package &package, const std::string &symbol);

/// That the package was compiled for the value; `from` is what gave it, for the error.
Status checkSymbolRange(const format::Package &package, const format::Symbol &symbol, int64_t value,
                        const std::string &from);

/// Of a dense row-major tensor, saturated where they leave int64.
Strides denseStrides(const Shape &shape);

/// The extents of a tensor, or of the memory it lies in; Code::Limit if they are negative or leave int64.
Result<Shape> evaluateShape(const format::Tensor &tensor, const ParsedTensor &parsed, const SymbolValues &values);
Result<Shape> evaluateStorage(const format::Tensor &tensor, const ParsedTensor &parsed, const SymbolValues &values);

/// Bytes of a dense tensor; Code::Limit if they leave int64.
Result<uint64_t> tensorBytes(format::DType dtype, const Shape &shape);

/// "[2, 16]"
std::string shapeText(const Shape &shape);
/// "[s0, 384]", with the model's names of dims where it has them.
std::string declaredShapeText(const format::Package &package, const format::Tensor &tensor);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_SHAPEBINDING_H
