//===- lib/Reference/Conv.cpp - convolution ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of summation is that of the weights: places of the window row-major, then
// the channels of the group.
//===----------------------------------------------------------------------===//

#include "lib/Reference/Ops.h"

#pragma clang fp contract(off)

using namespace mlir;

namespace cupola::reference {

namespace {

/// One convolution with its operands widened.
template <class W> class Convolution {
public:
  explicit Convolution(Call &call)
      : call(call), op(cast<graph::ConvOp>(call.op)), in(call.operands[0].shape()), window(call.operands[1].shape()),
        out(call.result.shape()), dims(in.size() - 2), channels(window[dims]), columns(window[dims + 1]),
        groups(op.getGroups()), weights(call.operands[1].count()), sums(columns) {
    call.operands[1].read(0, call.operands[1].count(), weights.data());
  }

  void run() {
    const int64_t places = countOf(ArrayRef(out).drop_back());
    std::vector<int64_t> place(dims + 1);
    for (int64_t i = 0; i < places; ++i) {
      split(i, ArrayRef(out).drop_back(), place);
      std::fill(sums.begin(), sums.end(), W());
      addWindow(place);
      call.result.write(i * columns, columns, sums.data());
    }
  }

private:
  static void split(int64_t position, ArrayRef<int64_t> extents, std::vector<int64_t> &index) {
    for (size_t i = extents.size(); i-- > 0; position /= extents[i])
      index[i] = position % extents[i];
  }

  void addWindow(ArrayRef<int64_t> place) {
    ArrayRef<int64_t> sizes = ArrayRef(window).take_front(dims);
    const int64_t taps = countOf(sizes), inputChannels = in.back();
    std::vector<int64_t> tap(dims);
    std::vector<W> pixel(inputChannels);
    for (int64_t i = 0; i < taps; ++i) {
      split(i, sizes, tap);
      int64_t at = place[0];
      for (size_t d = 0; d < dims; ++d)
        at = at * in[d + 1] + place[d + 1] * op.getStrides()[d] + tap[d] * op.getDilations()[d];
      call.operands[0].read(at * inputChannels, inputChannels, pixel.data());
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
  const Shape &in, &window, &out;
  const size_t dims;
  const int64_t channels, columns, groups; ///< channels of a group, output channels
  std::vector<W> weights, sums;
};

/// Whether every window lies inside of the input, for extents that were not known before.
Status checkWindows(Call &call) {
  auto op = cast<graph::ConvOp>(call.op);
  const Shape &in = call.operands[0].shape(), &window = call.operands[1].shape(), &out = call.result.shape();
  for (size_t d = 0; d + 2 < in.size(); ++d) {
    const int64_t last = (out[d + 1] - 1) * op.getStrides()[d] + (window[d] - 1) * op.getDilations()[d];
    if (call.result.count() != 0 && last >= in[d + 1])
      return Status::usage("a window of " + shapeText(window) + " ends at " + std::to_string(last) + " in dimension " +
                           std::to_string(d + 1) + ", whose extent is " + std::to_string(in[d + 1]));
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
