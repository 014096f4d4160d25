//===- lib/Runtime/Format/Descriptor.cpp - File descriptors: owned, read and written whole ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Descriptor.h"

#include <cerrno>
#include <unistd.h>

namespace cupola::format {

/// Calls step(done) until all bytes are through, or one call moves none.
template <typename Step> static size_t transfer(size_t bytes, Step step) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t count = step(done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count == 0)
      errno = 0;
    if (count <= 0)
      break;
    done += static_cast<size_t>(count);
  }
  return done;
}

void Descriptor::close() {
  if (number >= 0)
    ::close(std::exchange(number, -1));
}

size_t readAt(int descriptor, void *target, size_t bytes, uint64_t offset) {
  return transfer(bytes, [&](size_t done) {
    return ::pread(descriptor, static_cast<char *>(target) + done, bytes - done, static_cast<off_t>(offset + done));
  });
}

std::string contentsOf(int descriptor) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  std::string bytes(size > 0 ? static_cast<size_t>(size) : 0, '\0');
  return readAt(descriptor, bytes.data(), bytes.size(), 0) == bytes.size() ? bytes : std::string();
}

bool writeAll(int descriptor, std::string_view bytes) {
  return transfer(bytes.size(), [&](size_t done) {
           return ::write(descriptor, bytes.data() + done, bytes.size() - done);
         }) == bytes.size();
}

bool writeAt(int descriptor, std::string_view bytes, uint64_t offset) {
  return transfer(bytes.size(), [&](size_t done) {
           return ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
         }) == bytes.size();
}

} // namespace cupola::format
