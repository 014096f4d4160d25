//===- lib/Import/Onnx/OpBinder.cpp - typed access to one node -------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OpBinder.h"

#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/NumbersOfData.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {

void OpBinder::bad(const std::string &message) const { b.fail(message); }
void OpBinder::unsupported(const std::string &message) const { b.fail(message, ErrorKind::Unsupported); }

void OpBinder::undecided(size_t index, const std::string &message) const {
  throw NodeError{ErrorKind::Unsupported, message, index};
}

void OpBinder::undecided(ArrayRef<Expr> extents, const std::string &message) const { b.undecided(extents, message); }

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool isIndexType(Type element) { return element.isSignlessInteger(32) || element.isSignlessInteger(64); }

std::string operandText(size_t index, StringRef name) {
  return "input " + std::to_string(index) + " (" + name.str() + ")";
}

Tensor OpBinder::tensor(size_t index, StringRef name) const {
  const Tensor found = operand(index, name);
  if (found->composite)
    bad(operandText(index, name) + " is " + formOf(*found) + ", expected a tensor");
  return found;
}

Value OpBinder::value(size_t index, StringRef name) const { return pool.materialize(tensor(index, name)); }

std::vector<Value> OpBinder::allValues() const {
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i)
    values.push_back(value(i, "operand"));
  if (values.empty())
    bad("the node has no inputs, expected at least one");
  return values;
}

Exprs OpBinder::shape(size_t index, StringRef name) const {
  const Tensor operand = tensor(index, name);
  return operand->value ? b.shape(operand->value) : b.facts().current(operand->dims);
}

int64_t OpBinder::rank(size_t index, StringRef name, int64_t least) const {
  const auto rank = static_cast<int64_t>(shape(index, name).size());
  if (rank < least)
    bad(operandText(index, name) + " has rank " + std::to_string(rank) + ", expected at least " +
        std::to_string(least));
  return rank;
}

Type OpBinder::element(size_t index, StringRef name) const { return operand(index, name)->element; }

Value OpBinder::scalar(size_t index, StringRef name) const {
  const Exprs dims = shape(index, name);
  for (const Expr &dim : dims)
    if (dim.constant() && !dim.isConstant(1))
      bad(operandText(index, name) + " has the shape " + shapeText(dims) + ", expected one element");
  for (const Expr &dim : dims)
    b.sameExtent(dim, Expr(1), "the extent of " + operandText(index, name) + " and that of one element");
  return value(index, name);
}

void OpBinder::requireFloat(size_t index, StringRef name) const {
  if (!isa<FloatType>(element(index, name)))
    bad(operandText(index, name) + " has elements of " + typeText(element(index, name)) + ", expected floats");
}

void OpBinder::requireNumber(size_t index, StringRef name) const {
  if (element(index, name).isInteger(1))
    bad(operandText(index, name) + " has elements of bool, expected numbers");
}

void OpBinder::requireBool(size_t index, StringRef name) const {
  if (!element(index, name).isInteger(1))
    bad(operandText(index, name) + " has elements of " + typeText(element(index, name)) + ", expected bool");
}

void OpBinder::requireIndex(size_t index, StringRef name) const {
  const Type type = element(index, name);
  if (!isIndexType(type))
    bad(operandText(index, name) + " has elements of " + typeText(type) + ", expected int32 or int64");
}

void OpBinder::requireInputs(int least, int most) const {
  if (node.input_size() >= least && node.input_size() <= most)
    return;
  const std::string bound = most == std::numeric_limits<int>::max() ? " or more" : " to " + std::to_string(most);
  bad("the node has " + std::to_string(node.input_size()) + " inputs, expected " + std::to_string(least) +
      (most == least ? "" : bound));
}

//===----------------------------------------------------------------------===//
// Known operands
//===----------------------------------------------------------------------===//

const Known *OpBinder::known(size_t index) const {
  return has(index) && operands[index]->known ? &*operands[index]->known : nullptr;
}

bool OpBinder::readsData() const {
  bodies().wantsData = true;
  return bodies().mayReadData;
}

