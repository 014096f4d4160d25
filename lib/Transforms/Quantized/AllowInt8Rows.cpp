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
  using AllowInt8RowsBase::AllowInt8RowsBase;

  void runOnOperation() override {
    const auto said = graph::Int8RowsAttr::get(&getContext(), never ? graph::Int8Rows::Never : graph::Int8Rows::Always);
    for (Block *block : graph::bodiesOf(getOperation()))
      for (auto product : block->getOps<graph::MatMulOp>())
        if (canRoundRows(product))
          product.setInt8RowsAttr(said);
  }
};

} // namespace
} // namespace cupola
