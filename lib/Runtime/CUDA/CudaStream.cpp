//===- lib/Runtime/CUDA/CudaStream.cpp - work in order on a GPU, direct or recorded as a graph ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CudaStream.h"

namespace cupola::runtime::cuda {

/// CUstream values that are names: the legacy default stream cannot be captured.
static CuStream legacyStream() { return reinterpret_cast<CuStream>(uintptr_t(1)); }

CudaStream::CudaStream(std::shared_ptr<CudaContext> contextOf, std::shared_ptr<LaunchCounters> countersOf)
    : context(std::move(contextOf)), counters(std::move(countersOf)), ring(context) {}

Result<std::unique_ptr<Stream>> CudaStream::create(const std::shared_ptr<CudaContext> &context,
                                                   std::shared_ptr<LaunchCounters> counters, void *native,
                                                   bool waitAfterLaunch) {
  std::unique_ptr<CudaStream> self(new CudaStream(context, std::move(counters)));
  self->waitAfterLaunch = waitAfterLaunch;
  self->stream = static_cast<CuStream>(native);
  if (!native) {
    const ContextScope scope(*context);
    CUPOLA_TRY(scope.status());
    CUPOLA_TRY(context->check(context->api().streamCreate(&self->stream, cuStreamNonBlocking), "making a stream"));
    self->owned = true;
  }
  return std::unique_ptr<Stream>(std::move(self));
}

CudaStream::~CudaStream() {
  const ContextScope scope(*context);
  if (!stream || !scope.mayRelease()) // without a stream of its own, null would be the default stream
    return;
  if (recording)
    (void)CudaStream::endRecording();
  // Copies out of the ring may be under way.
  context->api().streamSynchronize(stream);
  if (owned)
    context->api().streamDestroy(stream);
}

Status CudaStream::notRecording(const char *what) const {
  return recording ? Status::usage(std::string(what) + " is not possible while a stream records") : Status();
}

Status CudaStream::upload(DeviceAddress target, const void *source, uint64_t bytes) {
  if (bytes == 0)
    return {};
  CUPOLA_TRY(notRecording("an upload"));
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  if (bytes <= PinnedRing::slotBytes)
    return ring.upload(target, source, bytes, stream);
  return context->check(context->api().memcpyHtoDAsync(target, source, bytes, stream),
                        "an upload of " + std::to_string(bytes) + " bytes");
}

Status CudaStream::download(void *target, DeviceAddress source, uint64_t bytes) {
  if (bytes == 0)
    return {};
  CUPOLA_TRY(notRecording("a download"));
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  return context->check(context->api().memcpyDtoHAsync(target, source, bytes, stream),
                        "a download of " + std::to_string(bytes) + " bytes");
}

Status CudaStream::copy(DeviceAddress to, DeviceAddress source, uint64_t bytes) {
  if (bytes == 0)
    return {};
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  return recordedAs(context->check(context->api().memcpyDtoDAsync(to, source, bytes, target()),
                                   "a copy of " + std::to_string(bytes) + " bytes"));
}

Status CudaStream::fill(DeviceAddress at, uint8_t value, uint64_t bytes) {
  if (bytes == 0)
    return {};
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  return recordedAs(context->check(context->api().memsetD8Async(at, value, bytes, target()),
                                   "filling " + std::to_string(bytes) + " bytes"));
}

//===--- Launches ---===//

Status CudaStream::launch(const LaunchArguments &arguments) {
  if (arguments.grid.isEmpty())
    return {};
  auto &function = static_cast<CudaFunction &>(*arguments.function);
  const uint64_t blocks = arguments.grid.blocks().value_or(0);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  CUPOLA_TRY(recordedAs(function.queue(arguments, target(), room)));
  room.follows = !decides(); // in the body of a node each launch waits for the one before
  if (recording) {
    if (!decides()) // how often it runs is known to the device alone
      recorded.push_back({function.counter, blocks});
    return {};
  }
  function.counter->add(blocks);
  if (!waitAfterLaunch)
    return {};
  return context->check(context->api().streamSynchronize(stream),
                        function.what() + " at step " + std::to_string(arguments.step));
}

Status CudaStream::synchronize() {
  CUPOLA_TRY(notRecording("waiting"));
  const ContextScope scope(*context);
  if (!scope.mayRelease())
    return scope.status();
  // In any case: after an error, too, the caller relies on transfers having left its memory.
  const CuResult code = context->api().streamSynchronize(stream);
  CUPOLA_TRY(scope.status());
  return context->check(code, "waiting for the device");
}

//===--- Events ---===//

Result<std::unique_ptr<Event>> CudaStream::makeEvent(unsigned flags) {
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  CuEvent made = nullptr;
  CUPOLA_TRY(context->check(context->api().eventCreate(&made, flags), "making an event"));
  return std::unique_ptr<Event>(std::make_unique<CudaEvent>(context, made));
}

Status CudaStream::record(Event &event) {
  CUPOLA_TRY(notRecording("an event"));
  room.follows = false; // a run ends with one
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  return context->check(context->api().eventRecord(static_cast<CudaEvent &>(event).event, stream),
                        "recording an event");
}

Status CudaEvent::wait() {
  const ContextScope scope(*context);
  if (!scope.mayRelease())
    return scope.status();
  const CuResult code = context->api().eventSynchronize(event); // in any case, as `synchronize`
  CUPOLA_TRY(scope.status());
  return context->check(code, "waiting for the device");
}

Result<double> CudaEvent::millisecondsSince(const Event &earlier) const {
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  float milliseconds = 0;
  const CuEvent from = static_cast<const CudaEvent &>(earlier).event;
  CUPOLA_TRY(context->check(context->api().eventElapsedTime(&milliseconds, from, event), "reading a time"));
  return static_cast<double>(milliseconds);
}

CudaEvent::~CudaEvent() {
  const ContextScope scope(*context);
  if (scope.mayRelease())
    context->api().eventDestroy(event);
}

//===--- Recording ---===//

Status CudaStream::recordedAs(Status status) {
  if (recording && broken.isOk())
    broken = status;
  return status;
}

bool CudaStream::canRecord() const {
  // Waiting after each launch and recording exclude each other.
  return stream != legacyStream() && !waitAfterLaunch;
}

Status CudaStream::beginRecording() {
  CUPOLA_TRY(notRecording("a second recording"));
  if (!canRecord())
    return Status::unsupported("this stream cannot record");
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  CUPOLA_TRY(context->check(context->api().streamBeginCapture(stream, cuCaptureThreadLocal), "beginning a CUDA graph"));
  recording = true;
  broken = Status();
  recorded.clear();
  room.follows = false;
  return {};
}

Status CudaStream::prepareConditionals(size_t depth) {
  CUPOLA_TRY(notRecording("preparing"));
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  if (!conditionals) {
    CUPOLA_ASSIGN(conditionals, ConditionalNodes::create(context));
  }
  return conditionals->makeRoom(depth);
}

Status CudaStream::beginConditional(const Condition &condition, bool repeats) {
  if (!recording || !conditionals)
    return Status::usage("the stream does not record conditionals");
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  room.follows = false;
  return recordedAs(conditionals->begin(target(), condition, repeats));
}

Status CudaStream::endConditional(const Condition &again) {
  if (!recording || !conditionals)
    return Status::usage("the stream does not record conditionals");
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  room.follows = false;
  return recordedAs(conditionals->end(again));
}

Result<std::unique_ptr<Recording>> CudaStream::endRecording() {
  if (!recording)
    return Status::usage("the stream does not record");
  recording = false;
  const ContextScope scope(*context);
  if (!scope.mayRelease())
    return scope.status();
  if (conditionals)
    conditionals->abandon();
  const DriverApi &api = context->api();
  CuGraph graph = nullptr;
  CuGraphExec executable = nullptr;
  Status status = scope.status().isOk() ? broken : scope.status();
  const CuResult ended = api.streamEndCapture(stream, &graph); // in any case: else the stream stays in capture
  if (status.isOk())
    status = context->check(ended, "ending a CUDA graph");
  if (status.isOk())
    status = context->check(api.graphInstantiateWithFlags(&executable, graph, 0), "instantiating a CUDA graph");
  const bool isKept = status.isOk() && conditionals;
  if (graph && !isKept)
    api.graphDestroy(graph);
  if (status.failed())
    return status;
  auto result = std::make_unique<CudaRecording>(context, executable);
  result->conditionals = conditionals;
  result->handles = isKept ? graph : nullptr;
  result->counters = counters;
  result->launches = std::move(recorded);
  recorded.clear();
  return std::unique_ptr<Recording>(std::move(result));
}

Status CudaStream::replay(Recording &recordingOf) {
  CUPOLA_TRY(notRecording("a replay"));
  auto &graph = static_cast<CudaRecording &>(recordingOf);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  CUPOLA_TRY(context->check(context->api().graphLaunch(graph.graph, stream), "launching a CUDA graph"));
  for (const auto &[counter, blocks] : graph.launches)
    counter->add(blocks);
  return {};
}

CudaRecording::~CudaRecording() {
  const ContextScope scope(*context);
  if (!scope.mayRelease())
    return;
  context->api().graphExecDestroy(graph);
  if (handles)
    context->api().graphDestroy(handles);
}

} // namespace cupola::runtime::cuda
