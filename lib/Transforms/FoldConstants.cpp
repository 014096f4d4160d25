//===- lib/Transforms/FoldConstants.cpp - the pass `fold-constants` ---===//
// SPDX-License-Identifier: Apache-2.0
//
// First it is decided, from types alone and from the results backwards, which values
// become constants: only those that something left in the graph reads. Then each of
// them is computed by lib/Reference together with what it needs.
//===----------------------------------------------------------------------===//

#include "dialects/Graph/Constants.h"
#include "dialects/Graph/Control.h"
#include "lib/Runtime/Format/HostOps.h"
#include "lib/Transforms/Cone.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Positions.h"
#include "lib/Transforms/Quantized/PackedWeights.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// Results up to this size may be larger than what they are made of.
constexpr int64_t smallBytes = 4096;
/// So may what costs much to make, as a table of sines: up to the waves of a Fourier transform of 1,024.
constexpr int64_t maxTableBytes = int64_t(8) << 20;
/// Multiplications of one contraction: a fraction of a second.
constexpr int64_t maxProducts = int64_t(1) << 28;

/// Elements of a static tensor, unless there are too many to count.
std::optional<int64_t> elementsOf(Value value) {
  std::optional<int64_t> count = graph::elementCount(value).constant();
  return count && *count >= 0 ? count : std::nullopt;
}
int64_t elementBytes(Value value) { return graph::byteSize(graph::elementOf(value)); }

/// Whether an element takes longer to make than to read: a contraction's, or a function's without a simple instruction.
bool isCostly(Operation *op) {
  if (cast<graph::ClassInterface>(op).getFusionClass() == graph::FusionClass::Contraction || isa<graph::HostOp>(op))
    return true;
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return binary.getKind() == graph::BinaryKind::Pow;
  auto unary = dyn_cast<graph::UnaryOp>(op);
  if (!unary)
    return false;
  using Kind = graph::UnaryKind;
  static constexpr Kind costly[] = {
      Kind::Exp,  Kind::Log,  Kind::Erf,  Kind::Tanh,  Kind::Sigmoid, Kind::GeluErf, Kind::GeluTanh,
      Kind::Silu, Kind::Mish, Kind::Sin,  Kind::Cos,   Kind::Tan,     Kind::Asin,    Kind::Acos,
      Kind::Atan, Kind::Sinh, Kind::Cosh, Kind::Asinh, Kind::Acosh,   Kind::Atanh,   Kind::Softplus,
  };
  return llvm::is_contained(costly, unary.getKind());
}

/// Whether the host may do it before a run: it computes with numbers. Strings have places in a table that a run adds
/// to.
bool isOfNumbers(graph::HostOp host) {
  using Element = format::HostElement;
  const auto isNumber = [](Element element) {
    return element == Element::Number || element == Element::Count || element == Element::Truth;
  };
  const format::HostOp &row = *format::findHostOp(host.getFunction());
  return isNumber(row.writes) && llvm::all_of(ArrayRef(row.reads).take_front(row.operands), isNumber);
}

class FoldConstants : public impl::FoldConstantsBase<FoldConstants> {
public:
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation()))
      foldIn(*body);
  }

