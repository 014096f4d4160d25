//===- lib/Runtime/CUDA/CacheFile.cpp - a file on its way into a cache ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CacheFile.h"
#include "lib/Runtime/CUDA/CacheLimit.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace cupola::runtime {

/// Unlike any other name that this process or a concurrent one uses.
static std::string temporaryName(const std::string &entry) {
  static std::atomic<uint64_t> counter{0};
  return CacheLimit::temporaryPrefix + std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
         entry.substr(0, 16);
}

/// A file without a name goes with a process that is killed; where the file system has none, it has one.
CacheFile::CacheFile(int folder, std::string name)
    : folder(folder), entryName(std::move(name)), file(openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)) {
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    const std::string other = temporaryName(entryName);
    file =
        format::Descriptor(openat(folder, other.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file)
      temporary = other;
  }
  note(bool(file));
}

CacheFile::~CacheFile() {
  if (!temporary.empty())
    unlinkat(folder, temporary.c_str(), 0);
}

void CacheFile::note(bool works) {
  if (!works && problem.empty())
    problem = std::strerror(errno);
}

void CacheFile::write(uint64_t offset, std::string_view bytes) {
  end = std::max(end, offset + bytes.size());
  if (problem.empty())
    note(format::writeAt(file.get(), bytes, offset));
}

void CacheFile::sync() {
  if (problem.empty())
    note(fsync(file.get()) == 0);
}

bool CacheFile::giveName() {
  if (temporary.empty())
    return linkat(AT_FDCWD, file.path().c_str(), folder, entryName.c_str(), AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST;
  const bool done = renameat(folder, temporary.c_str(), folder, entryName.c_str()) == 0;
  if (done)
    temporary.clear();
  return done;
}

std::string CacheFile::commit() {
  if (problem.empty())
    note(giveName());
  return problem;
}

} // namespace cupola::runtime
