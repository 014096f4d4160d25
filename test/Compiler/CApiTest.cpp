//===- test/Compiler/CApiTest.cpp - libcupola_compiler.so through its C interface ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Reports.hpp"
#include "test/Compiler/CApiFixture.h"
#include "test/Runtime/CUDA/Scratch.h"
#include "test/Runtime/Exports.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace cupola {
namespace {

namespace fs = std::filesystem;

TEST_F(CompilerCApi, CompilesFromMemoryAndThePackageRuns) {
  float y[6] = {};
  ASSERT_EQ(clientCompileAndRun(&client, whole.data, whole.size, y), CUPOLA_OK) << client.message;
  expectAnswer(y);
  EXPECT_STREQ(client.told, "import;graph;kernels;");
  EXPECT_EQ(client.reads, 0);
}

TEST_F(CompilerCApi, AsksForExternalData) {
  float y[6] = {};
  ASSERT_EQ(clientCompileAndRun(&client, apart.data, apart.size, y), CUPOLA_OK) << client.message;
  expectAnswer(y);
  EXPECT_EQ(client.reads, 1);
}

TEST_F(CompilerCApi, WrongAnswersAreErrorsThatNameTheTensor) {
  const std::pair<ClientAnswer, const char *> cases[] = {
      {TooShort, "needs 48 bytes at offset 16 of 'weights.bin', the caller gave 47"},
      {TooLong, "the caller gave 49"},
      {Nothing, "the caller gave 0"},
      {Refused, "cannot be had from 'weights.bin': the server is away"}};
  for (const auto &[answer, text] : cases) {
    client.answer = answer;
    float y[6];
    EXPECT_EQ(clientCompileAndRun(&client, apart.data, apart.size, y), CUPOLA_IO);
    expectMessage(text);
    expectMessage("'w'");
  }
}

TEST_F(CompilerCApi, SizesAreCheckedBeforeItAsks) {
  const ModelBytes wrong = makeModel({"Relu", "40"});
  float y[6];
  EXPECT_EQ(clientCompileAndRun(&client, wrong.data, wrong.size, y), CUPOLA_BAD_MODEL);
  expectMessage("external data length 40, expected 48");
  cupola_model model = clientModel(&client, apart.data, apart.size);
  cupola_compile_options options = clientOptions(&client);
  const cupola_limit limit{{"tensor-bytes", 12}, 40};
  options.limits = &limit;
  options.limit_count = 1;
  cupola_compilation *compilation = nullptr;
  EXPECT_EQ(clientCode(&client, cupola_compilation_create(&model, &options, &compilation)), CUPOLA_LIMIT);
  model.read_external = nullptr;
  EXPECT_EQ(clientCode(&client, cupola_compilation_create(&model, nullptr, &compilation)), CUPOLA_BAD_MODEL);
  expectMessage("has no folder");
  EXPECT_EQ(compilation, nullptr);
  EXPECT_EQ(client.reads, 0);
}

TEST_F(CompilerCApi, ExternalDataLiesInAFolderOrBesideTheModel) {
  const ScratchFolder folder;
  std::ofstream(folder.path() + "/weights.bin", std::ios::binary)
      << std::string(16, '.') << std::string(reinterpret_cast<const char *>(modelWeight), sizeof(modelWeight));
  std::ofstream(folder.path() + "/m.onnx", std::ios::binary)
      << std::string(reinterpret_cast<const char *>(apart.data), apart.size);
  const cupola_compile_options options = clientOptions(&client);
  cupola_model model = modelInMemory(apart.data, apart.size);
  model.external_folder = capi::string(folder.path());
  const std::string file = folder.path() + "/m.onnx";
  const std::string package(Compilation(model, &options).package());
  EXPECT_EQ(package, Compilation(modelFile(file), &options).package());
  EXPECT_EQ(package, Compilation(modelInMemory(whole.data, whole.size), &options).package());
  cupola_compile_options quiet = options;
  quiet.cancelled = nullptr;
  quiet.threads = 2;
  EXPECT_EQ(package, Compilation(model, &quiet).package());
}

TEST_F(CompilerCApi, StopsAtEveryPointAndLeavesNothing) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/m.cupola";
  ASSERT_EQ(clientCompileTo(&client, apart.data, apart.size, path.c_str()), CUPOLA_OK) << client.message;
  const int polls = client.polls;
  EXPECT_GT(polls, 20); // there are as many passes
  fs::remove(path);
  for (int at = 1; at <= polls; ++at) {
    Client stopped{};
    stopped.cancelAt = at;
    ASSERT_EQ(clientCompileTo(&stopped, apart.data, apart.size, path.c_str()), CUPOLA_CANCELLED) << "poll " << at;
    EXPECT_STREQ(stopped.message, "cancelled");
    EXPECT_EQ(stopped.polls, at) << "asked again";
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST_F(CompilerCApi, StopsOnSeveralThreads) {
  struct Polls {
    std::atomic<int> count{0};
    int stopAt = 0;
  };
  cupola_compile_options options = clientOptions(&client);
  options.cpu_levels = {};
  options.threads = 4;
  options.progress = nullptr;
  options.cancelled = [](void *user) {
    auto *polls = static_cast<Polls *>(user);
    return ++polls->count == polls->stopAt ? 1 : 0;
  };
  for (int at = 0;; at += 5) {
    Polls polls;
    polls.stopAt = at;
    options.user = &polls;
    const std::string error = errorOf([&] { Compilation(modelInMemory(whole.data, whole.size), &options).package(); });
    EXPECT_EQ(error, at > 0 && polls.count >= at ? "cancelled" : "no error") << at;
    if (polls.count < at)
      break;
  }
}

TEST_F(CompilerCApi, SeveralCompilationsAtOnce) {
  cupola_compile_options options = clientOptions(&client);
  options.progress = nullptr;
  options.cancelled = nullptr;
  const std::string expected(Compilation(modelInMemory(whole.data, whole.size), &options).package());
  std::vector<std::thread> threads;
  std::atomic<int> equal{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round)
        equal += Compilation(modelInMemory(whole.data, whole.size), &options).package() == expected;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(equal, 12);
}

TEST_F(CompilerCApi, ACancelledCompilationStaysCancelled) {
  const cupola_compile_options options = clientOptions(&client);
  Compilation compilation(modelInMemory(whole.data, whole.size), &options);
  client.cancelAt = client.polls + 1;
  EXPECT_EQ(errorOf([&] { compilation.build(); }), "cancelled");
  EXPECT_EQ(errorOf([&] { compilation.package(); }), "cancelled");
  EXPECT_EQ(errorOf([&] { compilation.explain(); }), "cancelled");
  cupola_problems *problems = nullptr;
  const cupola_model model = modelInMemory(whole.data, whole.size);
  client.cancelAt = client.polls + 1;
  EXPECT_EQ(clientCode(&client, cupola_model_check(&model, &options, &problems)), CUPOLA_CANCELLED);
  EXPECT_EQ(problems, nullptr);
}

TEST_F(CompilerCApi, ListsProblems) {
  EXPECT_TRUE(checkModel(modelInMemory(whole.data, whole.size)).empty());
  const ModelBytes unknown = makeModel({"NoSuchOp", nullptr});
  cupola_model model = modelInMemory(unknown.data, unknown.size);
  model.name = capi::string("net");
  const std::vector<Problem> problems = checkModel(model);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].code, CUPOLA_UNSUPPORTED);
  EXPECT_EQ(problems[0].node, "last");
  EXPECT_EQ(problems[0].op, "NoSuchOp");
  EXPECT_EQ(problems[0].opset, 17);
  EXPECT_EQ(problems[0].text, "net: node 'last' (NoSuchOp, opset 17): " + problems[0].reason);
  EXPECT_EQ(errorOf([&] { Compilation compilation(model); }), problems[0].text);
  EXPECT_EQ(checkModel(modelInMemory(whole.data, whole.size / 2)).at(0).code, CUPOLA_BAD_MODEL);
  EXPECT_EQ(checkModel(modelFile("/no/such/file")).at(0).code, CUPOLA_IO);
}

