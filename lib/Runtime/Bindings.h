//===- lib/Runtime/Bindings.h - Flag block and bindings table on a device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_BINDINGS_H
#define CUPOLA_LIB_RUNTIME_BINDINGS_H

#include "lib/Runtime/DeviceMemory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupola::runtime {

/// The two small pieces of device memory that every kernel reads (see
/// lib/Runtime/Format/Plan.h), with their host side.
class Bindings {
public:
  ~Bindings() { releaseHost(); }
  Bindings() = default;
  Bindings(const Bindings &) = delete;
  Bindings &operator=(const Bindings &) = delete;

  /// Makes room for `words` words after word 0.
  Status allocate(Device &device, size_t words);

  DeviceAddress address() const { return table.address(); }
  /// Word 1 + i of the table. The next `upload` brings a change over.
  void set(size_t i, uint64_t value) { host[1 + i] = value; }

  /// Queues the table.
  Status upload(Stream &stream);
  /// Queues zeros for the flags.
  Status clearFlags(Stream &stream);
  /// Queues reading the flags; after the stream is synchronised `raisedBy` is
  /// the last step that raised one, or nullopt.
  Status fetchFlags(Stream &stream);
  std::optional<uint32_t> raisedBy() const;

private:
  void releaseHost();

  Device *device = nullptr;
  DeviceMemory flags, table;
  uint64_t *host = nullptr; ///< the table, then room for the flags
  size_t words = 0;
};

/// The error of a step that raised a flag, naming its nodes.
Status flagError(const format::Package &package, const std::vector<format::Step> &steps, uint32_t step);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BINDINGS_H
