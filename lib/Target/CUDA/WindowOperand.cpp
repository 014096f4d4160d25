//===- lib/Target/CUDA/WindowOperand.cpp - windows of an image that tensor copies can bring ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/WindowOperand.h"

#include "lib/Runtime/Format/TensorMapLimits.h"
#include "lib/Target/CUDA/OperandCopies.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

namespace {

class Reader {
public:
  Reader(const OperandDigits &operand, int64_t depth, const Ranges &ranges)
      : operand(operand), depth(depth), ranges(ranges) {}

  std::optional<WindowOperand> read() {
    if (!setChannels() || !setPlaces() || !pairTaps() || !setImages() || !setSteps() || !setBounds() || !isSayable())
      return std::nullopt;
    return result;
  }

private:
  /// Elements that addresses and strides are multiples of.
  int64_t unit() const { return format::kTensorMapUnit / graph::byteSize(LoadOp(operand.load).getType()); }

  bool isMasked(const Digit &digit) const {
    return llvm::any_of(operand.masks, [&](const Expr &mask) { return mask.uses(digit.name); });
  }

  bool setChannels() {
    result.channels = operand.k[0].count();
    return operand.k[0].stride == 1 && result.channels % depth == 0 && !isMasked(operand.k[0]);
  }

  bool setPlaces() {
    for (const Digit &digit : operand.m)
      result.axes.push_back({digit});
    return llvm::all_of(operand.m, [](const Digit &digit) { return digit.stride > 0; });
  }

  /// A tap moves along the axis that a mask names together with it, else along the one with the nearest stride.
  bool pairTaps() {
    for (const Digit &tap : ArrayRef(operand.k).drop_front()) {
      if (tap.stride == 0)
        return false;
      auto nearer = [&](const MapAxis &a, const MapAxis &b) { return distance(a, tap) < distance(b, tap); };
      MapAxis &axis = *std::min_element(result.axes.begin(), result.axes.end(), nearer);
      if (axis.tap)
        return false;
      axis.tap = tap;
    }
    return true;
  }

  double distance(const MapAxis &axis, const Digit &tap) const {
    for (const Expr &mask : operand.masks)
      if (mask.uses(tap.name) && mask.uses(axis.place.name))
        return 0;
    const double ratio = double(axis.place.stride) / double(tap.stride);
    return std::max(ratio, 1 / ratio);
  }

  /// The last digit of m counts images where no window moves along it. What then has no axis is a plain matrix.
  bool setImages() {
    const MapAxis last = result.axes.back();
    if (result.axes.size() == 1 && !last.tap)
      return false;
    result.placesOfImage = last.place.unit;
    result.images = last.place.extent;
    result.imageStride = last.place.stride;
    if (result.axes.size() > 1 && !last.tap && !isMasked(last.place)) {
      result.axes.pop_back();
    } else { // of a single one, the stride says nothing
      result.placesOfImage *= last.place.count();
      result.images = 1;
      result.imageStride = last.place.stride * unit();
    }
    return result.axes.size() <= format::kTensorMapRank - 2 && result.imageStride % unit() == 0;
  }

  bool setSteps() {
    for (MapAxis &axis : result.axes) {
      axis.unit = axis.tap ? std::gcd(axis.place.stride, axis.tap->stride) : axis.place.stride;
      axis.step = axis.place.stride / axis.unit;
      axis.dilation = axis.tap ? axis.tap->stride / axis.unit : 0;
      axis.end = axis.step * (axis.place.count() - 1) + axis.lastTap() + 1;
      if (axis.place.count() == 0 || axis.unit % unit() != 0)
        return false;
    }
    return true;
  }

  /// Every mask bounds the coordinates of one axis.
  bool setBounds() {
    return llvm::all_of(operand.masks, [&](const Expr &mask) {
      return llvm::any_of(result.axes, [&](MapAxis &axis) { return setBound(mask, axis); });
    });
  }

