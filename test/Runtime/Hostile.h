//===- test/Runtime/Hostile.h - Packages that break a rule ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_HOSTILE_H
#define CUPOLA_TEST_RUNTIME_HOSTILE_H

#include "test/Runtime/TestPackage.h"

#include <gtest/gtest.h>

namespace cupola::test {

/// Readers refuse `package` once `change` was made to the program of a variant.
template <typename Change>
void expectRefused(format::Package package, Change change, const std::string &text, size_t variant = 0) {
  change(package.variants[variant].program);
  const Status status = format::writePackageToMemory(package, packageWeights()).status();
  EXPECT_EQ(status.code(), Code::Package) << text;
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message() << " instead of " << text;
}

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_HOSTILE_H
