//===- lib/Transforms/FoldNorms.cpp - norms between products are no kernels ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/NormKernels.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_FOLDNORMS
#include "lib/Transforms/Passes.h.inc"

namespace {
using graph::BinaryKind;
using graph::FusionOp;
using match::castTo;
using norm::NormKernel;
using norm::Numbers;
using norm::ScaledWeights;

/// Of constants that products have beside a norm.
using WeightsOf = llvm::MapVector<Value, ScaledWeights>;

/// A kernel with other operands and results, and what these are now.
FusionOp rebuilt(FusionOp old, ValueRange inputs, Location with) {
  OpBuilder b(old);
  const TypeRange results = old.getBody().front().getTerminator()->getOperandTypes();
  auto fusion = FusionOp::create(b, b.getFusedLoc({old.getLoc(), with}), results, inputs, old.getKind());
  fusion.getBody().takeBody(old.getBody());
  for (auto [before, now] : llvm::zip(old.getResults(), fusion.getResults()))
    before.replaceAllUsesWith(now);
  old.erase();
  return fusion;
}

/// The moments of parts of what a product's kernel makes: a second result.
Value momentsOf(FusionOp producer, int64_t part, Location loc) {
  if (producer.getNumResults() == 2)
    return producer.getResult(1);
  Operation *end = producer.getBody().front().getTerminator();
  OpBuilder b(end);
  const graph::Exprs shape = graph::shapeOf(end->getOperand(0));
  Value wide = castTo(b, loc, end->getOperand(0), b.getF32Type());
  Value parts = match::reshapeTo(b, loc, wide, {shape[0], floorDiv(shape[1], part), Expr(part)});
  end->insertOperands(1, graph::MomentsOp::create(b, loc, parts, ArrayRef<int64_t>{2}).getResult());
  return rebuilt(producer, SmallVector<Value>(producer.getInputs()), loc).getResult(1);
}

class Fold {
public:
  Fold(NormKernel kernel, Value moments, const WeightsOf &weights)
      : kernel(kernel), moments(moments), weightsOf(weights) {}

  void into(OpOperand &use) {
    fusion = cast<FusionOp>(use.getOwner());
    inputs.assign(fusion.getInputs().begin(), fusion.getInputs().end());
    inputs[use.getOperandNumber()] = kernel.rows;
    BlockArgument argument = fusion.getBody().getArgument(use.getOperandNumber());
    letStatistics();
    const llvm::SetVector<Operation *> users(argument.user_begin(), argument.user_end());
    for (Operation *user : users)
      if (auto product = dyn_cast<graph::MatMulOp>(user))
        multiply(product);
      else
        normalise(argument, user);
    rebuilt(fusion, inputs, kernel.loc());
  }

private:
  /// What comes behind a product, constants [1, columns] or null.
  struct Weights {
    Value sums, shift;
  };

  Value add(Value operand) {
    inputs.push_back(operand);
    return fusion.getBody().addArgument(operand.getType(), operand.getLoc());
  }
  /// Made of the norm's constants and of `also`, whose nodes it stands for; null if there is no value.
  Value constant(ElementsAttr value, Value also) {
    if (!value)
      return Value();
    SmallVector<Location> nodes{kernel.loc()};
    for (Value source : {kernel.factor, kernel.shift, also})
      if (source)
        nodes.push_back(source.getLoc());
    OpBuilder b(fusion);
    return graph::ConstantOp::create(b, b.getFusedLoc(nodes), value);
  }
  /// A constant's numbers in f32.
  Value widened(Value value) const {
    OpBuilder b(fusion);
    const auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType().isF32())
      return value;
    return graph::ConstantOp::create(
        b, value.getLoc(), constantOf(RankedTensorType::get(type.getShape(), b.getF32Type()), *norm::numbersOf(value)));
  }
  Value rowsTo(OpBuilder &b, Value value, Value like) {
    return graph::BroadcastOp::create(b, kernel.loc(), cast<RankedTensorType>(like.getType()), value);
  }

  /// Mean and scale of the rows, [rows, 1].
  void letStatistics() {
    Value argument = add(moments);
    OpBuilder b = OpBuilder::atBlockBegin(&fusion.getBody().front());
    auto op = graph::StatisticsOp::create(b, kernel.loc(), argument, ArrayRef<int64_t>{1, 2}, kernel.op.getEpsilon(),
                                          kernel.op.getRms());
    const graph::Exprs shape = graph::shapeOf(op.getResult());
    auto part = [&](int64_t which) -> Value {
      const graph::Exprs starts{0, 0, 0, which};
      const Type type = graph::tensorType({shape[0], 1, 1, 1}, b.getF32Type());
      Value one =
          graph::SliceOp::create(b, kernel.loc(), type, op.getResult(), graph::exprArray(b.getContext(), starts),
                                 b.getDenseI64ArrayAttr({1, 1, 1, 1}));
      return match::reshapeTo(b, kernel.loc(), one, {shape[0], Expr(1)});
    };
    mean = part(0);
    scale = part(1);
  }

