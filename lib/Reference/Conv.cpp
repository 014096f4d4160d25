//===- lib/Reference/Conv.cpp - convolution ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of summation is the same for every layout: places of the window row-major, then
// the channels of the group.
//===----------------------------------------------------------------------===//

#include "lib/Reference/Ops.h"

#pragma clang fp contract(off)

using namespace mlir;

namespace cupola::reference {

namespace {

/// The extents of the places of a tensor whose channels are one dimension behind the first.
Shape spatialOf(const Shape &shape, const graph::ConvOp::Dims &dims) {
  return Shape(shape.begin() + dims.places, shape.begin() + dims.places + shape.size() - 2);
}

/// The elements of a channel of an image lie `channel` apart, those of a place `place`.
struct Steps {
  int64_t channel, place;
};
Steps stepsOf(const graph::ConvOp::Dims &dims, int64_t channels, int64_t places) {
  return dims.channels == 1 ? Steps{places, 1} : Steps{1, channels};
}

/// One convolution with its operands widened.
template <class W> class Convolution {
public:
  explicit Convolution(Call &call)
      : call(call), op(cast<graph::ConvOp>(call.op)), dims(op.dims()), in(spatialOf(call.operands[0].shape(), dims)),
        out(spatialOf(call.result.shape(), dims)), inputChannels(call.operands[0].shape()[dims.channels]),
        groups(op.getGroups()), input(call.operands[0].count()) {
    call.operands[0].read(0, call.operands[0].count(), input.data());
    readWeights();
  }

  void run() {
    const int64_t places = countOf(out), images = call.result.shape().front();
    const Steps steps = stepsOf(dims, columns, places);
    std::vector<int64_t> place(out.size());
    std::vector<W> result(call.result.count());
    for (int64_t image = 0; image < images; ++image)
      for (int64_t i = 0; i < places; ++i) {
        split(i, out, place);
        sums.assign(columns, W());
        addWindow(image, place);
        for (int64_t column = 0; column < columns; ++column)
          result[image * columns * places + i * steps.place + column * steps.channel] = sums[column];
      }
    call.result.write(0, result.size(), result.data());
  }

private:
  static void split(int64_t position, ArrayRef<int64_t> extents, std::vector<int64_t> &index) {
    for (size_t i = extents.size(); i-- > 0; position /= extents[i])
      index[i] = position % extents[i];
  }

  /// As [w.., C, O].
  void readWeights() {
    const Shape &shape = call.operands[1].shape();
    columns = shape[dims.columns];
    channels = shape[dims.depth];
    window.assign(shape.begin() + dims.window, shape.begin() + dims.window + shape.size() - 2);
    weights.resize(call.operands[1].count());
    call.operands[1].read(0, weights.size(), weights.data());
    if (dims.columns != 0)
      return;
    const std::vector<W> lying = std::move(weights);
    const int64_t taps = countOf(window);
    weights.resize(lying.size());
    for (int64_t o = 0; o < columns; ++o)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t tap = 0; tap < taps; ++tap)
          weights[(tap * channels + c) * columns + o] = lying[(o * channels + c) * taps + tap];
  }

  void addWindow(int64_t image, ArrayRef<int64_t> place) {
    const int64_t taps = countOf(window), places = countOf(in);
    const Steps steps = stepsOf(dims, inputChannels, places);
    std::vector<int64_t> tap(window.size());
    std::vector<W> pixel(inputChannels);
    for (int64_t i = 0; i < taps; ++i) {
      split(i, window, tap);
      int64_t at = 0;
      for (size_t d = 0; d < in.size(); ++d)
        at = at * in[d] + place[d] * op.getStrides()[d] + tap[d] * op.getDilations()[d];
      for (int64_t c = 0; c < inputChannels; ++c)
        pixel[c] = input[image * inputChannels * places + at * steps.place + c * steps.channel];
      addTap(pixel, weights.data() + i * channels * columns);
    }
  }

  void addTap(ArrayRef<W> pixel, const W *matrix) {
    const int64_t width = columns / groups;
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t c = 0; c < channels; ++c) {
        const W a = pixel[group * channels + c];
        const W *row = matrix + c * columns + group * width;
        W *sum = sums.data() + group * width;
        for (int64_t i = 0; i < width; ++i)
          sum[i] = multiplyAdd(sum[i], a, row[i]);
      }
  }

  Call &call;
  graph::ConvOp op;
  const graph::ConvOp::Dims dims;
  const Shape in, out; ///< spatial extents
  Shape window;
  const int64_t inputChannels, groups;
  int64_t channels = 0, columns = 0; ///< channels of a group, output channels
  std::vector<W> input, weights, sums;
};

/// Whether every window lies inside of the input, for extents that were not known before.
Status checkWindows(Call &call) {
  auto op = cast<graph::ConvOp>(call.op);
  const graph::ConvOp::Dims dims = op.dims();
  const Shape &in = call.operands[0].shape(), &window = call.operands[1].shape(), &out = call.result.shape();
  for (size_t d = 0; d + 2 < in.size(); ++d) {
    const size_t dim = dims.places + d;
    const int64_t last = (out[dim] - 1) * op.getStrides()[d] + (window[dims.window + d] - 1) * op.getDilations()[d];
    if (call.result.count() != 0 && last >= in[dim])
      return Status::usage("a window of " + shapeText(window) + " ends at " + std::to_string(last) + " in dimension " +
                           std::to_string(dim) + ", whose extent is " + std::to_string(in[dim]));
  }
  return {};
}

} // namespace

Status computeConv(Call &call) {
  CUPOLA_TRY(checkWindows(call));
  if (format::isFloat(call.result.dtype()))
    Convolution<double>(call).run();
  else
    Convolution<uint64_t>(call).run();
  return {};
}

} // namespace cupola::reference
