//===- lib/Runtime/Bindings.cpp - Flag block and bindings table on a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/Text.h"

#include <cstring>

namespace cupola::runtime {

namespace {
constexpr uint64_t kFlagBytes = format::kFlagWords * sizeof(uint32_t);
} // namespace

void Bindings::releaseHost() {
  if (host)
    device->freeHost(host);
  host = nullptr;
}

Status Bindings::allocate(Device &on, size_t count) {
  releaseHost();
  device = &on;
  words = count + 1;
  CUPOLA_TRY(flags.allocate(on, kFlagBytes));
  CUPOLA_TRY(table.allocate(on, words * sizeof(uint64_t)));
  Result<void *> memory = on.allocateHost(words * sizeof(uint64_t) + kFlagBytes);
  if (memory.failed())
    return memory.status();
  host = static_cast<uint64_t *>(*memory);
  std::memset(host, 0, words * sizeof(uint64_t) + kFlagBytes);
  host[0] = flags.address();
  return Status::ok();
}

Status Bindings::upload(Stream &stream) { return stream.upload(table.address(), host, words * sizeof(uint64_t)); }

Status Bindings::clearFlags(Stream &stream) { return stream.fill(flags.address(), 0, kFlagBytes); }

Status Bindings::fetchFlags(Stream &stream) { return stream.download(host + words, flags.address(), kFlagBytes); }

std::optional<uint32_t> Bindings::raisedBy() const {
  uint32_t word = 0;
  std::memcpy(&word, host + words, sizeof(word));
  return word == 0 ? std::nullopt : std::optional<uint32_t>(word - 1);
}

Status flagError(const format::Package &package, const std::vector<format::Step> &steps, uint32_t step) {
  const std::string what = "an index lies outside the tensor it selects from";
  if (step >= steps.size() || steps[step].nodes.empty())
    return Status::usage("step " + std::to_string(step) + ": " + what);
  return Status::usage(nodeList(package, steps[step].nodes) + ": " + what);
}

} // namespace cupola::runtime
