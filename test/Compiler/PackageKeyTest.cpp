//===- test/Compiler/PackageKeyTest.cpp - what makes a compilation another one ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/BuildId.h"
#include "lib/Compiler/Digest.h"
#include "lib/Compiler/PackageCache.h"
#include "test/Compiler/PackageCacheFixture.h"

#include <set>

namespace cupola::compiler {
namespace {

constexpr const char *kNoTimes = "{\"schema\":\"cupola.tuning/1\"}\n"; ///< a file of `cupola tune`

using PackageKeyTest = PackageCacheTest;

TEST_F(PackageKeyTest, WhereTheModelLiesDoesNotMatter) {
  expectMade(compile(model, options));
  expectFound(compile(write("other.onnx", test::layers()), options));
  const std::string bytes = contentsOf(model);
  expectFound(compile(ModelSource(std::string_view(bytes), "m"), options));
  options.threads = 2; // do not show in the bytes
  expectFound(compile(model, options));
}

TEST_F(PackageKeyTest, EveryChangeOfTheModelIsAnother) {
  expectMade(compile(model, options));
  onnx::ModelProto other = test::layers();
  other.mutable_graph()->mutable_initializer(0)->set_float_data(63, 3);
  expectMade(compile(write("m.onnx", other), options));
  other.set_doc_string("a package has it, too");
  expectMade(compile(write("m.onnx", other), options));
  EXPECT_EQ(entries("package").size(), 3u);
}

TEST_F(PackageKeyTest, EveryOptionThatShowsInThePackageIsAnother) {
  const std::string tuning = folder.path() + "/times.jsonl";
  std::ofstream(tuning) << kNoTimes;
  const std::vector<std::pair<const char *, std::function<void(Options &)>>> changes = {
      {"nothing", [](Options &) {}},
      {"targets", [](Options &o) { o.targets = {"cuda"}; }},
      {"two targets", [](Options &o) { o.targets = {"cpu", "cuda"}; }},
      {"archs", [](Options &o) { o.archs = {"sm_80"}, o.sourceOnly = true; }},
      {"cpuLevels", [](Options &o) { o.cpuLevels = {"x86-64-v4"}; }},
      {"shapes", [](Options &o) { o.shapes = {{"n", {4}}}; }},
      {"other shapes", [](Options &o) { o.shapes = {{"n", {5}}}; }},
      {"dims", [](Options &o) { o.dims = {{"n", 1, 16}}; }},
      {"trustSnippets", [](Options &o) { o.trustSnippets = true; }},
      {"disabledPasses", [](Options &o) { o.disabledPasses = {"recognize-gelu"}; }},
      {"libraries", [](Options &o) { o.libraries = {}; }},
      {"precision", [](Options &o) { o.precision = "bf16"; }},
      {"io", [](Options &o) { o.precision = "bf16", o.io = "bf16"; }},
      {"keepFp32", [](Options &o) { o.precision = "bf16", o.keepFp32 = {"node_a"}; }},
      {"tf32", [](Options &o) { o.tf32 = "x1"; }},
      {"rows of int8", [](Options &o) { o.int8Rows = "never"; }},
      {"tuning none", [](Options &o) { o.tuning = "none"; }},
      {"tuning", [&](Options &o) { o.tuning = tuning; }},
      {"allowHardLinks", [](Options &o) { o.allowHardLinks = true; }},
      {"allowDecoders", [](Options &o) { o.allowDecoders = true; }},
      {"kernelResults", [](Options &o) { o.kernelResults = true; }},
      {"limits", [](Options &o) { o.limits = {{"nodes", 1000}}; }},
  };
  for (const auto &[name, change] : changes) {
    Options changed = options;
    change(changed);
    const Made first = compile(model, changed), second = compile(model, changed);
    EXPECT_TRUE(first.status.isOk()) << name << ": " << first.status.message();
    EXPECT_FALSE(first.isFound) << name;
    EXPECT_TRUE(second.isFound) << name;
    EXPECT_EQ(first.bytes, second.bytes) << name;
  }
  EXPECT_EQ(entries("package").size(), changes.size());
}

TEST_F(PackageKeyTest, OptionsOfOtherModels) {
  const std::string library = folder.path() + "/ops.yaml";
  const auto with = [&](const std::function<void(Options &)> &change) {
    Options changed = options;
    change(changed);
    return requestOf(changed);
  };
  const auto withLibrary = [&](const char *text) {
    std::ofstream(library) << text;
    return with([&](Options &o) { o.opLibraries = {library}; });
  };
  const std::vector<std::optional<std::string>> requests = {
      with([](Options &) {}),
      with([](Options &o) { o.values = {{"x", "1"}}; }),
      with([](Options &o) { o.values = {{"x", "2"}}; }),
      with([](Options &o) { o.sequences = {{"x", 1}}; }),
      with([](Options &o) { o.sequences = {{"x", std::nullopt}}; }),
      with([](Options &o) { o.aliases = {{"x", "1"}}; }),
      withLibrary("a"),
      withLibrary("b"),
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_TRUE(requests[i]) << i;
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(requests[i], requests[j]) << i << " " << j;
  }
  EXPECT_FALSE(with([](Options &o) { o.opLibraries = {"/missing"}; }));
}

TEST_F(PackageKeyTest, AFileThatAnOptionNamesCountsByWhatStandsInIt) {
  const std::string tuning = folder.path() + "/times.jsonl";
  std::ofstream(tuning) << kNoTimes;
  options.tuning = tuning;
  expectMade(compile(model, options));
  fs::rename(tuning, tuning + ".moved");
  options.tuning = tuning + ".moved";
  expectFound(compile(model, options));
  std::ofstream(options.tuning) << kNoTimes << "\n";
  expectMade(compile(model, options));
  options.tuning = folder.path() + "/missing";
  EXPECT_EQ(compile(model, options).status.code(), Code::IO);
}

TEST_F(PackageKeyTest, ExternalDataIsReadAgain) {
  const std::string apart = writeApart(1);
  const Made one = compile(apart, options);
  expectMade(one);
  expectFound(compile(apart, options));
  writeApart(2);
  const Made two = compile(apart, options);
  expectMade(two);
  EXPECT_NE(one.bytes, two.bytes);
  writeApart(1); // both are kept
  const Made again = compile(apart, options);
  expectFound(again);
  EXPECT_EQ(again.bytes, one.bytes);
  fs::remove(folder.path() + "/w.bin");
  const Made missing = compile(apart, options);
  EXPECT_EQ(missing.status.code(), Code::IO);
  EXPECT_NE(missing.status.message().find("'w.bin'"), std::string::npos) << missing.status.message();
}

TEST_F(PackageKeyTest, ExternalDataIsCheckedAgain) {
  const std::string apart = writeApart(1);
  expectMade(compile(apart, options));
  fs::create_hard_link(folder.path() + "/w.bin", folder.path() + "/w2.bin");
  EXPECT_EQ(compile(apart, options).status.code(), Code::BadModel);
}

TEST_F(PackageKeyTest, ExternalDataOfACallerIsAskedForAgain) {
  writeApart(1);
  const std::string bytes = contentsOf(folder.path() + "/apart.onnx"), weights = contentsOf(folder.path() + "/w.bin");
  ModelSource source(std::string_view(bytes), "m");
  unsigned asked = 0;
  std::string given = weights;
  source.readExternal = [&](const std::string &location, int64_t offset, int64_t size) -> Result<std::string_view> {
    ++asked;
    return location == "w.bin" ? Result<std::string_view>(std::string_view(given).substr(offset, size))
                               : Status::io("which file?");
  };
  expectMade(compile(source, options));
  expectFound(compile(source, options));
  EXPECT_EQ(asked, 2u);
  given[0] = static_cast<char>(given[0] ^ 1);
  expectMade(compile(source, options));
}

TEST(BuildId, IsThatOfThisProgram) { EXPECT_GE(buildId().size(), 8u); }

TEST(Digest, OfAFileIsThatOfItsBytesForAnyNumberOfThreads) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/f";
  std::set<format::Digest> all;
  size_t count = 0;
  for (const size_t size : {size_t(0), size_t(1), size_t(1) << 16, (size_t(1) << 16) + 1, size_t(5) << 20}) {
    std::string bytes(size, 'a');
    for (const bool isChanged : {false, true}) {
      if (isChanged && bytes.empty())
        continue;
      if (isChanged)
        bytes.back() = 'b';
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      const format::Digest digest = digestOf(bytes, 1);
      for (const unsigned threads : {1u, 2u, 7u}) {
        EXPECT_EQ(digestOf(bytes, threads), digest);
        EXPECT_EQ(digestOfFile(path, threads), digest);
      }
      all.insert(digest);
      ++count;
    }
  }
  EXPECT_EQ(all.size(), count);
  EXPECT_EQ(digestOfFile(folder.path(), 1), std::nullopt);
  EXPECT_EQ(digestOfFile(folder.path() + "/missing", 1), std::nullopt);
}

} // namespace
} // namespace cupola::compiler
