//===- lib/Runtime/Tools/KernelClock.cpp - How long a kernel takes, for comparing schedules ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/KernelClock.h"
#include "lib/Runtime/DeviceMemory.h"
#include "lib/Runtime/Tools/Latency.h"

namespace cupola::runtime {

namespace {

constexpr size_t kFewestRuns = 3;

double countsOf(const std::vector<KernelStatistics> &kernels) {
  uint64_t sum = 0;
  for (const KernelStatistics &kernel : kernels)
    sum += kernel.sectors + kernel.sharedRequests + kernel.bankConflicts + 8 * kernel.barriers;
  return static_cast<double>(sum);
}

/// Whether a run came to its end.
Status unlessComplained(const Status &status) { return status.code() == Code::Usage ? Status() : status; }

/// Leaves nothing of a kernel's operands in the caches: within a model, weights come from memory, too.
class CacheFlush {
public:
  static Result<CacheFlush> create(Device &device) {
    CacheFlush self;
    CUPOLA_ASSIGN(self.stream, device.createStream(nullptr));
    CUPOLA_TRY(self.memory.allocate(device, bytes));
    return self;
  }
  Status operator()() {
    CUPOLA_TRY(stream->fill(memory.address(), 0, bytes));
    return stream->synchronize();
  }

private:
  static constexpr uint64_t bytes = uint64_t(256) << 20; ///< twice the largest second-level cache
  std::unique_ptr<Stream> stream;
  DeviceMemory memory;
};

Result<double> timeOnce(Session &session, CacheFlush &flush, const std::vector<TensorRef> &inputs,
                        const std::vector<TensorRef> &outputs) {
  RunTimes times;
  CUPOLA_TRY(flush());
  const Status status = session.runTimed(inputs, outputs, times);
  CUPOLA_TRY(times.steps.empty() ? status : unlessComplained(status));
  return 1e3 * times.steps.back().milliseconds();
}

Result<double> medianOfRuns(Session &session, const std::vector<TensorRef> &inputs,
                            const std::vector<TensorRef> &outputs, const ClockOptions &options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto isOver = [&] { return std::chrono::duration<double>(Clock::now() - start).count() > options.seconds; };
  CUPOLA_ASSIGN(CacheFlush flush, CacheFlush::create(session.executable().device()));
  CUPOLA_TRY(timeOnce(session, flush, inputs, outputs).status());
  std::vector<double> all;
  while (all.size() < kFewestRuns || (all.size() < options.runs && !isOver())) {
    CUPOLA_ASSIGN(const double time, timeOnce(session, flush, inputs, outputs));
    all.push_back(time);
  }
  return summarize(std::move(all)).median;
}

} // namespace

Result<double> timeLastStep(const std::shared_ptr<const Executable> &executable, const ClockOptions &options) {
  CUPOLA_ASSIGN(auto inputs, makeInputs(executable->package(), executable->parsedInterface(), options.inputs));
  CUPOLA_ASSIGN(auto session, Session::create(executable, {}));
  CUPOLA_TRY(bindTo(*session, inputs));
  CUPOLA_ASSIGN(auto outputs, makeOutputs(*session));
  const std::vector<TensorRef> in = inputRefs(executable->package(), inputs, outputs), out = refsOf(outputs);
  Device &device = executable->device();
  if (device.properties().name != "sim")
    return medianOfRuns(*session, in, out, options);
  device.resetStatistics();
  CUPOLA_TRY(unlessComplained(session->run(in, out)));
  return countsOf(device.statistics());
}

} // namespace cupola::runtime
