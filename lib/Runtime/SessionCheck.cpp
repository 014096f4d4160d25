//===- lib/Runtime/SessionCheck.cpp - The tensors of a run against what it expects ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <tuple>

// Every run comes by here, and a decoder has a hundred tensors: texts are made where something is wrong alone.

namespace cupola::runtime {

Status Session::checkTensors(const char *kind, const std::vector<TensorRef> &tensors,
                             const std::vector<format::Tensor> &declared) const {
  if (tensors.size() != declared.size())
    return Status::usage(std::to_string(tensors.size()) + " " + kind + "s were given, the model has " +
                         std::to_string(declared.size()));
  const auto named = [&](size_t i, const std::string &problem) {
    return Status::usage(std::string(kind) + " " + quote(declared[i].name) + ": " + problem);
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dtype != declared[i].dtype)
      return named(i, std::string("element type is ") + format::dtypeName(tensors[i].dtype) + ", the model declares " +
                          format::dtypeName(declared[i].dtype));
    if (const char *problem = addressProblem(tensors[i], &declared == &package().outputs && openOutputs[i]))
      return named(i, problem);
  }
  return Status::ok();
}

const char *Session::addressProblem(const TensorRef &tensor, bool isOpen) {
  const bool isEmpty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  if (isOpen && tensor.data)
    return "its shape is known only after the run; give it no address and fetch it then";
  return !isOpen && !tensor.data && !isEmpty ? "its address is null" : nullptr;
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
    const auto wrong = [&, output = output](const std::string &problem) {
      return Status::usage("output " + quote(package().outputs[output].name) + problem);
    };
    if (tensor.data != input.data || tensor.onDevice != input.onDevice)
      return wrong(" does not lie in the memory of input " +
                   quote(package().inputs[package().outputs[output].memoryOf - 1].name) +
                   ", for which the package was compiled: the address of the one is expected for both");
    if (!tensor.data && current->interface.outputBytes[output] != 0) // the input may have no rows yet
      return wrong(": its address is null");
    const Strides given = tensor.strides.empty() ? denseStrides(tensor.shape) : tensor.strides;
    for (size_t d = 0; d < given.size(); ++d)
      if (tensor.shape[d] > 1 && given[d] != expected[d])
        return wrong(": stride of dimension " + std::to_string(d) + " is " + std::to_string(given[d]) +
                     ", the input whose memory it shares gives " + std::to_string(expected[d]));
  }
  return Status::ok();
}

namespace {

/// The bytes of a tensor.
struct Extent {
  bool onDevice;
  uint64_t begin, end;
  bool isOutput;
  size_t index;

  bool operator<(const Extent &other) const {
    return std::tie(onDevice, begin, isOutput, index) <
           std::tie(other.onDevice, other.begin, other.isOutput, other.index);
  }
  bool reaches(const Extent &later) const { return onDevice == later.onDevice && end > later.begin; }
};

/// Names an output first, of two the later one.
Status overlap(const Extent &a, const Extent &b, const format::Package &package) {
  const bool isFirst = a.isOutput && (!b.isOutput || a.index > b.index);
  const Extent &output = isFirst ? a : b, &other = isFirst ? b : a;
  return Status::usage("output " + quote(package.outputs[output.index].name) + " overlaps " +
                       (other.isOutput ? "output " + quote(package.outputs[other.index].name)
                                       : "input " + quote(package.inputs[other.index].name)));
}

} // namespace

/// Outputs share no byte with inputs or with each other, but for those that are to: an input whose memory an output has
/// lies within that one. In the order of their beginnings each is held against what reaches furthest of those before
/// it.
Status Session::checkOverlap(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const {
  std::vector<Extent> extents;
  std::vector<bool> isShared(inputs.size());
  const auto add = [&](const TensorRef &tensor, uint64_t bytes, bool isOutput, size_t index) {
    const auto begin = reinterpret_cast<uint64_t>(tensor.data);
    if (bytes != 0)
      extents.push_back({tensor.onDevice, begin, begin + bytes, isOutput, index});
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    add(outputs[i], current->interface.outputBytes[i], /*isOutput=*/true, i);
    if (package().outputs[i].memoryOf != 0)
      isShared[package().outputs[i].memoryOf - 1] = true;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!isShared[i])
      add(inputs[i], current->interface.inputBytes[i], /*isOutput=*/false, i);
  std::sort(extents.begin(), extents.end());
  const Extent *furthest[2] = {}; // of inputs, of outputs
  for (const Extent &extent : extents) {
    for (const Extent *before : furthest)
      if (before && (before->isOutput || extent.isOutput) && before->reaches(extent))
        return overlap(*before, extent, package());
    const Extent *&own = furthest[extent.isOutput];
    if (!own || own->onDevice != extent.onDevice || own->end < extent.end)
      own = &extent;
  }
  return Status::ok();
}

} // namespace cupola::runtime
