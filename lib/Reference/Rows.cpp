//===- lib/Reference/Rows.cpp - ops that normalise rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Functions.h"
#include "lib/Reference/Ops.h"

#include <cmath>

#pragma clang fp contract(off)

using namespace mlir;

namespace cupola::reference {

namespace {

void softmaxRow(std::vector<double> &row, graph::SoftmaxGuard guard, bool log) {
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  double highest = lowest, sum = 0;
  for (double x : row)
    highest = maxOf(highest, x);
  for (double x : row)
    sum += std::exp(x - highest);
  for (double &x : row) {
    x = log ? x - highest - std::log(sum) : std::exp(x - highest) / sum;
    if ((guard == graph::SoftmaxGuard::NaN && std::isnan(x)) ||
        (guard == graph::SoftmaxGuard::Hidden && highest == lowest))
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

Status computeMoments(Call &call) {
  auto op = cast<graph::MomentsOp>(call.op);
  const Tensor &input = call.operands[0];
  const Strided rows(input.shape(), op.getAxes(), /*inside=*/false), columns(input.shape(), op.getAxes(), true);
  const auto count = static_cast<double>(columns.positions.size());
  for (auto [r, base] : llvm::enumerate(rows.positions)) {
    double mean = 0, variance = 0;
    for (int64_t offset : columns.positions)
      mean += input.at<double>(base + offset) / count;
    for (int64_t offset : columns.positions)
      variance += std::pow(input.at<double>(base + offset) - mean, 2) / count;
    call.result.set(2 * r, mean);
    call.result.set(2 * r + 1, variance);
  }
  return {};
}

namespace {

/// Of a row, from those of its parts, which have one size: at `parts` of pairs of a mean and a variance.
struct RowMoments {
  double mean = 0, variance = 0;
  RowMoments(const Tensor &moments, int64_t first, ArrayRef<int64_t> parts) {
    const auto count = static_cast<double>(parts.size());
    for (int64_t part : parts)
      mean += moments.at<double>(2 * (first + part));
    mean /= count; // equal ones have exactly themselves
    for (int64_t part : parts)
      variance +=
          (moments.at<double>(2 * (first + part) + 1) + std::pow(moments.at<double>(2 * (first + part)) - mean, 2)) /
          count;
  }
};

} // namespace

Status computeStatistics(Call &call) {
  auto op = cast<graph::StatisticsOp>(call.op);
  const Tensor &moments = call.operands[0];
  const ArrayRef<int64_t> parts = ArrayRef(moments.shape()).drop_back();
  const Strided rows(parts, op.getAxes(), /*inside=*/false), columns(parts, op.getAxes(), true);
  for (auto [r, first] : llvm::enumerate(rows.positions)) {
    const RowMoments row(moments, first, columns.positions);
    const double squares = row.variance + (op.getRms() ? row.mean * row.mean : 0);
    call.result.set(2 * r, row.mean);
    const bool isNothing = !op.getRms() && row.variance == 0;
    call.result.set(2 * r + 1, isNothing ? 0 : 1 / std::sqrt(squares + op.getEpsilon().convertToDouble()));
  }
  return {};
}

Status computeNormalize(Call &call) {
  auto op = cast<graph::NormalizeOp>(call.op);
  const Tensor &input = call.operands[0], &moments = call.operands[1];
  const ArrayRef<int64_t> parts = ArrayRef(moments.shape()).drop_back();
  const Strided rows(input.shape(), op.getAxes(), /*inside=*/false), columns(input.shape(), op.getAxes(), true);
  const Strided rowsOfParts(parts, op.getAxes(), /*inside=*/false), columnsOfParts(parts, op.getAxes(), true);
  for (auto [base, first] : llvm::zip_equal(rows.positions, rowsOfParts.positions)) {
    const RowMoments row(moments, first, columnsOfParts.positions);
    const double deviation = std::sqrt(row.variance + op.getEpsilon().convertToDouble());
    for (int64_t offset : columns.positions)
      call.result.set(base + offset, (input.at<double>(base + offset) - row.mean) / deviation);
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