  graph::BinaryOp binary(OpBuilder &b, BinaryKind kind, Value lhs, Value rhs) {
    return graph::BinaryOp::create(b, kernel.loc(), kind, lhs, rhs);
  }

  Value centred(OpBuilder &b, Value value, Value means) {
    return kernel.op.getRms() ? value : Value(binary(b, BinaryKind::Sub, value, means));
  }

  /// Elements of the norm where a kernel wants them: behind the cast of the rows, or as its other ops read them.
  void normalise(BlockArgument rows, Operation *user) {
    OpBuilder b(user);
    if (auto element = dyn_cast<graph::CastOp>(user)) {
      b.setInsertionPointAfter(element);
      replaceBehind(element.getResult(), normalised(b, element.getResult()));
    } else {
      user->replaceUsesOfWith(rows, normalised(b, rows));
    }
  }
  Value normalised(OpBuilder &b, Value element) {
    Value wide = castTo(b, kernel.loc(), element, b.getF32Type());
    Value value = binary(b, BinaryKind::Mul, centred(b, wide, rowsTo(b, mean, wide)), rowsTo(b, scale, wide));
    if (kernel.factor)
      value = binary(b, BinaryKind::Mul, value, rowsTo(b, add(widened(kernel.factor)), wide));
    if (kernel.shift)
      value = binary(b, BinaryKind::Add, value, rowsTo(b, add(widened(kernel.shift)), wide));
    return castTo(b, kernel.loc(), value, graph::elementOf(element));
  }
  /// All uses but those that `now` is made of.
  static void replaceBehind(Value value, Value now) {
    value.replaceUsesWithIf(now, [&](OpOperand &use) { return now.getDefiningOp()->isBeforeInBlock(use.getOwner()); });
  }

  void multiply(graph::MatMulOp product) {
    const unsigned rhs = cast<BlockArgument>(product.getRhs()).getArgNumber();
    const ScaledWeights &weights = weightsOf.find(inputs[rhs])->second;
    const Weights own{constant(weights.sums, inputs[rhs]), constant(weights.shift, inputs[rhs])};
    inputs[rhs] = constant(weights.scaled, inputs[rhs]);
    for (Operation *user : llvm::make_early_inc_range(product->getUsers())) {
      auto wide = dyn_cast<graph::CastOp>(user);
      if (wide && graph::elementOf(wide.getResult()).isF32())
        correct(wide.getResult(), own);
      else
        correctHalf(product, user, own);
    }
  }

  /// Of sums that are used as they are stored.
  void correctHalf(graph::MatMulOp product, Operation *user, const Weights &weights) {
    OpBuilder b(user);
    Value wide = castTo(b, kernel.loc(), product.getResult(), b.getF32Type());
    if (BlockArgument bias = biasOf(user)) {
      widenBias(cast<graph::BinaryOp>(user), product.getResult(), wide, bias);
    } else {
      Value narrow = castTo(b, kernel.loc(), wide, graph::elementOf(product.getResult()));
      user->replaceUsesOfWith(product.getResult(), narrow);
    }
    correct(wide, weights);
  }

  /// Adds in f32, so that what the norm adds can become part of the bias.
  void widenBias(graph::BinaryOp sum, Value product, Value wide, BlockArgument bias) {
    OpBuilder b(sum->getBlock(), std::next(sum->getIterator()));
    const Type element = graph::elementOf(sum.getResult());
    Value now = widened(inputs[bias.getArgNumber()]);
    inputs[bias.getArgNumber()] = now;
    bias.setType(now.getType());
    bias.getUsers().begin()->getResult(0).setType(wide.getType());
    sum->replaceUsesOfWith(product, wide);
    sum.getResult().setType(cast<RankedTensorType>(wide.getType()));
    Value narrow = castTo(b, sum.getLoc(), sum.getResult(), element);
    sum.getResult().replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }

  void correct(Value sums, const Weights &weights) {
    OpBuilder b(sums.getContext());
    b.setInsertionPointAfterValue(sums);
    const bool isJoined = weights.shift && sums.hasOneUse() && joinBias(*sums.user_begin(), weights.shift);
    Value value = sums;
    if (weights.sums) {
      Value means = binary(b, BinaryKind::Mul, rowsTo(b, mean, sums), rowsTo(b, add(weights.sums), sums));
      value = binary(b, BinaryKind::Sub, value, means);
    }
    value = binary(b, BinaryKind::Mul, value, rowsTo(b, scale, sums));
    if (weights.shift && !isJoined)
      value = binary(b, BinaryKind::Add, value, rowsTo(b, add(weights.shift), sums));
    replaceBehind(sums, value);
  }

