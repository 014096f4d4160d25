//===- lib/Transforms/Quantized/ByteTable.cpp - numbers that bytes stand for ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/ByteTable.h"

#include "dialects/Graph/ElementTypes.h"
#include "lib/Reference/Reference.h"
#include "lib/Transforms/Cone.h"
#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"

using namespace mlir;
using cupola::reference::Shape;
using cupola::reference::Tensor;

namespace cupola {
namespace {

/// A table has as many columns; more elements of a byte are no unpacking.
constexpr int64_t mostLanes = 16;

ArrayRef<int64_t> staticShape(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
int64_t countOf(Value value) { return reference::countOf(staticShape(value)); }

/// Where nothing but the element counts, so that all shapes may be [256, lanes].
bool isOfElements(Operation *op) { return match::isPointwise(op) && !isa<graph::CallOp>(op); }

class TableMaker {
public:
  explicit TableMaker(const Cone &cone) : cone(cone) {}

  std::optional<ByteTable> make() {
    for (Operation *op : cone.constants)
      if (!addConstant(cast<graph::ConstantOp>(op)))
        return std::nullopt;
    const auto bytes = static_cast<int64_t>(table.bytes.size());
    if (bytes == 0 || countOf(cone.value) % bytes != 0 || countOf(cone.value) / bytes > mostLanes)
      return std::nullopt;
    table.lanes = countOf(cone.value) / bytes;
    if (!makeConstants())
      return std::nullopt;
    for (Operation *op : cone.ops)
      if (!cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape() || !add(op))
        return std::nullopt;
    return hasBytes.contains(cone.value) ? finished() : std::nullopt;
  }

private:
  Shape shape() const { return {static_cast<int64_t>(ByteTable::bytesThereAre), table.lanes}; }

  /// One is of bytes, all others are of one number.
  bool addConstant(graph::ConstantOp constant) {
    if (match::splatOf(constant.getResult()))
      return true;
    const ArrayRef<char> content = bytesOf(constant.getValue());
    if (source || content.empty() || !graph::elementOf(constant.getResult()).isInteger(8))
      return false;
    source = constant;
    table.bytes = ArrayRef(reinterpret_cast<const uint8_t *>(content.data()), content.size());
    return true;
  }

  bool makeConstants() {
    for (Operation *op : cone.constants) {
      const Value value = op->getResult(0);
      if (op == source) {
        values[value] = positions(graph::elementOf(value), [&](int64_t i) { return i / table.lanes; });
        hasBytes.insert(value);
        continue;
      }
      auto splat = dyn_cast<DenseElementsAttr>(cast<graph::ConstantOp>(op).getValue());
      Result<Tensor> all = splat && splat.isSplat()
                               ? Tensor::of(splat.resizeSplat(cast<ShapedType>(value.getType()).clone(shape())))
                               : Status::unsupported("not one number");
      if (all.failed())
        return false;
      values[value] = all.take();
      isUniform.insert(value);
    }
    return true;
  }

  template <class Number> Tensor positions(Type element, Number numberOf) const {
    Tensor tensor = Tensor::make(graph::dtypeOf(element), shape()).take();
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.set<int64_t>(i, numberOf(i));
    return tensor;
  }

  bool add(Operation *op) {
    const Value result = op->getResult(0);
    if (auto iota = dyn_cast<graph::IotaOp>(op))
      return addIota(iota);
    if (isOfElements(op))
      return addPointwise(op);
    const Value operand = op->getOperand(0);
    if (!values.count(operand))
      return false;
    auto slice = dyn_cast<graph::SliceOp>(op);
    auto broadcast = dyn_cast<graph::BroadcastOp>(op);
    const bool isSame = isa<graph::ReshapeOp>(op) || (slice && isWhole(slice)) ||
                        (broadcast && (isUniform.contains(operand) || repeats(operand, result)));
    if (isSame)
      take(result, values.lookup(operand), operand);
    return isSame;
  }

  /// The position among the elements of a byte.
  bool addIota(graph::IotaOp iota) {
    const Value result = iota.getResult();
    const int64_t axis = iota.getAxis();
    if (countOf(result) != countOf(cone.value) || staticShape(result)[axis] != table.lanes || !isInner(result, axis))
      return false;
    values[result] = positions(graph::elementOf(result), [&](int64_t i) { return i % table.lanes; });
    return true;
  }

  bool addPointwise(Operation *op) {
    const Value result = op->getResult(0);
    SmallVector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      if (!values.count(operand) || staticShape(operand) != staticShape(result))
        return false;
      operands.push_back(values.lookup(operand));
    }
    Result<Tensor> value = reference::evaluateAs(op, operands, shape());
    if (value.failed())
      return false;
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return isUniform.contains(operand); }))
      isUniform.insert(result);
    if (llvm::any_of(op->getOperands(), [&](Value operand) { return hasBytes.contains(operand); }))
      hasBytes.insert(result);
    values[result] = value.take();
    return true;
  }

  void take(Value result, Tensor value, Value like) {
    values[result] = std::move(value);
    if (isUniform.contains(like))
      isUniform.insert(result);
    if (hasBytes.contains(like))
      hasBytes.insert(result);
  }

  /// Whether a broadcast does nothing, or has every byte `lanes` times along one dimension.
  bool repeats(Value from, Value to) {
    const ArrayRef<int64_t> before = staticShape(from), after = staticShape(to);
    if (before == after)
      return true;
    if (countOf(from) != static_cast<int64_t>(table.bytes.size()) || countOf(to) != countOf(cone.value))
      return false;
    std::optional<int64_t> axis;
    for (size_t i = 0; i < after.size(); ++i)
      if (before[i] != after[i]) {
        if (axis)
          return false;
        axis = i;
      }
    return isInner(to, *axis);
  }

  /// All that tells positions apart does so at one place.
  bool isInner(Value value, int64_t axis) {
    const int64_t count = reference::countOf(staticShape(value).drop_front(axis + 1));
    if (!isKnown)
      table.inner = count;
    isKnown = true;
    return table.inner == count;
  }

  std::optional<ByteTable> finished() {
    table.numbers.resize(ByteTable::bytesThereAre * table.lanes);
    values.lookup(cone.value).forPieces([&](int64_t begin, ArrayRef<double> numbers) {
      std::copy(numbers.begin(), numbers.end(), table.numbers.begin() + begin);
    });
    return std::move(table);
  }

  const Cone &cone;
  ByteTable table;
  Operation *source = nullptr;
  bool isKnown = false;                 ///< table.inner
  llvm::DenseMap<Value, Tensor> values; ///< [256, lanes]
  llvm::DenseSet<Value> isUniform;      ///< one number
  llvm::DenseSet<Value> hasBytes;       ///< depend on those of the constant
};

} // namespace

bool isWhole(graph::SliceOp slice) {
  return graph::shapeOf(slice.getInput()) == graph::shapeOf(slice.getResult()) &&
         llvm::all_of(slice.getSteps(), [](int64_t step) { return step == 1; });
}

std::optional<ByteTable> ByteTable::of(Value value) {
  if (!cast<RankedTensorType>(value.getType()).hasStaticShape() || countOf(value) == 0)
    return std::nullopt;
  const Cone cone = coneOf(value);
  return TableMaker(cone).make();
}

} // namespace cupola
