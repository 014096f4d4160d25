//===- lib/Import/Onnx/Window.h - windows of convolutions and pools --------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_WINDOW_H
#define CUPOLA_LIB_IMPORT_ONNX_WINDOW_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// What the attributes kernel_shape, strides, dilations, pads, auto_pad and ceil_mode
/// say: one entry per spatial dimension.
struct Window {
  Ints sizes, strides, dilations;
  Exprs low, high; ///< padding
  Exprs excess;    ///< beyond that at the end, so that with ceil_mode the last window fits
  Exprs places;    ///< how many windows

  size_t dims() const { return sizes.size(); }
  bool isPadded() const;
};

/// Reads the attributes of a node whose input 0 is [N, C, spatial..].
Window readWindow(OpBinder &op, llvm::ArrayRef<Expr> spatial, llvm::ArrayRef<int64_t> sizes);

/// `kernel_shape`, which a pool must have.
Ints kernelShape(OpBinder &op, size_t dims);
/// A list attribute of one positive number per spatial dimension; absent: all 1.
Ints windowNumbers(OpBinder &op, llvm::StringRef name, size_t dims);
/// A list attribute of `count` numbers that are not negative; absent: all 0.
Ints paddingNumbers(OpBinder &op, llvm::StringRef name, size_t count);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_WINDOW_H
