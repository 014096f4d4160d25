//===- lib/Runtime/ParsedProgram.cpp - A variant's program with its expressions read ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/ParsedProgram.h"

#include <set>

namespace cupola::runtime {

namespace {

/// Reads expressions and keeps the first error.
class Parser {
public:
  explicit Parser(const format::Package &package) {
    for (const format::Symbol &symbol : package.symbols)
      declared.insert(symbol.id);
  }

  Expr parse(const std::string &text) {
    std::string error;
    const std::optional<Expr> expr = Expr::parse(text, &error);
    if (!expr) {
      fail(text, error);
      return Expr();
    }
    for (const std::string &symbol : expr->symbols())
      if (declared.count(symbol) == 0)
        fail(text, "the package declares no symbol " + symbol);
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

  std::set<std::string> declared;
  Status status;
};

std::vector<ParsedTensor> parseTensors(Parser &parser, const std::vector<format::Tensor> &list) {
  std::vector<ParsedTensor> parsed;
  for (const format::Tensor &tensor : list) {
    ParsedTensor &entry = parsed.emplace_back();
    for (const std::string &dim : tensor.dims)
      entry.dims.push_back(parser.parse(dim));
    for (const std::string &extent : tensor.storage)
      entry.storage.push_back(parser.parse(extent));
    entry.strides.resize(entry.storage.size());
    Expr stride(1);
    for (size_t d = entry.storage.size(); d-- > 0; stride = stride * entry.storage[d])
      entry.strides[d] = stride;
  }
  return parsed;
}

std::vector<Expr> parseSteps(Parser &parser, const std::vector<format::Step> &steps) {
  std::vector<Expr> parsed;
  for (const format::Step &step : steps)
    parsed.push_back(parser.parse(step.kind == format::Step::CopyStep ? step.copy.bytes : step.launch.grid));
  return parsed;
}

} // namespace

Result<ParsedInterface> parseInterface(const format::Package &package) {
  Parser parser(package);
  ParsedInterface parsed;
  parsed.inputs = parseTensors(parser, package.inputs);
  parsed.outputs = parseTensors(parser, package.outputs);
  for (const format::Check &check : package.checks)
    parsed.checks.push_back({parser.parse(check.lhs), parser.parse(check.rhs)});
  return parser.result(std::move(parsed));
}

Result<ParsedProgram> parseProgram(const format::Package &package, const format::Program &program) {
  Parser parser(package);
  ParsedProgram parsed;
  for (const std::string &scalar : program.scalars)
    parsed.scalars.push_back(parser.parse(scalar));
  for (const format::Buffer &buffer : program.buffers)
    parsed.buffers.push_back({parser.parse(buffer.bytes), parser.parseOptional(buffer.offset)});
  parsed.init = parseSteps(parser, program.init);
  parsed.steps = parseSteps(parser, program.steps);
  return parser.result(std::move(parsed));
}

} // namespace cupola::runtime
