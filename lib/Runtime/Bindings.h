//===- lib/Runtime/Bindings.h - Flag block and bindings tables on a device ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The two small pieces of device memory that every kernel reads (see
// lib/Runtime/Format/Plan.h), with their host sides.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_BINDINGS_H
#define CUPOLA_LIB_RUNTIME_BINDINGS_H

#include "lib/Runtime/DeviceMemory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupola::runtime {

/// Host memory that transfers run fastest from, freed at the end.
class HostBlock {
public:
  ~HostBlock() { release(); }
  HostBlock() = default;
  HostBlock(const HostBlock &) = delete;
  HostBlock &operator=(const HostBlock &) = delete;

  /// All bytes zero.
  Status allocate(Device &device, uint64_t bytes);
  char *data() const { return memory; }

private:
  void release();

  Device *owner = nullptr;
  char *memory = nullptr;
};

/// The flags of all bodies, and single values that the host reads.
class FlagBlock {
public:
  Status allocate(Device &device);
  DeviceAddress address() const { return flags.address(); }

  /// Queues zeros for the flags.
  Status clear(Stream &stream);
  /// Queues reading the flags; after the stream is synchronised `raisedBy` is
  /// the last step that raised one, or nullopt.
  Status fetch(Stream &stream);
  std::optional<uint32_t> raisedBy() const;
  /// Waits for all that is queued, then reads flags and a value of at most 8 bytes.
  Status read(Stream &stream, DeviceAddress from, void *value, uint64_t bytes);

private:
  DeviceMemory flags;
  HostBlock host; ///< the flags, then room for the value
};

/// The table of one body.
class Bindings {
public:
  /// Makes room for `words` words after word 0, the address of the flags.
  Status allocate(Device &device, size_t words, DeviceAddress flags);

  DeviceAddress address() const { return table.address(); }
  /// Word 1 + i of the table. The next `upload` brings a change over.
  void set(size_t i, uint64_t value) { words[1 + i] = value; }

  /// Queues the table as it is now.
  Status upload(Stream &stream);

private:
  DeviceMemory table;
  std::vector<uint64_t> words;
  HostBlock host;    ///< copies under way
  size_t copies = 0; ///< queued since the stream was last waited for here
};

/// The error of a step that raised a flag, naming its nodes; null: of one that does not exist.
Status flagError(const format::Package &package, const format::Step *step, uint32_t number);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BINDINGS_H
