//===- lib/Import/Onnx/OpLibrary/ReadLibrary.cpp - a file of ops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/OpTable.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Runtime/Format/ElementTypes.h"
#include "lib/Runtime/Format/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"

#include <map>

namespace cupola::onnx_import {
namespace {

constexpr uint64_t largestFile = 16 << 20;

/// A file's words, before they are understood.
struct OutputText {
  std::string name, shape, type, expression, snippet;
};
struct OpText {
  std::string op, domain;
  int64_t since = 1;
  std::vector<std::string> inputs;
  std::map<std::string, std::string> attributes;
  std::vector<OutputText> outputs;
};
struct FileText {
  std::vector<OpText> ops;
};

} // namespace
} // namespace cupola::onnx_import

LLVM_YAML_IS_SEQUENCE_VECTOR(cupola::onnx_import::OutputText)
LLVM_YAML_IS_SEQUENCE_VECTOR(cupola::onnx_import::OpText)
LLVM_YAML_IS_STRING_MAP(std::string)

template <> struct llvm::yaml::MappingTraits<cupola::onnx_import::OutputText> {
  static void mapping(IO &io, cupola::onnx_import::OutputText &output) {
    io.mapRequired("name", output.name);
    io.mapOptional("shape", output.shape);
    io.mapOptional("type", output.type);
    io.mapOptional("expression", output.expression);
    io.mapOptional("snippet", output.snippet);
  }
};

template <> struct llvm::yaml::MappingTraits<cupola::onnx_import::OpText> {
  static void mapping(IO &io, cupola::onnx_import::OpText &op) {
    io.mapRequired("op", op.op);
    io.mapRequired("domain", op.domain);
    io.mapOptional("since", op.since);
    io.mapRequired("inputs", op.inputs);
    io.mapOptional("attributes", op.attributes);
    io.mapRequired("outputs", op.outputs);
  }
};

template <> struct llvm::yaml::MappingTraits<cupola::onnx_import::FileText> {
  static void mapping(IO &io, cupola::onnx_import::FileText &file) { io.mapRequired("ops", file.ops); }
};

