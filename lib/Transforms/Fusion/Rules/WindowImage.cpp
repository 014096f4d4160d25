//===- lib/Transforms/Fusion/Rules/WindowImage.cpp - images that windows read transposed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {

/// A convolution of matrix units reads vectors of channels.
static bool readsChannels(OpOperand &use) {
  constexpr int64_t fewest = 16;
  auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
  if (!conv || use.getOperandNumber() != 0 || conv.getGroups() != 1 || !conv.hasWindow())
    return false;
  const std::optional<int64_t> channels = graph::extentOf(conv.getInput(), conv.dims().channels).constant();
  return channels && *channels >= fewest && conv.getLayout() == graph::ConvLayout::ChannelsLast &&
         graph::byteSize(graph::elementOf(conv.getInput())) <= 2;
}

/// Where the channels of an image are apart in memory a window would gather them element by element, for every tap and
/// every tile of its results: one kernel writes them side by side.
void storeWindowImages(Formation &kernels, StringRef rule) {
  if (!kernels.options.windowImages)
    return;
  for (auto transpose : kernels.body.getOps<graph::TransposeOp>())
    if (!kernels.isComputed(transpose) && transpose.getPerm().back() != graph::rankOf(transpose.getResult()) - 1 &&
        llvm::any_of(kernels.readsOf(transpose).uses, [](OpOperand *use) { return readsChannels(*use); }))
      kernels.store(transpose, {rule, "a window would gather channels that lie apart, for every tap"});
}

} // namespace cupola::fusion
