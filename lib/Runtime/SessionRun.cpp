//===- lib/Runtime/SessionRun.cpp - One run of a session ---===//
// SPDX-License-Identifier: Apache-2.0
//
// check the tensors -> find or make an address for each -> bindings table ->
// inputs -> steps -> outputs and flags -> wait. Nothing is allocated on the way
// once a shape has run.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Session.h"
#include "lib/Runtime/SessionTurn.h"
#include "lib/Runtime/Text.h"

namespace cupola::runtime {

using format::BufferKind;

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

/// Decides per tensor between its own memory and a copy in `staging`.
Status Session::locate(const std::vector<const TensorRef *> &tensors) {
  const BoundInterface &interface = current->interface;
  const size_t inputs = interface.inputBytes.size();
  const auto bytesOf = [&](size_t i) {
    return i < inputs ? interface.inputBytes[i] : interface.outputBytes[i - inputs];
  };
  const bool reachesHost = device().properties().hostMemory;
  io.assign(tensors.size(), 0);
  staged.assign(tensors.size(), false);
  format::Size end = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto own = reinterpret_cast<DeviceAddress>(tensors[i]->data);
    staged[i] = bytesOf(i) == 0 || own % format::kTensorAlignment != 0 || !(reachesHost || tensors[i]->onDevice);
    if (!staged[i]) {
      io[i] = own;
      continue;
    }
    if (const uint32_t memoryOf = i < inputs ? 0 : package().outputs[i - inputs].memoryOf) {
      io[i] = io[memoryOf - 1]; // staged as well: it has the same address and size
      continue;
    }
    const format::Size start = end.alignedTo(format::kBufferAlignment);
    io[i] = start.value().value_or(0);
    end = start + bytesOf(i);
  }
  const std::optional<uint64_t> needed = end.value();
  if (!needed)
    return Status::limit("inputs and outputs are larger than 2^64 bytes");
  if (staging.address() == 0 || staging.bytes() < *needed) {
    const Status status = staging.allocate(device(), *needed, &options.memory);
    if (status.failed())
      return outOfMemory(plan(), interface, status);
  }
  for (size_t i = 0; i < io.size(); ++i)
    if (staged[i])
      io[i] += staging.address();
  return Status::ok();
}

Status Session::queueInputs(const std::vector<TensorRef> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint64_t bytes = current->interface.inputBytes[i];
    if (!staged[i])
      continue;
    if (inputs[i].onDevice)
      CUPOLA_TRY(stream->copy(io[i], reinterpret_cast<DeviceAddress>(inputs[i].data), bytes));
    else
      CUPOLA_TRY(stream->upload(io[i], inputs[i].data, bytes));
  }
  return Status::ok();
}

Status Session::queueOutputs(const std::vector<TensorRef> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const size_t at = package().inputs.size() + i;
    const uint64_t bytes = current->interface.outputBytes[i];
    if (!staged[at])
      continue;
    if (outputs[i].onDevice)
      CUPOLA_TRY(stream->copy(reinterpret_cast<DeviceAddress>(outputs[i].data), io[at], bytes));
    else
      CUPOLA_TRY(stream->download(outputs[i].data, io[at], bytes));
  }
  return Status::ok();
}

Status Session::queueEach() {
  for (size_t i = 0; i < program().steps.size(); ++i)
    CUPOLA_TRY(runner.runStep(runner.program(), i, 0));
  return Status::ok();
}

/// The second run of a bucket is recorded, with the blocks of its largest shape, the
/// later ones replay it. Kernels find extents and the tensors of the caller through the
/// bindings table, so that other shapes of the bucket and other addresses need no new
/// recording; copies hold addresses and sizes, so plans that copy such a tensor, or
/// sizes that vary, are not recorded. Neither are programs with bodies: what is queued
/// depends on values that the host reads on the way.
Status Session::queueSteps() {
  Frame::BucketState &bucket = runner.program().bucket();
  if (bucket.recording)
    return stream->replay(*bucket.recording);
  if (!bucket.ran || copiesIo || bucket.plan->copiesVary || !program().bodies.empty() || !stream->canRecord())
    return queueEach();
  CUPOLA_TRY(stream->beginRecording());
  const Status queued = queueRecorded();
  Result<std::unique_ptr<Recording>> recorded = stream->endRecording();
  CUPOLA_TRY(queued);
  if (recorded.failed())
    return recorded.status();
  bucket.recording = recorded.take();
  return stream->replay(*bucket.recording);
}

Status Session::queueRecorded() {
  for (size_t i = 0; i < program().steps.size(); ++i)
    CUPOLA_TRY(runner.queue(runner.program(), i, /*atMost=*/true));
  return Status::ok();
}

Status Session::queueMarked() {
  for (size_t i = 0; i < package().outputs.size(); ++i)
    if (package().outputs[i].memoryOf == 0)
      CUPOLA_TRY(runner.markDead(io[package().inputs.size() + i], current->interface.outputBytes[i]));
  return runner.runSteps(runner.program(), 0);
}

Status Session::queueRun(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                         std::vector<double> *milliseconds) {
  const bool poisons = options.poison && !milliseconds, tracks = device().properties().tracksContents && !milliseconds;
  runner.begin(current->interface.values, poisons, tracks);
  runner.program().place({runner.arena().address(), {}, io, &runner.openOutputs()});
  CUPOLA_TRY(runner.program().upload(*stream));
  CUPOLA_TRY(runner.flags().clear(*stream));
  CUPOLA_TRY(queueInputs(inputs));
  CUPOLA_TRY(milliseconds ? queueTimed(*milliseconds) : poisons || tracks ? queueMarked() : queueSteps());
  CUPOLA_TRY(queueOutputs(outputs));
  return runner.flags().fetch(*stream);
}

Status Session::runOnce(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                        std::vector<double> *milliseconds) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  CUPOLA_TRY(checkTensors("input", inputs, package().inputs));
  CUPOLA_TRY(checkTensors("output", outputs, package().outputs));
  std::vector<Shape> shapes;
  std::vector<Strides> strides;
  std::vector<const TensorRef *> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    shapes.push_back(inputs[i].shape);
    if (!package().inputs[i].storage.empty()) {
      strides.resize(inputs.size());
      strides[i] = inputs[i].strides.empty() ? denseStrides(inputs[i].shape) : inputs[i].strides;
    }
    tensors.push_back(&inputs[i]);
  }
  for (const TensorRef &output : outputs)
    tensors.push_back(&output);
  CUPOLA_TRY(bindNow(shapes, strides));
  CUPOLA_TRY(checkOutputShapes(outputs));
  CUPOLA_TRY(checkShared(inputs, outputs));
  CUPOLA_TRY(checkOverlap(inputs, outputs));
  CUPOLA_TRY(locate(tensors));
  const Status queued = queueRun(inputs, outputs, milliseconds);
  // Also after an error: transfers under way use the caller's memory.
  const Status done = stream->synchronize();
  CUPOLA_TRY(queued);
  CUPOLA_TRY(done);
  runner.program().bucket().ran |= runner.program().runsAll();
  if (const auto step = runner.flags().raisedBy())
    return flagError(package(), format::stepAt(program(), *step), *step);
  return finishShapes();
}

} // namespace cupola::runtime
