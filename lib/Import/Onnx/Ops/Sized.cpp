//===- lib/Import/Onnx/Ops/Sized.cpp - ops whose results data sizes --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/ValuePropagation.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

Value isNotZero(OpBinder &op, Value value) {
  if (op.b.element(value).isInteger(1))
    return value;
  Value zero = op.b.scalar(0, op.b.element(value));
  return op.b.unary(UnaryKind::Not, op.b.binary(BinaryKind::Equal, value, zero));
}

Value flattened(OpBinder &op, Value value) { return op.b.reshape(value, {graph::product(op.b.shape(value))}); }

/// The coordinates of the elements of a known tensor that are not 0.
std::optional<Known> knownPositions(const Known &source) {
  std::vector<std::vector<int64_t>> rows(source.dims.size());
  for (size_t i = 0; i < source.elements.size(); ++i) {
    if (!source.elements[i].isConstant())
      return std::nullopt;
    if (source.elements[i].asDouble() == 0)
      continue;
    size_t rest = i;
    for (size_t dim = source.dims.size(); dim-- > 0;) {
      rows[dim].push_back(static_cast<int64_t>(rest % static_cast<size_t>(source.dims[dim])));
      rest /= static_cast<size_t>(source.dims[dim]);
    }
  }
  const int64_t count = rows.empty() ? 0 : static_cast<int64_t>(rows[0].size());
  Known result{{int64_t(rows.size()), count}, {}};
  for (const auto &row : rows)
    for (int64_t position : row)
      result.elements.push_back(Scalar::integer(position));
  return result;
}

/// One row per dimension.
Value coordinateRows(OpBinder &op, Value places, ArrayRef<Expr> shape) {
  std::vector<Value> rows = coordinatesOf(op, places, shape);
  for (Value &row : rows)
    row = op.b.unsqueeze(row, {0});
  return op.b.concat(rows, 0);
}

} // namespace

/// Before Range existed, exporters wrote arange(n) as NonZero of n ones.
void importNonZero(OpBinder &op) {
  const Exprs shape = op.shape(0, "X");
  if (op.known(0))
    if (auto known = knownPositions(*op.known(0)); known && knownCount(known->dims))
      return op.result(std::move(*known), op.b.int64());
  if (shape.empty())
    op.unsupported("input 0 (X) is a scalar, supported is rank 1 or more");
  Value places = op.tensor(0, "X")->allNonZero
                     ? op.b.iota({graph::product(shape)}, 0)
                     : placesOf(op, flattened(op, isNotZero(op, op.value(0, "X"))), "the number of nonzero elements");
  op.result(coordinateRows(op, places, shape));
}

/// https://onnx.ai/onnx/operators/onnx__Compress.html
void importCompress(OpBinder &op) {
  op.requireBool(1, "condition");
  Value data = op.value(0, "input"), condition = op.value(1, "condition");
  int64_t axis = 0;
  if (op.hasAttribute("axis")) {
    axis = op.axis(op.intAttribute("axis", 0), op.rank(0, "input"));
  } else {
    data = flattened(op, data);
    condition = flattened(op, condition); // of any rank in other runtimes, as exporters of masks know
  }
  if (op.b.shape(condition).size() != 1)
    op.bad("input 1 (condition) has the shape " + shapeText(op.b.shape(condition)) + ", expected rank 1");
  const Expr given = op.b.shape(condition)[0];
  op.b.atMost(given, op.b.shape(data)[axis], "the extents of condition and of the axis");
  op.result(op.b.gather(data, placesOf(op, condition, "the number of elements chosen"), axis));
}

} // namespace cupola::onnx_import
