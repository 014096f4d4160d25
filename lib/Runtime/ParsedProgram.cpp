//===- lib/Runtime/ParsedProgram.cpp - A variant's program with its expressions read ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/ParsedProgram.h"
#include "lib/Runtime/Format/Bodies.h"

namespace cupola::runtime {

namespace {

/// Reads expressions and keeps the first error.
class Parser {
public:
  explicit Parser(const format::Package &package) {
    for (const format::Symbol &symbol : package.symbols)
      isRunSymbol.emplace(symbol.id, symbol.run);
  }

  /// Whether run symbols may be used from here on.
  void allowRunSymbols(bool allow) { runSymbols = allow; }

  Expr parse(const std::string &text) {
    std::string error;
    const std::optional<Expr> expr = Expr::parse(text, &error);
    if (!expr) {
      fail(text, error);
      return Expr();
    }
    for (const std::string &symbol : expr->symbols()) {
      const auto declared = isRunSymbol.find(symbol);
      if (declared == isRunSymbol.end())
        fail(text, "the package declares no symbol " + symbol);
      else if (declared->second && !runSymbols)
        fail(text, "symbol " + symbol + " has no value before a run");
    }
    return *expr;
  }

  /// An empty text stands for 0 where the field does not apply.
  Expr parseOptional(const std::string &text) { return text.empty() ? Expr() : parse(text); }

  template <typename T> Result<T> result(T value) {
    if (status.failed())
      return status;
    return value;
  }

private:
  void fail(const std::string &text, const std::string &why) {
    if (status.isOk())
      status = Status::package("the manifest is inconsistent: expression '" + text + "': " + why);
  }

  std::map<std::string, bool> isRunSymbol; ///< of those that are declared
  bool runSymbols = false;
  Status status;
};

std::vector<Expr> parseAll(Parser &parser, const std::vector<std::string> &texts) {
  std::vector<Expr> parsed;
  for (const std::string &text : texts)
    parsed.push_back(parser.parse(text));
  return parsed;
}

/// A run finds extents of outputs, but for those that lie in the memory of an input.
std::vector<ParsedTensor> parseTensors(Parser &parser, const std::vector<format::Tensor> &list, bool isOutput) {
  std::vector<ParsedTensor> parsed;
  for (const format::Tensor &tensor : list) {
    ParsedTensor &entry = parsed.emplace_back();
    parser.allowRunSymbols(isOutput && tensor.memoryOf == 0);
    entry.dims = parseAll(parser, tensor.dims);
    entry.storage = parseAll(parser, tensor.storage);
    entry.strides.resize(entry.storage.size());
    Expr stride(1);
    for (size_t d = entry.storage.size(); d-- > 0; stride = stride * entry.storage[d])
      entry.strides[d] = stride;
  }
  return parsed;
}

ParsedStep parseStep(Parser &parser, const format::Step &step) {
  if (format::isControl(step.kind) || step.kind == format::Step::HostStep)
    return {{Expr(1)}, {}};
  if (const std::optional<format::Transfer> transfer = format::transferOf(step))
    return {{parser.parse(transfer->bytes)}, {}};
  ParsedStep parsed{parseAll(parser, step.launch.grid), {}};
  for (const format::TensorMap &map : step.launch.maps)
    parsed.maps.push_back(
        {parser.parseOptional(map.offset), parseAll(parser, map.extents), parseAll(parser, map.strides)});
  return parsed;
}

std::vector<ParsedStep> parseSteps(Parser &parser, const std::vector<format::Step> &steps) {
  std::vector<ParsedStep> parsed;
  for (const format::Step &step : steps)
    parsed.push_back(parseStep(parser, step));
  return parsed;
}

ParsedControl parseControl(Parser &parser, const format::Step &step) {
  ParsedControl parsed;
  parsed.thenValues = parseAll(parser, step.branch.thenValues);
  parsed.elseValues = parseAll(parser, step.branch.elseValues);
  parsed.limit = parser.parseOptional(step.loop.limit);
  for (const format::CarriedExtent &extent : step.loop.extents)
    parsed.extents.push_back({parser.parse(extent.initial), parser.parse(extent.next)});
  return parsed;
}

void mergeSymbols(std::set<std::string> &symbols, const std::vector<Expr> &exprs) {
  for (const Expr &expr : exprs)
    symbols.merge(expr.symbols());
}

void collectSymbols(ParsedBody &body) {
  for (const ParsedBuffer &buffer : body.buffers)
    mergeSymbols(body.sizeSymbols, {buffer.bytes, buffer.offset});
  for (const ParsedStep &step : body.steps)
    mergeSymbols(body.sizeSymbols, step.sizes);
  body.planSymbols = body.sizeSymbols;
  for (const ParsedStep &step : body.steps)
    for (const ParsedMap &map : step.maps) {
      mergeSymbols(body.planSymbols, {map.offset});
      mergeSymbols(body.planSymbols, map.extents);
      mergeSymbols(body.planSymbols, map.strides);
    }
}

/// The program itself has its sizes before the run; what its control steps evaluate may use what others gave values.
void parseBody(Parser &parser, const format::Body &body, bool isProgram, ParsedBody &parsed) {
  parser.allowRunSymbols(!isProgram);
  parsed.scalars = parseAll(parser, body.scalars);
  for (const format::Buffer &buffer : body.buffers)
    parsed.buffers.push_back({parser.parseOptional(buffer.bytes), parser.parseOptional(buffer.offset)});
  parsed.steps = parseSteps(parser, body.steps);
  collectSymbols(parsed);
  parser.allowRunSymbols(true);
  for (const format::Check &check : body.checks)
    parsed.checks.push_back({parser.parse(check.lhs), parser.parse(check.rhs)});
  for (size_t i = 0; i < body.steps.size(); ++i)
    if (format::isControl(body.steps[i].kind))
      parsed.controls[i] = parseControl(parser, body.steps[i]);
  parser.allowRunSymbols(false);
}

} // namespace

Result<ParsedInterface> parseInterface(const format::Package &package) {
  Parser parser(package);
  ParsedInterface parsed;
  parsed.inputs = parseTensors(parser, package.inputs, /*isOutput=*/false);
  parsed.outputs = parseTensors(parser, package.outputs, /*isOutput=*/true);
  parser.allowRunSymbols(false);
  for (const format::Check &check : package.checks)
    parsed.checks.push_back({parser.parse(check.lhs), parser.parse(check.rhs)});
  for (size_t i = 0; i < package.symbols.size(); ++i)
    if (!package.symbols[i].definition.empty())
      parsed.definitions.push_back({i, parser.parse(package.symbols[i].definition)});
  return parser.result(std::move(parsed));
}

Result<ParsedProgram> parseProgram(const format::Package &package, const format::Program &program) {
  Parser parser(package);
  ParsedProgram parsed;
  parseBody(parser, program, /*isProgram=*/true, parsed);
  parsed.init = parseSteps(parser, program.init);
  for (const format::Body &body : program.bodies)
    parseBody(parser, body, /*isProgram=*/false, parsed.bodies.emplace_back());
  return parser.result(std::move(parsed));
}

} // namespace cupola::runtime
