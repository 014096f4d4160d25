//===- test/Runtime/RunToolTest.cpp - cupola-run from the outside ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Npz/Npz.h"
#include "test/Runtime/ControlPackage.h"
#include "test/Runtime/Scratch.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace cupola {

namespace {

struct Outcome {
  int code = -1;
  std::string text; ///< stdout and stderr
};

class RunTool : public ::testing::Test {
protected:
  void SetUp() override {
    package = scratch.path("m.cupola");
    ASSERT_TRUE(format::writePackage(test::makePackage(), test::packageWeights(), package).isOk());
  }

  Outcome run(const std::string &arguments) const { return runProgram(CUPOLA_RUN, arguments); }

  static Outcome runProgram(const std::string &program, const std::string &arguments) {
    Outcome outcome;
    const std::string command = program + " " + arguments + " 2>&1";
    FILE *pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
      outcome.text.append(buffer, count);
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return outcome;
  }

  void expectFails(const std::string &arguments, int code, const std::string &text) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.text;
    EXPECT_NE(outcome.text.find(text), std::string::npos) << outcome.text;
    EXPECT_EQ(outcome.text.compare(0, 7, "error: "), 0) << outcome.text;
  }

  test::Scratch scratch;
  std::string package;
};

std::vector<npz::Array> someInputs() {
  npz::Array x{"x", format::DType::F32, {1, 4}, std::vector<uint8_t>(16)};
  npz::Array ids{"ids", format::DType::I64, {1}, {1, 0, 0, 0, 0, 0, 0, 0}};
  const float values[4] = {1, 2, 3, 4};
  std::memcpy(x.bytes.data(), values, 16);
  return {x, ids};
}

} // namespace

TEST_F(RunTool, RunsOnGivenValues) {
  ASSERT_TRUE(npz::write(scratch.path("in.npz"), someInputs()).isOk());
  const Outcome outcome = run(package + " --device cpu --inputs " + scratch.path("in.npz") + " --outputs " +
                              scratch.path("out.npz") + " --json " + scratch.path("r.json") + " --iterations 3");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("output 'y': f32 [1, 4]: 26, 34, 42, 50\n"), std::string::npos) << outcome.text;
  const std::vector<npz::Array> out = test::need(npz::read(scratch.path("out.npz")));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].name, "y");
  float y[4];
  ASSERT_EQ(out[0].bytes.size(), sizeof(y));
  std::memcpy(y, out[0].bytes.data(), sizeof(y));
  EXPECT_EQ(std::vector<float>(y, y + 4), (std::vector<float>{26, 34, 42, 50}));
  const auto json = nlohmann::json::parse(test::need(format::readFile(scratch.path("r.json"), 1 << 20)));
  EXPECT_EQ(json["schema"], "cupola-run/1");
  EXPECT_EQ(json["iterations"], 3);
  EXPECT_EQ(json["outputs"][0]["shape"], nlohmann::json({1, 4}));
  EXPECT_GT(json["latency_ms"]["min"], 0);
  uint64_t launches = 0;
  for (const auto &kernel : json["kernels"])
    launches += kernel["launches"].get<uint64_t>();
  EXPECT_EQ(launches, 4u * 2) << "two steps, one warm-up and three runs";
}

TEST_F(RunTool, TensorsInTheDevicesMemory) {
  ASSERT_TRUE(npz::write(scratch.path("in.npz"), someInputs()).isOk());
  const Outcome outcome = run(package + " --device cpu --device-tensors --inputs " + scratch.path("in.npz") +
                              " --json " + scratch.path("r.json") + " --iterations 3");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("output 'y': f32 [1, 4]: 26, 34, 42, 50\n"), std::string::npos) << outcome.text;
  const auto json = nlohmann::json::parse(test::need(format::readFile(scratch.path("r.json"), 1 << 20)));
  EXPECT_GT(json["queued_ms"], 0);
  uint64_t launches = 0;
  for (const auto &kernel : json["kernels"])
    launches += kernel["launches"].get<uint64_t>();
  EXPECT_EQ(launches, 7u * 2) << "two steps, one warm-up, three runs and three in a queue";
}

TEST_F(RunTool, AnOutputWhoseShapeARunFinds) {
  ASSERT_TRUE(format::writePackage(test::scanPackage(true), test::packageWeights(), package).isOk());
  npz::Array x{"x", format::DType::F32, {2}, std::vector<uint8_t>(8)};
  const float values[2] = {1, 2};
  std::memcpy(x.bytes.data(), values, 8);
  const npz::Array n{"n", format::DType::I64, {}, {3, 0, 0, 0, 0, 0, 0, 0}}, go{"go", format::DType::Bool, {}, {1}};
  ASSERT_TRUE(npz::write(scratch.path("in.npz"), {x, n, go}).isOk());
  const Outcome outcome = run(package + " --device cpu --inputs " + scratch.path("in.npz") + " --outputs " +
                              scratch.path("out.npz") + " --json " + scratch.path("r.json") + " --profile");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("4 steps, 2 of them outside of branches and loops"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("output 'y': f32 [3, 2]: 1, 2, 2, 4, ..."), std::string::npos) << outcome.text;
  EXPECT_EQ(test::need(npz::read(scratch.path("out.npz")))[0].bytes.size(), 24u);
  const auto json = nlohmann::json::parse(test::need(format::readFile(scratch.path("r.json"), 1 << 20)));
  EXPECT_EQ(json["outputs"][0]["shape"], nlohmann::json({3, 2}));
  EXPECT_EQ(json["profile"][0]["kernel"], "while");
}

