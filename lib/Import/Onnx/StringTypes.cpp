//===- lib/Import/Onnx/StringTypes.cpp - strings as numbers ----------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/StringTypes.h"

#include "dialects/Graph/Interface.h"
#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/NarrowTypes.h"

#include "onnx/onnx_pb.h"

#include <cstring>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Which operands of an op may be strings, all of them or none. A list of them may go on: `isVariadic`.
/// `moved`: results that are their elements.
struct Taker {
  StringRef op;
  SmallVector<size_t, 2> operands = {0};
  SmallVector<size_t, 2> moved = {0};
  bool isVariadic = false, movesToAll = false;
};

ArrayRef<Taker> takersOf(const std::string &domain) {
  static const Taker ofOnnx[] = {
      {"Cast", {0}, {}},
      {"CastLike", {}, {}}, // either operand; its import tells them apart
      {"Compress"},
      {"Concat", {0}, {0}, /*isVariadic=*/true},
      {"DepthToSpace"},
      {"Equal", {0, 1}, {}},
      {"Expand"},
      {"Flatten"},
      {"Gather"},
      {"GatherElements"},
      {"GatherND"},
      {"Identity"},
      {"Loop", {}, {}}, // its import looks at the types itself
      {"OneHot", {2}},
      {"Pad", {0, 2}},
      {"RegexFullMatch", {0}, {}},
      {"Reshape"},
      {"ReverseSequence"},
      {"Scan", {}, {}}, // as Loop
      {"ScatterElements", {0, 2}},
      {"ScatterND", {0, 2}},
      {"Shape", {0}, {}},
      {"Size", {0}, {}},
      {"Slice"},
      {"SpaceToDepth"},
      {"Split", {0}, {}, /*isVariadic=*/false, /*movesToAll=*/true},
      {"Squeeze"},
      {"StringConcat", {0, 1}, {}},
      {"StringNormalizer", {0}, {}},
      {"StringSplit", {0}, {}},
      {"TfIdfVectorizer", {0}, {}},
      {"Tile"},
      {"Transpose"},
      {"Unique"},
      {"Unsqueeze"},
      {"Where", {1, 2}},
  };
  static const Taker ofMl[] = {
      {"ArrayFeatureExtractor"}, {"CategoryMapper", {0}, {}}, {"LabelEncoder", {0}, {}}, {"OneHotEncoder", {0}, {}}};
  return domain.empty() ? ArrayRef(ofOnnx) : domain == "ai.onnx.ml" ? ArrayRef(ofMl) : ArrayRef<Taker>();
}

const Taker *takerOf(const onnx::NodeProto &node) {
  const ArrayRef<Taker> takers = takersOf(canonicalDomain(node.domain()));
  const auto *found = llvm::find_if(takers, [&](const Taker &taker) { return taker.op == node.op_type(); });
  return found == takers.end() ? nullptr : found;
}

bool takes(const Taker &taker, size_t operand) {
  return taker.operands.empty() || llvm::is_contained(taker.operands, operand) || taker.isVariadic;
}

bool hasString(const OpBinder &op, size_t operand) {
  return op.has(operand) && isString(op.operand(operand, "operand")->element);
}

/// Asked of every node, before the table is looked at.
bool hasStrings(const OpBinder &op) {
  return llvm::any_of(llvm::seq<size_t>(0, op.inputCount()), [&](size_t i) { return hasString(op, i); });
}

} // namespace

Type stringType(MLIRContext *context) { return IntegerType::get(context, 64, IntegerType::Signed); }
bool isString(Type element) { return element && element.isSignedInteger(64); }

TensorValue numbered(const onnx::TensorProto &tensor, StringNumbers &numbers) {
  auto bytes = std::make_shared<std::string>(sizeof(int64_t) * static_cast<size_t>(tensor.string_data_size()), '\0');
  for (int i = 0; i < tensor.string_data_size(); ++i) {
    const int64_t number = numbers.of(tensor.string_data(i));
    std::memcpy(bytes->data() + sizeof(number) * static_cast<size_t>(i), &number, sizeof(number));
  }
  return {tensor.data_type(), dimsOf(tensor), *bytes, bytes};
}

Tensor asStrings(OpBinder &op, Value value) { return op.ofValue(value, stringType(op.b.context())); }

NamedAttrList interfaceAttributes(MLIRContext *context, const std::string &name, Type element) {
  NamedAttrList attributes;
  attributes.set("graph.name", StringAttr::get(context, name));
  if (const format::ElementType &row = modelRowOf(element); !isComputed(row.dtype))
    attributes.set(graph::elementAttr, StringAttr::get(context, row.name));
  return attributes;
}

void setStrings(ModuleOp module, const StringNumbers &numbers) {
  if (numbers.all().empty())
    return;
  const auto texts = llvm::map_to_vector(numbers.all(), [](const std::string &text) { return StringRef(text); });
  module->setAttr(graph::stringsAttr, Builder(module.getContext()).getStrArrayAttr(texts));
}

void checkStringOperands(const onnx::NodeProto &node, const OpBinder &op) {
  if (!hasStrings(op))
    return;
  const Taker *taker = takerOf(node);
  std::optional<size_t> string, other;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (hasString(op, i) && (!taker || !takes(*taker, i)))
      op.unsupported("input " + std::to_string(i) + " has elements of string, which the op does not take");
    if (!op.has(i) || !taker || taker->operands.empty() || !takes(*taker, i))
      continue;
    (hasString(op, i) ? string : other) = i;
  }
  if (string && other)
    op.bad("input " + std::to_string(*string) + " has elements of string and input " + std::to_string(*other) + " of " +
           typeText(op.element(*other, "operand")) + ", expected one type");
}

void keepStringType(const onnx::NodeProto &node, const OpBinder &op) {
  if (!hasStrings(op))
    return;
  const Taker *taker = takerOf(node);
  if (!taker || taker->operands.empty() || !hasString(op, taker->operands.front()))
    return;
  for (auto [i, result] : llvm::enumerate(op.results()))
    if (result && (taker->movesToAll || llvm::is_contained(taker->moved, i)))
      result->element = op.element(taker->operands.front(), "operand");
}

} // namespace cupola::onnx_import
