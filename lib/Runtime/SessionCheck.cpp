//===- lib/Runtime/SessionCheck.cpp - The tensors of a run against what it expects ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "lib/Runtime/Text.h"

namespace cupola::runtime {

Status Session::checkTensors(const char *kind, const std::vector<TensorRef> &tensors,
                             const std::vector<format::Tensor> &declared) const {
  if (tensors.size() != declared.size())
    return Status::usage(std::to_string(tensors.size()) + " " + kind + "s were given, the model has " +
                         std::to_string(declared.size()));
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string name = std::string(kind) + " " + quote(declared[i].name);
    if (tensors[i].dtype != declared[i].dtype)
      return Status::usage(name + ": element type is " + format::dtypeName(tensors[i].dtype) + ", the model declares " +
                           format::dtypeName(declared[i].dtype));
    CUPOLA_TRY(checkAddress(name, tensors[i], &declared == &package().outputs && openOutputs[i]));
  }
  return Status::ok();
}

Status Session::checkAddress(const std::string &name, const TensorRef &tensor, bool isOpen) const {
  bool empty = false;
  for (int64_t extent : tensor.shape)
    empty |= extent == 0;
  if (isOpen && tensor.data)
    return Status::usage(name + ": its shape is known only after the run; give it no address and fetch it then");
  if (!isOpen && !tensor.data && !empty)
    return Status::usage(name + ": its address is null");
  return Status::ok();
}

Status Session::checkOutputShapes(const std::vector<TensorRef> &outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!openOutputs[i] && outputs[i].shape != outputShapes()[i])
      return Status::usage("output " + quote(package().outputs[i].name) + ": shape is " + shapeText(outputs[i].shape) +
                           ", these inputs give " + shapeText(outputShapes()[i]));
  return Status::ok();
}

/// An output in the memory of an input begins where that does and has its strides.
Status Session::checkShared(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const {
  for (const auto &[output, expected] : current->interface.sharedStrides) {
    const TensorRef &tensor = outputs[output], &input = inputs[package().outputs[output].memoryOf - 1];
    const std::string name = "output " + quote(package().outputs[output].name);
    if (tensor.data != input.data || tensor.onDevice != input.onDevice)
      return Status::usage(name + " does not lie in the memory of input " +
                           quote(package().inputs[package().outputs[output].memoryOf - 1].name) +
                           ", for which the package was compiled: the address of the one is expected for both");
    if (!tensor.data && current->interface.outputBytes[output] != 0) // the input may have no rows yet
      return Status::usage(name + ": its address is null");
    const Strides given = tensor.strides.empty() ? denseStrides(tensor.shape) : tensor.strides;
    for (size_t d = 0; d < given.size(); ++d)
      if (tensor.shape[d] > 1 && given[d] != expected[d])
        return Status::usage(name + ": stride of dimension " + std::to_string(d) + " is " + std::to_string(given[d]) +
                             ", the input whose memory it shares gives " + std::to_string(expected[d]));
  }
  return Status::ok();
}

/// Outputs share no byte with inputs or with each other, but for those that are to.
Status Session::checkOverlap(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const {
  const auto begin = [](const TensorRef &tensor) { return reinterpret_cast<uint64_t>(tensor.data); };
  const auto check = [&](size_t output, const TensorRef &other, uint64_t bytes, const std::string &name) {
    const uint64_t mine = current->interface.outputBytes[output];
    const TensorRef &tensor = outputs[output];
    if (tensor.onDevice != other.onDevice || mine == 0 || bytes == 0 || begin(tensor) >= begin(other) + bytes ||
        begin(other) >= begin(tensor) + mine)
      return Status::ok();
    return Status::usage("output " + quote(package().outputs[output].name) + " overlaps " + name);
  };
  for (size_t o = 0; o < outputs.size(); ++o) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (package().outputs[o].memoryOf != i + 1)
        CUPOLA_TRY(check(o, inputs[i], current->interface.inputBytes[i], "input " + quote(package().inputs[i].name)));
    for (size_t i = 0; i < o; ++i)
      CUPOLA_TRY(check(o, outputs[i], current->interface.outputBytes[i], "output " + quote(package().outputs[i].name)));
  }
  return Status::ok();
}

} // namespace cupola::runtime
