//===- lib/Reference/Views.cpp - ops that move elements ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Transpose, broadcast, slice and pad are separable: along each dimension of the
// result, a table says for each index how far it moves in the input.
//===----------------------------------------------------------------------===//

#include "lib/Reference/Ops.h"

using namespace mlir;

namespace cupola::reference {

namespace {

/// Marks an index of the result that no element of the input belongs to.
constexpr int64_t outside = -1;
using Table = std::vector<int64_t>;

std::vector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// What tables say of a dimension and of those before it.
int64_t placeOf(int64_t base, int64_t offset) { return base == outside || offset == outside ? outside : base + offset; }

template <size_t size>
void copyRun(const char *from, char *to, ArrayRef<int64_t> offsets, int64_t base, const char *fill) {
  for (int64_t offset : offsets) {
    const int64_t place = placeOf(base, offset);
    std::memcpy(to, place == outside ? fill : from + place * int64_t(size), size);
    to += size;
  }
}

/// Two dimensions, in strips of columns: of a transpose, neighbours in a column are so near each other in memory that
/// the next row finds what it reads in the cache.
template <size_t size>
void copyPlane(const char *from, char *to, ArrayRef<int64_t> rows, ArrayRef<int64_t> columns, int64_t base,
               const char *fill) {
  constexpr size_t strip = 64;
  for (size_t first = 0; first < columns.size(); first += strip) {
    const ArrayRef<int64_t> some = columns.slice(first, std::min(strip, columns.size() - first));
    for (size_t row = 0; row < rows.size(); ++row)
      copyRun<size>(from, to + (row * columns.size() + first) * size, some, placeOf(base, rows[row]), fill);
  }
}

using CopyPlane = void (*)(const char *from, char *to, ArrayRef<int64_t> rows, ArrayRef<int64_t> columns, int64_t base,
                           const char *fill);
CopyPlane planesOf(size_t size) {
  return size == 1 ? copyPlane<1> : size == 2 ? copyPlane<2> : size == 4 ? copyPlane<4> : copyPlane<8>;
}

/// Fills the result in order of its planes; `fill` stands where a table says outside.
void copyByTables(const Tensor &input, Tensor &result, ArrayRef<Table> tables, const char *fill = nullptr) {
  if (result.count() == 0)
    return;
  const Table one{0};
  const Table &columns = tables.empty() ? one : tables.back(),
              &rows = tables.size() < 2 ? one : *std::prev(tables.end(), 2);
  const ArrayRef<Table> outer = tables.drop_back(std::min<size_t>(tables.size(), 2));
  const size_t bytes = rows.size() * columns.size() * result.elementBytes();
  const CopyPlane copy = planesOf(result.elementBytes());
  std::vector<size_t> index(outer.size(), 0);
  for (char *to = result.mutableData();; to += bytes) {
    int64_t base = 0;
    for (auto [table, i] : llvm::zip_equal(outer, index))
      base = placeOf(base, table[i]);
    copy(input.data(), to, rows, columns, base, fill);
    size_t dim = outer.size();
    while (dim > 0 && ++index[dim - 1] == outer[dim - 1].size())
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

Status outOfRange(size_t dim, int64_t index, int64_t extent) {
  return Status::usage("reads index " + std::to_string(index) + " of dimension " + std::to_string(dim) +
                       ", whose extent is " + std::to_string(extent));
}

/// A table per dimension from `place`, which maps (dimension, index of the result) to
/// an index of the input's same dimension or outside.
template <class Place>
Status copyByPlaces(const Tensor &input, Tensor &result, Place place, const char *fill = nullptr) {
  const std::vector<int64_t> strides = stridesOf(input.shape());
  std::vector<Table> tables(result.shape().size());
  for (size_t dim = 0; dim < tables.size(); ++dim)
    for (int64_t i = 0; i < result.extent(dim); ++i) {
      const int64_t at = place(dim, i);
      const bool isOutside = at == outside && fill;
      if (!isOutside && (at < 0 || at >= input.extent(dim))) {
        if (result.count() == 0)
          return {};
        return outOfRange(dim, at, input.extent(dim));
      }
      tables[dim].push_back(isOutside ? outside : at * strides[dim]);
    }
  copyByTables(input, result, tables, fill);
  return {};
}

int64_t floorMod(int64_t a, int64_t b) { return ((a % b) + b) % b; }

/// Where in [0, extent) the place `at` outside of it is mirrored to. Nowhere if the
/// input is empty: then the result is a number that no element has.
int64_t padPlace(graph::PadMode mode, int64_t at, int64_t extent) {
  const int64_t last = extent - 1;
  switch (mode) {
  case graph::PadMode::Constant:
    return at >= 0 && at <= last ? at : outside;
  case graph::PadMode::Edge:
    return std::max<int64_t>(0, std::min(at, last));
  case graph::PadMode::Reflect: {
    const int64_t phase = floorMod(at, std::max<int64_t>(1, 2 * last));
    return std::min(phase, 2 * last - phase);
  }
  case graph::PadMode::Wrap:
    return extent == 0 ? at : floorMod(at, extent);
  }
  llvm_unreachable("every mode has a case");
}

/// The constant of a pad in the form elements are stored in.
uint64_t storedBits(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(value).getValue().getZExtValue();
}

} // namespace

Status computeReshape(Call &call) {
  const Tensor &input = call.operands[0];
  if (input.count() != call.result.count())
    return Status::usage("cannot turn " + shapeText(input.shape()) + " into " + shapeText(call.result.shape()));
  call.result = input.reshaped(call.result.shape());
  return {};
}

Status computeTranspose(Call &call) {
  const Tensor &input = call.operands[0];
  ArrayRef<int64_t> perm = cast<graph::TransposeOp>(call.op).getPerm();
  const std::vector<int64_t> strides = stridesOf(input.shape());
  std::vector<Table> tables(perm.size());
  for (auto [dim, from] : llvm::enumerate(perm))
    for (int64_t i = 0; i < call.result.extent(dim); ++i)
      tables[dim].push_back(i * strides[from]);
  copyByTables(input, call.result, tables);
  return {};
}

Status computeBroadcast(Call &call) {
  const Tensor &input = call.operands[0];
  for (auto [from, to] : llvm::zip_equal(input.shape(), call.result.shape()))
    if (from != 1 && from != to)
      return Status::usage("cannot broadcast " + shapeText(input.shape()) + " to " + shapeText(call.result.shape()));
  return copyByPlaces(input, call.result, [&](size_t dim, int64_t i) { return std::min(i, input.extent(dim) - 1); });
}

Status computeSlice(Call &call) {
  auto op = cast<graph::SliceOp>(call.op);
  CUPOLA_ASSIGN(std::vector<int64_t> starts, call.numbers(op.getStarts()));
  return copyByPlaces(call.operands[0], call.result,
                      [&](size_t dim, int64_t i) { return starts[dim] + i * op.getSteps()[dim]; });
}

Status computePad(Call &call) {
  auto op = cast<graph::PadOp>(call.op);
  const Tensor &input = call.operands[0];
  CUPOLA_ASSIGN(std::vector<int64_t> low, call.numbers(op.getLow()));
  const uint64_t bits = storedBits(op.getValue()); // little-endian, as all machines we run on
  const bool isConstant = op.getMode() == graph::PadMode::Constant;
  return copyByPlaces(
      input, call.result,
      [&](size_t dim, int64_t i) { return padPlace(op.getMode(), i - low[dim], input.extent(dim)); },
      isConstant ? reinterpret_cast<const char *>(&bits) : nullptr);
}

Status computeWindow(Call &call) {
  auto op = cast<graph::WindowOp>(call.op);
  const Tensor &input = call.operands[0];
  const std::vector<int64_t> strides = stridesOf(input.shape());
  const size_t axis = op.getAxis(), dims = op.getSizes().size();
  std::vector<Table> tables(call.result.shape().size());
  auto fill = [&](size_t to, size_t from, int64_t step) {
    for (int64_t i = 0; i < call.result.extent(to); ++i)
      tables[to].push_back(i * step * strides[from]);
  };
  for (size_t dim = 0; dim < axis; ++dim)
    fill(dim, dim, 1);
  for (size_t d = 0; d < dims; ++d) {
    const int64_t last =
        (call.result.extent(axis + d) - 1) * op.getStrides()[d] + (op.getSizes()[d] - 1) * op.getDilations()[d];
    if (call.result.count() != 0 && last >= input.extent(axis + d))
      return outOfRange(axis + d, last, input.extent(axis + d));
    fill(axis + d, axis + d, op.getStrides()[d]);
    fill(axis + dims + d, axis + d, op.getDilations()[d]);
  }
  for (size_t dim = axis + dims; dim < input.shape().size(); ++dim)
    fill(dim + dims, dim, 1);
  copyByTables(input, call.result, tables);
  return {};
}

Status computeConcat(Call &call) {
  const int64_t axis = call.op->getAttrOfType<IntegerAttr>("axis").getInt(); // of a concat or join
  const int64_t outer = countOf(ArrayRef(call.result.shape()).take_front(axis));
  char *to = call.result.mutableData();
  for (int64_t i = 0; i < outer; ++i)
    for (const Tensor &input : call.operands) {
      const size_t bytes = input.bytes() / outer;
      if (bytes != 0)
        std::memcpy(to, input.data() + i * bytes, bytes);
      to += bytes;
    }
  return {};
}

} // namespace cupola::reference
