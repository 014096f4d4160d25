//===- lib/Runtime/Format/LibraryCall.cpp - What a library may do in place of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/LibraryCall.h"

#include <set>

namespace cupola::format {

namespace {

/// No tensor of a call has more elements: libraries count in 32 bits here and there.
constexpr int64_t kMaxElements = int64_t(1) << 31;
constexpr size_t kMaxPostOps = 8;
/// Of a window with its dilation: what it reaches beyond the source has to be a small number, too.
constexpr int64_t kMaxReach = int64_t(1) << 16;

constexpr uint64_t kMaxWorkspace = uint64_t(1) << 30;

Status bad(const std::string &what) { return Status::package("the manifest is inconsistent: a library call " + what); }

Status checkExtents(const char *name, const std::vector<int64_t> &extents, size_t rank, int64_t least) {
  if (extents.size() != rank)
    return bad("has " + std::to_string(extents.size()) + " extents of " + name + ", expected " + std::to_string(rank));
  int64_t elements = 1;
  for (int64_t extent : extents) {
    if (extent < least || extent >= kMaxElements)
      return bad("has an extent " + std::to_string(extent) + " of " + name);
    elements *= extent; // both below 2^31
    if (elements >= kMaxElements)
      return bad("has a " + std::string(name) + " of more than " + std::to_string(kMaxElements) + " elements");
  }
  return Status::ok();
}

/// One dimension of a convolution's windows.
Status checkWindow(const LibraryCall &call, size_t i) {
  const int64_t reach = (call.weights[i] - 1) * call.dilations[i] + 1;
  const int64_t padded = call.source[1 + i] + call.padding[i];
  const int64_t end = (call.result[1 + i] - 1) * call.strides[i] + reach; // of the last window
  // Each window touches the source, and no further window would fit.
  if (reach > kMaxReach || call.padding[i] >= reach || end - reach >= padded || padded - end >= call.strides[i])
    return bad("has " + std::to_string(call.result[1 + i]) + " windows of " + std::to_string(reach) + " on " +
               std::to_string(call.source[1 + i]) + " places with padding " + std::to_string(call.padding[i]));
  return Status::ok();
}

Status checkConvolution(const LibraryCall &call) {
  CUPOLA_TRY(checkExtents("source", call.source, 4, 1));
  CUPOLA_TRY(checkExtents("weights", call.weights, 4, 1));
  CUPOLA_TRY(checkExtents("result", call.result, 4, 1));
  CUPOLA_TRY(checkExtents("strides", call.strides, 2, 1));
  CUPOLA_TRY(checkExtents("dilations", call.dilations, 2, 1));
  CUPOLA_TRY(checkExtents("padding", call.padding, 2, 0));
  if (call.source[0] != call.result[0] || call.source[3] != call.weights[2] || call.weights[3] != call.result[3])
    return bad("has a source, weights and result that do not agree");
  for (size_t i : {0, 1})
    CUPOLA_TRY(checkWindow(call, i));
  return Status::ok();
}

bool hasWindow(const LibraryCall &call) {
  return !call.strides.empty() || !call.dilations.empty() || !call.padding.empty();
}

/// From the first to the last; none: dense. All are checked to be small enough for this.
uint64_t elementsOf(const std::vector<int64_t> &extents, const std::vector<int64_t> &strides) {
  uint64_t dense = 1, last = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    dense *= static_cast<uint64_t>(extents[i]);
    if (!strides.empty())
      last += static_cast<uint64_t>((extents[i] - 1) * strides[i]);
  }
  return strides.empty() ? dense : last + 1;
}

Status checkProduct(const LibraryCall &call) {
  CUPOLA_TRY(checkExtents("source", call.source, 2, 1));
  CUPOLA_TRY(checkExtents("weights", call.weights, 2, 1));
  CUPOLA_TRY(checkExtents("result", call.result, 2, 1));
  if (hasWindow(call))
    return bad("is a product with a window");
  if (call.source[1] != call.weights[0] || call.source[0] != call.result[0] || call.weights[1] != call.result[1])
    return bad("has a source, weights and result that do not agree");
  return Status::ok();
}

/// An operand of a strided product, whose extents are right: libraries want rows or columns in one piece.
Status checkStrides(const char *name, const std::vector<int64_t> &extents, const std::vector<int64_t> &strides) {
  if (strides.size() != 3)
    return bad("has " + std::to_string(strides.size()) + " strides of " + name + ", expected 3");
  for (int64_t stride : strides)
    if (stride < 0 || stride >= kMaxElements)
      return bad("has a stride " + std::to_string(stride) + " of " + name);
  const auto isInPieces = [&](size_t inner, size_t outer) {
    return strides[inner] == 1 && strides[outer] >= extents[inner];
  };
  if (!isInPieces(2, 1) && !isInPieces(1, 2))
    return bad("has neither rows nor columns of " + std::string(name) + " that lie in one piece");
  if (elementsOf(extents, strides) >= kMaxElements)
    return bad("has a " + std::string(name) + " of more than " + std::to_string(kMaxElements) + " elements");
  return Status::ok();
}

Status checkStridedProduct(const LibraryCall &call) {
  CUPOLA_TRY(checkExtents("source", call.source, 3, 1));
  CUPOLA_TRY(checkExtents("weights", call.weights, 3, 1));
  CUPOLA_TRY(checkExtents("result", call.result, 3, 1));
  if (call.dtype != DType::F32 && call.dtype != DType::F16 && call.dtype != DType::BF16)
    return bad("has a product of elements that are none of f32, f16 and bf16");
  if (hasWindow(call))
    return bad("is a product with a window");
  const std::vector<int64_t> &source = call.source, &weights = call.weights;
  if (source[0] != weights[0] || source[2] != weights[1] ||
      call.result != std::vector<int64_t>{source[0], source[1], weights[2]})
    return bad("has a source, weights and result that do not agree");
  if (call.workspace > kMaxWorkspace)
    return bad("wants a workspace of " + std::to_string(call.workspace) + " bytes");
  CUPOLA_TRY(checkStrides("source", source, call.sourceStrides));
  CUPOLA_TRY(checkStrides("weights", weights, call.weightsStrides));
  if (!isProductEpilogue(call.postOps))
    return bad("is a strided product with another epilogue than sums and a function");
  return Status::ok();
}

/// That of f32 tensors in their own order.
Status checkDense(const LibraryCall &call) {
  if (call.dtype != DType() || !call.sourceStrides.empty() || !call.weightsStrides.empty() || call.workspace != 0)
    return bad("has strides or a workspace, which are of strided products");
  return call.kind == LibraryCallKind::Convolution ? checkConvolution(call) : checkProduct(call);
}

uint64_t bytesOf(const LibraryCall &call, const std::vector<int64_t> &extents,
                 const std::vector<int64_t> &strides = {}) {
  const DType dtype = call.kind == LibraryCallKind::StridedProduct ? call.dtype : DType::F32;
  return elementsOf(extents, strides) * byteSize(dtype);
}

} // namespace

