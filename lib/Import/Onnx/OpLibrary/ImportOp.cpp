//===- lib/Import/Onnx/OpLibrary/ImportOp.cpp - a node whose op the user defined ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/Text.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

/// What the names of a definition mean at one node.
class NodeOfLibrary {
public:
  NodeOfLibrary(OpBinder &op, const LibraryOp &definition) : op(op), definition(definition) {
    op.requireInputs(static_cast<int>(definition.leastInputs()), static_cast<int>(definition.inputs.size()));
    for (auto [i, input] : llvm::enumerate(definition.inputs))
      if (op.has(i))
        bindInput(i, input);
    for (const LibraryAttribute &attribute : definition.attributes)
      bindAttribute(attribute);
  }

  void import(const LibraryOutput &output, size_t index);

private:
  void bindInput(size_t i, const LibraryInput &input);
  void bindAttribute(const LibraryAttribute &attribute);
  Exprs shapeOf(const LibraryOutput &output) const;
  Type typeOf(const LibraryOutput &output) const;
  /// In which an expression for elements of `type` is computed.
  Type stepsOf(const Expression &expression, Type type) const;
  /// A name's scalar or tensor in its own type.
  Value named(const std::string &name) const;
  Value call(const LibraryOutput &output, Value same, ArrayRef<Expr> shape, Type type) const;

  // An expression, whose steps are of `type` or bool.
  Value evaluate(const Expression &expression, Type type) const;
  Value evaluateUnary(const Expression &expression, Type type) const;
  Value evaluateBinary(const Expression &expression, Type type) const;
  Value number(const Expression &expression, Type type) const;
  Value asBool(Value value) const;

  OpBinder &op;
  const LibraryOp &definition;
  std::map<std::string, Value> inputs;
  std::map<std::string, double> attributes;
  std::map<std::string, Expr> dims;
};

void NodeOfLibrary::bindInput(size_t i, const LibraryInput &input) {
  inputs[input.name] = op.value(i, input.name);
  if (!input.hasShape)
    return;
  const Exprs shape = op.shape(i, input.name);
  const size_t count = input.dims.size();
  if (shape.size() < count || (!input.hasLeading && shape.size() != count))
    op.bad(operandText(i, input.name) + " has the shape " + shapeText(shape) + ", expected " + std::to_string(count) +
           (input.hasLeading ? " dimensions at least" : " dimensions"));
  for (auto [dim, extent] : llvm::zip_equal(input.dims, ArrayRef(shape).take_back(count))) {
    if (dim == "*")
      continue;
    const auto number = parseCount(dim);
    const Expr expected = number ? Expr(*number) : dims.try_emplace(dim, extent).first->second;
    op.b.sameExtent(expected, extent, quoted(dim) + " and the extent of " + operandText(i, input.name));
  }
}

void NodeOfLibrary::bindAttribute(const LibraryAttribute &attribute) {
  if (!attribute.fallback && !op.hasAttribute(attribute.name))
    op.bad("attribute " + quoted(attribute.name) + " is missing");
  const double fallback = attribute.fallback.value_or(0);
  attributes[attribute.name] =
      attribute.isInt ? static_cast<double>(op.intAttribute(attribute.name, static_cast<int64_t>(fallback)))
                      : op.floatAttribute(attribute.name, fallback);
}

Exprs NodeOfLibrary::shapeOf(const LibraryOutput &output) const {
  if (output.shape)
    return llvm::map_to_vector(*output.shape, [&](const Expr &extent) {
      for (const std::string &name : extent.symbols())
        if (!dims.count(name))
          op.bad("output " + quoted(output.name) + " has an extent " + quoted(extent.text()) + ", and " + quoted(name) +
                 " is one of an input that the node has not");
      return op.b.extent(extent.substitute(dims), "an extent of output " + quoted(output.name));
    });
  if (!output.like.empty())
    return op.b.shape(inputs.at(output.like));
  Exprs shape;
  for (const LibraryInput &input : definition.inputs)
    if (const auto given = inputs.find(input.name); given != inputs.end())
      shape = op.b.broadcastShapes(shape, op.b.shape(given->second));
  return shape;
}

Type NodeOfLibrary::typeOf(const LibraryOutput &output) const {
  if (output.type)
    return elementTypeOf(output.type, op.b.context());
  return op.b.element(inputs.at(output.typeOf.empty() ? definition.inputs.front().name : output.typeOf));
}

Type NodeOfLibrary::stepsOf(const Expression &expression, Type type) const {
  SmallVector<Type> types{type}, floats;
  for (const std::string &name : namesOf(expression))
    types.push_back(op.b.element(named(name)));
  llvm::copy_if(types, std::back_inserter(floats), [](Type one) { return isa<FloatType>(one); });
  if (!floats.empty())
    return formulaType(floats);
  return type.isInteger(1) ? op.element(0, definition.inputs.front().name) : type;
}

Value NodeOfLibrary::named(const std::string &name) const {
  if (const auto input = inputs.find(name); input != inputs.end())
    return input->second;
  if (const auto dim = dims.find(name); dim != dims.end())
    return op.b.dims({dim->second}, {}, op.b.int64());
  for (const LibraryAttribute &attribute : definition.attributes)
    if (attribute.name == name)
      return attribute.isInt ? op.b.intScalar(static_cast<int64_t>(attributes.at(name)), op.b.int64())
                             : op.b.scalar(attributes.at(name), Float32Type::get(op.b.context()));
  for (const LibraryInput &input : definition.inputs) // a dimension of an input that the node has not is none
    if (input.name == name)
      return op.b.scalar(*input.fallback, op.element(0, definition.inputs.front().name));
  op.bad("nothing at this node has the name " + quoted(name) + " of the op library");
}