Known OpBinder::numbers(size_t index, StringRef name, Sign sign) const {
  const Tensor source = tensor(index, name);
  if (source->known)
    return *source->known;
  if (canBeRead(*source) && readsData())
    return readNumbers(*this, source, operandText(index, name), sign);
  undecidedByData(index, name);
}

void OpBinder::undecidedByData(size_t index, StringRef name) const {
  undecided(index, operandText(index, name) + " is computed from the data of the model's inputs, supported are "
                                              "constants and values that follow from shapes");
}

void OpBinder::requireKnown(size_t index, StringRef name) const {
  tensor(index, name);
  if (!known(index))
    undecidedByData(index, name);
}

Exprs OpBinder::symbolicInts(size_t index, StringRef name, Sign sign) const {
  const auto values = numbers(index, name, sign).integers();
  if (!values)
    bad(operandText(index, name) + " has elements of " + typeText(element(index, name)) + ", expected integers");
  return b.facts().current(*values);
}

Ints OpBinder::constantInts(size_t index, StringRef name) const {
  requireKnown(index, name);
  Ints result;
  for (const Expr &value : symbolicInts(index, name)) {
    if (!value.constant())
      undecided({value}, operandText(index, name) + " has the value " + value.text() + ", supported are constants");
    result.push_back(*value.constant());
  }
  return result;
}

Expr OpBinder::symbolicInt(size_t index, StringRef name) const {
  const Exprs values = symbolicInts(index, name);
  if (values.size() != 1)
    bad(operandText(index, name) + " has " + std::to_string(values.size()) + " elements, expected 1");
  return values[0];
}

int64_t OpBinder::constantInt(size_t index, StringRef name) const {
  requireKnown(index, name);
  symbolicInt(index, name); // one element
  return constantInts(index, name).front();
}