TEST_F(CompilerCApi, TextsOfPhasesReportsAndTimes) {
  const cupola_compile_options options = clientOptions(&client);
  Compilation compilation(modelInMemory(whole.data, whole.size), &options);
  EXPECT_TRUE(compilation.phases().empty());
  const std::string_view graph = compilation.emit("graph");
  EXPECT_NE(graph.find("graph.matmul"), std::string_view::npos) << graph;
  EXPECT_NE(compilation.emit("plan").find("plan."), std::string_view::npos);
  EXPECT_EQ(compilation.emit("graph").data(), graph.data()) << "kept by the compilation";
  EXPECT_EQ(compilation.explain().substr(0, 1), "{");
  EXPECT_NE(errorOf([&] { compilation.emit("wood"); }).find("cannot print phase 'wood'"), std::string::npos);
  std::string names;
  for (const auto &[name, milliseconds] : compilation.phases()) {
    names += name + ";";
    EXPECT_GE(milliseconds, 0);
  }
  EXPECT_EQ(names, "kernels;text;plan;code;");
  EXPECT_EQ(capi::text(cupola_compiler_version()), capi::text(cupola_version()));
}

TEST_F(CompilerCApi, ReportsAreForPeopleAndPrograms) {
  Report report;
  checkModel(modelInMemory(whole.data, whole.size), nullptr, &report, "net");
  EXPECT_EQ(report.text, "net: every node is supported\n");
  EXPECT_NE(report.json.find("\"schema\": \"cupola.check/2\""), std::string::npos) << report.json;
  const ModelBytes unknown = makeModel({"NoSuchOp", nullptr});
  checkModel(modelInMemory(unknown.data, unknown.size), nullptr, &report);
  EXPECT_EQ(report.text, "") << "the only problem says all";
  EXPECT_NE(report.json.find("\"op\": \"NoSuchOp\""), std::string::npos) << report.json;
  const cupola_compile_options options = clientOptions(&client);
  Compilation compilation(modelInMemory(whole.data, whole.size), &options);
  report = compilation.explainReport();
  const std::string_view explained = compilation.explain();
  EXPECT_EQ(report.json.substr(0, explained.size() - 1), explained.substr(0, explained.size() - 1))
      << "of one variant the kernels' texts are the last member";
  EXPECT_NE(report.json.find(",\"sources\":{\"k_"), std::string::npos) << report.json;
  EXPECT_NE(report.text.find("edges: 2 fused, 0 not\n"), std::string::npos) << report.text;
  EXPECT_EQ(report.text.find("'mul' -> 'last'"), std::string::npos) << report.text;
  report = compilation.explainReport(/*allEdges=*/true);
  EXPECT_NE(report.text.find("fused     'mul' -> 'last'"), std::string::npos) << report.text;
}

