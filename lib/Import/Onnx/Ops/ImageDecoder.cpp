//===- lib/Import/Onnx/Ops/ImageDecoder.cpp - from files of pictures to pixels ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Two steps of the host (lib/Runtime/Host/Image.h): the first finds the extents, which a run has to know before it
// takes memory for what the second one decodes.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {

void importImageDecoder(OpBinder &op) {
  const Type byte = IntegerType::get(op.b.context(), 8, IntegerType::Unsigned);
  if (op.element(0, "encoded_stream") != byte)
    op.bad("input 0 (encoded_stream) has elements of " + typeText(op.element(0, "encoded_stream")) +
           ", expected uint8");
  if (op.rank(0, "encoded_stream") != 1)
    op.bad("input 0 (encoded_stream) has the shape " + shapeText(op.shape(0, "encoded_stream")) + ", expected [bytes]");
  const std::string form = op.stringAttribute("pixel_format", "RGB");
  if (form != "RGB" && form != "BGR" && form != "Grayscale")
    op.bad("attribute 'pixel_format' is " + quoted(form) + ", expected RGB, BGR or Grayscale");
  Value file = op.value(0, "encoded_stream");
  Value found = op.b.host("image_extents", {}, {file}, {Expr(2)}, op.b.int64());
  Exprs dims;
  for (const auto &[place, what] : {std::pair(0, "height"), std::pair(1, "width")}) {
    Value extent = op.b.slice(found, {Expr(place)}, {1}, {Expr(1)});
    dims.push_back(readCount(op, op.b.reshape(extent, {}), "the " + std::string(what) + " of the picture"));
  }
  dims.push_back(Expr(form == "Grayscale" ? 1 : 3));
  op.result(op.b.host("image_decode",
                      {form == "Grayscale" ? "gray"
                       : form == "BGR"     ? "bgr"
                                           : "rgb"},
                      {file}, dims, byte));
}

} // namespace cupola::onnx_import
