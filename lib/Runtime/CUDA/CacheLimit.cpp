//===- lib/Runtime/CUDA/CacheLimit.cpp - what the entries of a cache may take together ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CacheLimit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace cupola::runtime {

static constexpr time_t staleSeconds = 3600;

CacheLimit::CacheLimit() {
  const char *given = std::getenv("CUPOLA_CACHE_LIMIT");
  uint64_t mebibytes = defaultMiB;
  if (given) {
    const char *end = given + std::strlen(given);
    uint64_t number = 0;
    const auto [stopped, error] = std::from_chars(given, end, number);
    if (error == std::errc() && stopped == end && number <= UINT64_MAX >> 20)
      mebibytes = number;
  }
  limit = mebibytes << 20;
}

namespace {

struct Entry {
  std::string name;
  uint64_t bytes;
  timespec used;
};

bool isOlder(const Entry &a, const Entry &b) {
  if (a.used.tv_sec != b.used.tv_sec)
    return a.used.tv_sec < b.used.tv_sec;
  return a.used.tv_nsec != b.used.tv_nsec ? a.used.tv_nsec < b.used.tv_nsec : a.name < b.name;
}

/// As of CacheKey::fileName. A folder that the user chose may hold anything else.
bool isEntryName(const char *name) {
  constexpr size_t digits = 64;
  return std::strspn(name, "0123456789abcdef") == digits && name[digits] == '.';
}

void forEachFile(int folder, const std::function<void(const char *name, const struct stat &info)> &use) {
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = copy >= 0 ? fdopendir(copy) : nullptr;
  if (!listing) {
    if (copy >= 0)
      close(copy);
    return;
  }
  while (const dirent *entry = readdir(listing)) {
    struct stat info;
    if (fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode))
      use(entry->d_name, info);
  }
  closedir(listing);
}

/// The entries. A process that was killed while it wrote leaves its temporary file behind, which goes.
std::vector<Entry> entriesOf(int folder) {
  std::vector<Entry> entries;
  const time_t now = std::time(nullptr);
  forEachFile(folder, [&](const char *name, const struct stat &info) {
    if (isEntryName(name))
      entries.push_back({name, static_cast<uint64_t>(info.st_size), info.st_mtim});
    else if (std::strncmp(name, CacheLimit::temporaryPrefix, std::strlen(CacheLimit::temporaryPrefix)) == 0 &&
             info.st_mtime + staleSeconds < now)
      unlinkat(folder, name, 0);
  });
  return entries;
}

} // namespace

void CacheLimit::hold(int folder, const std::string &name, uint64_t bytes) {
  const std::lock_guard lock(mutex);
  used += bytes;
  if (isCounted && (limit == 0 || used <= limit))
    return;
  std::vector<Entry> entries = entriesOf(folder);
  isCounted = true;
  used = 0;
  for (const Entry &entry : entries)
    used += entry.bytes;
  if (limit == 0 || used <= limit)
    return;
  // Some room more, or the next entry would ask again.
  std::sort(entries.begin(), entries.end(), isOlder);
  for (const Entry &entry : entries) {
    if (used <= limit - limit / 8)
      return;
    if (entry.name != name && unlinkat(folder, entry.name.c_str(), 0) == 0)
      used -= entry.bytes;
  }
}

} // namespace cupola::runtime
