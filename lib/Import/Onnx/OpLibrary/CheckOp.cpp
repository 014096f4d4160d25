//===- lib/Import/Onnx/OpLibrary/CheckOp.cpp - whether a definition makes sense ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/OpTable.h"
#include "lib/Import/Onnx/Text.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace cupola::onnx_import {

size_t LibraryOp::leastInputs() const {
  return llvm::count_if(inputs, [](const LibraryInput &input) { return !input.fallback; });
}

std::vector<std::string> LibraryOp::dimNames() const {
  std::vector<std::string> names;
  for (const LibraryInput &input : inputs)
    for (const std::string &dim : input.dims)
      if (dim != "*" && !llvm::isDigit(dim[0]) && !llvm::is_contained(names, dim))
        names.push_back(dim);
  return names;
}

namespace {

const LibraryInput *findInput(const LibraryOp &op, const std::string &name) {
  const auto found = llvm::find_if(op.inputs, [&](const LibraryInput &input) { return input.name == name; });
  return found == op.inputs.end() ? nullptr : &*found;
}

/// Inputs, attributes and dimensions, each once: all of them are names in expressions and snippets.
Result<std::set<std::string>> namesIn(const LibraryOp &op) {
  std::set<std::string> names;
  std::vector<std::string> all = op.dimNames();
  for (const LibraryInput &input : op.inputs)
    all.push_back(input.name);
  for (const LibraryAttribute &attribute : op.attributes)
    all.push_back(attribute.name);
  for (const std::string &name : all)
    if (!names.insert(name).second)
      return Status::usage("two of its inputs, attributes and dimensions are called " + quoted(name));
  return names;
}

Status checkOutput(const LibraryOp &op, const LibraryOutput &output, const std::set<std::string> &names) {
  if (!output.expression && output.snippet.empty())
    return Status::usage("has no expression and no snippet");
  if (llvm::StringRef(output.snippet).contains("CUPOLA_"))
    return Status::usage("its snippet has 'CUPOLA_' in it, with which names of Cupola's own headers begin");
  for (const std::string &name : {output.like, output.typeOf}) {
    const LibraryInput *input = findInput(op, name);
    if (!name.empty() && !input)
      return Status::usage(quoted(name) +
                           " is none of its inputs, broadcast or a list of extents, nor an element type");
    if (input && input->fallback)
      return Status::usage("it is to be like " + quoted(name) + ", which a node may lack");
  }
  const std::vector<std::string> dims = op.dimNames();
  for (const Expr &extent : output.shape.value_or(std::vector<Expr>()))
    for (const std::string &symbol : extent.symbols())
      if (!llvm::is_contained(dims, symbol))
        return Status::usage("extent " + quoted(extent.text()) + " uses " + quoted(symbol) +
                             ", which is no dimension of an input");
  if (output.expression)
    for (const std::string &name : namesOf(*output.expression))
      if (!names.count(name))
        return Status::usage("the expression uses " + quoted(name) +
                             ", which is no input, attribute or dimension of the op");
  return {};
}

} // namespace

Status checkLibraryOp(const LibraryOp &op) {
  if (canonicalDomain(op.domain).empty() || hasOpsOf(op.domain))
    return Status::usage("the domain " + quoted(displayDomain(op.domain)) +
                         " has ops of its own, expected a domain that Cupola knows nothing of");
  if (op.since < 1)
    return Status::usage("since is " + std::to_string(op.since) + ", expected 1 or more");
  if (op.inputs.empty() || op.outputs.empty())
    return Status::usage("has " + std::to_string(op.inputs.size()) + " inputs and " +
                         std::to_string(op.outputs.size()) + " outputs, expected one of each at least");
  for (size_t i = op.leastInputs(); i < op.inputs.size(); ++i)
    if (!op.inputs[i].fallback)
      return Status::usage("input " + quoted(op.inputs[i].name) +
                           " has no number for nodes without it, the one before it has");
  CUPOLA_ASSIGN(const std::set<std::string> names, namesIn(op));
  for (const LibraryOutput &output : op.outputs)
    CUPOLA_TRY(checkOutput(op, output, names).within("output " + quoted(output.name)));
  return {};
}

} // namespace cupola::onnx_import
