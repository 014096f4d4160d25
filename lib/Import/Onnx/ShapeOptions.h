//===- lib/Import/Onnx/ShapeOptions.h - what is known of inputs ------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_SHAPEOPTIONS_H
#define CUPOLA_LIB_IMPORT_ONNX_SHAPEOPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cupola::onnx_import {

/// A dimension that the user bounds: --dim past=1..4096.
struct DimBounds {
  int64_t min = 0;
  int64_t max = 0; ///< 0: unbounded
};

/// What of an input of a run may have to be known while compiling. An element of a sequence 'x' is called "x[0]"; "x[]"
/// stands for a sequence without any.
struct GivenInput {
  std::string name;
  std::vector<int64_t> shape;
  std::optional<std::string> value; ///< as of --set; nothing: it has too many elements
};

/// What the user fixes, or permits, before shapes are inferred. Names are those of the model.
struct ShapeOptions {
  std::map<std::string, std::vector<int64_t>> inputs; ///< --shape x=1x3x224x224
  std::map<std::string, int64_t> symbols;             ///< --shape batch=16
  std::map<std::string, DimBounds> bounds;            ///< --dim past=1..4096
  std::map<std::string, std::string> values;          ///< --set sr=16000: the input becomes a constant
  /// --sequence x=3: of how many tensors an input consists; nothing: an optional is absent.
  std::map<std::string, std::optional<int64_t>> sequences;
  /// Of the run that the model is compiled for: what the other options leave open and must be known.
  std::optional<std::vector<GivenInput>> given;
  std::map<std::string, std::string> aliases; ///< --alias: by input, the output that lies in its memory
  bool allowDecoders = false; ///< --allow-decoders: what a picture consists of is data, and what decodes it a library
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SHAPEOPTIONS_H
