//===- lib/Target/CUDA/ImagePatch.h - what a tile of a convolution reads of its image ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_IMAGEPATCH_H
#define CUPOLA_LIB_TARGET_CUDA_IMAGEPATCH_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// An axis of the image, in coordinates of its own: a place of the result reads those from step * place on.
struct ImageAxis {
  int64_t unit;               ///< elements of memory from a coordinate to the next
  int64_t taps;               ///< coordinates that one place of the result reads
  int64_t inDepth;            ///< what a tap adds to k
  int64_t step = 0;           ///< 0: all places read the same
  int64_t first = 0, end = 0; ///< coordinates outside are zero, or not read
};

/// A convolution whose rows of k are runs of few elements, as those of an image with three channels: neighbouring
/// places read almost the same ones. Element (m, k) of the left operand is `base` + image * imageStride + the axes'
/// unit * (step * place + tap).
struct ImagePatch {
  kernel::LoadOp load;
  Expr base;                   ///< the same for the whole launch
  Expr images;                 ///< how many
  int64_t imageStride;         ///< elements
  int64_t height, width;       ///< places of the result of an image
  int64_t runs;                ///< in a row of k; each as long as the first axis has taps
  std::vector<ImageAxis> axes; ///< the first one lies along memory and has the places of a row, one of the others rows
  size_t rows;                 ///< that axis
  int64_t front; ///< 1: a run begins at odd elements of memory, so that a pair of elements begins before it

  /// Pairs of a run in shared memory, with those before and behind it: whole halves of an mma's depth.
  int64_t pairsOfRun() const { return llvm::alignTo(front + axes[0].taps, 8) / 2; }
  /// The steps of an mma with a depth of 16.
  int64_t steps() const { return llvm::divideCeil(runs * pairsOfRun(), 8); }
};

/// The left operand of a product, if it is such an image and whole pairs of its elements can be copied: they begin at
/// multiples of two elements, and none begins outside of the image and ends in it.
std::optional<ImagePatch> imagePatch(kernel::FuncOp func, kernel::DotOp dot, kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_IMAGEPATCH_H
