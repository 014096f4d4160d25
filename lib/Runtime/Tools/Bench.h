//===- lib/Runtime/Tools/Bench.h - Runs an executable and says how it went ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_BENCH_H
#define CUPOLA_LIB_RUNTIME_TOOLS_BENCH_H

#include "lib/Runtime/Tools/Inputs.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::runtime {

struct BenchOptions {
  InputOptions inputs;
  uint64_t warmup = 0, iterations = 1; ///< runs before the measured ones, and those, at least one
  bool profile = false;                ///< also time every step, in as many runs of their own
  bool trace = false;                  ///< also trace one run
  std::string name = {};               ///< of the model, for metrics
  /// Inputs and outputs lie in the device's memory, as those of programs that embed the runtime: no copies are timed,
  /// and runs are timed in a queue, too.
  bool deviceTensors = false;
};

/// BenchOptions::deviceTensors in words, for --help.
inline constexpr const char *kDeviceTensorsHelp =
    "Inputs and outputs lie in the device's memory, as those of programs that embed the runtime: no copies are timed; "
    "also times runs that are queued one behind the other";

struct Bench {
  Report report;  ///< RunReport.h
  Report trace;   ///< Trace.h; empty: not asked for
  Report metrics; ///< Metrics.h, of the runs but those that are traced or timed by step
  std::vector<HostTensor> outputs;
};

/// In a session of its own.
Result<Bench> bench(const std::shared_ptr<const Executable> &executable, const BenchOptions &options);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_BENCH_H
