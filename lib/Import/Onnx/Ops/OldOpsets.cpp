//===- lib/Import/Onnx/Ops/OldOpsets.cpp - forms of ops before opset 7 -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Each becomes the form of a later opset: an operand is brought into the shape that numpy's rules need, an attribute
// becomes an operand.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

Tensor integers(OpBinder &op, ArrayRef<Expr> values) {
  Known known{{static_cast<int64_t>(values.size())}, {}};
  for (const Expr &value : values)
    known.elements.push_back(Scalar::integer(value));
  return op.ofKnown(std::move(known), IntegerType::get(op.b.context(), 64));
}

Tensor reals(OpBinder &op, ArrayRef<double> values, Type element) {
  Known known{{static_cast<int64_t>(values.size())}, {}};
  for (const double value : values)
    known.elements.push_back(Scalar::constant(value));
  return op.ofKnown(std::move(known), element);
}

/// Operand `index` with extents of 1 behind its own, so that these stand at `axis` of `rank`.
void placeAt(OpBinder &op, size_t index, StringRef name, int64_t axis, int64_t rank) {
  Exprs dims = op.shape(index, name);
  if (axis + static_cast<int64_t>(dims.size()) == rank)
    return; // as numpy has it
  dims.resize(static_cast<size_t>(rank - axis), Expr(1));
  op.setOperand(index, op.ofValue(op.b.reshape(op.value(index, name), dims)));
}

} // namespace

void alignOperand(OpBinder &op) {
  const Exprs to = op.shape(0, "A"), from = op.shape(1, "B");
  const auto rank = static_cast<int64_t>(to.size()), own = static_cast<int64_t>(from.size());
  if (op.intAttribute("broadcast", 0) == 0) {
    op.ignoreAttribute("axis");
    op.b.sameShape(to, from, "the shapes of A and B, where attribute 'broadcast' is not 1,");
    return;
  }
  const int64_t given = op.intAttribute("axis", rank - own), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis + own > rank)
    op.bad("the shape " + shapeText(from) + " of B does not fit into the shape " + shapeText(to) + " of A at axis " +
           std::to_string(given));
  for (int64_t i = 0; i < own; ++i) {
    const std::string what = "extents of A and B at axis " + std::to_string(axis + i);
    if (!from[i].constant())
      op.b.oneOrAll(from[i], to[axis + i], what);
    else if (!from[i].isConstant(1))
      op.b.sameExtent(to[axis + i], from[i], what);
  }
  placeAt(op, 1, "B", axis, rank);
}

void alignSlope(OpBinder &op) {
  const int64_t rank = op.rank(0, "X");
  if (rank > 1 && op.shape(1, "slope").size() == 1 && !op.shape(1, "slope")[0].isConstant(1))
    placeAt(op, 1, "slope", 1, rank);
}

void requireWholeBias(OpBinder &op) {
  if (op.intAttribute("broadcast", 0) != 0)
    return;
  const auto extent = [&](size_t index, StringRef name, StringRef transposed, size_t axis) {
    op.rank(index, name, 2);
    return op.shape(index, name)[op.intAttribute(transposed, 0) != 0 ? 1 - axis : axis];
  };
  const Exprs result = {extent(0, "A", "transA", 0), extent(1, "B", "transB", 1)};
  op.b.sameShape(result, op.shape(2, "C"), "the shapes of A * B and C, where attribute 'broadcast' is not 1,");
}

void requireTest(OpBinder &op) {
  if (op.intAttribute("is_test", 0) == 0)
    op.unsupported("is_test is 0, which is training, supported is 1");
}

void importSelu1(OpBinder &op) {
  op.requireFloat(0, "X");
  op.result(op.b.unary(UnaryKind::Selu, op.value(0, "X"), op.floatAttribute("alpha", 1.6732f),
                       op.floatAttribute("gamma", 1.0507f)));
}

void importReshape1(OpBinder &op) {
  const Ints shape = op.requiredInts("shape");
  op.setOperand(1, integers(op, Exprs(shape.begin(), shape.end())));
  importReshape(op);
}

void importPad1(OpBinder &op) {
  op.requireFloat(0, "data");
  const Ints pads = op.requiredInts("paddings");
  op.setOperand(1, integers(op, Exprs(pads.begin(), pads.end())));
  op.setOperand(2, reals(op, {op.floatAttribute("value", 0)}, op.element(0, "data")));
  importPad(op);
}

void importTile1(OpBinder &op) {
  const int64_t rank = op.rank(0, "input");
  Exprs repeats(static_cast<size_t>(rank), Expr(1));
  repeats[static_cast<size_t>(op.axis(op.constantInt(2, "axis"), rank))] = op.symbolicInt(1, "tiles");
  op.setOperand(1, integers(op, repeats));
  importTile(op);
}

void importSplit1(OpBinder &op) { op.has(1) ? importSplit(op) : importSplitAttribute(op); }

void importUpsample1(OpBinder &op) {
  if (op.rank(0, "X") != 4)
    op.bad("input 0 (X) has the shape " + shapeText(op.shape(0, "X")) + ", expected rank 4");
  for (StringRef name : {"height_scale", "width_scale"})
    if (!op.hasAttribute(name))
      op.bad("attribute '" + name.str() + "' is missing, expected a float");
  op.setOperand(1, reals(op, {1, 1, op.floatAttribute("height_scale", 1), op.floatAttribute("width_scale", 1)},
                         Float32Type::get(op.b.context())));
  importResize10(op);
}

} // namespace cupola::onnx_import
