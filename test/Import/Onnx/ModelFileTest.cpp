//===- test/Import/Onnx/ModelFileTest.cpp - files that are no models -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ModelFile.h"

#include "test/Import/Onnx/TestModels.h"

#include <sys/stat.h>

namespace cupola::onnx_import {
namespace {

struct Outcome {
  int code;
  std::string error;
};

Outcome load(const std::string &path, const Limits &limits = {}) {
  Diagnostics diagnostics;
  onnx::ModelProto model;
  const auto bytes = readModelFile(path, limits, diagnostics);
  if (bytes)
    parseModel(*bytes, limits, model, diagnostics);
  std::string text;
  for (const Diagnostic &error : diagnostics.errors())
    text += error.text() + "\n";
  return {diagnostics.exitCode(), text};
}

TEST(ModelFile, SaysWhatAFileIsInstead) {
  ScratchFolder folder;
  const struct {
    std::string bytes;
    const char *expected;
  } cases[] = {
      {"", "the file is empty"},
      {"hello, I am no model\n", "looks like text"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"},
      {"\x89PNG\r\n\x1a\n........", "looks like a PNG image"},
      {std::string("\x1f\x8b\x08\x00", 4) + "....", "looks like gzip data"},
      {"PK\x03\x04........", "looks like a zip archive"},
  };
  for (const auto &entry : cases) {
    const Outcome outcome = load(folder.write("model.onnx", entry.bytes));
    EXPECT_EQ(outcome.code, 3) << entry.expected;
    EXPECT_CONTAINS(outcome.error, entry.expected);
  }
  EXPECT_CONTAINS(load(folder.write("m.onnx", "\x08\x08")).error, "the model has no graph");
}

TEST(ModelFile, OnlyRegularFilesAreRead) {
  ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  const std::pair<std::string, const char *> cases[] = {
      {(folder / "fifo").string(), "is a FIFO"},
      {(folder / "folder").string(), "is a directory"},
      {"/dev/zero", "is a device"},
      {(folder / "absent").string(), "No such file"},
  };
  for (const auto &[path, expected] : cases) {
    const Outcome outcome = load(path);
    EXPECT_EQ(outcome.code, 8) << path;
    EXPECT_CONTAINS(outcome.error, expected);
  }
}

TEST(ModelFile, SizeIsLimited) {
  ScratchFolder folder;
  Limits limits;
  limits.fileBytes = 10;
  const Outcome outcome = load(folder.write("m.onnx", std::string(11, 'a')), limits);
  EXPECT_EQ(outcome.code, 5);
  EXPECT_CONTAINS(outcome.error, "a file of 11 bytes exceeds the limit file-bytes=10");
}

} // namespace
} // namespace cupola::onnx_import
