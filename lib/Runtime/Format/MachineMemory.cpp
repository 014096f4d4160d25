//===- lib/Runtime/Format/MachineMemory.cpp - How much memory there is ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/MachineMemory.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace cupola::format {

namespace {

constexpr uint64_t kUnlimited = ~uint64_t(0);
constexpr uint64_t kTrusted = uint64_t(64) << 20;

uint64_t pages(int name) { return static_cast<uint64_t>(sysconf(name)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

/// The number in a file of one; kUnlimited where there is none ("max").
uint64_t numberIn(const std::string &path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? number : kUnlimited;
}

struct Group {
  uint64_t limit = kUnlimited, used = 0;
};

/// Of both versions of control groups; a container sees its own as the root.
Group controlGroup() {
  static constexpr const char *files[][2] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
  };
  for (const auto &[limit, used] : files)
    if (const uint64_t bytes = numberIn(limit); bytes != kUnlimited)
      return {bytes, std::min(numberIn(used), bytes)};
  return {};
}

/// MemAvailable; the free pages where the kernel does not tell.
uint64_t availableOnMachine() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    uint64_t kilobytes = 0;
    if (key == "MemAvailable:" && meminfo >> kilobytes)
      return kilobytes * 1024;
    meminfo.ignore(256, '\n');
  }
  return pages(_SC_AVPHYS_PAGES);
}

} // namespace

uint64_t totalMemory() { return std::min(pages(_SC_PHYS_PAGES), controlGroup().limit); }

uint64_t availableMemory() {
  const Group group = controlGroup();
  return std::min(availableOnMachine(), group.limit - group.used);
}

Status checkMemory(const std::string &what, uint64_t bytes) {
  if (bytes <= kTrusted)
    return Status::ok();
  const uint64_t available = availableMemory();
  if (bytes <= available)
    return Status::ok();
  return Status::environment(what + " takes " + std::to_string(bytes) + " bytes, " + std::to_string(available) +
                             " are available");
}

} // namespace cupola::format
