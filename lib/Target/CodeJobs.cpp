//===- lib/Target/CodeJobs.cpp - pieces of code on several threads ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Parallel.h"
#include "lib/Target/Target.h"

namespace cupola {

Status runJobs(llvm::MutableArrayRef<CodeJobs> jobs, const Workers &workers) {
  std::vector<std::function<Status()> *> pieces;
  for (CodeJobs &job : jobs)
    for (std::function<Status()> &piece : job.pieces)
      pieces.push_back(&piece);
  // Pieces behind a failure are left out, none before it is: so the first failure is the same
  // for any number of threads.
  std::vector<Status> results(pieces.size());
  std::atomic<size_t> firstFailed{pieces.size()};
  parallelFor(pieces.size(), workers.threads, [&](size_t i) {
    if (i > firstFailed)
      return;
    results[i] = pollCancel(workers.cancelled);
    if (results[i].isOk())
      results[i] = (*pieces[i])();
    size_t first = firstFailed;
    while (results[i].failed() && i < first && !firstFailed.compare_exchange_weak(first, i)) {
    }
  });
  if (firstFailed < pieces.size())
    return results[firstFailed];
  for (CodeJobs &job : jobs)
    CUPOLA_TRY(job.join());
  return {};
}

} // namespace cupola
