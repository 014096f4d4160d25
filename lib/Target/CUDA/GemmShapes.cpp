//===- lib/Target/CUDA/GemmShapes.cpp - tiles of products ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/GemmShapes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::cuda;

// Largest first. Tiles with small m are for few rows: short sequences, late layers. Where the
// result is small and k long, the threads of a block share k, too.
static constexpr GemmShape shapes[] = {
    // m, n, k, thread m, thread n, parts of k
    {128, 128, 16, 8, 8, 1}, {64, 128, 16, 8, 8, 1}, {64, 64, 16, 8, 4, 1},
    {32, 64, 16, 4, 4, 1},   {16, 64, 16, 4, 4, 1},  {16, 32, 64, 4, 4, 4},
};

static constexpr MmaShape mmaShapes[] = {
    // m, n, k, warps along m, along n, parts of k
    {128, 128, 32, 2, 4, 1}, {64, 64, 32, 2, 2, 1}, {32, 64, 32, 1, 2, 2}, {32, 64, 32, 1, 2, 1}, {32, 32, 64, 1, 1, 4},
};

/// Blocks that keep a large GPU busy.
static constexpr int64_t enoughBlocks = 128;
/// What a symbolic extent is taken for.
static constexpr int64_t typicalExtent = 256;

static int64_t typical(const Expr &extent) {
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : extent.symbols())
    values[symbol] = typicalExtent;
  return extent.evaluate(values).value_or(typicalExtent);
}

/// A tile of k that is a large part of k leaves nothing to overlap.
template <class Shape> static bool isDeep(const Shape &shape, int64_t k) {
  return shape.split == 1 || k >= 4 * shape.k;
}

/// Nothing fills the GPU: the smallest tile gives the most blocks.
template <class Shape> static const Shape &choose(llvm::ArrayRef<Shape> table, kernel::DotOp dot) {
  graph::Exprs extents = graph::exprsOf(dot.getExtents());
  auto func = dot->getParentOfType<kernel::FuncOp>();
  int64_t m = typical(extents[0]), n = typical(extents[1]), k = typical(extents[2]);
  int64_t batch = typical(graph::product(graph::exprsOf(func.getGrid())));
  const Shape *smallest = nullptr;
  for (const Shape &shape : table) {
    if (!isDeep(shape, k))
      continue;
    int64_t blocks = batch * ((m + shape.m - 1) / shape.m) * ((n + shape.n - 1) / shape.n);
    bool tooLarge = m <= shape.m / 2 || (n <= shape.n / 2 && shape.n > 64);
    if (!tooLarge && blocks >= enoughBlocks)
      return shape;
    if (!smallest || !tooLarge)
      smallest = &shape;
  }
  return *smallest;
}

const GemmShape &cuda::chooseGemmShape(kernel::DotOp dot) { return choose(llvm::ArrayRef(shapes), dot); }
const MmaShape &cuda::chooseMmaShape(kernel::DotOp dot) { return choose(llvm::ArrayRef(mmaShapes), dot); }
