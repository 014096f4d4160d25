//===- lib/Import/Onnx/OpLibrary/OpLibrary.h - ops that a user defines ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A file in YAML lists ops of domains of their own; docs/custom-ops.md is its reference. It is the user's, like the
// command line, and not the model's: what it says is trusted to mean well, but not to be right.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPLIBRARY_OPLIBRARY_H
#define CUPOLA_LIB_IMPORT_ONNX_OPLIBRARY_OPLIBRARY_H

#include "lib/Import/Onnx/OpLibrary/Expression.h"
#include "lib/Planner/Expr.h"

namespace cupola::onnx_import {

class OpBinder;

/// "x", "x[..., c]", "bias[c] = 0"
struct LibraryInput {
  std::string name;
  std::optional<double> fallback; ///< its elements where a node has no such input
  bool hasShape = false;          ///< what follows counts
  bool hasLeading = false;        ///< any number of dimensions come before those of `dims`
  std::vector<std::string> dims;  ///< a name, a number or "*": any
};

struct LibraryAttribute {
  std::string name;
  bool isInt = false;             ///< INT, else FLOAT
  std::optional<double> fallback; ///< none: every node must have it
};

struct LibraryOutput {
  std::string name;
  std::string like;                       ///< an input whose shape it has
  std::optional<std::vector<Expr>> shape; ///< over names of dimensions; without both: the inputs broadcast
  int32_t type = 0;                       ///< TensorProto.DataType; 0: that of `typeOf`
  std::string typeOf;                     ///< an input; empty: the first one
  std::optional<Expression> expression;
  std::string snippet; ///< statements in CUDA C++ that return the element
};

struct LibraryOp {
  std::string domain, name;
  int64_t since = 1; ///< the first version of the domain that has it
  std::vector<LibraryInput> inputs;
  std::vector<LibraryAttribute> attributes;
  std::vector<LibraryOutput> outputs;
  bool trusted = false; ///< its snippets may become part of kernels

  size_t leastInputs() const;
  /// Names of dimensions, each once, in order of appearance.
  std::vector<std::string> dimNames() const;
};

class OpLibrary {
public:
  /// Adds the ops of a file. Code::IO if it cannot be read; Code::Usage, with the line or the op, for what it may not
  /// say and for ops that are there already.
  Status addFile(const std::string &path, bool trustSnippets);
  /// The same of its text, called `name` in messages.
  Status addText(const std::string &text, const std::string &name, bool trustSnippets);
  /// Null when there is none, or only newer ones than `version`.
  const LibraryOp *find(std::string_view domain, std::string_view op, int64_t version) const;
  bool hasOpsOf(std::string_view domain) const;
  /// Whether the importer has a row for the op, or the library does.
  bool knows(const std::string &domain, const std::string &op, int64_t version) const;

private:
  std::vector<LibraryOp> ops;
};

/// Checks one op, whose names and texts are read, as a whole.
Status checkLibraryOp(const LibraryOp &op);
/// What OpRow::import is for ops of the table.
void importLibraryOp(OpBinder &op, const LibraryOp &definition);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPLIBRARY_OPLIBRARY_H
