//===- lib/Runtime/Bindings.cpp - Flag block and bindings tables on a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/Text.h"

#include <cstring>

namespace cupola::runtime {

//===--- Host memory ---===//

Status HostBlock::allocate(Device &device, uint64_t bytes) {
  release();
  CUPOLA_ASSIGN(void *made, device.allocateHost(bytes));
  owner = &device;
  memory = static_cast<char *>(made);
  std::memset(memory, 0, bytes);
  return Status::ok();
}

void HostBlock::release() {
  if (memory)
    owner->freeHost(memory);
  memory = nullptr;
}

//===--- Flags ---===//

Status Readback::allocate(Device &device) { return host.allocate(device, FlagBlock::kBytes + sizeof(uint64_t)); }

Status Readback::fetch(Stream &stream, const FlagBlock &flags) {
  return stream.download(host.data(), flags.address(), FlagBlock::kBytes);
}

std::optional<uint32_t> Readback::raisedBy() const {
  uint32_t word = 0;
  std::memcpy(&word, host.data(), sizeof(word));
  return word == 0 ? std::nullopt : std::optional<uint32_t>(word - 1);
}

Status Readback::read(Stream &stream, const FlagBlock &flags, DeviceAddress from, void *value, uint64_t bytes) {
  char *room = host.data() + FlagBlock::kBytes;
  CUPOLA_TRY(fetch(stream, flags));
  CUPOLA_TRY(stream.download(room, from, bytes));
  CUPOLA_TRY(stream.synchronize());
  std::memcpy(value, room, bytes);
  return Status::ok();
}

//===--- Tables ---===//

Status Bindings::allocate(Device &device, Stream &stream, size_t count, size_t maps, DeviceAddress flags) {
  firstMap = (count + 1 + kMapWords - 1) / kMapWords * kMapWords;
  words.assign(maps == 0 ? count + 1 : firstMap + maps * kMapWords, 0);
  words[0] = flags;
  for (std::unique_ptr<Event> &event : uploaded) {
    CUPOLA_ASSIGN(event, stream.createEvent());
  }
  CUPOLA_TRY(table.allocate(device, words.size() * sizeof(uint64_t)));
  return host.allocate(device, uploaded.size() * words.size() * sizeof(uint64_t));
}

void Bindings::setMap(size_t i, const TensorMapBytes &map) { std::memcpy(&words[mapSlot(i)], map.data(), map.size()); }

/// An upload may read host memory until it has happened, so that each has a copy of its own.
Status Bindings::upload(Stream &stream) {
  Event &event = *uploaded[next];
  CUPOLA_TRY(event.wait());
  const uint64_t bytes = words.size() * sizeof(uint64_t);
  char *copy = host.data() + next * bytes;
  next = (next + 1) % uploaded.size();
  std::memcpy(copy, words.data(), bytes);
  CUPOLA_TRY(stream.upload(table.address(), copy, bytes));
  return stream.record(event);
}

Status flagError(const format::Package &package, const format::Step *step, uint32_t number) {
  const std::string what = "an index lies outside the tensor it selects from";
  if (!step || step->nodes.empty())
    return Status::usage("step " + std::to_string(number) + ": " + what);
  return Status::usage(nodeList(package, step->nodes) + ": " + what);
}

} // namespace cupola::runtime
