//===- test/Runtime/CUDA/EveryCall.h - a session under a driver of which every call fails in turn ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_EVERYCALL_H
#define CUPOLA_TEST_RUNTIME_CUDA_EVERYCALL_H

#include "lib/Runtime/Session.h"
#include "test/Runtime/CUDA/FakePackageKernels.h"

namespace cupola::runtime::cuda {

/// Runs with every driver call failing in turn, then again with none.
/// `makeDriver` gives the driver, anew each time. `reported`: the share of failures that are errors, at least; where a
/// recording of branches fails, for one, the host decides instead.
template <typename Run, typename Fake = std::unique_ptr<FakeDriver> (*)()>
void everyCallFails(CuResult code, uint64_t least, const std::shared_ptr<const format::PackageFile> &file, Run run,
                    Fake makeDriver = fakeWithKernels, double reported = 0.5) {
  uint64_t seen = 0;
  for (uint64_t failAt = 1;; ++failAt) {
    auto fake = makeDriver();
    fake->failAt = failAt;
    fake->failCode = code;
    const Status status = run(file);
    const std::string when = "call " + std::to_string(failAt);
    if (fake->calls < failAt) {
      EXPECT_TRUE(status.isOk()) << status.message();
      EXPECT_GT(failAt, least);
      EXPECT_GT(double(seen), reported * double(failAt)) << "so many failures must be reported";
      return;
    }
    SCOPED_TRACE(when + ", " + fake->log[failAt - 1]);
    seen += status.failed();
    EXPECT_EQ(status.code(), status.failed() ? Code::Environment : Code::Ok) << status.message();
    expectClean(*fake, when);
    fake->failAt = 0;
    fake->lost = cuSuccess;
    const Status again = run(file);
    EXPECT_TRUE(again.isOk()) << again.message();
    expectClean(*fake, when + ", then a second attempt");
  }
}

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_EVERYCALL_H
