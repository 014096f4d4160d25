//===- lib/Runtime/ShapeBinding.cpp - From the inputs' extents to symbol values ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The dims are visited again and again: one that holds a single unknown symbol,
// and that linearly, gives its value (s0 = 7 of "s0", 3 of "2*s0 + 1"), which may
// make others solvable. Then everything is checked by evaluation alone.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/ShapeBinding.h"
#include "lib/Runtime/Checks.h"
#include "lib/Runtime/Format/ShapeElements.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <limits>

namespace cupola::runtime {

std::string shapeText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string symbolText(const format::Package &package, const std::string &id) {
  for (const format::Symbol &symbol : package.symbols)
    if (symbol.id == id && !symbol.name.empty())
      return id + " " + quote(symbol.name);
  return id;
}

std::string declaredShapeText(const format::Package &package, const format::Tensor &tensor) {
  std::string text = "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    text += (i ? ", " : "") + symbolText(package, tensor.dims[i]);
  return text + "]";
}

Status checkSymbolRange(const format::Package &package, const format::Symbol &symbol, int64_t value,
                        const std::string &from) {
  const bool above = symbol.max != 0 && value > symbol.max;
  const bool divides = symbol.divisor <= 1 || value % symbol.divisor == 0;
  if (value >= symbol.min && !above && divides)
    return Status::ok();
  std::string range = std::to_string(symbol.min) + ".." + (symbol.max ? std::to_string(symbol.max) : "");
  if (symbol.divisor > 1)
    range += ", a multiple of " + std::to_string(symbol.divisor);
  return Status::usage(from + " gives " + symbolText(package, symbol.id) + " = " + std::to_string(value) +
                       ", the package was compiled for " + range);
}

Status checkElement(const format::Package &package, const std::string &symbol) {
  for (const format::Tensor &input : package.inputs) {
    const auto found = std::find(input.elements.begin(), input.elements.end(), symbol);
    if (found != input.elements.end())
      return Status::usage(
          "input " + quote(input.name) + ": element " +
          std::to_string(size_t(found - input.elements.begin()) / format::symbolsPerElement(input.dtype)) +
          " is no number that an extent can follow from");
  }
  return Status::ok();
}

namespace {

class Binder {
public:
  Binder(const format::Package &package, const ParsedInterface &parsed, const std::vector<Shape> &inputs,
         const std::vector<Strides> &strides, const std::vector<Elements> &elements)
      : package(package), parsed(parsed), inputs(inputs), strides(strides), elements(elements) {}

  Result<SymbolValues> bind() {
    CUPOLA_TRY(checkRanks());
    while (solveOnce()) {
    }
    CUPOLA_TRY(takeElements());
    CUPOLA_TRY(evaluateDefinitions());
    CUPOLA_TRY(bindStorage());
    CUPOLA_TRY(checkDims());
    for (const format::Symbol &symbol : package.symbols)
      if (!symbol.definition.empty())
        CUPOLA_TRY(checkSymbol(symbol));
    // What a node needs says more than the range of a dimension that follows from it.
    for (size_t i = 0; i < package.checks.size(); ++i)
      CUPOLA_TRY(checkRelation(package.checks[i], parsed.checks[i]));
    for (const format::Symbol &symbol : package.symbols)
      if (!symbol.run && symbol.definition.empty())
        CUPOLA_TRY(checkSymbol(symbol));
    return values;
  }

private:
  std::string place(size_t input, size_t dim) const {
    return "input " + quote(package.inputs[input].name) + ": dimension " + std::to_string(dim);
  }

