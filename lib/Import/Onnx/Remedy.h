//===- lib/Import/Onnx/Remedy.h - options that would decide a value --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Where a node needs a value while compiling and the model leaves it open, inputs may
// become shape inputs (ShapeInputs.h), whose elements are symbols. Where that is not
// enough, the error names the options that would decide: `--shape` for dimensions,
// `--set` for small inputs. Nothing is named where data decides, whatever the options.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_REMEDY_H
#define CUPOLA_LIB_IMPORT_ONNX_REMEDY_H

#include "lib/Import/Onnx/OpBinder.h"

#include <unordered_map>

namespace cupola::onnx_import {

class Remedy {
public:
  using Values = std::unordered_map<std::string, Tensor>;
  Remedy(const Values &values, const Symbols &symbols) : values(values), symbols(symbols) {}

  void recordMaker(const onnx::NodeProto &node);
  struct Answer {
    /// "; --shape batch=VALUE (or a --dim that leaves one answer) --set sr=VALUE would decide it", or "may", or empty.
    std::string text;
    /// The inputs whose elements would be enough to decide; empty where others are needed, too, or no element is open.
    std::set<std::string> shapeInputs;
    Decisive decidedBy; ///< what `text` names
  };
  Answer forError(const NodeError &error, const onnx::NodeProto &node) const;

private:
  const Values &values;
  const Symbols &symbols;
  std::unordered_map<std::string, const onnx::NodeProto *> makers; ///< by output

  struct Options {
    std::set<std::string> dimensions, inputs;
    bool isEnough = true; ///< no data decides
  };
  void addExtents(llvm::ArrayRef<Expr> extents, Options &options) const;
  void addOperands(const onnx::NodeProto &node, Options &options) const;
  void addSources(const std::string &value, Options &options) const;
  bool addIfReached(const std::string &value, Options &options) const;
  std::set<std::string> openShapeInputs(const Options &options) const;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_REMEDY_H