Value NodeOfLibrary::asBool(Value value) const {
  const Type type = op.b.element(value);
  if (type.isInteger(1))
    return value;
  return op.b.unary(UnaryKind::Not, op.b.binary(BinaryKind::Equal, value, op.b.scalar(0, type)));
}

Value NodeOfLibrary::number(const Expression &expression, Type type) const {
  return op.b.cast(evaluate(expression, type), type);
}

/// Functions that integers have, too.
static bool takesIntegers(UnaryKind kind) {
  return kind == UnaryKind::Neg || kind == UnaryKind::Abs || kind == UnaryKind::Sign || kind == UnaryKind::Relu;
}

Value NodeOfLibrary::evaluateUnary(const Expression &expression, Type type) const {
  const Value operand = evaluate(expression.operands[0], type);
  if (expression.unary == UnaryKind::Not)
    return op.b.unary(UnaryKind::Not, asBool(operand));
  if (!isa<FloatType>(type) && !takesIntegers(expression.unary))
    op.bad("the op library computes " + stringifyUnaryKind(expression.unary).str() + " of " + typeText(type) +
           ", expected a float");
  return op.b.unary(expression.unary, op.b.cast(operand, type), expression.alpha, expression.alpha);
}

Value NodeOfLibrary::evaluateBinary(const Expression &expression, Type type) const {
  const BinaryKind kind = expression.binary;
  const bool isLogical = kind == BinaryKind::And || kind == BinaryKind::Or;
  Value operands[2];
  for (auto [operand, part] : llvm::zip_equal(operands, expression.operands))
    operand = isLogical ? asBool(evaluate(part, type)) : number(part, type);
  const Value result = op.b.binary(kind, operands[0], operands[1]);
  return expression.negated ? op.b.unary(UnaryKind::Not, result) : result;
}

Value NodeOfLibrary::evaluate(const Expression &expression, Type type) const {
  switch (expression.kind) {
  case Expression::Kind::Number:
    if (!isa<FloatType>(type) && expression.number != std::trunc(expression.number))
      op.bad("the op library computes with " + std::to_string(expression.number) + " in " + typeText(type));
    return op.b.scalar(expression.number, type);
  case Expression::Kind::Name: {
    const Value value = named(expression.name);
    return op.b.element(value).isInteger(1) ? value : op.b.cast(value, type);
  }
  case Expression::Kind::Unary:
    return evaluateUnary(expression, type);
  case Expression::Kind::Binary:
    return evaluateBinary(expression, type);
  case Expression::Kind::Select:
    return op.b.select(asBool(evaluate(expression.operands[0], type)), number(expression.operands[1], type),
                       number(expression.operands[2], type));
  }
  llvm_unreachable("all kinds are above");
}

/// Whether `name` is a word of the text.
static bool mentions(llvm::StringRef text, llvm::StringRef name) {
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end])))
      return true;
  }
  return false;
}

Value NodeOfLibrary::call(const LibraryOutput &output, Value same, ArrayRef<Expr> shape, Type type) const {
  std::vector<std::string> names = definition.dimNames();
  for (const LibraryInput &input : definition.inputs)
    names.push_back(input.name);
  for (const LibraryAttribute &attribute : definition.attributes)
    names.push_back(attribute.name);
  SmallVector<StringAttr> parameters;
  SmallVector<Value> operands;
  for (const std::string &name : names)
    if (mentions(output.snippet, name)) {
      parameters.push_back(StringAttr::get(op.b.context(), name));
      operands.push_back(op.b.broadcast(named(name), shape));
    }
  return op.b.call(graph::SnippetAttr::get(op.b.context(), parameters, output.snippet), operands, same, shape, type);
}

void NodeOfLibrary::import(const LibraryOutput &output, size_t index) {
  const Exprs shape = shapeOf(output);
  for (const LibraryInput &input : definition.inputs)
    if (const auto given = inputs.find(input.name); given != inputs.end())
      op.b.sameShape(op.b.broadcastShapes(shape, op.b.shape(given->second)), shape,
                     "output " + quoted(output.name) + " and what input " + quoted(input.name) + " makes of it");
  const Type type = typeOf(output);
  Value same;
  if (output.expression) {
    same = evaluate(*output.expression, stepsOf(*output.expression, type));
    same = op.b.broadcast(op.b.cast(same, type), shape);
  }
  const bool callsSnippet = !output.snippet.empty() && definition.trusted;
  if (!same && !callsSnippet)
    op.unsupported("the op library has no expression for output " + quoted(output.name) +
                   ", only a snippet, and those are used where they are trusted: --trust-snippets");
  op.result(callsSnippet ? call(output, same, shape, type) : same, index);
}

} // namespace

void importLibraryOp(OpBinder &op, const LibraryOp &definition) {
  NodeOfLibrary node(op, definition);
  for (auto [i, output] : llvm::enumerate(definition.outputs))
    if (op.wants(i))
      node.import(output, i);
}

} // namespace cupola::onnx_import
