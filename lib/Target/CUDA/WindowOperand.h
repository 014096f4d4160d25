//===- lib/Target/CUDA/WindowOperand.h - windows of an image that tensor copies can bring ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_WINDOWOPERAND_H
#define CUPOLA_LIB_TARGET_CUDA_WINDOWOPERAND_H

#include "dialects/Simt/Simt.h"
#include "lib/Target/CUDA/OperandDigits.h"

namespace cupola::cuda {

/// An axis of the image that a window moves along. Its coordinates count from the first tap of the first place.
struct MapAxis {
  Digit place;                    ///< of m: which place of the result
  std::optional<Digit> tap = {};  ///< of k: which element of its window
  int64_t unit = 0;               ///< elements of memory from a coordinate to the next
  int64_t step = 1, dilation = 0; ///< coordinates from a place, from a tap to the next
  int64_t first = 0, end = 0;     ///< those outside are padding

  /// The corners of the map's window (format::TensorWindow).
  int64_t lower() const { return -first; }
  int64_t upper() const { return step * (place.count() - 1) - (end - 1); }
  int64_t lastTap() const { return tap ? dilation * (tap->count() - 1) : 0; }
};

/// The left operand of a product as the windows of an image, channels innermost: rows of the matrix are the places of
/// its map's window in their order ("im2col" in the PTX ISA), a tile of k has channels of one tap.
struct WindowOperand {
  unsigned view; ///< which buffer parameter
  Expr offset;   ///< of the first coordinate that is no padding, along all axes
  int64_t channels;
  std::vector<MapAxis> axes; ///< 1 to 3, the inner first
  int64_t placesOfImage;
  Expr images;
  int64_t imageStride; ///< elements from one to the next

  /// A copy brings so many channels of so many places.
  simt::TensorMapAttr map(mlir::MLIRContext *context, int64_t channels, int64_t places, int64_t swizzle) const;
  /// Where a copy begins that brings rows from `m` on and channels from `k` on: innermost first.
  graph::Exprs coordinates(const Expr &m, const Expr &k) const;
  /// The tap that `k` is of, as coordinates behind the begin of a place.
  graph::Exprs taps(const Expr &k) const;
};

/// None where the operand is no such thing, a mask hides more than padding, or a map cannot say it. `depth`: of a tile
/// of k, which lies within the channels of one tap.
std::optional<WindowOperand> windowOperand(kernel::FuncOp func, kernel::DotOp dot, int64_t depth,
                                           kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_WINDOWOPERAND_H
