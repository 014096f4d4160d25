//===- lib/Runtime/ShapeRequest.cpp - Input shapes from --shape options ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/ShapeRequest.h"
#include "lib/Runtime/Text.h"

#include <charconv>
#include <optional>
#include <set>

namespace cupola::runtime {

namespace {

class Requests {
public:
  Requests(const format::Package &package, const ParsedInterface &parsed)
      : package(package), parsed(parsed), shapes(package.inputs.size()) {}

  Status add(const std::string &request) {
    const size_t equals = request.rfind('=');
    Shape numbers;
    if (equals == std::string::npos || !parseNumbers(std::string_view(request).substr(equals + 1), numbers))
      return Status::usage("--shape " + request + ": expected NAME=2x16 or SYMBOL=16");
    const std::string name = request.substr(0, equals);
    for (size_t i = 0; i < package.inputs.size(); ++i)
      if (package.inputs[i].name == name)
        return addShape(i, numbers, request);
    for (const format::Symbol &symbol : package.symbols)
      if (!symbol.run && (symbol.id == name || symbol.name == name) && numbers.size() == 1)
        return addSymbol(symbol.id, numbers[0], request);
    return Status::usage("--shape " + request + ": the model has no input and no dimension " + quote(name));
  }

  Result<std::vector<Shape>> resolve() {
    SymbolValues values = symbols;
    while (solveOnce(values)) {
    }
    CUPOLA_TRY(checkKnown(values));
    std::vector<Shape> result;
    for (size_t i = 0; i < shapes.size(); ++i) {
      CUPOLA_ASSIGN(Shape shape,
                    shapes[i] ? Result<Shape>(*shapes[i]) : evaluateShape(package.inputs[i], parsed.inputs[i], values));
      result.push_back(std::move(shape));
    }
    CUPOLA_ASSIGN(SymbolValues bound, bindShapes(package, parsed, result));
    for (const auto &[id, value] : symbols)
      if (bound[id] != value)
        return Status::usage("--shape gives " + symbolText(package, id) + " = " + std::to_string(value) +
                             ", the inputs' shapes give " + std::to_string(bound[id]));
    return result;
  }

private:
  static bool parseNumbers(std::string_view text, Shape &numbers) {
    while (!text.empty()) {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || number < 0)
        return false;
      numbers.push_back(number);
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      if (text.empty())
        return true;
      if (text[0] != 'x' || text.size() == 1)
        return false;
      text.remove_prefix(1);
    }
    return true;
  }

  Status addShape(size_t input, const Shape &shape, const std::string &request) {
    if (shapes[input] && *shapes[input] != shape)
      return Status::usage("--shape " + request + ": this input was given " + shapeText(*shapes[input]) + " before");
    if (shape.size() != parsed.inputs[input].dims.size())
      return Status::usage("--shape " + request + ": the model declares " +
                           declaredShapeText(package, package.inputs[input]));
    shapes[input] = shape;
    return Status::ok();
  }

  Status addSymbol(const std::string &id, int64_t value, const std::string &request) {
    const auto [at, isNew] = symbols.emplace(id, value);
    if (isNew || at->second == value)
      return Status::ok();
    return Status::usage("--shape " + request + ": this dimension was given " + std::to_string(at->second) + " before");
  }

  bool solveOnce(SymbolValues &values) const {
    bool progress = false;
    for (size_t i = 0; i < shapes.size(); ++i)
      for (size_t d = 0; shapes[i] && d < shapes[i]->size(); ++d)
        progress |= solveDim(parsed.inputs[i].dims[d], (*shapes[i])[d], values).has_value();
    return progress;
  }

  /// Of the dimensions of inputs; how much room there is for rows follows from them.
  Status checkKnown(const SymbolValues &values) const {
    std::set<std::string> used;
    for (const ParsedTensor &input : parsed.inputs)
      for (const Expr &dim : input.dims)
        used.merge(dim.symbols());
    std::string missing, first;
    for (const format::Symbol &symbol : package.symbols)
      if (used.count(symbol.id) != 0 && values.count(symbol.id) == 0) {
        if (missing.empty())
          first = symbol.name.empty() ? symbol.id : symbol.name;
        missing += (missing.empty() ? "" : ", ") + symbolText(package, symbol.id);
      }
    if (missing.empty())
      return Status::ok();
    return Status::usage("the model's dynamic dimensions need values: " + missing +
                         "; give each by its name, as --shape " + quote(first + "=VALUE") +
                         ", or an input's shape, as --shape NAME=AxB");
  }

  const format::Package &package;
  const ParsedInterface &parsed;
  std::vector<std::optional<Shape>> shapes; ///< by input
  SymbolValues symbols;
};

} // namespace

Result<std::vector<Shape>> requestShapes(const format::Package &package, const ParsedInterface &parsed,
                                         const std::vector<std::string> &requests) {
  Requests all(package, parsed);
  for (const std::string &request : requests)
    CUPOLA_TRY(all.add(request));
  return all.resolve();
}

} // namespace cupola::runtime
