//===- lib/Target/CUDA/GemmShapes.h - tiles of products ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_GEMMSHAPES_H
#define CUPOLA_LIB_TARGET_CUDA_GEMMSHAPES_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// A block computes m by n with tiles of k; a thread threadM by threadN of it, over one of
/// `split` equal parts of each tile's k.
struct GemmShape {
  int64_t m, n, k, threadM, threadN, split;
  int64_t threads() const { return m / threadM * (n / threadN) * split; }
};

/// The same on matrix units: warpsM by warpsN warps share the tile, or a part of its k.
struct MmaShape {
  int64_t m, n, k, warpsM, warpsN, split;
  int64_t threads() const { return warpsM * warpsN * split * 32; }
};

/// The largest tile of the table that still fills a GPU, by extents or, where those
/// are symbols, by a typical size.
const GemmShape &chooseGemmShape(kernel::DotOp dot);
const MmaShape &chooseMmaShape(kernel::DotOp dot);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_GEMMSHAPES_H
