//===- lib/Import/Onnx/Window.cpp - windows of convolutions and pools ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Window.h"

#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Keeps every product of extents, strides and dilations far from overflow.
constexpr int64_t mostWindowNumber = int64_t(1) << 31;

Ints listAttribute(OpBinder &op, StringRef name, size_t count, int64_t least, int64_t fallback) {
  const auto given = op.intsAttribute(name);
  Ints numbers = given ? *given : Ints(count, fallback);
  bool valid = numbers.size() == count;
  for (int64_t number : numbers)
    valid &= number >= least && number < mostWindowNumber;
  if (!valid)
    op.bad("attribute '" + name.str() + "' is " + listText({numbers.begin(), numbers.end()}) + ", expected " +
           std::to_string(count) + " numbers from " + std::to_string(least) + " on");
  return numbers;
}

/// The padding of auto_pad SAME_UPPER and SAME_LOWER: as many windows as strides fit.
void padToSame(Window &window, size_t dim, const Expr &extent, const Expr &reach, bool upper) {
  const Expr places = ceilDiv(extent, Expr(window.strides[dim]));
  const Expr total = max(Expr(0), (places - 1) * Expr(window.strides[dim]) + reach - extent);
  const Expr less = floorDiv(total, Expr(2));
  window.low.push_back(upper ? less : total - less);
  window.high.push_back(upper ? total - less : less);
}

void readPadding(OpBinder &op, Window &window, ArrayRef<Expr> spatial) {
  const size_t dims = spatial.size();
  const std::string mode = op.stringAttribute("auto_pad", "NOTSET");
  const Ints pads = paddingNumbers(op, "pads", 2 * dims);
  for (size_t i = 0; i < dims; ++i) {
    const Expr reach((window.sizes[i] - 1) * window.dilations[i] + 1);
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
      padToSame(window, i, spatial[i], reach, mode == "SAME_UPPER");
    else if (mode == "NOTSET" || mode == "VALID") {
      window.low.push_back(mode == "VALID" ? 0 : pads[i]);
      window.high.push_back(mode == "VALID" ? 0 : pads[i + dims]);
    } else
      op.bad("attribute 'auto_pad' is '" + printable(mode) + "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  }
}

} // namespace

bool Window::isPadded() const {
  const auto isZero = [](const Expr &e) { return e.isConstant(0); };
  return !llvm::all_of(low, isZero) || !llvm::all_of(high, isZero) || !llvm::all_of(excess, isZero);
}

Ints windowNumbers(OpBinder &op, StringRef name, size_t dims) { return listAttribute(op, name, dims, 1, 1); }

Ints paddingNumbers(OpBinder &op, StringRef name, size_t count) { return listAttribute(op, name, count, 0, 0); }

Ints kernelShape(OpBinder &op, size_t dims) {
  if (!op.hasAttribute("kernel_shape"))
    op.bad("attribute 'kernel_shape' is missing, expected " + std::to_string(dims) + " ints");
  return windowNumbers(op, "kernel_shape", dims);
}

Window readWindow(OpBinder &op, ArrayRef<Expr> spatial, ArrayRef<int64_t> sizes) {
  const size_t dims = spatial.size();
  Window window;
  window.sizes.assign(sizes.begin(), sizes.end());
  window.strides = windowNumbers(op, "strides", dims);
  window.dilations = windowNumbers(op, "dilations", dims);
  readPadding(op, window, spatial);
  const bool ceil = op.intAttribute("ceil_mode", 0) != 0;
  for (size_t i = 0; i < dims; ++i) {
    const Expr stride(window.strides[i]), reach((sizes[i] - 1) * window.dilations[i] + 1);
    const Expr padded = spatial[i] + window.low[i] + window.high[i];
    Expr places = floorDiv(padded - reach, stride) + 1;
    if (ceil) // of the windows that end outside only those that begin inside count
      places = min(ceilDiv(padded - reach, stride) + 1, ceilDiv(spatial[i] + window.low[i], stride));
    places = simplify(places, op.b.ranges());
    if (places.constant() && *places.constant() < 1)
      op.bad("a window of " + reach.text() + " does not fit into the padded extent " + padded.text() +
             " of dimension " + std::to_string(i + 2));
    // ceil_mode keeps a window that ends less than a stride outside.
    op.b.atMost(reach, ceil ? padded + stride - 1 : padded,
                "a window and the padded extent of dimension " + std::to_string(i + 2));
    window.places.push_back(op.b.facts().current(places));
    const Expr missing = (places - 1) * stride + reach - padded;
    window.excess.push_back(ceil ? simplify(max(Expr(0), missing), op.b.ranges()) : Expr(0));
  }
  return window;
}

} // namespace cupola::onnx_import
