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
    bool empty = false;
    for (int64_t extent : tensors[i].shape)
      empty |= extent == 0;
    if (!tensors[i].data && !empty)
      return Status::usage(name + ": its address is null");
  }
  return Status::ok();
}

Status Session::checkOutputShapes(const std::vector<TensorRef> &outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].shape != outputShapes()[i])
      return Status::usage("output " + quote(package().outputs[i].name) + ": shape is " + shapeText(outputs[i].shape) +
                           ", these inputs give " + shapeText(outputShapes()[i]));
  return Status::ok();
}

/// An output in the memory of an input begins where that does and has its strides.
Status Session::checkShared(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const {
  for (const auto &[output, expected] : current->plan.sharedStrides) {
    const TensorRef &tensor = outputs[output], &input = inputs[package().outputs[output].memoryOf - 1];
    const std::string name = "output " + quote(package().outputs[output].name);
    if (tensor.data != input.data || tensor.onDevice != input.onDevice)
      return Status::usage(name + " does not lie in the memory of input " +
                           quote(package().inputs[package().outputs[output].memoryOf - 1].name) +
                           ", for which the package was compiled: the address of the one is expected for both");
    if (!tensor.data && current->plan.outputBytes[output] != 0) // the input may have no rows yet
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
    const uint64_t mine = current->plan.outputBytes[output];
    const TensorRef &tensor = outputs[output];
    if (tensor.onDevice != other.onDevice || mine == 0 || bytes == 0 || begin(tensor) >= begin(other) + bytes ||
        begin(other) >= begin(tensor) + mine)
      return Status::ok();
    return Status::usage("output " + quote(package().outputs[output].name) + " overlaps " + name);
  };
  for (size_t o = 0; o < outputs.size(); ++o) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (package().outputs[o].memoryOf != i + 1)
        CUPOLA_TRY(check(o, inputs[i], current->plan.inputBytes[i], "input " + quote(package().inputs[i].name)));
    for (size_t i = 0; i < o; ++i)
      CUPOLA_TRY(check(o, outputs[i], current->plan.outputBytes[i], "output " + quote(package().outputs[i].name)));
  }
  return Status::ok();
}

/// Decides per tensor between its own memory and a copy in `staging`.
Status Session::locate(const std::vector<const TensorRef *> &tensors) {
  const BoundPlan &plan = current->plan;
  const size_t inputs = plan.inputBytes.size();
  const auto bytesOf = [&](size_t i) { return i < inputs ? plan.inputBytes[i] : plan.outputBytes[i - inputs]; };
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
      return outOfMemory(plan, status);
  }
  for (size_t i = 0; i < io.size(); ++i)
    if (staged[i])
      io[i] += staging.address();
  return Status::ok();
}

/// Addresses for the steps and words for the bindings table.
void Session::setBuffers() {
  const BoundPlan &plan = current->plan;
  const size_t inputs = package().inputs.size();
  const size_t firstIo = plan.scalars.size();
  const size_t firstView = firstIo + io.size();
  const auto reference = [](size_t word) { return format::kReferenceBit | (word + 1); };
  values.resize(plan.buffers.size());
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Placement &place = plan.buffers[i];
    const size_t ioIndex = place.index + (place.root == BufferKind::Output ? inputs : 0);
    DeviceAddress base = 0;
    switch (place.root) {
    case BufferKind::Weight:
      base = shared->weightAddress(place.index);
      break;
    case BufferKind::Init:
      base = shared->initAddress() + shared->initOffset(place.index);
      break;
    case BufferKind::Input:
    case BufferKind::Output:
      base = io[ioIndex];
      break;
    case BufferKind::Arena:
    case BufferKind::View: // a root is no view
      base = arena.address();
      break;
    }
    values[i].address = base + place.offset;
    values[i].bytes = place.bytes;
    values[i].reference = place.root == BufferKind::Input || place.root == BufferKind::Output
                              ? reference(firstIo + ioIndex)
                              : values[i].address;
  }
  for (size_t i = 0; i < io.size(); ++i)
    bindings.set(firstIo + i, io[i]);
  for (size_t i = 0; i < ioViews.size(); ++i) {
    values[ioViews[i]].reference = reference(firstView + i);
    bindings.set(firstView + i, values[ioViews[i]].address);
  }
  steps.setBuffers(values);
}