  /// Of columns that `user` adds, a constant that nothing else in the kernel reads; null if it adds none.
  BlockArgument biasOf(Operation *user) const {
    auto add = dyn_cast<graph::BinaryOp>(user);
    if (!add || add.getKind() != BinaryKind::Add)
      return {};
    for (Value operand : add->getOperands()) {
      auto broadcast = operand.getDefiningOp<graph::BroadcastOp>();
      auto argument = broadcast ? dyn_cast<BlockArgument>(broadcast.getInput()) : BlockArgument();
      if (argument && argument.hasOneUse() && broadcast->hasOneUse() && graph::extentOf(argument, 0).isConstant(1) &&
          norm::numbersOf(inputs[argument.getArgNumber()]))
        return argument;
    }
    return {};
  }

  /// Adds the shift to the bias that `user` adds.
  bool joinBias(Operation *user, Value shift) {
    BlockArgument argument = biasOf(user);
    if (!argument || argument.getType() != shift.getType())
      return false;
    Value &bias = inputs[argument.getArgNumber()];
    Numbers joined = *norm::numbersOf(shift);
    for (auto [to, number] : llvm::zip_equal(joined, *norm::numbersOf(bias)))
      to += number;
    bias = constant(constantOf(cast<RankedTensorType>(shift.getType()), std::move(joined)), bias);
    return true;
  }

  NormKernel kernel;
  Value moments, mean, scale;
  const WeightsOf &weightsOf;
  FusionOp fusion;
  SmallVector<Value> inputs;
};

class FoldNorms : public impl::FoldNormsBase<FoldNorms> {
public:
  using FoldNormsBase::FoldNormsBase;

  void runOnOperation() override {
    ranges = graph::symbolRanges(getOperation()->getParentOfType<ModuleOp>());
    for (Block *body : graph::bodiesOf(getOperation())) {
      SmallVector<FusionOp> fusions; // kernels around them are made anew
      for (auto fusion : body->getOps<FusionOp>())
        if (norm::normOf(fusion))
          fusions.push_back(fusion);
      for (FusionOp fusion : fusions)
        if (const NormKernel kernel = *norm::normOf(fusion); isBehindProduct(kernel))
          if (std::optional<WeightsOf> weights = readersOf(kernel))
            fold(kernel, *weights);
      for (auto constant : llvm::make_early_inc_range(body->getOps<graph::ConstantOp>()))
        if (constant->use_empty())
          constant.erase();
    }
  }

private:
  /// The elements of 16 bits of which a product has just made them, whole parts of few enough rows.
  bool isBehindProduct(const NormKernel &kernel) const {
    auto producer = kernel.rows.getDefiningOp<FusionOp>();
    graph::MatMulOp product = producer ? norm::productOf(producer) : graph::MatMulOp();
    const Type element = graph::elementOf(kernel.rows);
    const std::optional<int64_t> rows = bounds(graph::extentOf(kernel.rows, 0), ranges).hi;
    return product && cast<OpResult>(kernel.rows).getResultNumber() == 0 && norm::staysInPlace(product) &&
           graph::shapeOf(product.getResult()) == graph::shapeOf(kernel.rows) &&
           (producer.getNumResults() == 1 || hasMoments(producer)) && (element.isF16() || (element.isBF16() && bf16)) &&
           rows && *rows > leastRows && *rows <= mostRows && kernel.columns % part == 0;
  }
  static bool hasMoments(FusionOp producer) {
    Operation *end = producer.getBody().front().getTerminator();
    return producer.getNumResults() == 2 && end->getOperand(1).getDefiningOp<graph::MomentsOp>();
  }

  /// The weights of all that read the norm as a product's operand; none if something cannot read what it is made of.
  static std::optional<WeightsOf> readersOf(NormKernel kernel) {
    WeightsOf all;
    for (OpOperand &use : kernel.fusion.getResult(0).getUses()) {
      if (!norm::canRead(use))
        return std::nullopt;
      auto reader = cast<FusionOp>(use.getOwner());
      graph::MatMulOp product = norm::productOf(reader);
      if (product.getLhs() != reader.getBody().getArgument(use.getOperandNumber()))
        continue;
      Value weights = reader.getInputs()[cast<BlockArgument>(product.getRhs()).getArgNumber()];
      if (all.count(weights))
        continue;
      std::optional<ScaledWeights> scaled = norm::scaleWeights(kernel, weights);
      if (!scaled)
        return std::nullopt;
      all.insert({weights, *scaled});
    }
    return all;
  }

  void fold(NormKernel kernel, const WeightsOf &weights) const {
    Value moments = momentsOf(kernel.rows.getDefiningOp<FusionOp>(), part, kernel.loc());
    kernel.rows = moments.getDefiningOp()->getResult(0); // a new kernel's
    Value result = kernel.fusion.getResult(0);
    while (!result.use_empty())
      Fold(kernel, moments, weights).into(*result.use_begin());
    kernel.fusion.erase();
  }

  Ranges ranges;
};
} // namespace
} // namespace cupola
