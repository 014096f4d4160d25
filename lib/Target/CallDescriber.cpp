//===- lib/Target/CallDescriber.cpp - fusions in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CallDescriber.h"

#include "dialects/Graph/Placement.h"
#include "dialects/Plan/LibraryCallAttr.h"

using namespace mlir;

namespace cupola {

using format::PostOpKind;

CallDescription CallDescriber::describe() {
  if (fusion.getKind() == graph::KernelKind::Attention)
    refuse("attention is a kernel of its own, no library does all of it");
  else if (describeHero() && describeEpilogue() && isAllDense()) {
    // What the package may not say, a description says neither.
    made.call.buffers.resize(made.inputs.size() + (made.call.workspace != 0 ? 2 : 1));
    Status status = checkLibraryCall(made.call);
    made.call.buffers.clear();
    if (status.isOk())
      return std::move(made);
    refuse(status.message());
  }
  return {{}, {}, std::move(made.refused)};
}

bool CallDescriber::isAllDense() {
  bool isDense = llvm::all_of(made.inputs, [&](int64_t input) { return graph::isDense(fusion.getInputs()[input]); }) &&
                 llvm::all_of(fusion.getResults(), graph::isDense);
  return isDense || refuse("an operand or the result is a part of a joined tensor");
}

std::optional<int64_t> CallDescriber::inputOf(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? std::optional<int64_t>(argument.getArgNumber()) : std::nullopt;
}

static std::string nameOf(Operation *op) {
  const std::string name = op->getName().getStringRef().str();
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    return name + " " + graph::stringifyUnaryKind(unary.getKind()).str();
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return name + " " + graph::stringifyBinaryKind(binary.getKind()).str();
  return name;
}

/// Follows the hero's result to the fusion's.
bool CallDescriber::describeEpilogue() {
  Value current = hero->getResult(0);
  while (true) {
    if (!current.hasOneUse())
      return refuse("a value of the epilogue is used twice");
    Operation *user = *current.getUsers().begin();
    if (isa<graph::YieldOp>(user))
      return fusion.getNumResults() == 1 || refuse("there are several results");
    auto sum = dyn_cast<graph::BinaryOp>(user);
    const bool isSum = sum && sum.getKind() == graph::BinaryKind::Add;
    const bool isAdded = isSum
                             ? addTensor(sum.getLhs() == current ? sum.getRhs() : sum.getLhs(), graph::typeOf(current))
                             : isa<graph::ReshapeOp>(user) || addPostOp(user, current);
    if (!isAdded || !isInOrder())
      return refuse("no post-op does what " + nameOf(user) + " does here");
    current = user->getResult(0);
  }
}

/// A tensor of the result's shape, or a vector along its last dimension.
bool CallDescriber::addTensor(Value other, RankedTensorType type) {
  if (type.getElementType() != graph::elementOf(hero->getResult(0)))
    return false;
  PostOpKind kind = PostOpKind::AddTensor;
  if (auto broadcast = other.getDefiningOp<graph::BroadcastOp>()) {
    other = broadcast.getInput();
    ArrayRef<int64_t> shape = graph::typeOf(other).getShape();
    if (!graph::typeOf(other).hasStaticShape() || shape.back() != type.getShape().back() ||
        type.getShape().back() != made.call.result.back() || graph::typeOf(other).getNumElements() != shape.back())
      return false;
    kind = PostOpKind::AddChannel;
  }
  auto input = inputOf(other);
  if (!input)
    return false;
  made.inputs.push_back(*input);
  made.call.postOps.push_back({kind, 0, 0});
  return true;
}

/// The fusion's contraction, or null.
static Operation *contractionOf(graph::FusionOp fusion) {
  for (auto op : fusion.getBody().front().getOps<graph::ClassInterface>())
    if (op.getFusionClass() == graph::FusionClass::Contraction)
      return op;
  return nullptr;
}

void describeContractions(func::FuncOp main, DescribeCall describe) {
  main.walk([&](graph::FusionOp fusion) {
    Operation *hero = contractionOf(fusion);
    if (!hero)
      return;
    const CallDescription description = describe(fusion, hero);
    if (!description.refused.empty())
      return fusion.setLibraryRefusedAttr(graph::ReasonAttr::get(main.getContext(), description.refused));
    fusion.setLibraryAttr(plan::libraryCallAttr(main.getContext(), description.call));
    fusion.setLibraryInputs(description.inputs);
  });
}

} // namespace cupola