namespace cupola::onnx_import {
namespace {

bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Status notOfForm(llvm::StringRef what, llvm::StringRef text, const char *form) {
  return Status::usage((what + " " + quoted(text) + " has not the form ").str() + form);
}

/// "c" or "..., c, 3"
Status readDims(llvm::StringRef text, LibraryInput &input) {
  input.hasShape = true;
  if (text.trim().empty())
    return {};
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (auto [i, part] : llvm::enumerate(parts)) {
    const llvm::StringRef dim = part.trim();
    if (dim == "..." && i == 0) {
      input.hasLeading = true;
      continue;
    }
    if (!isIdentifier(dim) && dim != "*" && !parseCount(dim))
      return Status::usage("input " + quoted(input.name) + " has the dimension " + quoted(dim) +
                           ", expected a name, a number, '*', or '...' as the first one");
    input.dims.push_back(dim.str());
  }
  return {};
}

Result<LibraryInput> readInput(llvm::StringRef text) {
  constexpr const char *form = "NAME, NAME[DIM, ..] or NAME[DIM, ..] = NUMBER";
  LibraryInput input;
  const auto [declared, fallback] = text.split('=');
  const auto [name, rest] = declared.split('[');
  input.name = name.trim().str();
  if (!isIdentifier(input.name))
    return notOfForm("input", text, form);
  if (declared.contains('[')) {
    llvm::StringRef dims = rest.rtrim();
    if (!dims.consume_back("]"))
      return notOfForm("input", text, form);
    CUPOLA_TRY(readDims(dims, input));
  }
  if (text.contains('=')) {
    double number = 0;
    if (fallback.trim().getAsDouble(number))
      return notOfForm("input", text, form);
    input.fallback = number;
  }
  return input;
}

/// "float", "int", or what it is where a node has none: "1.5" is a float, "2" an int.
Result<LibraryAttribute> readAttribute(const std::string &name, llvm::StringRef text) {
  LibraryAttribute attribute;
  attribute.name = name;
  attribute.isInt = text == "int";
  if (attribute.isInt || text == "float")
    return attribute;
  int64_t integer = 0;
  double number = 0;
  attribute.isInt = !text.getAsInteger(10, integer);
  if (text.getAsDouble(number))
    return Status::usage("attribute " + quoted(name) + " is " + quoted(text) +
                         ", expected 'float', 'int' or the number that it is where a node has none");
  attribute.fallback = number;
  return attribute;
}

/// "broadcast", an input, or "[n, 2 * c]".
Status readShape(llvm::StringRef text, LibraryOutput &output) {
  if (text.empty() || text == "broadcast")
    return {};
  if (!text.consume_front("[")) {
    output.like = text.str();
    return {};
  }
  if (!text.consume_back("]"))
    return notOfForm("shape", text, "broadcast, INPUT or [EXTENT, ..]");
  output.shape.emplace();
  llvm::SmallVector<llvm::StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    std::string error;
    std::optional<Expr> extent = Expr::parse(part.trim(), &error);
    if (!extent)
      return Status::usage("extent " + quoted(part.trim()) + ": " + error);
    output.shape->push_back(*extent);
  }
  return {};
}

void readType(const std::string &text, LibraryOutput &output) {
  const auto *row = format::findElementType(
      [&](const format::ElementType &type) { return isComputed(type.dtype) && text == type.onnxName; });
  if (row)
    output.type = row->onnx;
  else
    output.typeOf = text;
}

Result<LibraryOutput> readOutput(const OutputText &text) {
  LibraryOutput output;
  output.name = text.name;
  output.snippet = text.snippet;
  readType(text.type, output);
  CUPOLA_TRY(readShape(llvm::StringRef(text.shape).trim(), output).within("output " + quoted(text.name)));
  if (text.expression.empty())
    return output;
  Result<Expression> expression = parseExpression(text.expression);
  if (expression.failed())
    return expression.status().within("the expression of output " + quoted(text.name));
  output.expression = expression.take();
  return output;
}

Result<LibraryOp> readOp(const OpText &text) {
  LibraryOp op;
  op.domain = text.domain;
  op.name = text.op;
  op.since = text.since;
  for (const std::string &input : text.inputs) {
    CUPOLA_ASSIGN(LibraryInput read, readInput(input));
    op.inputs.push_back(std::move(read));
  }
  for (const auto &[name, value] : text.attributes) {
    CUPOLA_ASSIGN(LibraryAttribute read, readAttribute(name, value));
    op.attributes.push_back(std::move(read));
  }
  for (const OutputText &output : text.outputs) {
    CUPOLA_ASSIGN(LibraryOutput read, readOutput(output));
    op.outputs.push_back(std::move(read));
  }
  CUPOLA_TRY(checkLibraryOp(op));
  return op;
}

/// "line 3: unknown key 'input'"
void keepFirstProblem(const llvm::SMDiagnostic &problem, void *text) {
  auto &kept = *static_cast<std::string *>(text);
  if (kept.empty())
    kept = "line " + std::to_string(problem.getLineNo()) + ": " + printable(problem.getMessage(), 128, /*quotes=*/true);
}

/// LLVM's parser goes by recursion.
bool nestsTooDeep(llvm::StringRef text) {
  constexpr int deepest = 100;
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > deepest)
      return true;
  }
  return false;
}

} // namespace

Status OpLibrary::addFile(const std::string &path, bool trustSnippets) {
  CUPOLA_ASSIGN(const std::string text, format::readFile(path, largestFile));
  return addText(text, path, trustSnippets);
}

Status OpLibrary::addText(const std::string &text, const std::string &name, bool trustSnippets) {
  if (nestsTooDeep(text))
    return Status::usage(name + ": its brackets nest deeper than 100");
  std::string problem;
  FileText file;
  llvm::yaml::Input input(text, nullptr, keepFirstProblem, &problem);
  input >> file;
  if (input.error())
    return Status::usage(name + ": " + (problem.empty() ? "is no list of ops" : problem));
  for (const OpText &opText : file.ops) {
    const std::string what = name + ": op " + quoted(opText.op);
    Result<LibraryOp> op = readOp(opText);
    if (op.failed())
      return op.status().within(what);
    for (const LibraryOp &other : ops)
      if (other.domain == opText.domain && other.name == opText.op && other.since == opText.since)
        return Status::usage(what + " is defined twice for version " + std::to_string(opText.since) +
                             " of the domain " + quoted(opText.domain));
    ops.push_back(op.take());
    ops.back().trusted = trustSnippets;
  }
  return {};
}

const LibraryOp *OpLibrary::find(std::string_view domain, std::string_view op, int64_t version) const {
  const LibraryOp *found = nullptr;
  for (const LibraryOp &row : ops)
    if (row.domain == domain && row.name == op && row.since <= version && (!found || row.since > found->since))
      found = &row;
  return found;
}

bool OpLibrary::knows(const std::string &domain, const std::string &op, int64_t version) const {
  return isKnownOp(domain, op, version) || find(domain, op, version);
}

bool OpLibrary::hasOpsOf(std::string_view domain) const {
  return llvm::any_of(ops, [&](const LibraryOp &op) { return op.domain == domain; });
}

} // namespace cupola::onnx_import
