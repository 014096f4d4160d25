//===- lib/Transforms/Fusion/Rules/WindowImage.cpp - images that windows read transposed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {

/// Whether a kernel of its own would choose among the parts of a concat for every element. Where windows read one it is
/// written anyway (storeParts), a single tap reads the parts where they lie.
static bool isOfParts(const Formation &kernels, Value value) {
  SmallVector<Value> work{value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || kernels.isComputed(op) || !seen.insert(op).second)
      continue;
    if (isa<graph::ConcatOp>(op))
      return true;
    if (isView(op) || classOf(op) == graph::FusionClass::Pointwise)
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Channels first, the places of a window lie side by side along its last axis alone: in a run for each place along the
/// others. Whether these are many beside the places that a window moves on by.
static bool hasShortRuns(graph::ConvOp conv) {
  const graph::Exprs weights = graph::shapeOf(conv.getWeights());
  int64_t runs = 1, places = 1;
  for (const Expr &extent : ArrayRef(weights).slice(conv.dims().window, weights.size() - 3))
    runs *= extent.constant().value_or(1);
  for (int64_t stride : conv.getStrides())
    places *= stride;
  return 2 * runs >= places;
}

static bool gathers(graph::ConvOp conv, const Options &options) {
  return options.shortRuns ? hasShortRuns(conv) : conv.hasWindow();
}

/// A convolution that reads vectors of channels, as the options say.
static bool readsChannels(OpOperand &use, const Options &options) {
  auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
  if (!conv || use.getOperandNumber() != 0 || conv.getGroups() != 1 || !gathers(conv, options))
    return false;
  const std::optional<int64_t> channels = graph::extentOf(conv.getInput(), conv.dims().channels).constant();
  return channels && *channels >= options.windowChannels && conv.getLayout() == graph::ConvLayout::ChannelsLast &&
         graph::byteSize(graph::elementOf(conv.getInput())) <= options.windowBytes;
}

/// Where the channels of an image are apart in memory a window would gather them element by element, for every tap and
/// every tile of its results: one kernel writes them side by side.
void storeWindowImages(Formation &kernels, StringRef rule) {
  for (auto transpose : kernels.body.getOps<graph::TransposeOp>()) {
    const auto reads = [&](OpOperand *use) {
      return readsChannels(*use, kernels.options) &&
             (cast<graph::ConvOp>(use->getOwner()).hasWindow() || !isOfParts(kernels, transpose));
    };
    if (!kernels.isComputed(transpose) && movesLast(transpose) && llvm::any_of(kernels.readsOf(transpose).uses, reads))
      kernels.store(transpose, {rule, "a window would gather channels that lie apart, for every tap"});
  }
}

} // namespace cupola::fusion
