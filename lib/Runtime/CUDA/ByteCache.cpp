//===- lib/Runtime/CUDA/ByteCache.cpp - compiled code kept on disk, addressed by what it was made from ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/ByteCache.h"

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cupola::runtime {

//===--- Keys ---===//

CacheKey::CacheKey(std::string kindText) : kind(std::move(kindText)) { add(kind); }

CacheKey &CacheKey::add(std::string_view field) {
  add(uint64_t(field.size()));
  hash.update(field);
  return *this;
}

CacheKey &CacheKey::add(uint64_t field) {
  assert(!ended && "the key was ended");
  char bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = char(field >> (8 * i));
  hash.update(std::string_view(bytes, sizeof(bytes)));
  return *this;
}

const format::Digest &CacheKey::digest() const {
  if (!ended)
    result = hash.finish();
  ended = true;
  return *result;
}

std::string CacheKey::fileName() const { return format::hex(digest()) + "." + kind; }

//===--- Entries ---===//

/// An entry is this header, then the bytes. `hash` covers the key and the bytes, so that an entry under another entry's
/// name is found out.
struct EntryHeader {
  char magic[8];
  uint32_t version;
  uint32_t zero;
  uint64_t length;
  format::Digest hash;
};
static_assert(sizeof(EntryHeader) == 56, "no padding");

static constexpr char entryMagic[8] = {'C', 'U', 'P', 'O', 'L', 'A', 'C', 'E'};
static constexpr uint32_t entryVersion = 1;
static constexpr const char *temporaryPrefix = ".new-";
static constexpr time_t staleSeconds = 3600;

static EntryHeader makeHeader(const CacheKey &key, std::string_view bytes) {
  EntryHeader header = {};
  std::memcpy(header.magic, entryMagic, sizeof(entryMagic));
  header.version = entryVersion;
  header.length = bytes.size();
  format::Sha256 hash;
  hash.update(std::string_view(reinterpret_cast<const char *>(key.digest().data()), key.digest().size()));
  hash.update(bytes);
  header.hash = hash.finish();
  return header;
}

static std::string errorText() { return std::strerror(errno); }

/// Why a file or folder is not safe to execute code from, or an empty text.
static std::string distrust(const struct stat &info) {
  if (info.st_uid != geteuid())
    return "it belongs to user " + std::to_string(info.st_uid) + ", not to " + std::to_string(geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return "other users may write to it";
  return {};
}

//===--- The folder ---===//

std::string ByteCache::defaultFolder() {
  // The XDG rule: a relative path in the variable is ignored.
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/')
    return std::string(cache) + "/cupola";
  const char *home = std::getenv("HOME");
  if (home && home[0] == '/')
    return std::string(home) + "/.cache/cupola";
  return {};
}

/// Makes the folder and what is missing above it, all of it private.
static bool makeFolders(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && slash == std::string::npos)
      return false;
    if (slash == std::string::npos)
      return true;
  }
}

ByteCache::ByteCache(const std::string &folder, Warn callback) : warn(std::move(callback)) {
  if (folder == "none")
    return;
  folderPath = folder.empty() ? defaultFolder() : folder;
  if (folderPath.empty())
    report("no cache: neither XDG_CACHE_HOME nor HOME is set");
  else
    open();
  if (!enabled())
    folderPath.clear();
}

