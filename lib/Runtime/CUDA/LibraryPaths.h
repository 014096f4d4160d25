//===- lib/Runtime/CUDA/LibraryPaths.h - where to look for CUDA's libraries ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_LIBRARYPATHS_H
#define CUPOLA_LIB_RUNTIME_CUDA_LIBRARYPATHS_H

#include <string>
#include <vector>

namespace cupola::runtime::cuda {

/// Where a library of the CUDA toolkit may be, best place first: $CUPOLA_CUDA_HOME (when set, nothing else is searched:
/// who names a place wants that place), NVIDIA's Python packages beside this library, the loader's own search (run
/// path, LD_LIBRARY_PATH, system), /usr/local/cuda. `stem` is "libnvrtc.so" and the like; within a place the majors are
/// tried in the order given.
std::vector<std::string> cudaLibraryCandidates(const std::string &stem, const std::vector<int> &majors);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_LIBRARYPATHS_H
