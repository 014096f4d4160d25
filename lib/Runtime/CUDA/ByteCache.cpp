//===- lib/Runtime/CUDA/ByteCache.cpp - compiled code kept on disk, addressed by what it was made from ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/ByteCache.h"

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
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
}

void ByteCache::report(const std::string &text) {
  std::lock_guard<std::mutex> lock(warnMutex);
  if (warn)
    warn(text);
}

//===--- Reading and writing ---===//

/// Says that the entry was used, for the limit; not more often than that needs. No matter where it cannot be said.
static void touch(int file, const struct stat &info) {
  constexpr time_t seconds = 60;
  if (info.st_mtime + seconds < std::time(nullptr))
    futimens(file, nullptr);
}

format::Descriptor ByteCache::openEntry(const CacheKey &key, std::string &problem) const {
  // Not through links, and never waiting for a writer of a pipe.
  format::Descriptor file(
      openat(directory.get(), key.fileName().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (!file && errno == ENOENT)
    return file;
  if (!file || fstat(file.get(), &info) != 0)
    problem = errorText();
  else if (!S_ISREG(info.st_mode))
    problem = "it is not a plain file";
  else
    problem = distrust(info);
  if (!problem.empty())
    return format::Descriptor();
  touch(file.get(), info);
  return file;
}

std::optional<std::string> ByteCache::read(const CacheKey &key, std::string &problem) const {
  const format::Descriptor file = openEntry(key, problem);
  if (!file)
    return std::nullopt;
  struct stat info;
  EntryHeader header = {};
  if (fstat(file.get(), &info) != 0 || size_t(info.st_size) < sizeof(header) ||
      format::readAt(file.get(), &header, sizeof(header), 0) < sizeof(header)) {
    problem = "it is cut short";
    return std::nullopt;
  }
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

void ByteCache::drop(const CacheKey &key, const std::string &problem) {
  report("cache entry '" + folderPath + "/" + key.fileName() + "' is not used: " + problem);
  unlinkat(directory.get(), key.fileName().c_str(), 0);
}

std::optional<std::string> ByteCache::get(const CacheKey &key) {
  if (!enabled())
    return std::nullopt;
  std::string problem;
  std::optional<std::string> bytes = read(key, problem);
  if (!problem.empty())
    drop(key, problem);
  ++(bytes ? hitCount : missCount);
  return bytes;
}

format::Descriptor ByteCache::openFile(const CacheKey &key) {
  if (!enabled())
    return format::Descriptor();
  std::string problem;
  format::Descriptor file = openEntry(key, problem);
  if (!problem.empty())
    drop(key, problem);
  ++(file ? hitCount : missCount);
  return file;
}

std::unique_ptr<CacheFile> ByteCache::newFile(const CacheKey &key, uint64_t bytes) {
  if (!enabled() || !writable || !limit.takes(bytes))
    return nullptr;
  return std::make_unique<CacheFile>(directory.get(), key.fileName());
}

void ByteCache::put(std::unique_ptr<CacheFile> file) {
  const std::string problem = file->commit();
  if (problem.empty())
    limit.hold(directory.get(), file->name(), file->bytes());
  // One warning is enough: a folder that is full or read-only stays so.
  else if (writable.exchange(false))
    report("nothing more is cached: cannot write to '" + folderPath + "': " + problem);
}

void ByteCache::put(const CacheKey &key, std::string_view bytes) {
  std::unique_ptr<CacheFile> file = newFile(key, sizeof(EntryHeader) + bytes.size());
  if (!file)
    return;
  const EntryHeader header = makeHeader(key, bytes);
  file->write(0, {reinterpret_cast<const char *>(&header), sizeof(header)});
  file->write(sizeof(header), bytes);
  // Before it gets its name: after a crash the name must not stand for bytes that never reached the disk.
  file->sync();
  put(std::move(file));
}

} // namespace cupola::runtime
