//===- lib/Runtime/CUDA/CompileProcess.h - work that may have to be stopped ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_COMPILEPROCESS_H
#define CUPOLA_LIB_RUNTIME_CUDA_COMPILEPROCESS_H

#include "lib/Runtime/Status.h"

#include <functional>
#include <optional>
#include <string>

namespace cupola::runtime::cuda {

/// What `work` returns in a child process, or nothing when it took more than `seconds` of processor time (or ten times
/// that by the clock, so that a child that only waits ends, too). Code::Environment when the child was stopped by
/// anything else. The child is gone when the call returns, and when the caller is killed.
std::optional<Result<std::string>> runBounded(const std::function<Result<std::string>()> &work, unsigned seconds);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_COMPILEPROCESS_H
