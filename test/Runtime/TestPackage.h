//===- test/Runtime/TestPackage.h - A small package made by hand ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_TESTPACKAGE_H
#define CUPOLA_TEST_RUNTIME_TESTPACKAGE_H

#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/Format/PackageWriter.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cupola::test {

/// The value; without one the test ends here, failed (GoogleTest catches it).
template <typename T> T need(Result<T> result) {
  if (result.failed())
    throw std::runtime_error(result.status().message());
  return result.take();
}

/// y = 2 * (x + 3 * w[ids]) over x, y: f32[s0, 4], ids: i64[s0], w: f32[3, 4]
/// with w[r, c] = 4 * r + c; 3 * w is computed by an init step. s0 is 1..1000.
/// Variants: cpu x86-64-v2 (TestKernels.c), cuda sm_75 and sm_80.
format::Package makePackage();
/// The same with the device headers that its CUDA sources include.
format::Package makeRunnablePackage();
/// The device headers that its CUDA sources include.
std::vector<format::Source> runnableHeaders();
/// All cpu kernels of TestKernels.c, and their text in CUDA.
std::string cpuImage();
std::string cudaSource();
/// The values of its weight.
format::WeightSource packageWeights();
/// Written and read back.
std::shared_ptr<const format::PackageFile> loadPackage(const format::Package &package);
std::string packageBytes(const format::Package &package);

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_TESTPACKAGE_H
