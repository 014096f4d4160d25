//===- lib/Reference/Gather.cpp - ops that read where indices say ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Ops.h"

using namespace mlir;

namespace cupola::reference {

namespace {

/// Element `position` of `indices` as an index of an axis of `extent`.
Status readIndex(const Tensor &indices, int64_t position, int64_t extent, int64_t &index) {
  const auto found = indices.at<int64_t>(position);
  index = found < 0 ? found + extent : found;
  if (index >= 0 && index < extent)
    return {};
  return Status::usage("index " + std::to_string(found) + " is out of range for extent " + std::to_string(extent));
}

} // namespace

Status computeGather(Call &call) {
  auto op = cast<graph::GatherOp>(call.op);
  const Tensor &data = call.operands[0], &indices = call.operands[1];
  ArrayRef<int64_t> shape = data.shape();
  const int64_t axis = op.getAxis(), batchDims = op.getBatchDims(), extent = shape[axis];
  const int64_t batches = countOf(shape.take_front(batchDims));
  const int64_t middle = countOf(shape.slice(batchDims, axis - batchDims));
  const int64_t bytes = countOf(shape.drop_front(axis + 1)) * static_cast<int64_t>(data.elementBytes());
  const int64_t perBatch = countOf(ArrayRef(indices.shape()).drop_front(batchDims));
  if (call.result.count() == 0)
    return {};
  char *to = call.result.mutableData();
  for (int64_t row = 0; row < batches * middle; ++row)
    for (int64_t i = 0; i < perBatch; ++i) {
      int64_t index = 0;
      CUPOLA_TRY(readIndex(indices, row / middle * perBatch + i, extent, index));
      std::memcpy(to, data.data() + (row * extent + index) * bytes, bytes);
      to += bytes;
    }
  return {};
}

Status computeGatherElements(Call &call) {
  const int64_t axis = cast<graph::GatherElementsOp>(call.op).getAxis();
  const Tensor &data = call.operands[0], &indices = call.operands[1];
  const size_t size = data.elementBytes();
  for (int64_t i = 0; i < indices.count(); ++i) {
    int64_t rest = i, stride = 1, position = 0;
    for (size_t dim = data.shape().size(); dim-- > 0;) {
      int64_t index = rest % indices.extent(dim);
      rest /= indices.extent(dim);
      if (static_cast<int64_t>(dim) == axis)
        CUPOLA_TRY(readIndex(indices, i, data.extent(dim), index));
      if (index >= data.extent(dim))
        return Status::usage("indices of shape " + shapeText(indices.shape()) + " leave data of shape " +
                             shapeText(data.shape()));
      position += index * stride;
      stride *= data.extent(dim);
    }
    std::memcpy(call.result.mutableData() + i * size, data.data() + position * size, size);
  }
  return {};
}

Status computeGatherND(Call &call) {
  const int64_t batchDims = cast<graph::GatherNDOp>(call.op).getBatchDims();
  const Tensor &data = call.operands[0], &indices = call.operands[1];
  ArrayRef<int64_t> shape = data.shape();
  const int64_t depth = indices.shape().back();
  const int64_t batches = countOf(shape.take_front(batchDims));
  const int64_t bytes = countOf(shape.drop_front(batchDims + depth)) * static_cast<int64_t>(data.elementBytes());
  const int64_t tuples = countOf(ArrayRef(indices.shape()).drop_back());
  if (call.result.count() == 0)
    return {};
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t position = i / (tuples / batches);
    for (int64_t d = 0; d < depth; ++d) {
      int64_t index = 0;
      CUPOLA_TRY(readIndex(indices, i * depth + d, shape[batchDims + d], index));
      position = position * shape[batchDims + d] + index;
    }
    std::memcpy(call.result.mutableData() + i * bytes, data.data() + position * bytes, bytes);
  }
  return {};
}

} // namespace cupola::reference
