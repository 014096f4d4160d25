//===- lib/Import/Onnx/Ops/ScatterND.cpp - writes at coordinates -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A mesh of coordinates, which is how exporters write x[a:b, c:d] = y, is searched one
// dimension at a time.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Scatter.h"

using namespace mlir;

namespace cupola::onnx_import {

using namespace scatter;

namespace {

/// Coordinates of data that depend on the same dimensions of the updates.
struct CoordinateGroup {
  Ints coordinates, dims;
};

/// One value per coordinate with the rank of `dims`, and extents of 1 where it is constant.
SmallVector<Value> splitCoordinates(OpBinder &op, ArrayRef<Expr> dims, int64_t count) {
  Value indices = op.value(1, "indices");
  const int64_t last = dims.size();
  SmallVector<Value> result;
  auto join = indices.getDefiningOp<graph::ConcatOp>();
  const bool mesh = join && int64_t(join.getAxis()) == last && int64_t(join.getInputs().size()) == count;
  for (int64_t i = 0; i < count; ++i) {
    Exprs starts(last, Expr(0)), sizes(dims);
    starts.push_back(Expr(i));
    sizes.push_back(Expr(1));
    Value column = mesh ? join.getInputs()[i] : op.b.slice(indices, starts, Ints(last + 1, 1), sizes);
    auto raised = column.getDefiningOp<graph::ReshapeOp>();
    const bool isRaised = raised && op.b.shape(raised.getInput()) == Exprs(dims);
    result.push_back(unrepeated(op, isRaised ? raised.getInput() : op.b.reshape(column, dims)));
  }
  return result;
}

/// `together`: one group of all.
SmallVector<CoordinateGroup> groupCoordinates(OpBinder &op, ArrayRef<Value> coordinates, int64_t rank, bool together) {
  SmallVector<CoordinateGroup> groups;
  Ints unused = sequence(0, rank);
  for (int64_t i = 0; i < int64_t(coordinates.size()); ++i) {
    CoordinateGroup merged{{i}, {}};
    for (auto [dim, extent] : llvm::enumerate(op.b.shape(coordinates[i])))
      if (!extent.isConstant(1))
        merged.dims.push_back(dim);
    llvm::erase_if(unused, [&](int64_t dim) { return llvm::is_contained(merged.dims, dim); });
    llvm::erase_if(groups, [&](const CoordinateGroup &group) {
      if (!together && llvm::none_of(group.dims, [&](int64_t dim) { return llvm::is_contained(merged.dims, dim); }))
        return false;
      llvm::append_range(merged.coordinates, group.coordinates);
      llvm::append_range(merged.dims, group.dims);
      return true;
    });
    groups.push_back(std::move(merged));
  }
  llvm::append_range(groups[0].dims, unused); // the last along them wins
  for (CoordinateGroup &group : groups) {
    llvm::sort(group.coordinates);
    llvm::sort(group.dims);
    group.dims.erase(llvm::unique(group.dims), group.dims.end());
  }
  return groups;
}

Exprs pick(ArrayRef<Expr> from, ArrayRef<int64_t> which) {
  return llvm::map_to_vector(which, [&](int64_t i) { return from[i]; });
}

/// [updates of the group]: the place in data's dimensions of the group, row-major.
Value linearIndex(OpBinder &op, const CoordinateGroup &group, ArrayRef<Value> coordinates, ArrayRef<Expr> shape,
                  ArrayRef<Expr> dims) {
  Value index;
  for (int64_t i : group.coordinates) {
    Value next = fromFront(op, coordinates[i], shape[i]);
    Value extent = op.b.dims({shape[i]}, {}, op.b.element(next));
    index = index ? op.b.binary(BinaryKind::Add, op.b.binary(BinaryKind::Mul, index, extent), next) : next;
  }
  Exprs whole(dims.size(), Expr(1));
  for (int64_t dim : group.dims)
    whole[dim] = dims[dim];
  return op.b.reshape(op.b.broadcast(index, whole), {graph::product(whole)});
}

/// Updates [updates.., rest..] with one dimension per group in front.
Value byGroup(OpBinder &op, Value updates, ArrayRef<CoordinateGroup> groups, ArrayRef<Expr> dims, ArrayRef<Expr> rest) {
  Ints order;
  Exprs joined;
  for (const CoordinateGroup &group : groups) {
    llvm::append_range(order, group.dims);
    joined.push_back(graph::product(pick(dims, group.dims)));
  }
  llvm::append_range(order, sequence(dims.size(), dims.size() + rest.size()));
  llvm::append_range(joined, rest);
  return op.b.reshape(op.b.transpose(updates, order), joined);
}

/// [positions of each group.., rest..] with the dimensions of data.
Value asData(OpBinder &op, Value value, ArrayRef<CoordinateGroup> groups, ArrayRef<Expr> shape) {
  Ints order;
  for (const CoordinateGroup &group : groups)
    llvm::append_range(order, group.coordinates);
  llvm::append_range(order, sequence(order.size(), shape.size()));
  Ints back(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = to;
  return op.b.transpose(op.b.reshape(value, pick(shape, order)), back);
}

/// A value per position of the group, over all dimensions of data.
Value spread(OpBinder &op, Value value, const CoordinateGroup &group, ArrayRef<Expr> shape) {
  Exprs dims(shape.size(), Expr(1));
  for (int64_t i : group.coordinates)
    dims[i] = shape[i];
  return op.b.reshape(value, dims);
}

} // namespace

/// How many coordinates an index has; where its extent is open, the ranks tell.
static std::optional<int64_t> coordinateCount(OpBinder &op, ArrayRef<Expr> shape, ArrayRef<Expr> index) {
  if (index.empty() || index.back().constant())
    return index.empty() ? std::nullopt : index.back().constant();
  const int64_t count = static_cast<int64_t>(index.size() - 1 + shape.size()) - op.rank(2, "updates");
  return op.b.sameExtent(index.back(), Expr(count), "the coordinates of an index and what is left of the ranks")
      .constant();
}

void importScatterND(OpBinder &op) {
  requireOperands(op);
  const Exprs shape = op.shape(0, "data"), index = op.shape(1, "indices");
  const auto kind = readReduction(op);
  if (!kind && shape.size() == 1)
    if (auto known = scatterKnown(op))
      return op.result(std::move(*known), op.element(0, "data"));
  const auto count = coordinateCount(op, shape, index);
  if (!count || *count < 1 || *count > int64_t(shape.size()))
    op.bad("data and indices have shapes " + shapeText(shape) + " and " + shapeText(index) +
           ", expected a last extent of 1 to " + std::to_string(shape.size()));
  const ArrayRef<Expr> dims = ArrayRef(index).drop_back(), rest = ArrayRef(shape).drop_front(*count);
  Exprs expected(dims);
  llvm::append_range(expected, rest);
  op.b.sameShapeHere(expected, op.shape(2, "updates"), "shapes of indices with data and updates");
  Value data = op.value(0, "data");
  if (graph::product(dims).isConstant(0))
    return op.result(data);
  const SmallVector<Value> coordinates = splitCoordinates(op, dims, *count);
  const auto groups = groupCoordinates(op, coordinates, dims.size(), /*together=*/kind.has_value());
  Value updates = byGroup(op, op.b.reshape(op.value(2, "updates"), expected), groups, dims, rest), found;
  for (auto [axis, group] : llvm::enumerate(groups)) {
    const Expr extent = graph::product(pick(shape, group.coordinates));
    Value linear = linearIndex(op, group, coordinates, shape, dims);
    if (kind) {
      Exprs wide = op.b.shape(linear);
      wide.append(rest.size(), Expr(1));
      return op.result(reduceInto(op, *kind, data, op.b.reshape(linear, wide), updates, 0, extent));
    }
    Value last = lastMatch(op, linear, 0, extent);
    updates = op.b.gather(withFirst(op, updates, axis), orFirst(op, last), axis);
    Value here = spread(op, isFound(op, last), group, shape);
    found = found ? op.b.binary(BinaryKind::And, found, here) : here;
  }
  op.result(op.b.select(op.b.broadcast(found, shape), asData(op, updates, groups, shape), data));
}

} // namespace cupola::onnx_import
