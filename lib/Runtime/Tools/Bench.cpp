//===- lib/Runtime/Tools/Bench.cpp - Runs an executable and says how it went ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Bench.h"
#include "lib/Runtime/Tools/DeviceTensors.h"
#include "lib/Runtime/Tools/Metrics.h"
#include "lib/Runtime/Tools/RunReport.h"
#include "lib/Runtime/Tools/Trace.h"

namespace cupola::runtime {

Result<Bench> bench(const std::shared_ptr<const Executable> &executable, const BenchOptions &options) {
  if (options.iterations == 0)
    return Status::usage("0 runs are to be measured, expected at least one");
  const format::Package &package = executable->package();
  CUPOLA_ASSIGN(auto inputs, makeInputs(package, executable->parsedInterface(), options.inputs));
  CUPOLA_ASSIGN(auto session, Session::create(executable, {}));
  CUPOLA_TRY(bindTo(*session, inputs));
  CUPOLA_ASSIGN(auto outputs, makeOutputs(*session));
  executable->device().resetStatistics(); // the init steps are not of the run
  std::vector<TensorRef> in = inputRefs(package, inputs, outputs), out = refsOf(outputs);
  DeviceTensors own;
  if (options.deviceTensors) {
    CUPOLA_ASSIGN(own, DeviceTensors::create(executable->device(), in, out));
    in = own.inputs();
    out = own.outputs();
  }
  CUPOLA_ASSIGN(auto latency, measure(*session, in, out, options.warmup, options.iterations));
  RunReport report{options.iterations, latency, session.get(), &outputs, {}};
  if (options.deviceTensors) {
    CUPOLA_ASSIGN(report.queued, measureQueued(*session, in, out, options.iterations));
    CUPOLA_TRY(own.download());
  }
  if (options.profile) {
    CUPOLA_ASSIGN(auto steps, profile(*session, in, out, options.iterations));
    report.profile = std::move(steps);
  }
  Report traced;
  if (options.trace) {
    CUPOLA_ASSIGN(traced, traceRun(*session, in, out));
  }
  CUPOLA_TRY(fetchOutputs(*session, outputs));
  Report told{reportText(report), reportJson(report)};
  return Bench{std::move(told), std::move(traced), metricsOf(*session, options.name), std::move(outputs)};
}

} // namespace cupola::runtime
