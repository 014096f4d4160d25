//===- lib/Runtime/SessionOutputs.cpp - Outputs whose shape a run finds ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "lib/Runtime/SessionTurn.h"
#include "lib/Runtime/Text.h"

namespace cupola::runtime {

/// All run symbols that an output needs have a value now, and a body has written as many bytes.
Status Session::finishShapes() {
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!openOutputs[i])
      continue;
    const format::Tensor &declared = package().outputs[i];
    CUPOLA_ASSIGN(Shape shape, evaluateShape(declared, shared->parsedInterface().outputs[i], runner.values()));
    CUPOLA_ASSIGN(uint64_t bytes, tensorBytes(declared.dtype, shape));
    if (bytes > runner.openOutputs()[i].bytes())
      return Status::package("the manifest is inconsistent: output " + quote(declared.name) + " has " +
                             std::to_string(runner.openOutputs()[i].bytes()) + " bytes, its shape " + shapeText(shape) +
                             " needs " + std::to_string(bytes));
    shapes[i] = std::move(shape);
  }
  hasResults = true;
  return Status::ok();
}

/// The run that made it has ended: see enqueueNow.
Status Session::fetch(size_t output, const TensorRef &tensor) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  if (output >= openOutputs.size())
    return Status::usage("output " + std::to_string(output) + " of " + std::to_string(openOutputs.size()));
  const format::Tensor &declared = package().outputs[output];
  const std::string name = "output " + quote(declared.name);
  if (!openOutputs[output])
    return Status::usage(name + ": its shape is known before the run, which writes it");
  if (!current || !hasResults)
    return Status::usage(name + ": no run has made it");
  if (tensor.dtype != declared.dtype || tensor.shape != shapes[output])
    return Status::usage(name + ": it is " + format::dtypeName(declared.dtype) + " " + shapeText(shapes[output]) +
                         ", the tensor " + format::dtypeName(tensor.dtype) + " " + shapeText(tensor.shape));
  if (const char *problem = addressProblem(tensor, /*isOpen=*/false))
    return Status::usage(name + ": " + problem);
  const uint64_t bytes = *tensorBytes(tensor.dtype, tensor.shape); // finishShapes evaluated it
  const DeviceAddress source = runner.openOutputs()[output].address();
  CUPOLA_TRY(tensor.onDevice ? stream->copy(reinterpret_cast<DeviceAddress>(tensor.data), source, bytes)
                             : stream->download(tensor.data, source, bytes));
  return stream->synchronize();
}

} // namespace cupola::runtime
