//===- test/Runtime/Scratch.h - A folder that goes away with the test ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_SCRATCH_H
#define CUPOLA_TEST_RUNTIME_SCRATCH_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace cupola::test {

class Scratch {
public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cupola-test-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(folder); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  std::string path(const std::string &name) const { return folder + "/" + name; }
  size_t entries() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder))
      ++count;
    return count;
  }

private:
  std::string folder;
};

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_SCRATCH_H
