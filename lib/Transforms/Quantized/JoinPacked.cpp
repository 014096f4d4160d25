//===- lib/Transforms/Quantized/JoinPacked.cpp - packed weights side by side ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What makes packed weights has the columns as its first dimension, until a transpose turns them. So the weights of
// several products are those of one whose constants lie one behind the other.
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Quantized/PackedWeights.h"

using namespace mlir;

namespace cupola {
namespace {

/// Of a constant that has one number for each column, or more.
bool isOfColumns(graph::ConstantOp constant) { return !bytesOf(constant.getValue()).empty(); }

/// The ops before the transpose keep the columns apart from all else.
bool keepsColumns(Operation *op, const Expr &columns) {
  if (op->getNumResults() != 1 || graph::rankOf(op->getResult(0)) == 0 ||
      graph::extentOf(op->getResult(0), 0) != columns)
    return false;
  if (auto iota = dyn_cast<graph::IotaOp>(op))
    return iota.getAxis() != 0;
  return isa<graph::ConstantOp, graph::ReshapeOp, graph::BroadcastOp>(op) || match::isPointwise(op);
}

/// Everything that tells one such op from another, but for the columns.
std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName();
  auto constant = dyn_cast<graph::ConstantOp>(op);
  if (!constant || !isOfColumns(constant))
    stream << (constant ? Attribute(constant.getValue().getSplatValue<Attribute>())
                        : Attribute(op->getAttrDictionary()));
  const RankedTensorType type = graph::typeOf(op->getResult(0));
  stream << " " << type.getElementType();
  for (const Expr &extent : ArrayRef(graph::shapeOf(type)).drop_front())
    stream << " " << extent.text();
  return text + "\n";
}

class Joiner {
public:
  Joiner(OpBuilder &b, ArrayRef<Value> weights) : b(b), parts(weights) {
    for (Value part : weights)
      columns += *graph::extentOf(part, 1).constant();
  }

  Value join() {
    const auto inputs = llvm::map_to_vector(
        parts, [](Value part) -> Value { return part.getDefiningOp<graph::TransposeOp>().getInput(); });
    const Value turned = joined(inputs);
    return graph::TransposeOp::create(b, locationOf(parts), turned, ArrayRef<int64_t>{1, 0});
  }

private:
  Location locationOf(ArrayRef<Value> values) {
    return match::fusedLoc(b, llvm::map_to_vector(values, [](Value value) { return value.getDefiningOp(); }));
  }

  RankedTensorType wider(Value value) const {
    graph::Exprs shape = graph::shapeOf(value);
    shape.front() = Expr(columns);
    return graph::tensorType(shape, graph::elementOf(value));
  }

  /// The value that has the rows of all of these.
  Value joined(ArrayRef<Value> values) {
    if (Value known = made.lookup(values.front()))
      return known;
    Operation *op = values.front().getDefiningOp();
    if (isa<graph::ConstantOp>(op))
      return made[values.front()] = graph::ConstantOp::create(b, locationOf(values), constantOf(values));
    SmallVector<Value> operands;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      operands.push_back(joined(
          llvm::map_to_vector(values, [&](Value value) -> Value { return value.getDefiningOp()->getOperand(i); })));
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->setLoc(locationOf(values));
    copy->getResult(0).setType(wider(values.front()));
    return made[values.front()] = copy->getResult(0);
  }

  ElementsAttr constantOf(ArrayRef<Value> values) {
    const RankedTensorType type = wider(values.front());
    auto constant = values.front().getDefiningOp<graph::ConstantOp>();
    if (!isOfColumns(constant))
      return SplatElementsAttr::get(type, constant.getValue().getSplatValue<Attribute>());
    std::vector<char> bytes;
    bytes.reserve(type.getNumElements() * type.getElementTypeBitWidth() / 8);
    for (Value value : values)
      llvm::append_range(bytes, bytesOf(value.getDefiningOp<graph::ConstantOp>().getValue()));
    return cupola::constantOf(type, std::move(bytes));
  }

  OpBuilder &b;
  ArrayRef<Value> parts;
  int64_t columns = 0;
  llvm::DenseMap<Value, Value> made;
};

} // namespace

std::string formOfPacked(Value weights) {
  auto transpose = weights.getDefiningOp<graph::TransposeOp>();
  if (!transpose || graph::rankOf(weights) != 2 || transpose.getPerm()[0] != 1 || !isMadeOfBytes(weights))
    return {};
  const Expr columns = graph::extentOf(weights, 1);
  std::string form;
  SmallVector<Operation *> work{transpose.getInput().getDefiningOp()};
  while (!work.empty()) { // ops that are read twice are written down twice
    Operation *op = work.pop_back_val();
    auto constant = dyn_cast<graph::ConstantOp>(op);
    if (!keepsColumns(op, columns) || (constant && !isOfColumns(constant) && !match::splatOf(op->getResult(0))))
      return {};
    form += textOf(op);
    for (Value operand : op->getOperands())
      work.push_back(operand.getDefiningOp());
  }
  return form;
}

Value joinPacked(OpBuilder &b, ArrayRef<Value> weights) { return Joiner(b, weights).join(); }

} // namespace cupola