void ByteCache::open() {
  if (!makeFolders(folderPath))
    return report("no cache: cannot make '" + folderPath + "': " + errorText());
  format::Descriptor opened(::open(folderPath.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened)
    return report("no cache: cannot open '" + folderPath + "': " + errorText());
  struct stat info;
  std::string problem = fstat(opened.get(), &info) != 0 ? errorText() : distrust(info);
  if (!problem.empty())
    return report("no cache: '" + folderPath + "' is not safe to run code from: " + problem);
  directory = std::move(opened);
  removeStaleTemporaries();
}

/// A process that was killed while it wrote leaves its temporary file behind.
void ByteCache::removeStaleTemporaries() {
  const int copy = openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = copy >= 0 ? fdopendir(copy) : nullptr;
  if (!listing) {
    if (copy >= 0)
      close(copy);
    return;
  }
  const time_t now = std::time(nullptr);
  while (const dirent *entry = readdir(listing)) {
    struct stat info;
    if (std::strncmp(entry->d_name, temporaryPrefix, std::strlen(temporaryPrefix)) == 0 &&
        fstatat(directory.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_mtime + staleSeconds < now)
      unlinkat(directory.get(), entry->d_name, 0);
  }
  closedir(listing);
}

void ByteCache::report(const std::string &text) {
  std::lock_guard<std::mutex> lock(warnMutex);
  if (warn)
    warn(text);
}

//===--- Reading and writing ---===//

std::optional<std::string> ByteCache::read(const CacheKey &key, std::string &problem) {
  // Not through links, and never waiting for a writer of a pipe.
  const format::Descriptor file(
      openat(directory.get(), key.fileName().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) {
    if (errno != ENOENT)
      problem = errorText();
    return std::nullopt;
  }
  struct stat info;
  EntryHeader header = {};
  if (fstat(file.get(), &info) != 0)
    problem = errorText();
  else if (!S_ISREG(info.st_mode))
    problem = "it is not a plain file";
  else
    problem = distrust(info);
  if (problem.empty() && (size_t(info.st_size) < sizeof(header) ||
                          format::readAt(file.get(), &header, sizeof(header), 0) < sizeof(header)))
    problem = "it is cut short";
  if (!problem.empty())
    return std::nullopt;
  if (std::memcmp(header.magic, entryMagic, sizeof(entryMagic)) != 0 || header.version != entryVersion ||
      header.zero != 0 || header.length != uint64_t(info.st_size) - sizeof(header)) {
    problem = "its header is damaged or of another version";
    return std::nullopt;
  }
  std::string bytes(header.length, '\0');
  if (format::readAt(file.get(), bytes.data(), bytes.size(), sizeof(header)) < bytes.size())
    problem = "it is cut short";
  else if (makeHeader(key, bytes).hash != header.hash)
    problem = "its bytes do not match their SHA-256";
  if (!problem.empty())
    return std::nullopt;
  return bytes;
}

std::optional<std::string> ByteCache::get(const CacheKey &key) {
  if (!enabled())
    return std::nullopt;
  std::string problem;
  std::optional<std::string> bytes = read(key, problem);
  if (!problem.empty()) {
    report("cache entry '" + folderPath + "/" + key.fileName() + "' is not used: " + problem);
    unlinkat(directory.get(), key.fileName().c_str(), 0);
  }
  ++(bytes ? hitCount : missCount);
  return bytes;
}

/// Removes the file's name, if it has one still.
struct TemporaryName {
  const int folder;
  std::string name;
  ~TemporaryName() {
    if (!name.empty())
      unlinkat(folder, name.c_str(), 0);
  }
};

/// A file without a name, which goes with a process that is killed; where the file system has none, one with `name`.
static int openTemporary(int folder, TemporaryName &temporary, const std::string &name) {
  const int unnamed = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return unnamed;
  const int named = openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (named >= 0)
    temporary.name = name;
  return named;
}

/// Another process may have made the same entry meanwhile, which is as good.
static bool giveName(int folder, const format::Descriptor &file, TemporaryName &temporary, const std::string &name) {
  if (!temporary.name.empty()) {
    const bool done = renameat(folder, temporary.name.c_str(), folder, name.c_str()) == 0;
    if (done)
      temporary.name.clear();
    return done;
  }
  return linkat(AT_FDCWD, file.path().c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST;
}

std::string ByteCache::write(const CacheKey &key, std::string_view bytes) {
  const EntryHeader header = makeHeader(key, bytes);
  static std::atomic<uint64_t> counter{0};
  TemporaryName temporary{directory.get(), {}};
  const format::Descriptor file(openTemporary(directory.get(), temporary,
                                              temporaryPrefix + std::to_string(getpid()) + "-" +
                                                  std::to_string(counter++) + "-" + key.fileName().substr(0, 16)));
  // Synced before it gets its name: after a crash the name must not stand for bytes that never reached the disk.
  const bool written = file &&
                       format::writeAll(file.get(), {reinterpret_cast<const char *>(&header), sizeof(header)}) &&
                       format::writeAll(file.get(), bytes) && fsync(file.get()) == 0 &&
                       giveName(directory.get(), file, temporary, key.fileName());
  return written ? std::string() : errorText();
}

void ByteCache::put(const CacheKey &key, std::string_view bytes) {
  if (!enabled() || !writable)
    return;
  const std::string problem = write(key, bytes);
  // One warning is enough: a folder that is full or read-only stays so.
  if (!problem.empty() && writable.exchange(false))
    report("nothing more is cached: cannot write to '" + folderPath + "': " + problem);
}

} // namespace cupola::runtime