bool isProductEpilogue(const std::vector<PostOp> &ops) {
  std::set<PostOpKind> sums;
  for (size_t i = 0; i < ops.size(); ++i) {
    const bool isFunction = ops[i].kind == PostOpKind::Relu || ops[i].kind == PostOpKind::GeluTanh;
    if (isFunction ? i + 1 != ops.size() : !hasOperand(ops[i].kind) || !sums.insert(ops[i].kind).second)
      return false;
  }
  return true;
}

std::vector<uint64_t> bufferBytes(const LibraryCall &call) {
  std::vector<uint64_t> bytes = {bytesOf(call, call.source, call.sourceStrides),
                                 bytesOf(call, call.weights, call.weightsStrides)};
  for (const PostOp &op : call.postOps)
    if (hasOperand(op.kind))
      bytes.push_back(
          bytesOf(call, op.kind == PostOpKind::AddChannel ? std::vector<int64_t>{call.result.back()} : call.result));
  bytes.push_back(bytesOf(call, call.result));
  if (call.workspace != 0)
    bytes.push_back(call.workspace);
  return bytes;
}

Status checkLibraryCall(const LibraryCall &call) {
  if (call.kind < LibraryCallKind::Convolution || call.kind > LibraryCallKind::StridedProduct)
    return bad("has no known kind");
  CUPOLA_TRY(call.kind == LibraryCallKind::StridedProduct ? checkStridedProduct(call) : checkDense(call));
  if (call.postOps.size() > kMaxPostOps)
    return bad("has " + std::to_string(call.postOps.size()) + " post-ops, at most " + std::to_string(kMaxPostOps) +
               " are allowed");
  for (const PostOp &op : call.postOps)
    if (op.kind < PostOpKind::AddChannel || op.kind > PostOpKind::Tanh)
      return bad("has a post-op of no known kind");
  const size_t buffers = bufferBytes(call).size();
  if (call.buffers.size() != buffers)
    return bad("names " + std::to_string(call.buffers.size()) + " buffers, expected " + std::to_string(buffers));
  return Status::ok();
}

} // namespace cupola::format
