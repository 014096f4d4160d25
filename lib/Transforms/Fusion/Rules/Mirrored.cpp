//===- lib/Transforms/Fusion/Rules/Mirrored.cpp - images whose borders are made of their insides ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {
namespace {

/// A product of more channels reads them side by side, so that finding the place of the first costs little.
constexpr int64_t kFewChannels = 16;

int64_t productOf(ArrayRef<int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t(1), std::multiplies());
}

/// Windows that have an element in common, of few channels.
bool hasFewChannels(graph::ConvOp conv) {
  const graph::Exprs weights = graph::shapeOf(conv.getWeights());
  int64_t places = 1;
  for (const Expr &extent : ArrayRef(weights).slice(conv.dims().window, conv.getStrides().size()))
    places *= extent.constant().value_or(1);
  const std::optional<int64_t> channels = graph::extentOf(conv.getInput(), conv.dims().channels).constant();
  return places > productOf(conv.getStrides()) && channels && *channels <= kFewChannels;
}

/// The op reads the value as windows that overlap.
bool readsAsWindows(Operation *reader, Value value) {
  if (auto window = dyn_cast<graph::WindowOp>(reader))
    return productOf(window.getSizes()) > productOf(window.getStrides());
  auto conv = dyn_cast<graph::ConvOp>(reader);
  return conv && conv.getInput() == value && hasFewChannels(conv);
}

/// So does one that reads it through views, each of which is looked at once.
bool isReadByWindows(Value value) {
  SmallVector<Value> work{value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Value read = work.pop_back_val();
    for (Operation *reader : read.getUsers())
      if (readsAsWindows(reader, read))
        return true;
      else if (isView(reader) && !isa<graph::WindowOp>(reader) && seen.insert(reader).second)
        work.push_back(reader->getResult(0));
  }
  return false;
}

} // namespace

/// Where borders are reflected, the place of an element is the smaller of two, or a remainder, for every tap of every
/// window: to write the image with its borders takes less.
void storeMirrored(Formation &kernels, StringRef rule) {
  if (!kernels.options.mirrored)
    return;
  for (auto pad : kernels.body.getOps<graph::PadOp>())
    if (pad.getMode() != graph::PadMode::Constant && !kernels.isComputed(pad) && isReadByWindows(pad.getResult()))
      kernels.store(pad, {rule, "windows would find the place of every tap at the borders"});
}

} // namespace cupola::fusion
