//===- lib/Runtime/CUDA/ByteCache.h - compiled code kept on disk, addressed by what it was made from ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For cubins, CPU objects, simulator modules and packages alike. The code in an entry will be executed, so the cache
// trusts nothing it finds: the folder and every entry must belong to the user and be writable by nobody else, and an
// entry is checked against its length and SHA-256 before its bytes are handed out. Nothing that goes wrong here is
// fatal: it is a miss and a warning. Any number of threads and processes may use one folder. What all entries of a
// folder take together is bounded (CacheLimit.h).
#ifndef CUPOLA_LIB_RUNTIME_CUDA_BYTECACHE_H
#define CUPOLA_LIB_RUNTIME_CUDA_BYTECACHE_H

#include "lib/Runtime/CUDA/CacheFile.h"
#include "lib/Runtime/CUDA/CacheLimit.h"
#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Format/Sha256.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace cupola::runtime {

/// The name of an entry: the SHA-256 of everything that decides its bytes. Each field is hashed with its length, so
/// that no two lists of fields hash alike by running together.
class CacheKey {
public:
  /// `kind` keeps the users of one folder apart and shows in the file name: "cubin", "cpu", "sim". Letters only.
  explicit CacheKey(std::string kind);

  CacheKey &add(std::string_view field);
  CacheKey &add(uint64_t field);

  /// Ends the key: no field may be added after it.
  const format::Digest &digest() const;
  /// "<64 hex digits>.<kind>"
  std::string fileName() const;

private:
  std::string kind;
  mutable format::Sha256 hash;
  mutable std::optional<format::Digest> result;
  mutable bool ended = false;
};

class ByteCache {
public:
  using Warn = std::function<void(const std::string &)>;

  /// `folder`: "" for the default (XDG_CACHE_HOME/cupola, else HOME/.cache/cupola), "none" for no cache, else a folder,
  /// made with mode 0700 where it does not exist. `warn` may be called by any thread, one call at a time.
  ByteCache(const std::string &folder, Warn warn);
  ByteCache(const ByteCache &) = delete;

  /// The folder that "" stands for; empty where neither variable names one.
  static std::string defaultFolder();

  /// The bytes stored for the key, or nothing. A damaged entry is removed.
  std::optional<std::string> get(const CacheKey &key);

  /// Stores the bytes: a reader in any process sees all of them or none, and a process that is killed leaves none.
  void put(const CacheKey &key, std::string_view bytes);

  /// The file of an entry that is larger than memory should hold twice, and checks itself: it belongs to the user, and
  /// nothing more is known of it. None: there is none.
  format::Descriptor openFile(const CacheKey &key);
  /// Such a file, to be written, of about `bytes` bytes; null where it is not to be had or would be too large.
  std::unique_ptr<CacheFile> newFile(const CacheKey &key, uint64_t bytes);
  /// Stores it, as `put` does.
  void put(std::unique_ptr<CacheFile> file);
  /// Removes an entry in which its reader found a problem, with a warning.
  void drop(const CacheKey &key, const std::string &problem);

  bool enabled() const { return bool(directory); }
  /// The folder, or empty when there is none.
  const std::string &folder() const { return folderPath; }
  /// Of all entries together; 0: there is none.
  uint64_t limitBytes() const { return limit.bytes(); }
  uint64_t hits() const { return hitCount.load(); }
  uint64_t misses() const { return missCount.load(); }

private:
  void open();
  format::Descriptor openEntry(const CacheKey &key, std::string &problem) const;
  std::optional<std::string> read(const CacheKey &key, std::string &problem) const;
  void report(const std::string &text);

  std::string folderPath;
  format::Descriptor directory; ///< none: no cache
  Warn warn;
  std::mutex warnMutex;
  CacheLimit limit;
  std::atomic<bool> writable{true};
  std::atomic<uint64_t> hitCount{0}, missCount{0};
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CUDA_BYTECACHE_H
