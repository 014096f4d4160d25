//===- lib/Transforms/Layout/Chains.cpp - convolutions that share a layout ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Layout/Chains.h"

#include "lib/Transforms/Layout/Carry.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Permuted.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace cupola::layout {
namespace {

/// One sweep in program order, as if all convolutions were channels last.
class Sweep {
public:
  std::vector<Chain> run(Block &body) {
    for (Operation &op : body)
      visit(&op);
    return collect();
  }

private:
  /// How a value is carried, and by the chain of which op.
  struct State {
    Perm perm;
    unsigned chain;
  };

  void visit(Operation *op) {
    if (isConvolution(op))
      return visitConvolution(op);
    auto transpose = dyn_cast<graph::TransposeOp>(op);
    if (transpose && isMet(transpose))
      return;
    if (!pass(op) && transpose && isChannelsLast(transpose.getPerm()))
      begin(transpose);
  }

  /// Whether the result is carried, as the op's operands are.
  bool pass(Operation *op) {
    OpOperand *use = firstCarried(op);
    if (!use)
      return false;
    const State from = states.find(use->get())->second;
    const std::optional<Perm> result = carried(*use, from.perm);
    if (!result)
      return leave(op), false;
    for (OpOperand &operand : op->getOpOperands())
      if (!isa<graph::GatherOp>(op) || operand.getOperandNumber() == 0)
        enter(operand.get(), from.perm, from.chain, nullptr);
    states[op->getResult(0)] = {*result, from.chain};
    return true;
  }

  void visitConvolution(Operation *op) {
    const unsigned chain = addChain();
    convolutions.emplace_back(op, chain);
    Value input = op->getOperand(0);
    const Perm perm = channelsLast(graph::rankOf(input));
    for (auto pad = input.getDefiningOp<graph::PadOp>(); pad && !states.count(input);
         pad = input.getDefiningOp<graph::PadOp>())
      input = pad.getInput(); // as the border is made behind the transpose
    enter(input, perm, chain, op);
    states[op->getResult(0)] = {isa<graph::ConvOp>(op) ? perm : *carried(op->getOpOperand(0), perm), chain};
  }

  /// A transpose of the model from channels last is what a chain begins with.
  void begin(graph::TransposeOp op) {
    const unsigned chain = addChain();
    states[op.getResult()] = {Perm(op.getPerm()), chain};
    written.emplace_back(op.getInput(), chain);
  }

  /// A transpose of the model to channels last is what a chain ends with.
  bool isMet(graph::TransposeOp op) {
    const auto found = states.find(op.getInput());
    if (found == states.end() || Perm(op.getPerm()) != inverse(found->second.perm))
      return false;
    written.emplace_back(op.getInput(), found->second.chain);
    return true;
  }

  OpOperand *firstCarried(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (states.count(operand.get()))
        return &operand;
    return nullptr;
  }

  /// Something reads `value` as part of `chain`, in the order `perm`.
  void enter(Value value, ArrayRef<int64_t> perm, unsigned chain, Operation *reader) {
    if (const auto found = states.find(value); found != states.end()) {
      chains.unionSets(chain, found->second.chain);
      if (ArrayRef(found->second.perm) != perm)
        addBorder({value, kindOf(reader), reader}, chain);
    } else if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>(); broadcast) {
      enter(broadcast.getInput(), perm, chain, reader);
    } else if (!match::constantBehind(value)) {
      addBorder({value, kindOf(reader), reader}, chain);
    }
  }

  void leave(Operation *op) {
    for (Value operand : op->getOperands())
      if (const auto found = states.find(operand); found != states.end())
        addBorder({operand, Border::Left}, found->second.chain);
  }

  static Border::Kind kindOf(Operation *reader) { return reader ? Border::Read : Border::Joined; }

  void addBorder(const Border &border, unsigned chain) { borders.insert({border.value, {border, chain}}); }

  unsigned addChain() {
    chains.insert(count);
    return count++;
  }

  std::vector<Chain> collect() {
    llvm::MapVector<unsigned, Chain> found;
    for (const auto &[op, chain] : convolutions)
      found[chains.getLeaderValue(chain)].convolutions.push_back(op);
    // Chains of no convolution are transposes that the model has, whatever is chosen.
    for (const auto &[value, border] : borders)
      if (auto chain = found.find(chains.getLeaderValue(border.second)); chain != found.end())
        chain->second.last.push_back(border.first);
    for (const auto &[value, place] : written)
      if (auto chain = found.find(chains.getLeaderValue(place)); chain != found.end())
        chain->second.first.push_back({value, Border::Written});
    std::vector<Chain> result;
    for (auto &[leader, chain] : found)
      result.push_back(std::move(chain));
    return result;
  }

  llvm::DenseMap<Value, State> states;
  llvm::EquivalenceClasses<unsigned> chains;
  unsigned count = 0;
  std::vector<std::pair<Operation *, unsigned>> convolutions;
  llvm::MapVector<Value, std::pair<Border, unsigned>> borders; ///< one for all readers of a value
  std::vector<std::pair<Value, unsigned>> written;             ///< of the model
};

} // namespace

bool isConvolution(Operation *op) {
  if (auto conv = dyn_cast<graph::ConvOp>(op))
    return conv.getLayout() == graph::ConvLayout::ChannelsFirst;
  auto window = dyn_cast<graph::WindowOp>(op);
  if (!window || window.getAxis() != 2 || graph::rankOf(window.getInput()) != 2 + window.getSizes().size() ||
      !window->hasOneUse())
    return false;
  auto product = dyn_cast<graph::BinaryOp>(*window->user_begin());
  if (!product || product.getKind() != graph::BinaryKind::Mul || !product->hasOneUse())
    return false;
  auto sum = dyn_cast<graph::ReduceOp>(*product->user_begin());
  return sum && sum.getKind() == graph::ReduceKind::Sum;
}

std::vector<Chain> chainsOf(Block &body) { return Sweep().run(body); }

} // namespace cupola::layout
