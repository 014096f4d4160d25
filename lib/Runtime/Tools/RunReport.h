//===- lib/Runtime/Tools/RunReport.h - What the command line says about a run ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_RUNREPORT_H
#define CUPOLA_LIB_RUNTIME_TOOLS_RUNREPORT_H

#include "lib/Runtime/Tools/Inputs.h"
#include "lib/Runtime/Tools/Latency.h"
#include "lib/Runtime/Tools/Profile.h"

#include <string>

namespace cupola::runtime {

struct RunReport {
  uint64_t iterations = 1;
  Latency latency;
  const Session *session = nullptr;
  const std::vector<HostTensor> *outputs = nullptr;
  Profile profile;
  double queued = 0; ///< milliseconds of a run behind others (measureQueued); 0: not measured
};

/// For people: device, a line per output with its first values, times; a line per step, the slowest first.
std::string reportText(const RunReport &report);
/// Schema "cupola-run/1": device, variant, steps, iterations, latency_ms, memory, peak_rss_bytes, outputs, per kernel
/// what the device counted over all runs, and the times of steps.
std::string reportJson(const RunReport &report);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_RUNREPORT_H
