//===- lib/Import/Onnx/Decisions.h - what a run's inputs decide ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A node may need a value or an extent while compiling that the model leaves open. Where
// the model is compiled for inputs that are at hand (ShapeOptions::given), these decide:
// the model is imported again with what the error asks for, as by --set and --shape. In
// the end nothing stays decided without which the model can be imported, too.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_DECISIONS_H
#define CUPOLA_LIB_IMPORT_ONNX_DECISIONS_H

#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/ShapeOptions.h"

#include <functional>

namespace onnx {
class GraphProto;
}

namespace cupola::onnx_import {

/// One thing that inputs decided.
struct Decision {
  enum Kind { Value, Extent };
  Kind kind = Value;
  std::string name;  ///< of the input, or of the dimension, as the user calls it
  std::string value; ///< as of --set, or a number
  std::string node;  ///< NodeLabel::text of the first one that needs it
};

class Decisions {
public:
  Decisions(const onnx::GraphProto &graph, const ShapeOptions &options);

  const std::vector<Decision> &list() const { return decisions; }
  /// Imports a model, or tries to, and says whether it went well and what was wrong.
  using Attempt = std::function<bool(const ShapeOptions &shapes, Diagnostics &problems)>;
  /// Attempts with more and more decisions until one goes well or nothing more can be decided; then with fewer. The
  /// last one that went well had the decisions in list().
  void search(const Attempt &attempt);

private:
  ShapeOptions shapes() const;
  bool add(const Diagnostics &problems);
  void drop(const Attempt &attempt);

  ShapeOptions options;
  std::map<std::string, int64_t> extents; ///< that the given inputs have, by dimension; the first input counts
  std::vector<Decision> decisions;

  bool isDecided(Decision::Kind kind, const std::string &name) const;
  bool addValue(const std::string &name, std::vector<Decision> &found) const;
  bool addExtent(const std::string &name, std::vector<Decision> &found) const;
};

/// "input 'axis' decides the program: compiled for axis = 1, as by --set axis=1", a line for each input and for all
/// dimensions that a node needs.
std::vector<std::string> decisionTexts(const std::vector<Decision> &decisions);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_DECISIONS_H
