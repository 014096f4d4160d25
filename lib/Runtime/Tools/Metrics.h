//===- lib/Runtime/Tools/Metrics.h - What a session did so far, for monitoring ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_METRICS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_METRICS_H

#include "lib/Runtime/Session.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::runtime {

/// A snapshot of counters: the text is Prometheus's exposition format, the JSON cupola.metrics/1 (docs/schemas.md). On
/// any thread, while the session runs on another. `name` becomes the label `model`, as printable ASCII; "": there is
/// none.
Report metricsOf(const Session &session, std::string_view name);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_METRICS_H
