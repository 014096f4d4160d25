//===- lib/Runtime/CUDA/CudaStream.h - work in order on a GPU, direct or recorded as a graph ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUDASTREAM_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUDASTREAM_H

#include "lib/Runtime/CUDA/ConditionalNodes.h"
#include "lib/Runtime/CUDA/CudaFunction.h"
#include "lib/Runtime/CUDA/PinnedRing.h"

namespace cupola::runtime::cuda {

/// A CUDA graph, instantiated.
class CudaRecording : public Recording {
public:
  CudaRecording(std::shared_ptr<CudaContext> context, CuGraphExec graph) : context(std::move(context)), graph(graph) {}
  ~CudaRecording() override;

  std::shared_ptr<CudaContext> context;
  CuGraphExec graph;
  std::shared_ptr<LaunchCounters> counters;                   ///< keeps what `launches` points to
  std::vector<std::pair<LaunchCounter *, uint64_t>> launches; ///< those in conditional nodes are not counted
  std::shared_ptr<ConditionalNodes> conditionals;             ///< keeps the kernel that decides
  CuGraph handles = nullptr;                                  ///< keeps the handles of conditional nodes; may be null
};

class CudaEvent : public Event {
public:
  CudaEvent(std::shared_ptr<CudaContext> context, CuEvent event) : context(std::move(context)), event(event) {}
  ~CudaEvent() override;
  Status wait() override;
  Result<double> millisecondsSince(const Event &earlier) const override;

  std::shared_ptr<CudaContext> context;
  CuEvent event;
};

class CudaStream : public Stream {
public:
  /// `native`: the caller's CUstream, or null for one of our own. `waitAfterLaunch`: find out at each launch whether it
  /// worked, so that an error names the kernel that made it.
  static Result<std::unique_ptr<Stream>> create(const std::shared_ptr<CudaContext> &context,
                                                std::shared_ptr<LaunchCounters> counters, void *native,
                                                bool waitAfterLaunch);
  ~CudaStream() override;

  Status upload(DeviceAddress target, const void *source, uint64_t bytes) override;
  Status download(void *target, DeviceAddress source, uint64_t bytes) override;
  Status copy(DeviceAddress target, DeviceAddress source, uint64_t bytes) override;
  Status fill(DeviceAddress target, uint8_t value, uint64_t bytes) override;
  Status launch(const LaunchArguments &arguments) override;
  Status synchronize() override;
  Result<std::unique_ptr<Event>> createEvent() override { return makeEvent(cuEventDisableTiming); }
  Result<std::unique_ptr<Event>> createTimedEvent() override { return makeEvent(0); }
  Status record(Event &event) override;

  bool canRecord() const override;
  Status beginRecording() override;
  Status prepareConditionals(size_t depth) override;
  Status beginConditional(const Condition &condition, bool repeats) override;
  Status endConditional(const Condition &again) override;
  Result<std::unique_ptr<Recording>> endRecording() override;
  Status replay(Recording &recording) override;

private:
  CudaStream(std::shared_ptr<CudaContext> context, std::shared_ptr<LaunchCounters> counters);
  Status notRecording(const char *what) const;
  /// Where work goes: to the innermost conditional node that is open, if there is one.
  CuStream target() const { return conditionals && conditionals->isOpen() ? conditionals->body() : stream; }
  bool decides() const { return target() != stream; }
  /// Of a call that records: one that failed ends the recording.
  Status recordedAs(Status status);
  Result<std::unique_ptr<Event>> makeEvent(unsigned flags);

  std::shared_ptr<CudaContext> context;
  std::shared_ptr<LaunchCounters> counters;
  PinnedRing ring;
  CuStream stream = nullptr;
  bool owned = false, waitAfterLaunch = false, recording = false;
  Status broken; ///< what failed first in the recording
  LaunchRoom room;
  std::vector<std::pair<LaunchCounter *, uint64_t>> recorded;
  std::shared_ptr<ConditionalNodes> conditionals; ///< null until they are prepared
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUDASTREAM_H