  Status checkRanks() const {
    if (inputs.size() != package.inputs.size())
      return Status::usage(std::to_string(inputs.size()) + " input shapes were given, the model has " +
                           std::to_string(package.inputs.size()) + " inputs");
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].size() != parsed.inputs[i].dims.size())
        return Status::usage("input " + quote(package.inputs[i].name) + ": shape " + shapeText(inputs[i]) +
                             " has rank " + std::to_string(inputs[i].size()) + ", the model declares " +
                             declaredShapeText(package, package.inputs[i]));
      for (size_t d = 0; d < inputs[i].size(); ++d)
        if (inputs[i][d] < 0)
          return Status::usage(place(i, d) + " is " + std::to_string(inputs[i][d]));
    }
    return Status::ok();
  }

  /// Whether a dim gave a new symbol's value.
  bool solveOnce() {
    bool progress = false;
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t d = 0; d < inputs[i].size(); ++d)
        progress |= solve(parsed.inputs[i].dims[d], inputs[i][d], place(i, d));
    return progress;
  }

  bool solve(const Expr &dim, int64_t extent, const std::string &from) {
    const std::optional<std::string> symbol = solveDim(dim, extent, values);
    if (symbol)
      origin[*symbol] = from;
    return symbol.has_value();
  }

  /// The elements of shape inputs are symbols.
  Status takeElements() {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<std::string> &symbols = package.inputs[i].elements;
      const size_t given = i < elements.size() ? elements[i].size() : 0;
      const std::string name = "input " + quote(package.inputs[i].name);
      if (given == 0 && !symbols.empty())
        return Status::usage(name + ": shapes follow from its elements, and none were given");
      if (given != symbols.size())
        return Status::usage(name + ": the values of " + std::to_string(given) + " symbols were given, expected " +
                             std::to_string(symbols.size()));
      const size_t each = format::symbolsPerElement(package.inputs[i].dtype);
      for (size_t e = 0; e < given; ++e) {
        if (format::hasValue(package.inputs[i].dtype, elements[i], e))
          values[symbols[e]] = elements[i][e];
        origin[symbols[e]] = name + ": element " + std::to_string(e / each);
      }
    }
    return Status::ok();
  }

  Status evaluateDefinitions() {
    for (const ParsedDefinition &definition : parsed.definitions) {
      const std::string &id = package.symbols[definition.symbol].id;
      if (const auto value = definition.value.evaluate(values)) {
        values[id] = *value;
        origin[id] = package.symbols[definition.symbol].name;
      } else {
        CUPOLA_TRY(checkElements(definition.value));
      }
    }
    return Status::ok();
  }

  /// That no element has to be a number that is none.
  Status checkElements(const Expr &expr) const {
    for (const std::string &symbol : expr.symbols())
      if (values.count(symbol) == 0)
        CUPOLA_TRY(checkElement(package, symbol));
    return Status::ok();
  }

  //===--- Memory that an input shares with an output ---===//

  /// The strides that are given of an input with storage, or null.
  Result<const Strides *> givenStrides(size_t input) const {
    if (parsed.inputs[input].storage.empty() || input >= strides.size() || strides[input].empty())
      return static_cast<const Strides *>(nullptr);
    if (strides[input].size() != inputs[input].size())
      return Status::usage("input " + quote(package.inputs[input].name) + ": " + std::to_string(strides[input].size()) +
                           " strides were given for " + std::to_string(inputs[input].size()) + " dimensions");
    return &strides[input];
  }

  Status bindStorage() {
    for (size_t i = 0; i < inputs.size(); ++i) {
      CUPOLA_ASSIGN(const Strides *given, givenStrides(i));
      for (size_t d = 0; given && d < inputs[i].size(); ++d)
        if (inputs[i][d] > 1) // else nothing lies a stride away
          solve(parsed.inputs[i].strides[d], (*given)[d], strideOf(i, d));
    }
    for (size_t o = 0; o < package.outputs.size(); ++o)
      if (package.outputs[o].memoryOf != 0)
        CUPOLA_TRY(bindShared(o));
    return Status::ok();
  }

  std::string strideOf(size_t input, size_t dim) const {
    return "input " + quote(package.inputs[input].name) + ": stride of dimension " + std::to_string(dim);
  }

  /// Room for the output's rows where the strides do not say how much there is, then that
  /// there is enough, and that the strides are those of such memory.
  Status bindShared(size_t output) {
    const size_t input = package.outputs[output].memoryOf - 1;
    const std::string name = "output " + quote(package.outputs[output].name);
    const ParsedTensor &tensor = parsed.outputs[output];
    for (size_t d = 0; d < tensor.dims.size(); ++d) {
      const auto rows = tensor.dims[d].evaluate(values);
      if (rows)
        solve(tensor.storage[d], *rows, name + ": dimension " + std::to_string(d));
      const auto room = tensor.storage[d].evaluate(values);
      if (!rows || !room || *room < *rows)
        return Status::usage(name + ": dimension " + std::to_string(d) + " is " +
                             (rows ? std::to_string(*rows) : tensor.dims[d].text()) + ", the memory of input " +
                             quote(package.inputs[input].name) + " has room for " +
                             (room ? std::to_string(*room) : tensor.storage[d].text()) + " by its strides");
    }
    Result<const Strides *> given = givenStrides(input);
    for (size_t d = 0; *given && d < inputs[input].size(); ++d) {
      const Expr &stride = parsed.inputs[input].strides[d];
      if (inputs[input][d] > 1 && stride.evaluate(values) != (**given)[d])
        return Status::usage(strideOf(input, d) + " is " + std::to_string((**given)[d]) + ", expected " +
                             explain(stride, stride.evaluate(values)));
    }
    return Status::ok();
  }

  Status checkDims() const {
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t d = 0; d < inputs[i].size(); ++d) {
        const Expr &dim = parsed.inputs[i].dims[d];
        const auto expected = dim.evaluate(values);
        if (expected != inputs[i][d])
          return Status::usage(place(i, d) + " is " + std::to_string(inputs[i][d]) + ", the model declares " +
                               explain(dim, expected));
      }
    return Status::ok();
  }

  /// "2*s0 = 8, where s0 'batch' = 4 by input 'y': dimension 0"
  std::string explain(const Expr &dim, std::optional<int64_t> value) const {
    if (dim.constant())
      return dim.text();
    std::string text = dim.text() + " = " + (value ? std::to_string(*value) : "no value");
    const char *separator = ", where ";
    for (const std::string &symbol : dim.symbols()) {
      const auto at = values.find(symbol);
      if (at == values.end())
        continue;
      text += separator + symbolText(package, symbol) + " = " + std::to_string(at->second) + " by " + origin.at(symbol);
      separator = " and ";
    }
    return text;
  }

  Status checkSymbol(const format::Symbol &symbol) const {
    const auto at = values.find(symbol.id);
    if (at == values.end() && checkElement(package, symbol.id).failed())
      return Status::ok(); // what needs it says so
    if (at == values.end())
      return Status::usage("the inputs' shapes do not determine dimension " + symbolText(package, symbol.id));
    return checkSymbolRange(package, symbol, at->second, origin.at(symbol.id));
  }

  Status checkRelation(const format::Check &check, const ParsedCheck &expr) const {
    const Result<bool> result = holds(check, expr, values);
    if (result.failed() || *result)
      return result.failed() ? result.status() : Status::ok();
    CUPOLA_TRY(checkElements(expr.lhs));
    CUPOLA_TRY(checkElements(expr.rhs));
    const auto lhs = expr.lhs.evaluate(values), rhs = expr.rhs.evaluate(values);
    const auto side = [&](const Expr &e, std::optional<int64_t> value) {
      return e.constant() ? e.text() : explain(e, value);
    };
    return Status::usage(check.message + ": " + side(expr.lhs, lhs) + ", and " + side(expr.rhs, rhs));
  }

  const format::Package &package;
  const ParsedInterface &parsed;
  const std::vector<Shape> &inputs;
  const std::vector<Strides> &strides;
  const std::vector<Elements> &elements;
  SymbolValues values;
  std::map<std::string, std::string> origin; ///< the dim, element or definition that gave the value
};

} // namespace

