//===- test/Import/Onnx/ExternalDataTest.cpp - files that a model names ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ExternalData.h"

#include "test/Import/Onnx/TestModels.h"

#include <atomic>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace cupola::onnx_import {
namespace {

namespace fs = std::filesystem;

/// "" when 8 bytes "01234567" could be read from offset 2 of `location`.
std::string load(const std::string &model, const std::string &location, bool hardLinks = false) {
  ExternalData files = ExternalData::besideModel(model, hardLinks);
  std::string problem;
  ErrorKind kind;
  const auto blob = files.load({location, 2, std::nullopt}, 8, kind, problem);
  if (blob && blob->bytes != "01234567")
    return "other bytes";
  return problem;
}

std::string parse(const std::vector<std::pair<std::string, std::string>> &entries) {
  onnx::TensorProto tensor;
  for (const auto &[key, value] : entries) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  std::string problem;
  parseExternalReference(tensor, problem);
  return problem;
}

TEST(ExternalData, LocationsAreRelativePathsBeneathTheFolder) {
  for (const std::string &location : {std::string(".."), std::string("../x"), std::string("a/../../x"),
                                      std::string("a/.."), std::string("/etc/passwd"), std::string("C:\\x"),
                                      std::string("a\\..\\x"), std::string(), std::string("a\0b", 3)})
    EXPECT_CONTAINS(parse({{"location", location}}), "expected a relative path beneath");
  EXPECT_EQ(parse({{"location", "sub/w.bin"}, {"offset", "0"}, {"length", "8"}}), "");
  EXPECT_EQ(parse({{"location", "w..bin"}}), "");
}

TEST(ExternalData, NumbersAreCheckedAndKeysUnique) {
  for (const char *number : {"-4", "abc", "18446744073709551615", ""}) {
    EXPECT_CONTAINS(parse({{"location", "w"}, {"offset", number}}), "expected a whole number");
    EXPECT_CONTAINS(parse({{"location", "w"}, {"length", number}}), "expected a whole number");
  }
  EXPECT_CONTAINS(parse({{"location", "w"}, {"location", "v"}}), "two external data entries 'location'");
  EXPECT_CONTAINS(parse({{"location", "w"}, {"size", "1"}}), "entry 'size', expected location");
  EXPECT_CONTAINS(parse({{"offset", "1"}}), "without a location");
}

TEST(ExternalData, OffsetsStayInsideTheFile) {
  ScratchFolder folder;
  const std::string model = folder.write("m.onnx", "");
  folder.write("w.bin", "..01234567");
  EXPECT_EQ(load(model, "w.bin"), "");
  folder.write("w.bin", "..0123456");
  EXPECT_CONTAINS(load(model, "w.bin"), "needs 8 bytes at offset 2 of 'w.bin', which has 9 bytes");
  ExternalData files = ExternalData::besideModel(model, false);
  std::string problem;
  ErrorKind kind;
  EXPECT_FALSE(files.load({"w.bin", INT64_MAX, std::nullopt}, 8, kind, problem));
  EXPECT_FALSE(files.load({"w.bin", 0, 7}, 8, kind, problem));
  EXPECT_CONTAINS(problem, "length 7, expected 8");
}

TEST(ExternalData, TheCallersFunctionInPlaceOfAFolder) {
  std::string given = "01234567", asked;
  ExternalData files([&](const std::string &location, int64_t offset, int64_t size) -> Result<std::string_view> {
    asked += location + "@" + std::to_string(offset) + "+" + std::to_string(size) + ";";
    return given.empty() ? Result<std::string_view>(Status::environment("no server")) : std::string_view(given);
  });
  std::string problem;
  ErrorKind kind;
  const auto blob = files.load({"w.bin", 2, 8}, 8, kind, problem);
  ASSERT_TRUE(blob) << problem;
  EXPECT_EQ(blob->bytes, given);
  EXPECT_NE(blob->bytes.data(), given.data()) << "not copied";
  EXPECT_TRUE(files.load({"w.bin", 2, std::nullopt}, 0, kind, problem)) << problem;
  EXPECT_FALSE(files.load({"w.bin", 2, 7}, 8, kind, problem));
  EXPECT_FALSE(files.load({"w.bin", INT64_MAX - 7, 8}, 8, kind, problem));
  EXPECT_CONTAINS(problem, "does not fit 63 bits");
  EXPECT_EQ(asked, "w.bin@2+8;") << "asked before sizes were checked";
  given += "8";
  EXPECT_FALSE(files.load({"w.bin", 2, 8}, 8, kind, problem));
  EXPECT_CONTAINS(problem, "needs 8 bytes at offset 2 of 'w.bin', the caller gave 9");
  given.clear();
  EXPECT_FALSE(files.load({"w.bin", 2, 8}, 8, kind, problem));
  EXPECT_CONTAINS(problem, "cannot be had from 'w.bin': no server");
  EXPECT_EQ(kind, ErrorKind::InputOutput);
}

TEST(ExternalData, AFolderByItselfAllowsNothingBesideIt) {
  ScratchFolder folder;
  folder.write("inner/w.bin", "..01234567");
  folder.write("w.bin", "..01234567");
  fs::create_symlink("../w.bin", folder / "inner/out.bin");
  std::string problem;
  ErrorKind kind;
  ExternalData files = ExternalData::beneath(folder / "inner", false);
  EXPECT_TRUE(files.load({"w.bin", 2, 8}, 8, kind, problem)) << problem;
  EXPECT_FALSE(files.load({"out.bin", 2, 8}, 8, kind, problem));
  EXPECT_CONTAINS(problem, "outside of the model's folder");
}

TEST(ExternalData, LinksOutOfTheFolderAreRefused) {
  ScratchFolder folder, outside;
  outside.write("secret", "..01234567");
  const std::string model = folder.write("m.onnx", "");
  fs::create_symlink(outside / "secret", folder / "link");
  fs::create_directory_symlink(outside / "", folder / "sub");
  EXPECT_CONTAINS(load(model, "link"), "is a link to a place outside");
  EXPECT_CONTAINS(load(model, "sub/secret"), "is a link to a place outside");
  folder.write("real/w.bin", "..01234567");
  fs::create_symlink("real/w.bin", folder / "inside");
  EXPECT_EQ(load(model, "inside"), "");
}

TEST(ExternalData, ModelCachesOfLinksWork) {
  ScratchFolder folder; // snapshots/1/{model,data} -> blobs/{a,b}, as hub caches do
  folder.write("blobs/a", "");
  folder.write("blobs/b", "..01234567");
  fs::create_directories(folder / "snapshots/1");
  fs::create_symlink("../../blobs/a", folder / "snapshots/1/model.onnx");
  fs::create_symlink("../../blobs/b", folder / "snapshots/1/model.onnx_data");
  EXPECT_EQ(load(folder / "snapshots/1/model.onnx", "model.onnx_data"), "");
}

TEST(ExternalData, HardLinksNeedTheFlag) {
  ScratchFolder folder;
  const std::string model = folder.write("m.onnx", "");
  folder.write("w.bin", "..01234567");
  fs::create_hard_link(folder / "w.bin", folder / "again");
  EXPECT_CONTAINS(load(model, "w.bin"), "has 2 hard links, expected 1 (if that is intended, pass --allow-hard-links)");
  EXPECT_EQ(load(model, "w.bin", /*hardLinks=*/true), "");
}

TEST(ExternalData, OnlyRegularFilesAndNoWaiting) {
  ScratchFolder folder;
  const std::string model = folder.write("m.onnx", "");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  fs::create_directory(folder / "dir");
  EXPECT_CONTAINS(load(model, "fifo"), "is a FIFO");
  EXPECT_CONTAINS(load(model, "dir"), "is a directory");
  EXPECT_CONTAINS(load(model, "absent"), "No such file");
}

/// While one thread swaps the file for a link that leads out, no load may see
/// what is behind it.
TEST(ExternalData, SwappedLinksNeverLeadOut) {
  ScratchFolder folder, outside;
  outside.write("secret", "..SECRET!!");
  const std::string model = folder.write("m.onnx", "");
  folder.write("good", "..01234567");
  std::atomic<bool> done = false;
  std::thread swapper([&] {
    for (int i = 0; !done; ++i) {
      const fs::path target = i % 2 ? outside / "secret" : fs::path("good");
      fs::create_symlink(target, folder / "next");
      fs::rename(folder / "next", folder / "w.bin");
    }
  });
  int refused = 0, loaded = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string problem = load(model, "w.bin");
    EXPECT_NE(problem, "other bytes");
    ++(problem.empty() ? loaded : refused);
  }
  done = true;
  swapper.join();
  EXPECT_EQ(loaded + refused, 10000);
}

} // namespace
} // namespace cupola::onnx_import
