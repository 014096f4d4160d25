//===- test/Runtime/CUDA/CacheLimitTest.cpp - what a cache takes, and which entries go first ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/ByteCache.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace cupola::runtime;
namespace fs = std::filesystem;

namespace {

constexpr size_t kPiece = 100 << 10; ///< ten make a MiB, an eighth less eight

template <typename Use> auto with(const std::string &field, Use use) {
  CacheKey key("test");
  key.add(field);
  return use(key);
}

void put(ByteCache &cache, const std::string &field, size_t bytes = kPiece) {
  with(field, [&](const CacheKey &key) { cache.put(key, std::string(bytes, 'x')); });
}

bool has(ByteCache &cache, const std::string &field) {
  return with(field, [&](const CacheKey &key) { return cache.get(key).has_value(); });
}

/// As if nobody had used it for so long.
void age(const ByteCache &cache, const std::string &field, int hours) {
  const std::string path = cache.folder() + "/" + with(field, [](const CacheKey &key) { return key.fileName(); });
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

uint64_t bytesIn(const std::string &folder) {
  uint64_t bytes = 0;
  for (const auto &entry : fs::directory_iterator(folder))
    bytes += entry.file_size();
  return bytes;
}

TEST(CacheLimit, IsTheEnvironments) {
  const auto of = [](const char *text) {
    const ScopedVariable variable("CUPOLA_CACHE_LIMIT", text);
    return CacheLimit().bytes();
  };
  constexpr uint64_t byDefault = CacheLimit::defaultMiB << 20;
  EXPECT_EQ(of("1"), uint64_t(1) << 20);
  EXPECT_EQ(of("0"), 0u);
  for (const char *text :
       {static_cast<const char *>(nullptr), "", "-1", "1 GB", "99999999999999999999", "17592186044416"})
    EXPECT_EQ(of(text), byDefault) << (text ? text : "unset");
}

TEST(CacheLimit, WhatWasNotUsedForLongestGoes) {
  const ScopedVariable limit("CUPOLA_CACHE_LIMIT", "1");
  const ScratchFolder folder;
  ByteCache cache(folder.path(), failOnWarning);
  for (int i = 0; i < 10; ++i) {
    put(cache, std::to_string(i));
    age(cache, std::to_string(i), 20 - i);
  }
  EXPECT_TRUE(has(cache, "0")) << "all ten are within the limit";
  EXPECT_TRUE(has(cache, "2"));
  put(cache, "new");
  EXPECT_LE(bytesIn(folder.path()), (uint64_t(1) << 20) * 7 / 8);
  for (const char *used : {"0", "2", "new", "9"})
    EXPECT_TRUE(has(cache, used)) << used;
  for (const char *gone : {"1", "3", "4"})
    EXPECT_FALSE(has(cache, gone)) << gone;
}

TEST(CacheLimit, HoldsForWhatOthersStored) {
  const ScopedVariable limit("CUPOLA_CACHE_LIMIT", "1");
  const ScratchFolder folder;
  for (int i = 0; i < 40; ++i) {
    ByteCache cache(folder.path(), failOnWarning);
    put(cache, std::to_string(i));
    EXPECT_TRUE(has(cache, std::to_string(i)));
    EXPECT_LE(bytesIn(folder.path()), uint64_t(1) << 20);
  }
}

TEST(CacheLimit, OneEntryTakesAFourthAtMost) {
  const ScopedVariable limit("CUPOLA_CACHE_LIMIT", "1");
  const ScratchFolder folder;
  ByteCache cache(folder.path(), failOnWarning);
  put(cache, "much", (256 << 10) + 1);
  put(cache, "most", 255 << 10);
  EXPECT_FALSE(has(cache, "much"));
  EXPECT_TRUE(has(cache, "most"));
  EXPECT_FALSE(with("file", [&](const CacheKey &key) { return bool(cache.newFile(key, 257 << 10)); }));
}

TEST(CacheLimit, ZeroIsNone) {
  const ScopedVariable limit("CUPOLA_CACHE_LIMIT", "0");
  const ScratchFolder folder;
  ByteCache cache(folder.path(), failOnWarning);
  put(cache, "a", 3 << 20);
  put(cache, "b", 3 << 20);
  EXPECT_TRUE(has(cache, "a") && has(cache, "b"));
}

TEST(CacheLimit, WhatIsNoEntryStays) {
  const ScopedVariable limit("CUPOLA_CACHE_LIMIT", "1");
  const ScratchFolder folder;
  const std::vector<std::string> others = {"model.onnx", std::string(64, 'a'), std::string(63, 'a') + ".cpu",
                                           std::string(64, 'A') + ".cpu"};
  for (const std::string &name : others) {
    std::ofstream(folder.path() + "/" + name) << std::string(1 << 20, 'x');
    fs::last_write_time(folder.path() + "/" + name, fs::file_time_type::clock::now() - std::chrono::hours(99));
  }
  fs::create_directory(folder.path() + "/" + std::string(64, 'b') + ".cpu");
  ByteCache cache(folder.path(), failOnWarning);
  for (int i = 0; i < 12; ++i)
    put(cache, std::to_string(i));
  for (const std::string &name : others)
    EXPECT_TRUE(fs::exists(folder.path() + "/" + name)) << name;
  EXPECT_TRUE(fs::exists(folder.path() + "/" + std::string(64, 'b') + ".cpu"));
}

//===--- Files ---===//

TEST(CacheFile, AppearsWholeOrNotAtAll) {
  const ScratchFolder folder;
  ByteCache cache(folder.path(), failOnWarning);
  with("x", [&](const CacheKey &key) {
    EXPECT_FALSE(cache.openFile(key));
    std::unique_ptr<CacheFile> file = cache.newFile(key, 6);
    ASSERT_TRUE(file);
    file->write(3, "def");
    EXPECT_FALSE(cache.openFile(key));
    file->write(0, "abc");
    EXPECT_EQ(file->bytes(), 6u);
    cache.put(std::move(file));
    const cupola::format::Descriptor opened = cache.openFile(key);
    ASSERT_TRUE(opened);
    char bytes[7] = {};
    EXPECT_EQ(cupola::format::readAt(opened.get(), bytes, 6, 0), 6u);
    EXPECT_STREQ(bytes, "abcdef");
    {
      const std::unique_ptr<CacheFile> dropped = cache.newFile(key, 6);
    }
    EXPECT_TRUE(cache.openFile(key)) << "another that was begun changes nothing";
  });
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(CacheFile, ThatOthersMayWriteIsNotUsed) {
  const ScratchFolder folder;
  std::vector<std::string> warnings;
  ByteCache cache(folder.path(), [&](const std::string &text) { warnings.push_back(text); });
  with("x", [&](const CacheKey &key) {
    std::unique_ptr<CacheFile> file = cache.newFile(key, 1);
    file->write(0, "x");
    cache.put(std::move(file));
    fs::permissions(folder.path() + "/" + key.fileName(), fs::perms::others_write, fs::perm_options::add);
    EXPECT_FALSE(cache.openFile(key));
  });
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("other users may write to it"), std::string::npos);
}

} // namespace
