//===- test/Sim/PlantedClusterBugs.h - Kernels with one fault each, of sm_90a ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_SIM_PLANTEDCLUSTERBUGS_H
#define CUPOLA_TEST_SIM_PLANTEDCLUSTERBUGS_H

#include <string>
#include <vector>

namespace cupola::test {

/// A kernel with one fault. Buffers: 0: 64 x 64 f16 to read, 1: 256 f32 to write, 2: 64 x 64 f16 to read and write. The
/// maps take all of each of these (of buffer 1 64 x 4 f32) as one box of rows of 128 bytes, swizzled.
struct PlantedBug {
  const char *name;
  int threads, cluster; ///< with clusters two blocks, else one
  bool ready;           ///< `bar` expects one arrival a phase; thread 0 of each block may copy
  std::string body;
  std::vector<const char *> said;
  bool programmatic = false;
};

/// Brings `in` to `s`.
inline const std::string kBring =
    "  if (t == 0) {\n    mbarrier_expect(bar, 8192);\n    tensor_copy(s, a, {0, 0}, bar);\n  }\n";
inline const std::string kBrought = kBring + "  mbarrier_wait(bar, 0);\n";
/// Faults with wgmma, registers and launches that overlap.
std::vector<PlantedBug> plantedWgmmaBugs();

} // namespace cupola::test

#endif