  /// A mask says factor * coordinate + constant >= 0.
  static bool setBound(const Expr &mask, MapAxis &axis) {
    Expr rest = mask;
    const std::optional<int64_t> byPlace = takeDigit(rest, axis.place.name);
    const std::optional<int64_t> byTap = axis.tap ? takeDigit(rest, axis.tap->name) : 0;
    const std::optional<int64_t> constant = rest.constant();
    if (!byPlace || !byTap || !constant || *byPlace % axis.step != 0)
      return false;
    const int64_t factor = *byPlace / axis.step;
    if (factor == 0 || *byTap != factor * axis.dilation)
      return false;
    if (factor > 0)
      axis.first = std::max(axis.first, llvm::divideCeilSigned(-*constant, factor));
    else
      axis.end = std::min(axis.end, llvm::divideFloorSigned(*constant, -factor) + 1);
    return true;
  }

  /// Whether a tensor map and its copies can say all this.
  bool isSayable() {
    SmallVector<int64_t> lower, upper, steps;
    result.offset = operand.base;
    const int64_t taps = format::tensorWindowTaps(result.axes.size());
    for (const MapAxis &axis : result.axes) {
      if (axis.first >= axis.end || axis.lastTap() >= taps)
        return false;
      lower.push_back(axis.lower());
      upper.push_back(axis.upper());
      steps.push_back(axis.step);
      result.offset += axis.first * axis.unit;
    }
    return format::tensorWindowFault(result.axes.size() + 2, lower, upper, steps).empty() &&
           proveLessEqual(0, result.offset, ranges) == true && divisible(result.offset, unit(), operand.divisors);
  }

  const OperandDigits &operand;
  const int64_t depth;
  const Ranges &ranges;
  WindowOperand result;
};

} // namespace

std::optional<WindowOperand> windowOperand(FuncOp func, DotOp dot, int64_t depth, Variables &vars) {
  const std::optional<OperandDigits> operand = operandDigits(func, dot, vars);
  if (!operand || !hasZerosAround(operand->load))
    return std::nullopt;
  std::optional<WindowOperand> result = Reader(*operand, depth, vars.ranges()).read();
  if (result)
    result->view = llvm::find(func.getViews(), LoadOp(operand->load).getView()) - func.getViews().begin();
  return result;
}

simt::TensorMapAttr WindowOperand::map(MLIRContext *context, int64_t channelsOfCopy, int64_t places,
                                       int64_t swizzle) const {
  auto attribute = [&](const Expr &e) { return graph::ExprAttr::get(context, e); };
  SmallVector<graph::ExprAttr> extents{attribute(channels)}, strides{attribute(1)};
  SmallVector<int64_t> box{channelsOfCopy, places}, lower, upper, steps;
  for (const MapAxis &axis : axes) {
    extents.push_back(attribute(axis.end - axis.first));
    strides.push_back(attribute(axis.unit));
    lower.push_back(axis.lower());
    upper.push_back(axis.upper());
    steps.push_back(axis.step);
  }
  extents.push_back(attribute(images));
  strides.push_back(attribute(imageStride));
  box.resize(extents.size(), 1);
  return simt::TensorMapAttr::get(context, view, attribute(offset), extents, strides, box, swizzle, lower, upper,
                                  steps);
}

graph::Exprs WindowOperand::coordinates(const Expr &m, const Expr &k) const {
  graph::Exprs result{mod(k, channels)};
  for (const MapAxis &axis : axes)
    result.push_back(axis.lower() + axis.step * mod(floorDiv(m, axis.place.unit), axis.place.count()));
  result.push_back(floorDiv(m, placesOfImage));
  return result;
}

graph::Exprs WindowOperand::taps(const Expr &k) const {
  graph::Exprs result;
  for (const MapAxis &axis : axes)
    result.push_back(axis.tap ? axis.dilation * mod(floorDiv(k, axis.tap->unit), axis.tap->count()) : Expr(0));
  return result;
}

} // namespace cupola::cuda
