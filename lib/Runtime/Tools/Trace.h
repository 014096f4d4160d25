//===- lib/Runtime/Tools/Trace.h - One run, for a viewer of traces ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_TRACE_H
#define CUPOLA_LIB_RUNTIME_TOOLS_TRACE_H

#include "lib/Runtime/Session.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::runtime {

/// Runs once, step by step. The text has a line per step, the slowest first; the JSON is cupola.trace/1, the format of
/// Chrome's and Perfetto's trace viewers: what the host did in a lane, what the device did in another, each step with
/// its ONNX nodes, bytes and arithmetic. Texts of the model are printable ASCII in both, cut where they are long.
Result<Report> traceRun(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_TRACE_H
