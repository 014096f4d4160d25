//===- lib/Runtime/CUDA/DynamicLibrary.h - a library opened by dlopen, and where to look for CUDA's ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_DYNAMICLIBRARY_H
#define CUPOLA_LIB_RUNTIME_CUDA_DYNAMICLIBRARY_H

#include <string>
#include <vector>

namespace cupola::runtime::cuda {

/// A shared library in this process. It stays loaded until the process ends: the CUDA libraries register exit handlers
/// and per-thread state of their own, so closing them is not safe.
class DynamicLibrary {
public:
  /// Opens the first of `candidates` (absolute paths, or bare names for the loader's own search) that loads.
  /// Returns false when none does. Each failed candidate adds a line "  PATH: REASON" to `tried` (no newline at the
  /// end).
  bool openFirst(const std::vector<std::string> &candidates, std::string &tried);

  /// The address of a symbol, or nullptr.
  void *symbol(const char *name) const;

  /// The candidate that was opened.
  const std::string &path() const { return openedPath; }

private:
  void *handle = nullptr;
  std::string openedPath;
};

/// Where a library of the CUDA toolkit may be, best place first: $CUPOLA_CUDA_HOME (when set, nothing else is searched:
/// who names a place wants that place), NVIDIA's Python packages beside this library, the loader's own search (run
/// path, LD_LIBRARY_PATH, system), /usr/local/cuda. `stem` is "libnvrtc.so" and the like; within a place the majors are
/// tried in the order given.
std::vector<std::string> cudaLibraryCandidates(const std::string &stem, const std::vector<int> &majors);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_DYNAMICLIBRARY_H
