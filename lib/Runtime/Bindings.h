//===- lib/Runtime/Bindings.h - Flag block and bindings tables on a device ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The two small pieces of device memory that every kernel reads (see
// lib/Runtime/Format/Plan.h), with their host sides.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_BINDINGS_H
#define CUPOLA_LIB_RUNTIME_BINDINGS_H

#include "lib/Runtime/DeviceMemory.h"

#include <array>
#include <cstdint>
#include <memory>
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

/// The flags of all bodies. Runs on one stream share it: each clears it when it begins and
/// reads it when it ends.
class FlagBlock {
public:
  Status allocate(Device &device) { return flags.allocate(device, kBytes); }
  DeviceAddress address() const { return flags.address(); }

  /// Queues zeros for the flags.
  Status clear(Stream &stream) { return stream.fill(flags.address(), 0, kBytes); }

  static constexpr uint64_t kBytes = format::kFlagWords * sizeof(uint32_t);

private:
  DeviceMemory flags;
};

/// Flags, and single values, as the host reads them.
class Readback {
public:
  Status allocate(Device &device);

  /// Queues reading the flags; when that happened `raisedBy` is the last step that raised
  /// one, or nullopt.
  Status fetch(Stream &stream, const FlagBlock &flags);
  std::optional<uint32_t> raisedBy() const;
  /// Waits for all that is queued, then reads flags and a value of at most 8 bytes.
  Status read(Stream &stream, const FlagBlock &flags, DeviceAddress from, void *value, uint64_t bytes);

private:
  HostBlock host; ///< the flags, then room for the value
};

/// The table of one body.
class Bindings {
public:
  /// Makes room for `words` words after word 0, the address of the flags, and for `maps` tensor maps. `stream` is that
  /// of all uploads.
  Status allocate(Device &device, Stream &stream, size_t words, size_t maps, DeviceAddress flags);

  DeviceAddress address() const { return table.address(); }
  /// Word 1 + i of the table. The next `upload` brings a change over.
  void set(size_t i, uint64_t value) { words[1 + i] = value; }
  /// Tensor map i, likewise.
  void setMap(size_t i, const TensorMapBytes &map);
  /// The word that tensor map i begins at.
  uint32_t mapSlot(size_t i) const { return static_cast<uint32_t>(firstMap + i * kMapWords); }

  /// Queues the table as it is now. Waits only where as many uploads as there are copies are under
  /// way, and then for the oldest of these.
  Status upload(Stream &stream);

private:
  static constexpr size_t kMapWords = format::kTensorMapBytes / sizeof(uint64_t);

  DeviceMemory table;
  std::vector<uint64_t> words;
  size_t firstMap = 0;
  HostBlock host; ///< copies of the table, used in turn
  /// Recorded behind the upload of each copy. A loop uploads its table once per iteration, so that
  /// the copies belong to uploads, not to runs.
  std::array<std::unique_ptr<Event>, 8> uploaded;
  size_t next = 0;
};

/// The error of a step that raised a flag, naming its nodes; null: of one that does not exist.
Status flagError(const format::Package &package, const format::Step *step, uint32_t number);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BINDINGS_H
