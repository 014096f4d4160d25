//===- lib/Runtime/Format/Parallel.h - independent pieces of work on several threads ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_PARALLEL_H
#define CUPOLA_LIB_RUNTIME_FORMAT_PARALLEL_H

#include <cstddef>
#include <functional>

namespace cupola {

/// Calls work(0) .. work(count - 1), once each and started in this order, on up to `threads` threads, the caller's
/// included; fewer where no more are to be had. Returns when all are done. When `work` throws, nothing more is started,
/// and the first exception is thrown here.
void parallelFor(size_t count, size_t threads, const std::function<void(size_t)> &work);

} // namespace cupola

#endif // CUPOLA_LIB_RUNTIME_FORMAT_PARALLEL_H
