//===- lib/Reference/MatMul.cpp - contractions ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of summation is k ascending for every element. Blocks of rows and columns
// only keep the accumulators in the first-level cache and reuse a widened row of rhs.
//===----------------------------------------------------------------------===//

#include "lib/Reference/Ops.h"

#pragma clang fp contract(off)

namespace cupola::reference {

namespace {

constexpr int64_t blockRows = 16, blockColumns = 256;

/// Extents and the first elements of one matrix product.
struct Product {
  int64_t rows, columns, depth;
  int64_t lhs, rhs, result;
};

/// Rows [row, row + rows) by columns [column, column + columns).
template <class W>
void multiplyBlock(Call &call, const Product &p, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  W sums[blockRows][blockColumns] = {};
  W right[blockColumns];
  std::vector<W> left(rows * p.depth);
  call.operands[0].read(p.lhs + row * p.depth, rows * p.depth, left.data());
  for (int64_t k = 0; k < p.depth; ++k) {
    call.operands[1].read(p.rhs + k * p.columns + column, columns, right);
    for (int64_t i = 0; i < rows; ++i) {
      const W a = left[i * p.depth + k];
      for (int64_t j = 0; j < columns; ++j)
        sums[i][j] = multiplyAdd(sums[i][j], a, right[j]);
    }
  }
  for (int64_t i = 0; i < rows; ++i)
    call.result.write(p.result + (row + i) * p.columns + column, columns, sums[i]);
}

template <class W> void multiply(Call &call, const Product &p) {
  for (int64_t row = 0; row < p.rows; row += blockRows)
    for (int64_t column = 0; column < p.columns; column += blockColumns)
      multiplyBlock<W>(call, p, row, std::min(blockRows, p.rows - row), column,
                       std::min(blockColumns, p.columns - column));
}

/// Row `row` of a product in blocks.
void multiplyRow(Call &call, int64_t row, int64_t depth, int64_t columns, int64_t blocks) {
  const auto readRow = [](const Tensor &tensor, int64_t at, auto &numbers) {
    tensor.read(at * static_cast<int64_t>(numbers.size()), static_cast<int64_t>(numbers.size()), numbers.data());
  };
  std::vector<int64_t> left(depth), right(columns), sums(columns), starts(blocks);
  std::vector<double> scales(blocks), factors(columns), result(columns);
  readRow(call.operands[0], row, left);
  readRow(call.operands[2], row, starts);
  readRow(call.operands[3], row, scales);
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t size = depth / blocks, block = k / size;
    if (k % size == 0)
      sums.assign(columns, starts[block]);
    readRow(call.operands[1], k, right);
    for (int64_t n = 0; n < columns; ++n)
      sums[n] += left[k] * right[n];
    if ((k + 1) % size != 0)
      continue;
    readRow(call.operands[4], block, factors);
    for (int64_t n = 0; n < columns; ++n)
      result[n] += scales[block] * factors[n] * static_cast<double>(sums[n]);
  }
  call.result.write(row * columns, columns, result.data());
}

} // namespace

Status computeBlockMatMul(Call &call) {
  const Shape &lhs = call.operands[0].shape(), &scales = call.operands[4].shape();
  for (int64_t row = 0; row < lhs[0]; ++row)
    multiplyRow(call, row, lhs[1], scales[1], scales[0]);
  return {};
}

Status computeMatMul(Call &call) {
  const Shape &lhs = call.operands[0].shape(), &rhs = call.operands[1].shape();
  const size_t rank = lhs.size();
  Product p{lhs[rank - 2], rhs[rank - 1], lhs[rank - 1], 0, 0, 0};
  const int64_t batches = countOf(llvm::ArrayRef(lhs).drop_back(2));
  for (int64_t batch = 0; batch < batches; ++batch) {
    p.lhs = batch * p.rows * p.depth;
    p.rhs = batch * p.depth * p.columns;
    p.result = batch * p.rows * p.columns;
    if (format::isFloat(call.result.dtype()))
      multiply<double>(call, p);
    else
      multiply<uint64_t>(call, p);
  }
  return {};
}

} // namespace cupola::reference
