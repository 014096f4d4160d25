//===- lib/Reference/Rows.cpp - ops that normalise rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Functions.h"
#include "lib/Reference/Ops.h"

#include <cmath>

#pragma clang fp contract(off)

using namespace mlir;

namespace cupola::reference {

namespace {

void softmaxRow(std::vector<double> &row, bool guard, bool log) {
  double highest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (double x : row)
    highest = maxOf(highest, x);
  for (double x : row)
    sum += std::exp(x - highest);
  for (double &x : row) {
    x = log ? x - highest - std::log(sum) : std::exp(x - highest) / sum;
    if (guard && std::isnan(x))
      x = 0;
  }
}

void normalizeRow(std::vector<double> &row, double epsilon, bool rms) {
  const auto count = static_cast<double>(row.size());
  double mean = 0, variance = 0;
  if (!rms) {
    for (double x : row)
      mean += x;
    mean /= count;
  }
  for (double x : row)
    variance += (x - mean) * (x - mean);
  const double scale = 1 / std::sqrt(variance / count + epsilon);
  for (double &x : row)
    x = (x - mean) * scale;
}

/// Where the elements of the part of a tensor lie that `axes` span (`inside`), or the
/// other dimensions, in row-major order.
struct Strided {
  Strided(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool inside) : positions{0} {
    int64_t stride = countOf(shape);
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      stride = extent == 0 ? 0 : stride / extent;
      if (llvm::is_contained(axes, static_cast<int64_t>(dim)) != inside)
        continue;
      std::vector<int64_t> next;
      for (int64_t position : positions)
        for (int64_t i = 0; i < extent; ++i)
          next.push_back(position + i * stride);
      positions = std::move(next);
    }
  }
  std::vector<int64_t> positions;
};

} // namespace

Status computeSoftmax(Call &call) {
  auto op = cast<graph::SoftmaxOp>(call.op);
  const Tensor &input = call.operands[0];
  const int64_t extent = input.extent(op.getAxis());
  const int64_t inner = countOf(ArrayRef(input.shape()).drop_front(op.getAxis() + 1));
  std::vector<double> row(extent);
  const int64_t rows = extent == 0 ? 0 : input.count() / extent;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t base = r / inner * extent * inner + r % inner;
    for (int64_t k = 0; k < extent; ++k)
      row[k] = input.at<double>(base + k * inner);
    softmaxRow(row, op.getGuard(), op.getLog());
    for (int64_t k = 0; k < extent; ++k)
      call.result.set(base + k * inner, row[k]);
  }
  return {};
}

Status computeLayerNorm(Call &call) {
  auto op = cast<graph::LayerNormOp>(call.op);
  const Tensor &input = call.operands[0];
  const Strided rows(input.shape(), op.getAxes(), /*inside=*/false), columns(input.shape(), op.getAxes(), true);
  if (input.count() == 0)
    return {};
  std::vector<double> row(columns.positions.size());
  for (int64_t base : rows.positions) {
    for (auto [i, offset] : llvm::enumerate(columns.positions))
      row[i] = input.at<double>(base + offset);
    normalizeRow(row, op.getEpsilon().convertToDouble(), op.getRms());
    for (auto [i, offset] : llvm::enumerate(columns.positions))
      call.result.set(base + offset, row[i]);
  }
  return {};
}

} // namespace cupola::reference
