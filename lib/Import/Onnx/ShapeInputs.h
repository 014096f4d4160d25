//===- lib/Import/Onnx/ShapeInputs.h - inputs whose elements decide shapes --===//
// SPDX-License-Identifier: Apache-2.0
//
// A model may get shapes, axes, pads, scales or counts as inputs, or compute them of
// inputs. Such an input becomes a *shape input*: its elements are symbols, read on the
// host when shapes are bound, and known beside the tensor itself. Which inputs those
// are turns out while importing: where a node needs a value that only an input's
// elements leave open, the model is imported again with that input as a shape input.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SHAPEINPUTS_H
#define CUPOLA_LIB_IMPORT_ONNX_SHAPEINPUTS_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// An input of more elements is data.
inline constexpr int64_t maxShapeElements = 32;

/// How many elements there are is known, and no more than that.
bool hasFewElements(const TensorRecord &tensor);

/// Few elements, how many is known, of a type whose values can be symbols (lib/Runtime/Format/ShapeElements.h).
bool canBeShapeInput(const TensorRecord &input);

/// Makes the elements of an argument known. The symbols, row-major, for graph::elementsAttr.
Exprs makeShapeInput(const std::string &name, TensorRecord &input, Symbols &symbols);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SHAPEINPUTS_H