TEST_F(RunTool, PackagesBesideStoredOutputs) {
  std::vector<npz::Array> arrays = someInputs();
  for (npz::Array &array : arrays)
    array.name = "in:" + array.name;
  arrays.push_back({"out:y", format::DType::F32, {1, 4}, std::vector<uint8_t>(16)});
  const float right[4] = {26, 34, 42, 50}, wrong[4] = {26, 34, 43, 50};
  const auto runWith = [&](const float *values) {
    std::memcpy(arrays.back().bytes.data(), values, 16);
    EXPECT_TRUE(npz::write(scratch.path("m.npz"), arrays).isOk());
    return runProgram(CUPOLA_PACKAGE_CASES, "cpu " + package);
  };
  const Outcome good = runWith(right);
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.text, "1 passed, 0 failed\n");
  const Outcome bad = runWith(wrong);
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.text.find("FAIL " + package), std::string::npos) << bad.text;
  EXPECT_NE(bad.text.find("0 passed, 1 failed\n"), std::string::npos) << bad.text;
}

TEST_F(RunTool, SeededRunsRepeatWhateverTheThreads) {
  std::string files[3];
  for (int i = 0; i < 3; ++i) {
    const std::string out = scratch.path("out" + std::to_string(i));
    const Outcome outcome = run(package + " --device cpu --threads " + std::to_string(i + 1) +
                                " --shape batch=50 --seed 4 --outputs " + out);
    ASSERT_EQ(outcome.code, 0) << outcome.text;
    files[i] = test::need(format::readFile(out, 1 << 20));
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_EQ(files[0], files[2]);
}

TEST_F(RunTool, ExitCodesAndTexts) {
  expectFails("", 2, "FILE is required");
  expectFails(package + " --device tpu", 2, "tpu");
  expectFails(package + " --iterations 0 --device cpu", 2, "--iterations");
  expectFails(package + " --device cpu", 2, "the model's dynamic dimensions need values: s0 'batch'");
  expectFails(package + " --device cpu --shape s0=0", 2, "the package was compiled for 1..1000");
  expectFails(scratch.path("none"), 8, "cannot open");
  expectFails(scratch.path(""), 8, "is not a regular file");
  expectFails(package + " --device cpu --inputs " + scratch.path("none"), 8, "cannot open");
  expectFails(package + " --device cpu --inputs " + package, 2, "not a readable .npz");
  expectFails(package + " --device cpu --shape s0=2 --outputs /no/such/out.npz", 8, "/no/such/out.npz");
  std::string bytes = test::need(format::readFile(package, 1 << 20));
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(format::writeFile(scratch.path("bad"), bytes).isOk());
  expectFails(scratch.path("bad"), 7, "the package is damaged");
  ASSERT_TRUE(format::writeFile(scratch.path("empty"), "").isOk());
  expectFails(scratch.path("empty"), 7, "not a Cupola package: the file is empty");
  EXPECT_EQ(run(package + " --device cpu --shape s0=2 >/dev/full").code, 8);
  EXPECT_EQ(run("--help").code, 0);
}

TEST_F(RunTool, WrongInputFilesAreNamed) {
  const auto check = [&](auto change, const std::string &text) {
    std::vector<npz::Array> arrays = someInputs();
    change(arrays);
    ASSERT_TRUE(npz::write(scratch.path("in.npz"), arrays).isOk());
    expectFails(package + " --device cpu --inputs " + scratch.path("in.npz"), 2, text);
  };
  using Arrays = std::vector<npz::Array>;
  check([](Arrays &a) { a.pop_back(); }, "input 'ids' is missing, the file has 'x'");
  check([](Arrays &a) { a.push_back({"z", format::DType::U8, {0}, {}}); }, "the model has no input 'z'");
  check([](Arrays &a) { a[0].dtype = format::DType::I32; }, "input 'x': element type is i32, the model declares f32");
  check([](Arrays &a) { a[1].bytes[0] = 9; }, "'embed/Gather' (Gather)");
  std::vector<npz::Array> prefixed = someInputs();
  prefixed[0].name = "in:x";
  prefixed[1].name = "in:ids";
  prefixed.push_back({"out:y", format::DType::F32, {0}, {}});
  ASSERT_TRUE(npz::write(scratch.path("case.npz"), prefixed).isOk());
  EXPECT_EQ(run(package + " --device cpu --inputs " + scratch.path("case.npz")).code, 0);
}

TEST_F(RunTool, OpensNoLibraryOfACompiler) {
  const Outcome outcome = run(package + " --device cpu --shape s0=2; LD_DEBUG=libs " + std::string(CUPOLA_RUN) + " " +
                              package + " --device cpu --shape s0=2");
  ASSERT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.text.find("libcrypto"), std::string::npos) << "the loader said nothing";
  for (const char *library : {"LLVM", "MLIR", "libclang", "protobuf", "onnx"})
    EXPECT_EQ(outcome.text.find(library), std::string::npos) << library;
}

} // namespace cupola
