//===- lib/Runtime/DynamicLibrary.h - a library opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_DYNAMICLIBRARY_H
#define CUPOLA_LIB_RUNTIME_DYNAMICLIBRARY_H

#include <string>
#include <vector>

namespace cupola::runtime {

/// A shared library in this process. It stays loaded until the process ends: such libraries register exit handlers
/// and per-thread state of their own, so closing them is not safe.
class DynamicLibrary {
public:
  /// Opens the first of `candidates` (absolute paths, or bare names for the loader's own search) that loads.
  /// Returns false when none does. Each failed candidate adds a line "  PATH: REASON" to `tried` (no newline at the
  /// end).
  bool openFirst(const std::vector<std::string> &candidates, std::string &tried);

  /// The address of a symbol, or nullptr.
  void *symbol(const char *name) const;

  /// Where the one that was opened lies.
  const std::string &path() const { return openedPath; }

private:
  void *handle = nullptr;
  std::string openedPath;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_DYNAMICLIBRARY_H