TEST_F(CompilerCApi, TheModelItselfIsTheReference) {
  const cupola_compile_options options = clientOptions(&client);
  Compilation compilation(modelInMemory(whole.data, whole.size), &options);
  const std::string_view bytes = compilation.package();
  const Verification verification(Executable(Package(bytes.data(), bytes.size()), Device("cpu")));
  bool passed = false;
  const Report report = verification.compare(compilation.reference(verification.inputs()), 0, passed);
  EXPECT_TRUE(passed) << report.text;
  EXPECT_NE(report.text.find("compared 1 outputs, 6 elements\n"), std::string::npos) << report.text;
  const ModelBytes other = makeModel({"Exp", nullptr});
  Compilation wrong(modelInMemory(other.data, other.size), &options);
  EXPECT_EQ(verification.compare(wrong.reference(verification.inputs()), 0, passed).text.substr(0, 8), "FAIL 'y'");
  EXPECT_FALSE(passed);
  EXPECT_NE(errorOf([&] { compilation.reference("no archive"); }), "no error");
  EXPECT_TRUE(isUsage(cupola_compilation_reference(compilation.get(), {}, nullptr)));
}

TEST_F(CompilerCApi, EveryKernelIsHeldAgainstADiagnosis) {
  cupola_compile_options options = clientOptions(&client);
  options.kernel_results = 1;
  Compilation compilation(modelInMemory(whole.data, whole.size), &options);
  const std::string_view bytes = compilation.package();
  const Device device("cpu");
  const Verification verification(Executable(Package(bytes.data(), bytes.size()), device));
  const std::string diagnosis(compilation.diagnose(verification.inputs(), "cpu", "x86-64-v3", 5e-5));
  bool passed = false;
  const Report report = verification.compareKernels(diagnosis, "", 5e-5, passed);
  EXPECT_TRUE(passed) << report.text;
  EXPECT_NE(report.text.find("1 kernel results compared; none differs\n"), std::string::npos) << report.text;
  EXPECT_NE(report.json.find("\"first_difference\": null"), std::string::npos) << report.json;
  const std::string_view damaged[] = {"", "{}\n", "{\"names\": [1]}\n", "[]"};
  for (std::string_view text : damaged)
    EXPECT_NE(errorOf([&] { verification.compareKernels(text, "", 5e-5, passed); }), "no error") << text;
  EXPECT_NE(errorOf([&] { compilation.diagnose(verification.inputs(), "cpu", "z80", 5e-5); }), "no error");
  EXPECT_TRUE(isUsage(cupola_compilation_diagnose(compilation.get(), {}, {}, {}, 0, nullptr)));
}

TEST(CompilerLibrary, ExportsWhatTheHeaderDeclares) {
  EXPECT_EQ(test::exportsOf(CUPOLA_COMPILER_LIBRARY), test::declaredIn("cupola/Compiler/Compiler.h"));
}

} // namespace
} // namespace cupola
