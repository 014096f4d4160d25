//===- dialects/Plan/LibraryCallAttr.cpp - library calls as attributes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Plan/LibraryCallAttr.h"

#include "dialects/Graph/ElementTypes.h"

#include "mlir/IR/Builders.h"

#include <cstring>

using namespace mlir;

namespace cupola::plan {

using format::LibraryCall;
using format::PostOp;

namespace {

// The kinds of both sides have the same numbers.
static_assert(uint32_t(graph::LibraryCallKind::StridedProduct) == uint32_t(format::LibraryCallKind::StridedProduct));
static_assert(uint32_t(graph::PostOpKind::AddTensor) == uint32_t(format::PostOpKind::AddTensor));
static_assert(uint32_t(graph::PostOpKind::Tanh) == uint32_t(format::PostOpKind::Tanh));

FloatAttr floatAttr(Builder &b, uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return b.getF32FloatAttr(value);
}

/// 0 where there is none.
uint32_t bitsOf(FloatAttr number) { return number ? number.getValue().bitcastToAPInt().getZExtValue() : 0; }

graph::PostOpAttr postOpAttr(Builder &b, const PostOp &op) {
  const auto kind = static_cast<graph::PostOpKind>(op.kind);
  if (op.alpha == 0 && op.beta == 0)
    return graph::PostOpAttr::get(b.getContext(), kind, /*alpha=*/nullptr, /*beta=*/nullptr);
  return graph::PostOpAttr::get(b.getContext(), kind, floatAttr(b, op.alpha), floatAttr(b, op.beta));
}

} // namespace

graph::LibraryCallAttr libraryCallAttr(MLIRContext *context, const LibraryCall &call) {
  Builder b(context);
  const auto ops = llvm::map_to_vector(call.postOps, [&](const PostOp &op) { return postOpAttr(b, op); });
  return graph::LibraryCallAttr::get(context, static_cast<graph::LibraryCallKind>(call.kind), call.source, call.weights,
                                     call.result, call.strides, call.dilations, call.padding, ops,
                                     isValid(call.dtype) ? graph::typeOf(call.dtype, context) : Type(),
                                     call.sourceStrides, call.weightsStrides, static_cast<int64_t>(call.workspace));
}

LibraryCall libraryCallOf(graph::LibraryCallAttr attr) {
  LibraryCall call;
  call.kind = static_cast<format::LibraryCallKind>(attr.getKind());
  call.source = attr.getSource().vec();
  call.weights = attr.getWeights().vec();
  call.result = attr.getResult().vec();
  call.strides = attr.getStrides().vec();
  call.dilations = attr.getDilations().vec();
  call.padding = attr.getPadding().vec();
  for (graph::PostOpAttr op : attr.getPostOps())
    call.postOps.push_back(
        {static_cast<format::PostOpKind>(op.getKind()), bitsOf(op.getAlpha()), bitsOf(op.getBeta())});
  if (attr.getElement())
    call.dtype = graph::dtypeOf(attr.getElement());
  call.sourceStrides = attr.getSourceStrides().vec();
  call.weightsStrides = attr.getWeightsStrides().vec();
  call.workspace = static_cast<uint64_t>(attr.getWorkspace());
  return call;
}

} // namespace cupola::plan