Result<SymbolValues> bindShapes(const format::Package &package, const ParsedInterface &parsed,
                                const std::vector<Shape> &inputs, const std::vector<Strides> &strides,
                                const std::vector<Elements> &elements) {
  return Binder(package, parsed, inputs, strides, elements).bind();
}

Result<Elements> readElements(const format::Tensor &input, const void *data, const Shape &shape) {
  if (input.elements.empty())
    return Elements();
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      count = -1;
  const size_t each = format::symbolsPerElement(input.dtype), expected = input.elements.size() / each;
  if (count != static_cast<int64_t>(expected) || !data)
    return Status::usage("input " + quote(input.name) + ": the shape is " + shapeText(shape) +
                         ", the model was compiled for " + std::to_string(expected) + " elements");
  auto values = format::symbolValues(input.dtype, data, expected);
  return values ? std::move(*values) : Elements();
}

Strides denseStrides(const Shape &shape) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, shape[d], &stride))
      stride = std::numeric_limits<int64_t>::max();
  }
  return strides;
}

static Result<Shape> evaluate(const format::Tensor &tensor, const std::vector<Expr> &dims, const SymbolValues &values) {
  Shape shape;
  for (const Expr &dim : dims) {
    const auto extent = dim.evaluate(values);
    if (!extent || *extent < 0)
      return Status::limit(quote(tensor.name) + ": dimension " + dim.text() + " is " +
                           (extent ? std::to_string(*extent) : std::string("beyond 64 bits")));
    shape.push_back(*extent);
  }
  return shape;
}

Result<Shape> evaluateShape(const format::Tensor &tensor, const ParsedTensor &parsed, const SymbolValues &values) {
  return evaluate(tensor, parsed.dims, values);
}

Result<Shape> evaluateStorage(const format::Tensor &tensor, const ParsedTensor &parsed, const SymbolValues &values) {
  return evaluate(tensor, parsed.storage.empty() ? parsed.dims : parsed.storage, values);
}

Result<uint64_t> tensorBytes(format::DType dtype, const Shape &shape) {
  int64_t bytes = format::byteSize(dtype);
  bool empty = false;
  for (int64_t extent : shape)
    empty |= extent == 0;
  for (int64_t extent : shape)
    if (!empty && __builtin_mul_overflow(bytes, extent, &bytes))
      return Status::limit("a tensor of shape " + shapeText(shape) + " is larger than 2^63 bytes");
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

} // namespace cupola::runtime
