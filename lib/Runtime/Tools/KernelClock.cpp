//===- lib/Runtime/Tools/KernelClock.cpp - How long a kernel takes, for comparing schedules ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/KernelClock.h"
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

Result<double> timeOnce(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) {
  RunTimes times;
  const Status status = session.runTimed(inputs, outputs, times);
  CUPOLA_TRY(times.steps.empty() ? status : unlessComplained(status));
  return 1e3 * times.steps.back().milliseconds();
}

Result<double> medianOfRuns(Session &session, const std::vector<TensorRef> &inputs,
                            const std::vector<TensorRef> &outputs, const ClockOptions &options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto isOver = [&] { return std::chrono::duration<double>(Clock::now() - start).count() > options.seconds; };
  CUPOLA_TRY(timeOnce(session, inputs, outputs).status());
  std::vector<double> all;
  while (all.size() < kFewestRuns || (all.size() < options.runs && !isOver())) {
    CUPOLA_ASSIGN(const double time, timeOnce(session, inputs, outputs));
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
