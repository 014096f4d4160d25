//===- lib/Import/Onnx/Diagnostic.h - what is wrong with a model -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every stage of the import appends to one Diagnostics and says by its return
// value whether the next stage may run. Messages are lower-case, give what was
// found and what was expected, and have no final period.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_DIAGNOSTIC_H
#define CUPOLA_LIB_IMPORT_ONNX_DIAGNOSTIC_H

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::onnx_import {

/// The values are the exit codes of the command line.
enum class ErrorKind : int {
  Usage = 2,
  BadModel = 3,
  Unsupported = 4,
  Limit = 5,
  Environment = 6,
  InputOutput = 8,
  Internal = 70, ///< a bug of ours
};

/// The ONNX node that a message is about. `name` may be empty; then the message
/// names the node by its first output.
struct NodeLabel {
  std::string name;
  std::string firstOutput;
  std::string op; ///< with its domain in front unless that is ai.onnx
  int64_t opset = 0;

  std::string text() const; ///< "node 'block3/Einsum_2' (Einsum, opset 12)"
};

/// What of a run's inputs may decide: values of inputs, extents of dimensions, all of them together.
struct Decisive {
  std::set<std::string> inputs, dimensions;
  bool empty() const { return inputs.empty() && dimensions.empty(); }
};

struct Diagnostic {
  ErrorKind kind = ErrorKind::BadModel;
  bool hasNode = false;
  NodeLabel node;
  std::string message;
  Decisive decidedBy; ///< empty: there would be the same error with all of the inputs

  std::string text() const; ///< without "error: " and without the file's name
};

class Diagnostics {
public:
  void error(ErrorKind kind, std::string message, Decisive decidedBy = {});
  void error(ErrorKind kind, const NodeLabel &node, std::string message, Decisive decidedBy = {});
  void warning(std::string message); ///< the model can be compiled nevertheless

  bool failed() const { return !list.empty(); }
  const std::vector<Diagnostic> &errors() const { return list; }
  const std::vector<std::string> &warnings() const { return remarks; }
  /// 0 without errors; else the code of the gravest kind: a bug of ours before a
  /// bad model before an exceeded limit before something unsupported.
  int exitCode() const;
  /// One "<model>: <text>" per error, at most `most` and a count of the rest.
  std::vector<std::string> lines(std::string_view model, size_t most = 100) const;

private:
  std::vector<Diagnostic> list;
  std::vector<std::string> remarks;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_DIAGNOSTIC_H
