//===- lib/Runtime/Format/Descriptor.h - File descriptors: owned, read and written whole ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_DESCRIPTOR_H
#define CUPOLA_LIB_RUNTIME_FORMAT_DESCRIPTOR_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace cupola::format {

/// Owns an open file descriptor, or none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() { close(); }
  void close();

  int get() const { return number; }
  explicit operator bool() const { return number >= 0; }
  /// A name of the open file, in this process.
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }

private:
  int number;
};

/// `bytes` bytes from `offset` on, whatever signals come between. How many there were: where it is fewer, errno says
/// why, 0 that the file ends.
size_t readAt(int descriptor, void *target, size_t bytes, uint64_t offset);
/// A file in memory, whole; empty where that does not work.
std::string contentsOf(int descriptor);

/// All of `bytes`, where the descriptor stands, or at `offset`. False where that does not work, with errno.
bool writeAll(int descriptor, std::string_view bytes);
bool writeAt(int descriptor, std::string_view bytes, uint64_t offset);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_DESCRIPTOR_H