Status Session::queueInputs(const std::vector<TensorRef> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint64_t bytes = current->plan.inputBytes[i];
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
    const uint64_t bytes = current->plan.outputBytes[i];
    if (!staged[at])
      continue;
    if (outputs[i].onDevice)
      CUPOLA_TRY(stream->copy(reinterpret_cast<DeviceAddress>(outputs[i].data), io[at], bytes));
    else
      CUPOLA_TRY(stream->download(outputs[i].data, io[at], bytes));
  }
  return Status::ok();
}

Status Session::queueStep(size_t step, bool atMost) {
  const std::vector<uint32_t> &nodes = program().steps[step].nodes;
  return steps.queue(*stream, step, bindings.address(), atMost)
      .within(nodes.empty() ? "step " + std::to_string(step) : nodeList(package(), nodes));
}

Status Session::queueEach(bool atMost) {
  for (size_t i = 0; i < steps.count(); ++i)
    CUPOLA_TRY(queueStep(i, atMost));
  return Status::ok();
}

/// The second run of a bucket is recorded, with the blocks of its largest shape, the
/// later ones replay it. Kernels find extents and the tensors of the caller through the
/// bindings table, so that other shapes of the bucket and other addresses need no new
/// recording; copies hold addresses and sizes, so plans that copy such a tensor, or
/// sizes that vary, are not recorded.
Status Session::queueSteps() {
  BucketState &bucket = *current->bucket;
  if (bucket.recording)
    return stream->replay(*bucket.recording);
  if (!bucket.ran || copiesIo || bucket.plan->copiesVary || !stream->canRecord())
    return queueEach();
  CUPOLA_TRY(stream->beginRecording());
  const Status queued = queueEach(/*atMost=*/true);
  Result<std::unique_ptr<Recording>> recorded = stream->endRecording();
  CUPOLA_TRY(queued);
  if (recorded.failed())
    return recorded.status();
  bucket.recording = recorded.take();
  return stream->replay(*bucket.recording);
}

Status Session::markDead(DeviceAddress address, uint64_t bytes) {
  if (options.poison)
    CUPOLA_TRY(stream->fill(address, 0xff, bytes));
  if (device().properties().tracksContents)
    return stream->discard(address, bytes);
  return Status::ok();
}

/// The steps, with every arena region marked while nothing lives there.
Status Session::queueMarked() {
  CUPOLA_TRY(markDead(arena.address(), current->plan.arenaBytes));
  for (size_t i = 0; i < package().outputs.size(); ++i)
    if (package().outputs[i].memoryOf == 0)
      CUPOLA_TRY(markDead(io[package().inputs.size() + i], current->plan.outputBytes[i]));
  for (size_t i = 0; i < steps.count(); ++i) {
    if (device().progress)
      device().progress("step " + std::to_string(i + 1) + " of " + std::to_string(steps.count()));
    CUPOLA_TRY(queueStep(i));
    for (size_t b = 0; b < program().buffers.size(); ++b) {
      const format::Buffer &buffer = program().buffers[b];
      if (buffer.kind == BufferKind::Arena && buffer.last == i)
        CUPOLA_TRY(markDead(values[b].address, values[b].bytes));
    }
  }
  return Status::ok();
}

Status Session::queueRun(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                         std::vector<double> *milliseconds) {
  if (io != preparedIo) {
    setBuffers();
    CUPOLA_TRY(bindings.upload(*stream));
    preparedIo = io;
  }
  CUPOLA_TRY(bindings.clearFlags(*stream));
  CUPOLA_TRY(queueInputs(inputs));
  const bool marked = options.poison || device().properties().tracksContents;
  CUPOLA_TRY(milliseconds ? queueTimed(*milliseconds) : marked ? queueMarked() : queueSteps());
  CUPOLA_TRY(queueOutputs(outputs));
  return bindings.fetchFlags(*stream);
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
  current->bucket->ran |= steps.runsAll();
  if (const auto step = bindings.raisedBy())
    return flagError(package(), program().steps, *step);
  return Status::ok();
}

} // namespace cupola::runtime
