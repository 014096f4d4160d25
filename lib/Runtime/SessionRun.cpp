//===- lib/Runtime/SessionRun.cpp - One run of a session ---===//
// SPDX-License-Identifier: Apache-2.0
//
// check the tensors -> find or make an address for each -> a slot -> bindings
// table -> inputs -> steps -> outputs and flags -> event of the slot; then, at any
// time, wait for the event. Nothing is allocated on the device on the way once a
// shape has run.
//
// Runs under way share all that lies on the device: arena, staging, bindings tables
// and flags are written and read by work of one stream, so that what a run puts there
// comes after the last use by the runs before it. What lies on the host is read or
// written at an unknown time; it belongs to the slot of one run, or, copies of the
// bindings tables, to one upload (lib/Runtime/Bindings.h). Memory is freed only when
// the stream was waited for.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/ProfilerRange.h"
#include "lib/Runtime/Session.h"
#include "lib/Runtime/SessionTurn.h"
#include "lib/Runtime/Text.h"

#include <algorithm>

namespace cupola::runtime {

using format::BufferKind;

/// Decides per tensor between its own memory and a copy in `staging`.
Status Session::locate(const std::vector<const TensorRef *> &tensors) {
  const BoundInterface &interface = current->interface;
  const size_t inputs = interface.inputBytes.size();
  const auto bytesOf = [&](size_t i) {
    return i < inputs ? interface.inputBytes[i] : interface.outputBytes[i - inputs];
  };
  const bool reachesHost = device().properties().hostMemory;
  const auto alignmentOf = [&](size_t i) {
    const format::DType type = i < inputs ? package().inputs[i].dtype : package().outputs[i - inputs].dtype;
    return std::max<uint64_t>(device().properties().tensorAlignment, format::byteSize(type));
  };
  io.assign(tensors.size(), 0);
  staged.assign(tensors.size(), false);
  format::Size end = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto own = reinterpret_cast<DeviceAddress>(tensors[i]->data);
    staged[i] = bytesOf(i) == 0 || own % alignmentOf(i) != 0 || !(reachesHost || tensors[i]->onDevice);
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
  CUPOLA_TRY(reserveStaging(*needed));
  uint64_t copied = 0;
  for (size_t i = 0; i < io.size(); ++i)
    if (staged[i]) {
      io[i] += staging.address();
      copied += bytesOf(i) != 0;
    }
  counters.countCopies(copied);
  counters.setMemory(runner.arena().bytes(), staging.bytes());
  return Status::ok();
}

Status Session::reserveStaging(uint64_t bytes) {
  if (staging.address() != 0 && staging.bytes() >= bytes)
    return Status::ok();
  if (staging.address() != 0) // runs under way use it
    CUPOLA_TRY(stream->synchronize());
  const Status status = staging.allocate(device(), bytes, &options.memory);
  return status.isOk() ? status : outOfMemory(plan(), current->interface, status);
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
/// recording. Copies, calls of libraries and bodies hold addresses: where those are
/// others than in the run before, nothing is recorded or replayed. Copies
/// hold sizes, too, so plans in which these vary are not recorded. Neither are programs
/// with steps of the host, or with bodies that the host decides about: what is queued depends on values that it reads
/// on the way.
Status Session::queueSteps(RunSlot &slot) {
  Frame::BucketState &bucket = runner.program().bucket();
  const bool hasBodies = !program().bodies.empty();
  Held held;
  if (hasBodies) {
    if (!recorder.decides() || bucket.isHosts)
      return queueEach();
    Result<Held> placed = recorder.place();
    if (placed.failed()) // in a body that this run may not enter
      return queueEach();
    held = placed.take();
  }
  if (holdsIo)
    held.addresses.insert(held.addresses.end(), io.begin(), io.end());
  const bool hasMoved = !(bucket.held == held);
  if (hasMoved)
    bucket.recording.reset();
  bucket.held = std::move(held);
  slot.recording = bucket.recording;
  if (bucket.recording)
    return stream->replay(*bucket.recording);
  if (!bucket.ran || hasMoved || bucket.plan->transfersVary || hasHostSteps || !stream->canRecord())
    return queueEach();
  bucket.isHosts = hasBodies && !recorder.copiesStay();
  if (bucket.isHosts)
    return queueEach();
  Status queued = recordSteps();
  slot.recording = bucket.recording;
  if (queued.isOk())
    queued = stream->replay(*bucket.recording);
  if (queued.isOk() || !hasBodies)
    return queued;
  recorder.refuse(); // a driver that does not take the graph
  bucket.recording.reset();
  return queueEach();
}

Status Session::recordSteps() {
  CUPOLA_TRY(stream->beginRecording());
  const Status queued = recorder.record();
  Result<std::unique_ptr<Recording>> recording = stream->endRecording();
  CUPOLA_TRY(queued);
  CUPOLA_TRY(recording.status());
  runner.program().bucket().recording = recording.take();
  return Status::ok();
}

Status Session::queueMarked() {
  for (size_t i = 0; i < package().outputs.size(); ++i)
    if (package().outputs[i].memoryOf == 0)
      CUPOLA_TRY(runner.markDead(io[package().inputs.size() + i], current->interface.outputBytes[i]));
  return runner.runSteps(runner.program(), 0);
}

Status Session::queueRun(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs, RunSlot &slot,
                         RunTimes *times) {
  const ProfilerRange range([&] { return "run " + quote(package().metadata.graphName); });
  const bool poisons = options.poison && !times, tracks = device().properties().tracksContents && !times;
  strings.beginRun();
  runner.begin(current->interface.values, poisons, tracks);
  CUPOLA_TRY(runner.program().place({runner.arena().address(), {}, io, &runner.openOutputs()}));
  CUPOLA_TRY(runner.program().upload(*stream));
  CUPOLA_TRY(runner.flags().clear(*stream));
  CUPOLA_TRY(queueInputs(inputs));
  CUPOLA_TRY(times ? queueTimed(*times) : poisons || tracks ? queueMarked() : queueSteps(slot));
  CUPOLA_TRY(queueOutputs(outputs));
  if (times)
    times->mark(times->outputs);
  return slot.found.fetch(*stream, runner.flags());
}

/// The values of shape inputs; of those on the device, once the stream has made them. Empty without any.
Result<std::vector<Elements>> Session::readShapeInputs(const std::vector<TensorRef> &inputs) {
  std::vector<Elements> elements;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const format::Tensor &declared = package().inputs[i];
    if (declared.elements.empty())
      continue;
    elements.resize(inputs.size());
    CUPOLA_ASSIGN(const uint64_t bytes, tensorBytes(declared.dtype, inputs[i].shape));
    std::vector<char> copy(inputs[i].onDevice && !device().properties().hostMemory ? bytes : 0);
    if (!copy.empty()) {
      CUPOLA_TRY(stream->download(copy.data(), reinterpret_cast<DeviceAddress>(inputs[i].data), bytes));
      CUPOLA_TRY(stream->synchronize());
    }
    CUPOLA_ASSIGN(elements[i], readElements(declared, copy.empty() ? inputs[i].data : copy.data(), inputs[i].shape));
  }
  return elements;
}

/// All that is found without the device, but for shape inputs that lie there.
Status Session::prepare(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) {
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
  CUPOLA_ASSIGN(const std::vector<Elements> elements, readShapeInputs(inputs));
  CUPOLA_TRY(bindNow(shapes, strides, elements));
  CUPOLA_TRY(checkOutputShapes(outputs));
  CUPOLA_TRY(checkShared(inputs, outputs));
  CUPOLA_TRY(checkOverlap(inputs, outputs));
  return locate(tensors);
}

//===--- Runs ---===//

Result<uint64_t> Session::enqueueNow(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                                     RunTimes *times) {
  const auto begun = std::chrono::steady_clock::now();
  CUPOLA_TRY(prepare(inputs, outputs));
  RunSlot &slot = runs.next();
  if (slot.run != 0)
    endRun(slot);
  slot.begun = times ? std::nullopt : std::optional(begun);
  if (times)
    times->mark(times->prepare);
  try {
    slot.queued = queueRun(inputs, outputs, slot, times);
    // Also behind an error: transfers under way use the caller's memory.
    const Status marked = stream->record(*slot.end);
    if (marked.failed())
      (void)stream->synchronize();
    if (slot.queued.isOk())
      slot.queued = marked;
    runs.begin();
  } catch (...) { // no memory: there is no run, so that nobody will wait
    (void)stream->synchronize();
    throw;
  }
  const uint64_t run = slot.run;
  if (slot.queued.isOk())
    runner.program().bucket().ran |= runner.program().runsAll();
  if (std::find(openOutputs.begin(), openOutputs.end(), true) != openOutputs.end())
    endRun(slot);
  return run;
}

/// Waits for it, and finds how it ended.
void Session::endRun(RunSlot &slot) {
  const Status done = slot.end->wait();
  Status outcome = slot.queued.isOk() ? done : slot.queued;
  const auto step = outcome.isOk() ? slot.found.raisedBy() : std::nullopt;
  if (step)
    outcome = flagError(package(), format::stepAt(program(), *step), *step);
  if (outcome.isOk())
    outcome = finishShapes();
  if (slot.begun)
    counters.countRun(std::chrono::steady_clock::now() - *slot.begun, outcome.failed());
  runs.end(slot, outcome);
}

Status Session::waitNow(uint64_t run) {
  CUPOLA_TRY(runs.check(run));
  if (RunSlot *slot = runs.find(run))
    endRun(*slot);
  return runs.take(run);
}

Result<uint64_t> Session::enqueue(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  return enqueueNow(inputs, outputs, nullptr);
}

Status Session::wait(uint64_t run) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  return waitNow(run);
}

/// In one turn: no other thread gets between the two.
Status Session::runOnce(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs, RunTimes *times) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  const Result<uint64_t> run = enqueueNow(inputs, outputs, times);
  const Status ended = run.isOk() ? waitNow(*run) : run.status();
  if (times)
    times->mark(times->wait);
  return ended;
}

} // namespace cupola::runtime
