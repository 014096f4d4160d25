//===- lib/Import/Onnx/Ops/Ml/SvmProbabilities.cpp - of classes, from those of pairs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Wu, Lin and Weng, Probability estimates for multi-class classification by pairwise coupling (2004), the second
// method, as libsvm and onnxruntime have it: sweeps over the classes until a residual is small. They stop early, at
// 0.005 / classes, so that what they give is that of the sweeps, not of the equations.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/LoopBody.h"
#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/Ops/Ml/Svm.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

class Coupling {
public:
  Coupling(OpBinder &op, Type type, int64_t classes) : op(op), type(type), classes(classes) {}

  /// [rows, classes, classes]: how probable a class is, of two.
  Value ofPairs(Value values) {
    const int64_t pairs = classes * (classes - 1) / 2;
    const Reals a = floatsOf(op, "prob_a"), b = floatsOf(op, "prob_b");
    requireCounts(op, static_cast<size_t>(pairs), {{"prob_a", a.size()}, {"prob_b", b.size()}});
    Value scaled = add(mul(values, table(op, a, {1, pairs}, type)), table(op, b, {1, pairs}, type));
    Value first = op.b.unary(UnaryKind::Sigmoid, op.b.unary(UnaryKind::Neg, scaled));
    first = op.b.binary(BinaryKind::Min, op.b.binary(BinaryKind::Max, first, number(1e-7)), number(1 - 1e-7));
    Value none = op.b.broadcast(number(0), {op.b.shape(values)[0], Expr(1)});
    Value all = op.b.concat({first, sub(number(1), first), none}, 1);
    Ints places(static_cast<size_t>(classes * classes), 2 * pairs);
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        places[static_cast<size_t>(i * classes + j)] = pair;
        places[static_cast<size_t>(j * classes + i)] = pairs + pair;
      }
    return op.b.reshape(op.b.gather(all, list(op, places), 1, 0, /*isInRange=*/true),
                        {op.b.shape(values)[0], Expr(classes), Expr(classes)});
  }

  /// [rows, classes, classes]: the equations.
  Value equations(Value pairs) {
    Value others = op.b.transpose(pairs, {0, 2, 1});
    Value diagonal = op.b.reduce(ReduceKind::Sum, mul(others, others), {2});
    Reals one(static_cast<size_t>(classes * classes));
    for (size_t i = 0; i < one.size(); i += static_cast<size_t>(classes) + 1)
      one[i] = 1;
    return sub(mul(diagonal, table(op, one, {1, classes, classes}, type)), mul(others, pairs));
  }

  /// The probabilities after one sweep, and [rows, 1]: whether it was not yet good before.
  std::pair<Value, Value> sweep(Value q, Value p) {
    Value product = op.b.squeeze(op.b.reduce(ReduceKind::Sum, mul(q, op.b.unsqueeze(p, {1})), {2}), {2});
    Value level = op.b.reduce(ReduceKind::Sum, mul(p, product), {1});
    Value error = op.b.reduce(ReduceKind::Max, op.b.unary(UnaryKind::Abs, sub(product, level)), {1});
    Value goesOn = op.b.binary(BinaryKind::GreaterEqual, error, number(0.005 / static_cast<double>(classes)));
    Value next = p;
    for (int64_t t = 0; t < classes; ++t) {
      Value row = op.b.squeeze(part(q, 1, t), {1}), own = part(row, 1, t), at = part(product, 1, t);
      Value step = op.b.binary(BinaryKind::Div, sub(level, at), own), scale = add(number(1), step);
      level = add(level, mul(step, add(mul(step, own), mul(number(2), at))));
      level = op.b.binary(BinaryKind::Div, op.b.binary(BinaryKind::Div, level, scale), scale);
      product = op.b.binary(BinaryKind::Div, add(product, mul(step, row)), scale);
      Reals one(static_cast<size_t>(classes));
      one[static_cast<size_t>(t)] = 1;
      next = op.b.binary(BinaryKind::Div, add(next, mul(step, table(op, one, {1, classes}, type))), scale);
    }
    return {op.b.select(goesOn, next, p), goesOn};
  }

private:
  Value number(double value) { return op.b.scalar(value, type); }
  Value add(Value a, Value b) { return op.b.binary(BinaryKind::Add, a, b); }
  Value sub(Value a, Value b) { return op.b.binary(BinaryKind::Sub, a, b); }
  Value mul(Value a, Value b) { return op.b.binary(BinaryKind::Mul, a, b); }
  /// One place along an axis, which stays.
  Value part(Value value, size_t axis, int64_t place) {
    Exprs sizes = op.b.shape(value), starts(sizes.size(), Expr(0));
    starts[axis] = Expr(place);
    sizes[axis] = Expr(1);
    return op.b.slice(value, starts, Ints(sizes.size(), 1), sizes);
  }

  OpBinder &op;
  const Type type;
  const int64_t classes;
};

} // namespace

Value coupledProbabilities(OpBinder &op, Value values, int64_t classes) {
  constexpr int64_t mostSweeps = 100;
  const Type type = op.b.element(values), bit = IntegerType::get(op.b.context(), 1);
  Coupling coupling(op, type, classes);
  Value q = coupling.equations(coupling.ofPairs(values));
  Value even = op.b.scalar(1.0 / static_cast<double>(classes), type);
  // The equations are carried, because a body sees nothing around it but by name.
  LoopBody body(op, {op.b.broadcast(even, {op.b.shape(values)[0], Expr(classes)}), q},
                {Expr(mostSweeps), Value(), Value()},
                /*hasCondition=*/true);
  body.make([&](const Expr &, ArrayRef<Tensor> carried) {
    auto [next, goesOn] = coupling.sweep(op.materialize(carried[1]), op.materialize(carried[0]));
    Value any = op.b.reduce(ReduceKind::Max, op.b.cast(goesOn, op.b.int64()), {0, 1});
    return std::vector<Tensor>{op.ofValue(op.b.reshape(op.b.cast(any, bit), {})), op.ofValue(next), carried[1]};
  });
  return body.create()[0];
}

} // namespace cupola::onnx_import::ml