private:
  void foldIn(Block &body) {
    foldable.clear();
    kept = packedWeights(body);
    if (keepQuantized)
      kept.insert_range(quantizedWeights(body));
    for (Operation &op : body.without_terminator())
      if (isFoldable(&op))
        foldable.insert(&op);
    llvm::SmallSetVector<Operation *, 16> chosen = choose(body);
    for (Operation *op : llvm::reverse(chosen)) // in program order
      fold(op);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (op.use_empty() && (foldable.contains(&op) || isa<graph::ConstantOp>(op)))
        op.erase();
  }

  bool isFoldable(Operation *op) const {
    if (kept.contains(op) || op->getNumResults() != 1 || op->getNumRegions() != 0 || !isa<graph::ClassInterface>(op))
      return false;
    if (auto host = dyn_cast<graph::HostOp>(op); host && !isOfNumbers(host))
      return false;
    const std::optional<int64_t> count = elementsOf(op->getResult(0));
    if (isa<graph::ConstantOp>(op) || !count ||
        (*count > maxBytes / elementBytes(op->getResult(0)) && !isNarrowedWeight(op)))
      return false;
    if (auto matmul = dyn_cast<graph::MatMulOp>(op)) {
      const auto depth = graph::extentOf(matmul.getLhs(), graph::rankOf(matmul.getLhs()) - 1).constant();
      if (!depth || (*depth != 0 && *count > maxProducts / *depth))
        return false;
    }
    return llvm::all_of(madeOf(op), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && (isa<graph::ConstantOp>(producer) || foldable.contains(producer));
    });
  }

  /// Whatever its size: the package holds it instead of the wider one.
  static bool isNarrowedWeight(Operation *op) {
    auto cast = dyn_cast<graph::CastOp>(op);
    return cast && cast.getInput().getDefiningOp<graph::ConstantOp>() &&
           elementBytes(cast.getResult()) < elementBytes(cast.getInput());
  }

  /// Whether only views are computed, of weights that the package holds anyway.
  bool isSecondCopy(const Cone &cone) const {
    return llvm::all_of(cone.ops,
                        [](Operation *part) {
                          return cast<graph::ClassInterface>(part).getFusionClass() == graph::FusionClass::View;
                        }) &&
           llvm::any_of(cone.constants, [&](Operation *constant) {
             return llvm::any_of(constant->getUsers(), [&](Operation *user) { return !foldable.contains(user); });
           });
  }

  /// Positions that gathers look up: what they find is the index itself, only checked.
  static bool isLookedUp(Operation *op) {
    return isa<graph::IotaOp>(op) && llvm::all_of(op->getUses(), [](OpOperand &use) {
             return isa<graph::GatherOp>(use.getOwner()) && use.getOperandNumber() == 0;
           });
  }

  /// Whether `count` elements, so many bytes, hold what costs much to make, and no part of it twice.
  static bool isTable(const Cone &cone, int64_t count, int64_t bytes) {
    int64_t costly = 0;
    for (Operation *part : cone.ops)
      if (isCostly(part))
        costly += *elementsOf(part->getResult(0));
    return bytes <= maxTableBytes && count <= costly;
  }

  /// Whether the package should hold the result of `op` rather than what it is made of.
  bool isWorthwhile(Operation *op) const {
    if (isLookedUp(op))
      return false;
    const int64_t count = *elementsOf(op->getResult(0)), bytes = count * elementBytes(op->getResult(0));
    if (bytes <= smallBytes)
      return true;
    if (isMadeOfPositions(op->getResult(0)))
      return false;
    const Cone cone = coneOf(op->getResult(0));
    int64_t available = 0;
    for (Operation *constant : cone.constants)
      available += match::splatOf(constant->getResult(0)) ? 1 : *elementsOf(constant->getResult(0));
    return (count <= available && !isSecondCopy(cone)) || isTable(cone, count, bytes);
  }

  /// From the end on: an op is needed if one that stays reads it; a needed foldable op
  /// becomes a constant, or stays.
  llvm::SmallSetVector<Operation *, 16> choose(Block &body) const {
    llvm::SmallSetVector<Operation *, 16> chosen;
    llvm::DenseSet<Operation *> stays;
    for (Operation &op : llvm::reverse(body)) {
      if (!foldable.contains(&op)) {
        stays.insert(&op);
        continue;
      }
      if (llvm::none_of(op.getUsers(), [&](Operation *user) { return stays.contains(user); }))
        continue;
      if (isWorthwhile(&op))
        chosen.insert(&op);
      else
        stays.insert(&op);
    }
    return chosen;
  }

  /// Leaves the op alone where it has no value (an index out of range is an error of
  /// the run, not of the compiler).
  void fold(Operation *op) {
    const Cone cone = coneOf(op->getResult(0));
    const std::optional<reference::Tensor> result = evaluate(cone);
    if (!result)
      return;
    SmallVector<Location> locations;
    for (const auto *list : {&cone.constants, &cone.ops})
      for (Operation *part : *list)
        locations.push_back(part->getLoc());
    OpBuilder b(op);
    const Location location = FusedLoc::get(&getContext(), locations);
    ElementsAttr value = constantOf(*result, graph::typeOf(op->getResult(0)));
    op->replaceAllUsesWith(graph::ConstantOp::create(b, location, value));
  }

  static bool isSplat(const reference::Tensor &tensor) {
    const size_t size = tensor.elementBytes();
    return tensor.count() > 0 && std::memcmp(tensor.data(), tensor.data() + size, tensor.bytes() - size) == 0;
  }

  static ElementsAttr constantOf(const reference::Tensor &tensor, RankedTensorType type) {
    const size_t bytes = isSplat(tensor) ? tensor.elementBytes() : tensor.bytes();
    const ArrayRef<char> elements(tensor.data(), bytes);
    return graph::constantOf(type, elements, std::make_shared<reference::Tensor>(tensor));
  }

  llvm::DenseSet<Operation *> foldable, kept;
};

} // namespace
} // namespace cupola
