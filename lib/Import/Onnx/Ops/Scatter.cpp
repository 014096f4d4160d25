//===- lib/Import/Onnx/Ops/Scatter.cpp - the search of both scatters -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Scatter.h"
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/Constants.h"

#include "lib/Import/Onnx/Text.h"

#include <limits>
#include <memory>

using namespace mlir;

namespace cupola::onnx_import::scatter {
namespace {

/// The element that changes nothing.
Value neutral(OpBinder &op, ReduceKind kind, Type type) {
  if (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
    return op.b.scalar(kind == ReduceKind::Prod, type);
  if (isa<FloatType>(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return op.b.scalar(kind == ReduceKind::Max ? -infinity : infinity, type);
  }
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool isSigned = !type.isUnsignedInteger();
  const APInt least = isSigned ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
  const APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  return op.b.intScalar(static_cast<int64_t>((kind == ReduceKind::Max ? least : most).getSExtValue()), type);
}

/// The elements of a constant; none where it is none.
std::vector<int64_t> integersOf(ElementsAttr constant) {
  std::vector<int64_t> list;
  if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(constant))
    for (const APInt &value : dense.getValues<APInt>())
      list.push_back(value.getSExtValue());
  else if (auto wide = dyn_cast_or_null<DenseI64ResourceElementsAttr>(constant))
    list = wide.tryGetAsArrayRef().value_or(ArrayRef<int64_t>());
  else if (auto narrow = dyn_cast_or_null<DenseI32ResourceElementsAttr>(constant))
    llvm::append_range(list, narrow.tryGetAsArrayRef().value_or(ArrayRef<int32_t>()));
  return list;
}

struct Reduction {
  StringRef name; ///< of ONNX, and of the host's function
  ReduceKind kind;
};
constexpr Reduction reductions[] = {
    {"add", ReduceKind::Sum}, {"mul", ReduceKind::Prod}, {"max", ReduceKind::Max}, {"min", ReduceKind::Min}};

/// So few updates are looked for in less than it takes to hand the host the indices.
bool areFew(const Expr &updates) { return updates.constant() && *updates.constant() <= 16; }

/// [before, updates, behind, extent], as the host's functions have it.
Value extentsFor(OpBinder &op, ArrayRef<Expr> updates, int64_t axis, const Expr &extent) {
  const Exprs extents{graph::product(updates.take_front(axis)), updates[axis],
                      graph::product(updates.drop_front(axis + 1)), extent};
  return op.b.dims(extents, {4}, op.b.int64());
}

/// Most elements of data whose last updates become a constant: 8 MiB.
constexpr int64_t mostConstant = int64_t(1) << 20;

} // namespace

Value fromFront(OpBinder &op, Value index, const Expr &extent) { return op.b.gather(op.b.iota({extent}, 0), index, 0); }

Value unrepeated(OpBinder &op, Value value) {
  while (auto repeat = value.getDefiningOp<graph::BroadcastOp>()) {
    for (auto [from, to] : llvm::zip_equal(op.b.shape(repeat.getInput()), op.b.shape(value)))
      if (from != to && !from.isConstant(1))
        return value; // it may be 1 or not
    value = repeat.getInput();
  }
  return value;
}

Value matches(OpBinder &op, Value index, int64_t axis, const Expr &extent) {
  index = op.b.unsqueeze(index, {axis});
  Exprs grid(op.b.shape(index).size(), Expr(1));
  grid[axis] = extent;
  return op.b.binary(BinaryKind::Equal, op.b.iota(grid, axis), index);
}

static Value lastMatchByOps(OpBinder &op, Value index, int64_t axis, const Expr &extent) {
  Value hit = matches(op, index, axis, extent);
  Exprs grid(op.b.shape(hit).size(), Expr(1));
  grid[axis + 1] = op.b.shape(index)[axis];
  Value candidates = op.b.select(hit, op.b.iota(grid, axis + 1), op.b.intScalar(-1, op.b.int64()));
  return op.b.squeeze(op.b.reduce(ReduceKind::Max, candidates, {axis + 1}), {axis + 1});
}

Value lastMatch(OpBinder &op, Value index, int64_t axis, const Expr &extent) {
  const auto byOps = [&] { return lastMatchByOps(op, index, axis, extent); };
  Exprs dims = op.b.shape(index);
  const Expr updates = dims[axis], steps = graph::product(dims) * extent;
  if (areFew(updates))
    return byOps();
  Value extents = extentsFor(op, dims, axis, extent);
  dims[axis] = extent;
  return op.b.hostOr("last_match", {}, {index, extents}, dims, op.b.int64(), steps, byOps);
}

Value lastOfConstant(OpBinder &op, ArrayRef<Expr> shape, int64_t axis) {
  const std::vector<int64_t> indices = integersOf(op.tensor(1, "indices")->constant);
  const auto dims = constantDims(shape), given = constantDims(op.shape(1, "indices"));
  const auto count = graph::product(shape).constant();
  if (indices.empty() || !dims || !given || !count || *count > mostConstant)
    return {};
  auto last = std::make_shared<std::vector<int64_t>>(*count, -1);
  std::vector<int64_t> place(dims->size(), 0); // of the update
  for (const int64_t index : indices) {
    const int64_t found = index < 0 ? index + (*dims)[axis] : index;
    int64_t position = 0;
    for (size_t i = 0; i < place.size(); ++i) {
      const int64_t at = int64_t(i) == axis ? found : place[i];
      if (at < 0 || at >= (*dims)[i])
        return {};
      position = position * (*dims)[i] + at;
    }
    (*last)[position] = place[axis];
    for (size_t i = place.size(); i-- > 0 && ++place[i] == (*given)[i];)
      place[i] = 0;
  }
  const std::string_view bytes(reinterpret_cast<const char *>(last->data()), last->size() * sizeof(int64_t));
  return op.b.constant(constantAttr({dataTypeOf(op.b.int64()), *dims, bytes, last}, op.b.int64()));
}

Value isFound(OpBinder &op, Value last) {
  return op.b.binary(BinaryKind::GreaterEqual, last, op.b.intScalar(0, op.b.int64()));
}

Value orFirst(OpBinder &op, Value last) { return op.b.binary(BinaryKind::Max, last, op.b.intScalar(0, op.b.int64())); }

Value withFirst(OpBinder &op, Value updates, int64_t axis) {
  const Exprs shape = op.b.shape(updates);
  if (proveLess(Expr(0), shape[axis], op.b.ranges()) == true)
    return updates;
  const Exprs low(shape.size(), Expr(0));
  Exprs high = low;
  high[axis] = Expr(1);
  const auto zero = Builder(op.b.context()).getZeroAttr(op.b.element(updates));
  return op.b.pad(updates, low, high, graph::PadMode::Constant, cast<TypedAttr>(zero));
}

/// An index for each update, or for each with all that is behind it.
static Value asHostReads(OpBinder &op, Value index, ArrayRef<Expr> updates, int64_t axis) {
  const Exprs given = op.b.shape(index);
  Exprs dims(updates);
  if (llvm::all_of(ArrayRef(given).drop_front(axis + 1), [](const Expr &extent) { return extent.isConstant(1); }))
    std::fill(dims.begin() + axis + 1, dims.end(), Expr(1));
  return op.b.broadcast(index, dims);
}

Value reduceInto(OpBinder &op, ReduceKind kind, Value data, Value index, Value updates, int64_t axis,
                 const Expr &extent) {
  const Type type = op.b.element(data);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32) { // rounded once
    const Type f32 = Float32Type::get(op.b.context());
    return op.b.cast(reduceInto(op, kind, op.b.cast(data, f32), index, op.b.cast(updates, f32), axis, extent), type);
  }
  const Exprs shape = op.b.shape(updates);
  const auto byOps = [&] {
    Value hit = matches(op, index, axis, extent);
    Value terms = op.b.select(hit, op.b.unsqueeze(updates, {axis}), neutral(op, kind, type));
    Value sum = op.b.squeeze(op.b.reduce(kind, terms, {axis + 1}), {axis + 1});
    return op.b.binary(graph::combiningKind(kind), data, op.b.reshape(sum, op.b.shape(data)));
  };
  if (areFew(shape[axis]))
    return byOps();
  const StringRef name = llvm::find_if(reductions, [&](const Reduction &row) { return row.kind == kind; })->name;
  return op.b.hostOr("scatter_reduce", {format::dtypeName(graph::dtypeOf(type)), name.str()},
                     {data, asHostReads(op, index, shape, axis), updates, extentsFor(op, shape, axis, extent)},
                     op.b.shape(data), type, graph::product(shape) * extent, byOps);
}

std::optional<Known> scatterKnown(OpBinder &op) {
  const Known *data = op.known(0), *indices = op.known(1), *updates = op.known(2);
  if (!data || !indices || !updates || data->dims.size() != 1 || indices->elements.size() != updates->elements.size())
    return std::nullopt;
  Known result = *data;
  for (size_t i = 0; i < indices->elements.size(); ++i) {
    const auto index = indices->elements[i].intConstant();
    if (!index || *index < -data->dims[0] || *index >= data->dims[0])
      return std::nullopt;
    result.elements[*index < 0 ? *index + data->dims[0] : *index] = updates->elements[i];
  }
  return result;
}

std::optional<ReduceKind> readReduction(OpBinder &op) {
  const std::string name = op.stringAttribute("reduction", "none");
  if (name == "none")
    return std::nullopt;
  if (op.element(0, "data").isInteger(1))
    op.unsupported("input 0 (data) has elements of bool and attribute 'reduction' is \"" + printable(name) +
                   "\", supported are numbers, or bool with none");
  for (const auto &[known, kind] : reductions)
    if (name == known)
      return kind;
  op.bad("attribute 'reduction' is \"" + printable(name) + "\", expected none, add, mul, max or min");
}

void requireOperands(OpBinder &op) {
  op.requireIndex(1, "indices");
  if (op.element(0, "data") != op.element(2, "updates"))
    op.bad("data and updates have elements of " + typeText(op.element(0, "data")) + " and " +
           typeText(op.element(2, "updates")) + ", expected one type");
}

} // namespace cupola::onnx_import::scatter
