//===- test/Compiler/CApiCacheTest.cpp - cupola_compile and what it finds of earlier calls ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Compiler/CApiFixture.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <filesystem>
#include <fstream>

namespace cupola {
namespace {

namespace fs = std::filesystem;

/// The client, which hears warnings.
std::vector<std::string> &warningsOf(cupola_compile_options &options) {
  static std::vector<std::string> warnings;
  warnings.clear();
  options.warn = [](void *, cupola_string text) { warnings.push_back(capi::text(text)); };
  return warnings;
}

TEST_F(CompilerCApi, APackageIsMadeOnce) {
  const ScratchFolder folder;
  cupola_compile_options options = clientOptions(&client);
  const std::string expected(Compilation(modelInMemory(whole.data, whole.size), &options).package());
  options.cache_dir = capi::string(folder.path());
  const std::vector<std::string> &warnings = warningsOf(options);
  const cupola_model model = modelInMemory(whole.data, whole.size);
  EXPECT_FALSE(findCompiled(model, &options));
  client.told[0] = 0;
  EXPECT_EQ(compile(model, &options).contents(), expected);
  EXPECT_STREQ(client.told, "import;graph;kernels;");
  EXPECT_EQ(compile(model, &options).contents(), expected);
  EXPECT_EQ(findCompiled(model, &options)->contents(), expected);
  EXPECT_STREQ(client.told, "import;graph;kernels;") << "nothing was compiled again";
  // Damage is found by whoever opens the package.
  for (const auto &entry : fs::directory_iterator(folder.path()))
    if (entry.path().extension() == ".package")
      std::fstream(entry.path(), std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('!');
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(compile(model, &options).contents(), expected);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("is not used: its bytes do not match their SHA-256"), std::string::npos) << warnings[0];
}

TEST_F(CompilerCApi, WhatIsFoundDependsOnExternalData) {
  const ScratchFolder folder;
  cupola_compile_options options = clientOptions(&client);
  options.cache_dir = capi::string(folder.path());
  const cupola_model model = clientModel(&client, apart.data, apart.size);
  const std::string first(compile(model, &options).contents());
  EXPECT_EQ(findCompiled(model, &options)->contents(), first);
  EXPECT_EQ(client.reads, 2);
  client.answer = Refused;
  EXPECT_FALSE(findCompiled(model, &options));
  EXPECT_NE(errorOf([&] { compile(model, &options); }).find("the server is away"), std::string::npos);
}

TEST_F(CompilerCApi, CompileSaysWhatIsWrong) {
  const cupola_compile_options options = clientOptions(&client);
  const cupola_model model = modelInMemory("no model", 8);
  EXPECT_NE(errorOf([&] { compile(model, &options); }).find("model: "), std::string::npos);
  EXPECT_FALSE(findCompiled(model, &options));
  const cupola_model none{};
  EXPECT_NE(errorOf([&] { compile(none, &options); }).find("neither a path nor bytes"), std::string::npos);
  EXPECT_NE(errorOf([&] { findCompiled(none, &options); }).find("neither a path nor bytes"), std::string::npos);
  EXPECT_TRUE(isUsage(cupola_compile(&model, &options, nullptr)));
  EXPECT_TRUE(isUsage(cupola_find_compiled(&model, &options, nullptr)));
}

} // namespace
} // namespace cupola
