//===- lib/Runtime/Bindings.cpp - Flag block and bindings tables on a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/Text.h"

#include <cstring>

namespace cupola::runtime {

namespace {
constexpr uint64_t kFlagBytes = format::kFlagWords * sizeof(uint32_t);
/// Uploads of a table that may be under way at once: a loop changes it in every iteration.
constexpr size_t kMostCopies = 8;
} // namespace

//===--- Host memory ---===//

Status HostBlock::allocate(Device &device, uint64_t bytes) {
  release();
  Result<void *> made = device.allocateHost(bytes);
  if (made.failed())
    return made.status();
  owner = &device;
  memory = static_cast<char *>(*made);
  std::memset(memory, 0, bytes);
  return Status::ok();
}

void HostBlock::release() {
  if (memory)
    owner->freeHost(memory);
  memory = nullptr;
}

//===--- Flags ---===//

Status FlagBlock::allocate(Device &device) {
  CUPOLA_TRY(flags.allocate(device, kFlagBytes));
  return host.allocate(device, kFlagBytes + sizeof(uint64_t));
}

Status FlagBlock::clear(Stream &stream) { return stream.fill(flags.address(), 0, kFlagBytes); }

Status FlagBlock::fetch(Stream &stream) { return stream.download(host.data(), flags.address(), kFlagBytes); }

std::optional<uint32_t> FlagBlock::raisedBy() const {
  uint32_t word = 0;
  std::memcpy(&word, host.data(), sizeof(word));
  return word == 0 ? std::nullopt : std::optional<uint32_t>(word - 1);
}

Status FlagBlock::read(Stream &stream, DeviceAddress from, void *value, uint64_t bytes) {
  CUPOLA_TRY(fetch(stream));
  CUPOLA_TRY(stream.download(host.data() + kFlagBytes, from, bytes));
  CUPOLA_TRY(stream.synchronize());
  std::memcpy(value, host.data() + kFlagBytes, bytes);
  return Status::ok();
}

//===--- Tables ---===//

Status Bindings::allocate(Device &device, size_t count, DeviceAddress flags) {
  words.assign(count + 1, 0);
  words[0] = flags;
  CUPOLA_TRY(table.allocate(device, words.size() * sizeof(uint64_t)));
  return host.allocate(device, kMostCopies * words.size() * sizeof(uint64_t));
}

/// An upload may read host memory until the stream is synchronised, so that each takes a copy of its own.
Status Bindings::upload(Stream &stream) {
  if (copies == kMostCopies) {
    CUPOLA_TRY(stream.synchronize());
    copies = 0;
  }
  const uint64_t bytes = words.size() * sizeof(uint64_t);
  char *copy = host.data() + copies++ * bytes;
  std::memcpy(copy, words.data(), bytes);
  return stream.upload(table.address(), copy, bytes);
}

Status flagError(const format::Package &package, const format::Step *step, uint32_t number) {
  const std::string what = "an index lies outside the tensor it selects from";
  if (!step || step->nodes.empty())
    return Status::usage("step " + std::to_string(number) + ": " + what);
  return Status::usage(nodeList(package, step->nodes) + ": " + what);
}

} // namespace cupola::runtime
