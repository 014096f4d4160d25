//===- test/Sim/ExpectFinding.h - kernels with a planted bug ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_SIM_EXPECTFINDING_H
#define CUPOLA_TEST_SIM_EXPECTFINDING_H

#include "test/Sim/KernelRunner.h"

#include <gtest/gtest.h>

namespace cupola::test {

/// The simulator ends the run with a finding in every order of threads; in the fixed one its text has all parts of
/// `said`.
template <class Parts> void expectFinding(const KernelRun &run, const std::string &arch, const Parts &said) {
  for (uint64_t seed : {0, 7}) {
    const KernelOutcome outcome = runKernel(*makeSimulator(arch, seed), run);
    ASSERT_EQ(outcome.status.code(), Code::Finding) << "seed " << seed << ": " << outcome.status.message();
    if (seed != 0)
      continue; // another order may name other threads
    for (const char *part : said)
      EXPECT_NE(outcome.status.message().find(part), std::string::npos)
          << "expected: " << part << "\nfound: " << outcome.status.message();
  }
}

} // namespace cupola::test

#endif // CUPOLA_TEST_SIM_EXPECTFINDING_H
