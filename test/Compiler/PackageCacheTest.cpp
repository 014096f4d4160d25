//===- test/Compiler/PackageCacheTest.cpp - what is compiled once, and what again ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Compiler/PackageCacheFixture.h"

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cupola::compiler {
namespace {

TEST_F(PackageCacheTest, TheSecondTimeItIsFoundByteForByte) {
  const Made first = compile(model, options), second = compile(model, options);
  expectMade(first);
  expectFound(second);
  EXPECT_EQ(first.bytes, second.bytes);
  Options none = options;
  none.cacheDir = "none";
  EXPECT_EQ(compile(model, none).bytes, first.bytes);
  EXPECT_EQ(entries("package").size(), 1u);
  EXPECT_EQ(contentsOf(entries("package").front()), first.bytes);
}

TEST_F(PackageCacheTest, ADamagedEntryIsMadeAgain) {
  const Made first = compile(model, options);
  for (const char *kind : {"package", "compile", "external"}) {
    const std::string path = entries(kind).front(), whole = contentsOf(path);
    // The first bytes, the root of the package, its middle, the end, and a cut.
    for (const size_t at : {size_t(0), size_t(40), whole.size() / 2, whole.size() - 1, whole.size()}) {
      std::string bad = whole;
      if (at < whole.size())
        bad[at] = static_cast<char>(bad[at] ^ 0x20);
      else
        bad.pop_back();
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
      const Made again = compile(model, options);
      expectMade(again);
      EXPECT_EQ(again.bytes, first.bytes) << kind << " at " << at;
      EXPECT_EQ(again.warnings.size(), 1u) << kind << " at " << at;
      expectFound(compile(model, options));
    }
  }
}

TEST_F(PackageCacheTest, AnotherPackageUnderItsNameIsNotTaken) {
  expectMade(compile(model, options));
  const std::string mine = entries("package").front();
  options.shapes = {{"n", {4}}};
  const Made other = compile(model, options);
  std::ofstream(mine, std::ios::binary | std::ios::trunc) << other.bytes;
  options.shapes.clear();
  const Made again = compile(model, options);
  expectMade(again);
  EXPECT_NE(again.bytes, other.bytes);
}

TEST_F(PackageCacheTest, AnyPartThatIsGoneIsAMiss) {
  for (const char *kind : {"package", "compile", "external"}) {
    compile(model, options);
    fs::remove(entries(kind).front());
    const Made again = compile(model, options);
    expectMade(again);
    EXPECT_TRUE(again.warnings.empty());
    expectFound(compile(model, options));
  }
}

TEST_F(PackageCacheTest, WhatFailsIsNotKept) {
  options.shapes = {{"m", {4}}, {"n", {1, 2}}};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(compile(model, options).status.code(), Code::Usage);
  options.shapes.clear();
  std::ofstream(model) << "no model";
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(compile(model, options).status.code(), Code::BadModel);
  EXPECT_EQ(entries("package").size(), 0u);
  EXPECT_EQ(entries("compile").size(), 0u);
}

TEST_F(PackageCacheTest, WhatIsNotKept) {
  const std::vector<std::function<void(Options &)>> changes = {
      [](Options &o) { o.cacheDir = "none"; }, [](Options &o) { o.given.emplace(); },
      [&](Options &o) { o.dumpIrDir = folder.path() + "/ir"; }};
  for (const auto &change : changes) {
    Options changed = options;
    change(changed);
    expectMade(compile(model, changed));
    expectMade(compile(model, changed));
  }
  EXPECT_TRUE(fs::exists(folder.path() + "/ir"));
}

TEST_F(PackageCacheTest, WarningsAreToldAgainUnderTheModelsName) {
  onnx::ModelProto proto = test::layers(); // whose output is declared with other extents than it has
  proto.mutable_graph()
      ->mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_value(9);
  const std::string first = write("first.onnx", proto), second = write("second.onnx", proto);
  const Made cold = compile(first, options);
  expectMade(cold);
  const Made warm = compile(second, options);
  expectFound(warm);
  ASSERT_EQ(cold.warnings.size(), 1u);
  ASSERT_EQ(warm.warnings.size(), 1u);
  EXPECT_EQ(cold.warnings[0].rfind(first + ": ", 0), 0u);
  EXPECT_EQ(second + cold.warnings[0].substr(first.size()), warm.warnings[0]);
}

TEST_F(PackageCacheTest, PackagesThatAreTooLargeAreNotKept) {
  onnx::ModelProto proto = test::layers();
  proto.set_doc_string(std::string(size_t(1) << 20, 'x')); // which a package has, too
  const std::string large = write("large.onnx", proto);
  const ScopedVariable limit("CUPOLA_CACHE_LIMIT", "1");
  for (int i = 0; i < 2; ++i) {
    const Made made = compile(large, options);
    expectMade(made);
    EXPECT_TRUE(made.warnings.empty());
  }
  expectMade(compile(model, options));
  expectFound(compile(model, options));
}

TEST_F(PackageCacheTest, FindNeverCompiles) {
  const auto find = [&](std::string &bytes) {
    const auto found = Compilation::find(model, options, [&](const std::string &path) -> Status {
      bytes = contentsOf(path);
      return {};
    });
    EXPECT_TRUE(found.isOk());
    return found.isOk() && *found;
  };
  std::string bytes;
  EXPECT_FALSE(find(bytes));
  EXPECT_EQ(entries("package").size(), 0u);
  const Made made = compile(model, options);
  EXPECT_TRUE(find(bytes));
  EXPECT_EQ(bytes, made.bytes);
}

TEST_F(PackageCacheTest, ManyProcessesAndThreadsCompileTheSame) {
  const std::string expected = compile(model, options).bytes;
  fs::remove_all(cache());
  std::vector<pid_t> children;
  for (int process = 0; process < 3; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      std::atomic<bool> right{true};
      const auto work = [&] {
        for (int i = 0; i < 4; ++i) {
          const Made made = compile(model, options);
          if (made.status.failed() || made.bytes != expected || !made.warnings.empty())
            right = false;
        }
      };
      std::thread other(work);
      work();
      other.join();
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int state = -1;
    waitpid(child, &state, 0);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  EXPECT_EQ(entries("package").size(), 1u);
}

TEST_F(PackageCacheTest, AWriterThatIsKilledLeavesNothingThatIsWrong) {
  const std::string expected = compile(model, options).bytes;
  for (int round = 0; round < 12; ++round) {
    fs::remove_all(cache());
    const pid_t child = fork();
    if (child == 0) {
      compile(model, options);
      _exit(0);
    }
    usleep(useconds_t(4000 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Made made = compile(model, options);
    EXPECT_EQ(made.bytes, expected);
    EXPECT_TRUE(made.warnings.empty()) << made.warnings.front();
  }
}

TEST_F(PackageCacheTest, ACancelledCompilationIsNoHit) {
  expectMade(compile(model, options));
  options.cancelled = [] { return true; };
  EXPECT_EQ(compile(model, options).status.code(), Code::Cancelled);
}

} // namespace
} // namespace cupola::compiler