double OpBinder::constantNumber(size_t index, StringRef name) const {
  tensor(index, name);
  const Known *source = known(index);
  if (!source || !source->allConstant())
    undecided(index, operandText(index, name) + " is no constant, supported are constants");
  if (!source->isScalarLike())
    bad(operandText(index, name) + " has " + std::to_string(source->elements.size()) + " elements, expected 1");
  return source->elements[0].asDouble();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static std::string attributeKind(int type) {
  using A = onnx::AttributeProto;
  static constexpr std::pair<int, const char *> kinds[] = {{A::FLOAT, "a float"},
                                                           {A::INT, "an int"},
                                                           {A::STRING, "a string"},
                                                           {A::TENSOR, "a tensor"},
                                                           {A::FLOATS, "a list of floats"},
                                                           {A::INTS, "a list of ints"},
                                                           {A::STRINGS, "a list of strings"},
                                                           {A::GRAPH, "a graph"}};
  for (auto [kind, text] : kinds)
    if (kind == type)
      return text;
  return "of type " + std::to_string(type);
}

const onnx::AttributeProto *OpBinder::attribute(StringRef name, int type) const {
  read.insert(name.str());
  for (const auto &entry : node.attribute()) {
    if (entry.name() != name)
      continue;
    if (entry.type() != type)
      bad("attribute '" + name.str() + "' is " + attributeKind(entry.type()) + ", expected " + attributeKind(type));
    return &entry;
  }
  return nullptr;
}

bool OpBinder::hasAttribute(StringRef name) const {
  return llvm::any_of(node.attribute(), [&](const auto &entry) { return entry.name() == name; });
}

int64_t OpBinder::intAttribute(StringRef name, int64_t fallback) const {
  const auto *entry = attribute(name, onnx::AttributeProto::INT);
  return entry ? entry->i() : fallback;
}

int64_t OpBinder::requiredInt(StringRef name) const {
  if (!hasAttribute(name))
    bad("attribute '" + name.str() + "' is missing, expected an int");
  return intAttribute(name, 0);
}

Ints OpBinder::requiredInts(StringRef name) const {
  if (!hasAttribute(name))
    bad("attribute '" + name.str() + "' is missing, expected a list of ints");
  return *intsAttribute(name);
}

double OpBinder::floatAttribute(StringRef name, double fallback) const {
  const auto *entry = attribute(name, onnx::AttributeProto::FLOAT);
  return entry ? entry->f() : fallback;
}

std::string OpBinder::stringAttribute(StringRef name, StringRef fallback) const {
  const auto *entry = attribute(name, onnx::AttributeProto::STRING);
  return entry ? entry->s() : fallback.str();
}

std::optional<Ints> OpBinder::intsAttribute(StringRef name) const {
  const auto *entry = attribute(name, onnx::AttributeProto::INTS);
  return entry ? std::optional<Ints>(Ints(entry->ints().begin(), entry->ints().end())) : std::nullopt;
}

std::optional<std::vector<double>> OpBinder::floatsAttribute(StringRef name) const {
  const auto *entry = attribute(name, onnx::AttributeProto::FLOATS);
  if (!entry)
    return std::nullopt;
  return std::vector<double>(entry->floats().begin(), entry->floats().end());
}

std::optional<std::vector<std::string>> OpBinder::stringsAttribute(StringRef name) const {
  const auto *entry = attribute(name, onnx::AttributeProto::STRINGS);
  if (!entry)
    return std::nullopt;
  return std::vector<std::string>(entry->strings().begin(), entry->strings().end());
}

Tensor OpBinder::tensorAttribute(StringRef name) const {
  const auto *entry = attribute(name, onnx::AttributeProto::TENSOR);
  return entry ? pool.ofConstant(entry->t(), blobs) : nullptr;
}

const onnx::GraphProto &OpBinder::graphAttribute(StringRef name) const {
  const auto *entry = attribute(name, onnx::AttributeProto::GRAPH);
  if (!entry)
    bad("attribute '" + name.str() + "' is missing, expected a graph");
  return entry->g();
}

void OpBinder::checkAllAttributesRead() const {
  for (const auto &entry : node.attribute()) // the exception is a hint of opsets before 6 that still appears
    if (!read.count(entry.name()) && entry.name() != "consumed_inputs")
      unsupported("attribute " + quoted(entry.name()) + " is not known for this op");
}

//===----------------------------------------------------------------------===//
// Axes, results
//===----------------------------------------------------------------------===//

int64_t OpBinder::axis(int64_t value, int64_t rank, StringRef name) const {
  if (value < -rank || value >= rank)
    bad(name.str() + " is " + std::to_string(value) + ", expected " + std::to_string(-rank) + " to " +
        std::to_string(rank - 1) + " for rank " + std::to_string(rank));
  return value < 0 ? value + rank : value;
}

Ints OpBinder::axes(ArrayRef<int64_t> values, int64_t rank, StringRef name) const {
  Ints result = llvm::map_to_vector(values, [&](int64_t value) { return axis(value, rank, name); });
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    bad(name.str() + " are " + listText(values.vec()) + ", expected no repetition");
  return result;
}

size_t OpBinder::outputCount() const { return static_cast<size_t>(node.output_size()); }

bool OpBinder::wants(size_t index) const {
  return index < outputCount() && !node.output(static_cast<int>(index)).empty();
}

bool OpBinder::sharesMemory(size_t output, size_t input) const {
  if (!wants(output) || !has(input))
    return false;
  const auto found = aliases.find(node.input(static_cast<int>(input)));
  return found != aliases.end() && found->second == node.output(static_cast<int>(output));
}

void OpBinder::result(Tensor tensor, size_t index) {
  if (outputs.size() <= index)
    outputs.resize(index + 1);
  outputs[index] = tensor;
}

void OpBinder::result(Value value, size_t index) { result(pool.ofValue(value), index); }

void OpBinder::result(Value held, Type element, size_t index) { result(pool.ofValue(held, element), index); }

void OpBinder::result(Known known, Type element, size_t index) {
  for (Scalar &scalar : known.elements)
    if (scalar.kind != Scalar::Kind::Real) {
      scalar.num = b.facts().current(scalar.num);
      scalar.den = b.facts().current(scalar.den);
    }
  result(pool.ofKnown(std::move(known), element), index);
}

} // namespace cupola::onnx_import
