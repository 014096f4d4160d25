//===- lib/Import/Onnx/Interpolation.h - resizing along one dimension -----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_INTERPOLATION_H
#define CUPOLA_LIB_IMPORT_ONNX_INTERPOLATION_H

#include "lib/Import/Onnx/GraphBuilder.h"
#include "lib/Import/Onnx/Known.h"

#include <string>

namespace cupola::onnx_import {

/// How Resize finds and mixes elements, in ONNX's words: `coordinates` is
/// coordinate_transformation_mode, `rounding` nearest_mode.
struct Interpolation {
  enum class Mode { Nearest, Linear, Cubic };
  Mode mode = Mode::Nearest;
  std::string coordinates = "half_pixel", rounding = "round_prefer_floor";
  double cubicA = -0.75;
  bool excludeOutside = false;
  bool antialias = false;   ///< not with Mode::Nearest
  double extrapolation = 0; ///< of tf_crop_and_resize
};

/// A dimension that changes: `scale` is what the model gives, or the quotient of the
/// extents where it gives sizes.
struct ResizedDimension {
  int64_t axis;
  Expr in, out;
  Scalar scale;
  Value begin = {}, end = {}; ///< of tf_crop_and_resize: scalars of floats, 0 and 1 are the first and last element
};

/// `data` with another extent along one dimension. What is mixed (all modes but nearest)
/// has to be float32 or float64, in which places and weights are computed, too.
Value interpolate(GraphBuilder &builder, Value data, const Interpolation &how, const ResizedDimension &dimension);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_INTERPOLATION_H
