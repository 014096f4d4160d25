//===- lib/Runtime/Format/LibraryCall.cpp - What a library may do in place of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/LibraryCall.h"

namespace cupola::format {

namespace {

/// No tensor of a call has more elements: libraries count in 32 bits here and there.
constexpr int64_t kMaxElements = int64_t(1) << 31;
constexpr size_t kMaxPostOps = 8;
/// Of a window with its dilation: what it reaches beyond the source has to be a small number, too.
constexpr int64_t kMaxReach = int64_t(1) << 16;

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

Status checkProduct(const LibraryCall &call) {
  CUPOLA_TRY(checkExtents("source", call.source, 2, 1));
  CUPOLA_TRY(checkExtents("weights", call.weights, 2, 1));
  CUPOLA_TRY(checkExtents("result", call.result, 2, 1));
  if (!call.strides.empty() || !call.dilations.empty() || !call.padding.empty())
    return bad("is a product with a window");
  if (call.source[1] != call.weights[0] || call.source[0] != call.result[0] || call.weights[1] != call.result[1])
    return bad("has a source, weights and result that do not agree");
  return Status::ok();
}

uint64_t bytesOf(const std::vector<int64_t> &extents) {
  uint64_t bytes = sizeof(float);
  for (int64_t extent : extents)
    bytes *= static_cast<uint64_t>(extent);
  return bytes;
}

} // namespace

std::vector<uint64_t> bufferBytes(const LibraryCall &call) {
  std::vector<uint64_t> bytes = {bytesOf(call.source), bytesOf(call.weights)};
  for (const PostOp &op : call.postOps)
    if (hasOperand(op.kind))
      bytes.push_back(op.kind == PostOpKind::AddChannel ? bytesOf({call.result.back()}) : bytesOf(call.result));
  bytes.push_back(bytesOf(call.result));
  return bytes;
}

Status checkLibraryCall(const LibraryCall &call) {
  if (call.kind != LibraryCallKind::Convolution && call.kind != LibraryCallKind::MatrixProduct)
    return bad("has no known kind");
  CUPOLA_TRY(call.kind == LibraryCallKind::Convolution ? checkConvolution(call) : checkProduct(call));
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
