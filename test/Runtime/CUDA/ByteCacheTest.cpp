//===- test/Runtime/CUDA/ByteCacheTest.cpp - damaged, foreign and contended cache folders ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/ByteCache.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace cupola::runtime;
namespace fs = std::filesystem;

namespace {

/// Warnings, one per call.
struct Warnings {
  std::vector<std::string> texts;
  ByteCache::Warn callback() {
    return [this](const std::string &text) { texts.push_back(text); };
  }
  bool mention(const char *part) const { return texts.size() == 1 && texts[0].find(part) != std::string::npos; }
};

CacheKey &fill(CacheKey &key, const char *field) { return key.add(field); }

std::string nameOf(const char *field) {
  CacheKey key("test");
  return fill(key, field).fileName();
}

std::optional<std::string> get(ByteCache &cache, const char *field) {
  CacheKey key("test");
  return cache.get(fill(key, field));
}

void put(ByteCache &cache, const char *field, std::string_view bytes) {
  CacheKey key("test");
  cache.put(fill(key, field), bytes);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

size_t filesIn(const std::string &folder) {
  return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(CacheKey, FieldsDoNotRunTogether) {
  CacheKey ab("t"), a("t"), abc("t"), number("t"), kind("u");
  ab.add("ab").add("c");
  a.add("a").add("bc");
  abc.add("abc");
  number.add(uint64_t(3));
  kind.add("ab").add("c");
  const std::vector<std::string> names = {ab.fileName(), a.fileName(), abc.fileName(), number.fileName(),
                                          kind.fileName()};
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(names[i], names[j]);
  EXPECT_EQ(names[0].size(), 64u + 2);
}

TEST(ByteCache, GivesBackWhatWasStored) {
  ScratchFolder folder;
  ByteCache cache(folder.path() + "/a/b", failOnWarning);
  EXPECT_FALSE(get(cache, "x"));
  const std::string bytes("any\0bytes\n", 10);
  put(cache, "x", bytes);
  put(cache, "empty", "");
  EXPECT_EQ(get(cache, "x"), bytes);
  EXPECT_EQ(get(cache, "empty"), "");
  EXPECT_FALSE(get(cache, "y"));
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.misses(), 2u);
  struct stat info;
  for (const char *made : {"/a", "/a/b"}) {
    ASSERT_EQ(stat((folder.path() + made).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  ASSERT_EQ(stat((cache.folder() + "/" + nameOf("x")).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(filesIn(cache.folder()), 2u) << "a temporary file was left";
}

TEST(ByteCache, NoneIsNoCache) {
  ByteCache cache("none", failOnWarning);
  put(cache, "x", "bytes");
  EXPECT_FALSE(get(cache, "x"));
  EXPECT_FALSE(cache.enabled());
}

TEST(ByteCache, DefaultFolder) {
  ScratchFolder folder;
  const ScopedVariable home("HOME", folder.path().c_str());
  {
    const ScopedVariable xdg("XDG_CACHE_HOME", (folder.path() + "/xdg").c_str());
    EXPECT_EQ(ByteCache("", failOnWarning).folder(), folder.path() + "/xdg/cupola");
  }
  {
    const ScopedVariable xdg("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(ByteCache("", failOnWarning).folder(), folder.path() + "/.cache/cupola");
  }
  const ScopedVariable xdg("XDG_CACHE_HOME", nullptr), noHome("HOME", nullptr);
  Warnings warnings;
  EXPECT_FALSE(ByteCache("", warnings.callback()).enabled());
  EXPECT_TRUE(warnings.mention("neither XDG_CACHE_HOME nor HOME"));
}

TEST(ByteCache, EveryCutAndEveryFlippedByteIsAMiss) {
  ScratchFolder folder;
  const std::string path = folder.path() + "/" + nameOf("x");
  {
    ByteCache cache(folder.path(), failOnWarning);
    put(cache, "x", "some bytes of code");
  }
  const std::string whole = readFile(path);
  const auto expectMiss = [&](const std::string &bytes, const std::string &what) {
    writeFile(path, bytes);
    Warnings warnings;
    ByteCache cache(folder.path(), warnings.callback());
    EXPECT_FALSE(get(cache, "x")) << what;
    EXPECT_EQ(warnings.texts.size(), 1u) << what;
    EXPECT_FALSE(fs::exists(path)) << what << ": a damaged entry stays";
    put(cache, "x", "some bytes of code"); // and can be written anew
    EXPECT_EQ(get(cache, "x"), "some bytes of code") << what;
  };
  for (size_t cut = 0; cut < whole.size(); ++cut)
    expectMiss(whole.substr(0, cut), "cut at " + std::to_string(cut));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = char(flipped[at] ^ 0x10);
    expectMiss(flipped, "flipped at " + std::to_string(at));
  }
  expectMiss(whole + "x", "longer");
}

TEST(ByteCache, AnEntryUnderAnotherNameIsAMiss) {
  ScratchFolder folder;
  Warnings warnings;
  ByteCache cache(folder.path(), warnings.callback());
  put(cache, "x", "bytes");
  fs::copy_file(folder.path() + "/" + nameOf("x"), folder.path() + "/" + nameOf("y"));
  EXPECT_FALSE(get(cache, "y"));
  EXPECT_TRUE(warnings.mention("SHA-256"));
}

TEST(ByteCache, LinksPipesAndFoldersAreNotEntries) {
  ScratchFolder folder;
  const std::string path = folder.path() + "/" + nameOf("x");
  {
    ByteCache cache(folder.path(), failOnWarning);
    put(cache, "x", "bytes");
  }
  fs::rename(path, folder.path() + "/real");
  const auto expectMiss = [&](const char *what) {
    Warnings warnings;
    ByteCache cache(folder.path(), warnings.callback());
    EXPECT_FALSE(get(cache, "x")) << what;
    EXPECT_EQ(warnings.texts.size(), 1u) << what;
  };
  fs::create_symlink(folder.path() + "/real", path);
  expectMiss("link");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expectMiss("pipe");
  fs::create_directory(path);
  expectMiss("folder");
}

TEST(ByteCache, AFolderOrEntryThatOthersMayWriteIsNotUsed) {
  ScratchFolder folder;
  ByteCache owner(folder.path(), failOnWarning);
  put(owner, "x", "bytes");
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  Warnings warnings;
  ByteCache open(folder.path(), warnings.callback());
  EXPECT_TRUE(warnings.mention("other users may write to it"));
  EXPECT_FALSE(open.enabled());
  EXPECT_FALSE(get(open, "x"));
  ASSERT_EQ(chmod(folder.path().c_str(), 0700), 0);

  ASSERT_EQ(chmod((folder.path() + "/" + nameOf("x")).c_str(), 0666), 0);
  Warnings second;
  ByteCache cache(folder.path(), second.callback());
  EXPECT_FALSE(get(cache, "x"));
  EXPECT_TRUE(second.mention("other users may write to it"));
}

TEST(ByteCache, AFolderOrEntryOfAnotherUserIsNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file to another user";
  ScratchFolder folder;
  const std::string path = folder.path() + "/" + nameOf("x");
  Warnings warnings;
  ByteCache cache(folder.path(), warnings.callback());
  put(cache, "x", "bytes");
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(get(cache, "x"));
  EXPECT_TRUE(warnings.mention("belongs to user 12345"));
  ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
  Warnings second;
  EXPECT_FALSE(ByteCache(folder.path(), second.callback()).enabled());
  EXPECT_TRUE(second.mention("belongs to user 12345"));
}

TEST(ByteCache, AFolderThatCannotBeMadeIsAWarning) {
  ScratchFolder folder;
  writeFile(folder.path() + "/file", "");
  Warnings warnings;
  ByteCache cache(folder.path() + "/file/below", warnings.callback());
  EXPECT_FALSE(cache.enabled());
  EXPECT_TRUE(warnings.mention("cannot make"));
  put(cache, "x", "bytes");
  EXPECT_FALSE(get(cache, "x"));
}

TEST(ByteCache, WarnsOnceWhenItCannotWrite) {
  ScratchFolder folder;
  Warnings warnings;
  ByteCache cache(folder.path(), warnings.callback());
  fs::remove_all(folder.path()); // the descriptor stays, files can no longer be made
  put(cache, "x", "bytes");
  put(cache, "y", "bytes");
  EXPECT_TRUE(warnings.mention("nothing more is cached"));
  EXPECT_FALSE(get(cache, "x"));
}

TEST(ByteCache, SweepsWhatAKilledWriterLeft) {
  ScratchFolder folder;
  const std::string old = folder.path() + "/.new-1-0-old", young = folder.path() + "/.new-1-0-young";
  writeFile(old, "half");
  writeFile(young, "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ByteCache cache(folder.path(), failOnWarning);
  put(cache, "x", "bytes");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "its writer may still be at work";
}

/// Writes and reads the same few entries; returns whether every hit had the right bytes.
bool hammer(ByteCache &cache, int rounds) {
  const std::vector<std::string> fields = {"a", "b", "c"};
  for (int i = 0; i < rounds; ++i) {
    const std::string &field = fields[size_t(i) % fields.size()];
    const std::string bytes(10000, field[0]);
    if (std::optional<std::string> found = get(cache, field.c_str()); found && *found != bytes)
      return false;
    put(cache, field.c_str(), bytes);
  }
  return true;
}

TEST(ByteCache, ManyProcessesAndThreadsShareAFolder) {
  ScratchFolder folder;
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      bool warned = false;
      ByteCache cache(folder.path(), [&](const std::string &) { warned = true; });
      bool right[2] = {false, false};
      std::thread other([&] { right[0] = hammer(cache, 60); });
      right[1] = hammer(cache, 60);
      other.join();
      _exit(right[0] && right[1] && !warned && cache.hits() > 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int state = -1;
    waitpid(child, &state, 0);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  EXPECT_EQ(filesIn(folder.path()), 3u);
}

TEST(ByteCache, AWriterKilledAtAnyMomentHarmsNobody) {
  ScratchFolder folder;
  for (int round = 0; round < 40; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      ByteCache cache(folder.path(), nullptr);
      for (;;)
        hammer(cache, 3);
    }
    usleep(useconds_t(500 * (round % 8)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ByteCache cache(folder.path(), failOnWarning);
    for (const char *field : {"a", "b", "c"}) {
      const std::string bytes(10000, field[0]);
      EXPECT_EQ(get(cache, field).value_or(bytes), bytes);
    }
  }
  EXPECT_LE(filesIn(folder.path()), 3u) << "a temporary file was left";
}

} // namespace
