//===- lib/Target/CUDA/ImagePatch.cpp - what a tile of a convolution reads of its image ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ImagePatch.h"

#include "lib/Target/CUDA/OperandCopies.h"
#include "lib/Target/CUDA/OperandDigits.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

namespace {

/// Takes a left operand for an image.
class Reader {
public:
  explicit Reader(const OperandDigits &operand)
      : divisors(operand.divisors), masks(operand.masks), ofM(operand.m), ofK(operand.k) {
    patch.load = operand.load;
    patch.base = operand.base;
  }

  std::optional<ImagePatch> read() {
    // A row and rows; perhaps images.
    if ((ofM.size() != 2 && ofM.size() != 3) || !setAxes() || !setPlaces() || !setBounds() || !setFront())
      return std::nullopt;
    return patch;
  }

private:
  /// Neighbouring digits of k are one axis where the memory continues from one to the next.
  bool setAxes() {
    patch.runs = 1;
    for (const Digit &digit : ofK) {
      if (!patch.axes.empty()) {
        ImageAxis &last = patch.axes.back();
        if (digit.stride == last.unit * last.taps && digit.unit == last.inDepth * last.taps) {
          last.taps *= digit.count();
          continue;
        }
      }
      ImageAxis &axis = patch.axes.emplace_back();
      axis.unit = digit.stride;
      axis.taps = digit.count();
      axis.inDepth = digit.unit;
    }
    llvm::sort(patch.axes, [](const ImageAxis &a, const ImageAxis &b) { return a.unit < b.unit; });
    for (size_t i = 1; i < patch.axes.size(); ++i) {
      patch.runs *= patch.axes[i].taps;
      if (patch.axes[i].unit == patch.axes[i - 1].unit)
        return false;
    }
    return patch.axes.front().unit == 1 && patch.axes.size() > 1;
  }

  /// The axis that a place of the result moves along: the one with the longest unit that divides the way.
  size_t axisOf(int64_t stride) const {
    size_t found = 0;
    for (auto [i, axis] : llvm::enumerate(patch.axes))
      if (axis.unit <= stride && stride % axis.unit == 0)
        found = i;
    return found;
  }

  bool setPlaces() {
    const Digit &x = ofM[0], &y = ofM[1];
    patch.width = x.count();
    patch.height = y.count();
    patch.images = ofM.size() == 3 ? ofM[2].extent : Expr(1);
    patch.imageStride = ofM.size() == 3 ? ofM[2].stride : 0;
    if (!patch.width || !patch.height || !x.stride || !y.stride)
      return false;
    patch.rows = axisOf(y.stride);
    if (axisOf(x.stride) != 0 || patch.rows == 0)
      return false;
    patch.axes[0].step = x.stride;
    patch.axes[patch.rows].step = y.stride / patch.axes[patch.rows].unit;
    for (ImageAxis &axis : patch.axes) {
      const int64_t places = &axis == &patch.axes[0] ? patch.width : patch.height;
      axis.end = axis.step * (places - 1) + axis.taps;
    }
    return true;
  }

  /// Coordinates of an axis that the masks leave.
  bool setBounds() {
    return llvm::all_of(masks, [&](const Expr &mask) {
      return llvm::any_of(llvm::seq(patch.axes.size()), [&](size_t axis) { return setBound(mask, axis); });
    });
  }

  /// The digits that move along an axis, by so many of its coordinates.
  std::vector<std::pair<const Digit *, int64_t>> digitsAlong(size_t axis) const {
    std::vector<std::pair<const Digit *, int64_t>> found;
    for (ArrayRef<Digit> digits : {ArrayRef(ofM).take_front(2), ArrayRef(ofK)})
      for (const Digit &digit : digits)
        if (axisOf(digit.stride) == axis)
          found.push_back({&digit, digit.stride / patch.axes[axis].unit});
    return found;
  }

  /// What a condition says of one axis: with so many coordinates to a step of it, the others stay within a step.
  bool setBound(const Expr &mask, size_t along) {
    Expr rest = mask;
    int64_t ratio = 0, sign = 0, within = 0;
    for (auto [digit, moves] : digitsAlong(along)) {
      const std::optional<int64_t> factor = takeDigit(rest, digit->name);
      if (!factor)
        return false;
      if (*factor == 0) {
        within += moves * (digit->count() - 1);
        continue;
      }
      const int64_t size = std::abs(*factor);
      if (ratio && (moves != ratio * size || sign * size != *factor))
        return false;
      ratio = moves / size;
      sign = *factor / size;
      if (moves % size != 0)
        return false;
    }
    const std::optional<int64_t> constant = rest.constant();
    if (!ratio || !constant || within >= ratio)
      return false;
    ImageAxis &axis = patch.axes[along];
    if (sign > 0)
      axis.first = std::max(axis.first, -*constant * ratio);
    else
      axis.end = std::min(axis.end, (*constant + 1) * ratio);
    return true;
  }

  /// Pairs of elements begin at even positions, and with the image.
  bool setFront() {
    patch.front = divisible(patch.base, 2, divisors) ? 0 : 1;
    const bool isEven = divisible(patch.base - patch.front, 2, divisors) && patch.imageStride % 2 == 0 &&
                        patch.axes[0].step % 2 == 0 && (patch.axes[0].first + patch.front) % 2 == 0;
    return isEven &&
           llvm::all_of(ArrayRef(patch.axes).drop_front(), [](const ImageAxis &axis) { return axis.unit % 2 == 0; });
  }

  const std::map<std::string, int64_t> &divisors;
  const graph::Exprs &masks;
  const std::vector<Digit> &ofM, &ofK;
  ImagePatch patch;
};

} // namespace

std::optional<ImagePatch> imagePatch(FuncOp func, DotOp dot, Variables &vars) {
  const std::optional<OperandDigits> operand = operandDigits(func, dot, vars);
  return operand ? Reader(*operand).read() : std::nullopt;
}

} // namespace cupola::cuda
