//===- test/Runtime/CUDA/Scratch.h - a folder and a variable that a test may change ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_SCRATCH_H
#define CUPOLA_TEST_RUNTIME_CUDA_SCRATCH_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>

/// An empty folder that goes with the object.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cupola-test-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      std::abort();
    folder = pattern;
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

/// An environment variable set, or unset (null), until the object goes.
class ScopedVariable {
public:
  ScopedVariable(const char *variable, const char *value) : name(variable) {
    if (const char *old = std::getenv(variable))
      before = old;
    set(value);
  }
  ScopedVariable(const ScopedVariable &) = delete;
  ~ScopedVariable() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) { value ? setenv(name, value, 1) : unsetenv(name); }
  const char *name;
  std::optional<std::string> before;
};

inline void failOnWarning(const std::string &text) { ADD_FAILURE() << "unexpected warning: " << text; }

#endif // CUPOLA_TEST_RUNTIME_CUDA_SCRATCH_H
