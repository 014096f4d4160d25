//===- lib/Transforms/Quantized/AllowInt8Rows.cpp - the pass `graph-allow-int8-rows` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/ScaledWeights.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_ALLOWINT8ROWS
#include "lib/Transforms/Passes.h.inc"

namespace {

class AllowInt8Rows : public impl::AllowInt8RowsBase<AllowInt8Rows> {
public:
  void runOnOperation() override {
    for (Block *block : graph::bodiesOf(getOperation()))
      for (auto product : block->getOps<graph::MatMulOp>())
        if (canRoundRows(product))
          product.setInt8Rows(true);
  }
};

} // namespace
} // namespace cupola
