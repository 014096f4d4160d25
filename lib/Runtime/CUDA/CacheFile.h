//===- lib/Runtime/CUDA/CacheFile.h - a file on its way into a cache ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CACHEFILE_H
#define CUPOLA_LIB_RUNTIME_CUDA_CACHEFILE_H

#include "lib/Runtime/Format/Descriptor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cupola::runtime {

/// Gets its name when all of it is there: a reader sees all or none, and a writer that is killed leaves none, or, where
/// the file system has no files without a name, one that goes later. One thread at a time.
class CacheFile {
public:
  /// `folder` outlives it.
  CacheFile(int folder, std::string name);
  CacheFile(const CacheFile &) = delete;
  ~CacheFile();

  /// No effect once something has failed.
  void write(uint64_t offset, std::string_view bytes);
  /// Waits until the disk has what was written.
  void sync();
  /// Gives it its name; another process may have made the same entry meanwhile, which is as good. What the system
  /// refused, now or before, or an empty text.
  std::string commit();

  const std::string &name() const { return entryName; }
  uint64_t bytes() const { return end; }

private:
  bool giveName();
  void note(bool works);

  const int folder;
  const std::string entryName;
  std::string temporary; ///< empty: it has no name
  format::Descriptor file;
  uint64_t end = 0;
  std::string problem;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CUDA_CACHEFILE_H
