//===- test/Compiler/PackageCacheFixture.h - compilations with a cache of their own ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_COMPILER_PACKAGECACHEFIXTURE_H
#define CUPOLA_TEST_COMPILER_PACKAGECACHEFIXTURE_H

#include "lib/Compiler/Compilation.h"
#include "lib/Runtime/Format/PackageFile.h"
#include "test/Compiler/Layers.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace cupola::compiler {

namespace fs = std::filesystem;

/// What a compilation gave.
struct Made {
  Status status;
  bool isFound = false;
  std::string bytes;
  std::vector<std::string> warnings;
};

inline std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline Made compile(const ModelSource &source, Options options) {
  Made made;
  options.warn = [&](const std::string &text) { made.warnings.push_back(text); };
  const PackageTaker taker{[&](const std::string &path) -> Status {
                             const auto file = format::PackageFile::open(path);
                             if (file.failed())
                               return Status::package(file.status().message());
                             made.bytes = (*file)->all();
                             return {};
                           },
                           [&](Compilation &compilation) -> Status {
                             CUPOLA_ASSIGN(made.bytes, compilation.package());
                             return {};
                           }};
  const auto compilation = Compilation::compile(source, options, taker);
  made.status = compilation.status();
  made.isFound = compilation.isOk() && !*compilation;
  return made;
}

class PackageCacheTest : public testing::Test {
protected:
  PackageCacheTest() {
    options.targets = {"cpu"};
    options.cpuLevels = {"x86-64-v3"};
    options.cacheDir = cache();
    model = write("m.onnx", test::layers());
  }

  std::string cache() const { return folder.path() + "/cache"; }
  std::string write(const std::string &name, const onnx::ModelProto &proto) const {
    std::ofstream(folder.path() + "/" + name, std::ios::binary) << proto.SerializeAsString();
    return folder.path() + "/" + name;
  }
  /// The files of the cache of a kind.
  std::vector<std::string> entries(const std::string &kind) const {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(cache()))
      if (entry.path().extension() == "." + kind)
        found.push_back(entry.path().string());
    return found;
  }
  void expectMade(const Made &made) const {
    EXPECT_TRUE(made.status.isOk()) << made.status.message();
    EXPECT_FALSE(made.isFound);
  }
  void expectFound(const Made &made) const {
    EXPECT_TRUE(made.status.isOk()) << made.status.message();
    EXPECT_TRUE(made.isFound);
  }
  /// The layers with their weight in a file beside them.
  std::string writeApart(float first) const {
    onnx::ModelProto proto = test::layers();
    onnx::TensorProto &weight = *proto.mutable_graph()->mutable_initializer(0);
    std::string bytes(reinterpret_cast<const char *>(weight.float_data().data()), 64 * sizeof(float));
    std::memcpy(bytes.data(), &first, sizeof(first));
    std::ofstream(folder.path() + "/w.bin", std::ios::binary) << bytes;
    weight.clear_float_data();
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto &entry = *weight.add_external_data();
    entry.set_key("location");
    entry.set_value("w.bin");
    return write("apart.onnx", proto);
  }

  const ScratchFolder folder;
  std::string model;
  Options options;
};

} // namespace cupola::compiler

#endif // CUPOLA_TEST_COMPILER_PACKAGECACHEFIXTURE_H
