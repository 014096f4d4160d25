//===- test/Compiler/KernelResultsTest.cpp - a wrong kernel is found and named ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/KernelResults.h"
#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/CompilationImpl.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/Format/PackageWriter.h"
#include "lib/Runtime/Session.h"
#include "lib/Runtime/Tools/Inputs.h"
#include "test/Compiler/Layers.h"
#include "test/Runtime/Devices.h"

namespace cupola::compiler {

namespace {

using test::layers;
using test::need;

class KernelResultsTest : public test::DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    const bool isCpu = GetParam() == std::string("cpu");
    options.targets = {isCpu ? "cpu" : "cuda"};
    options.cpuLevels = {"x86-64-v3"};
    options.sourceOnly = true;
    if (!isCpu)
      options.archs = {"sm_80"};
    options.cacheDir = "none";
    path = folder.write("m.onnx", layers().SerializeAsString());
    options.kernelResults = true;
    compilation = need(Compilation::load(path, options));
    package = need(compilation->impl().makePackage());
    weights = need(format::PackageFile::fromMemory(need(compilation->package())));
  }

  /// Runs `package`; compares what its kernels wrote.
  std::vector<runtime::KernelResult> results() {
    const auto source = [&](uint32_t index, uint64_t offset, char *target, uint64_t size) {
      std::copy_n(weights->weight(index).data() + offset, size, target);
      return Status::ok();
    };
    auto file = need(format::PackageFile::fromMemory(need(format::writePackageToMemory(package, source))));
    auto executable = need(runtime::Executable::create(file, device));
    runtime::InputOptions inputOptions;
    inputOptions.shapes = {"n=5"};
    auto inputs = need(runtime::makeInputs(executable->package(), executable->parsedInterface(), inputOptions));
    auto session = need(runtime::Session::create(executable, {}));
    const Status bound = session->bind(runtime::shapesOf(inputs));
    EXPECT_TRUE(bound.isOk()) << bound.message();
    auto outputs = need(runtime::makeOutputs(*session));
    const Status done = session->run(runtime::refsOf(inputs), runtime::refsOf(outputs));
    EXPECT_TRUE(done.isOk()) << done.message();
    const std::vector<npz::Array> arrays{{"x", inputs[0].dtype, inputs[0].shape, inputs[0].bytes}};
    const Diagnosis diagnosis =
        need(compilation->diagnose(arrays, executable->variant().target, executable->variant().arch, 1e-5));
    EXPECT_EQ(diagnosis.wrongPass, "");
    std::vector<npz::Array> values;
    for (runtime::HostTensor &output : outputs)
      values.push_back({"", output.dtype, output.shape, std::move(output.bytes)});
    return runtime::compareKernelResults(executable->program(), values, diagnosis.fused, 1e-5);
  }

  std::string nodesOf(const runtime::KernelResult &result) const {
    std::string names;
    for (uint32_t node : result.nodes)
      names += package.nodes[node].name + " ";
    return names;
  }

  onnx_import::ScratchFolder folder;
  std::string path;
  Options options;
  std::unique_ptr<Compilation> compilation;
  format::Package package;
  std::shared_ptr<const format::PackageFile> weights;
};

} // namespace

TEST_P(KernelResultsTest, EveryKernelAgrees) {
  const auto all = results();
  ASSERT_EQ(all.size(), 3u);
  for (const runtime::KernelResult &result : all)
    EXPECT_TRUE(result.difference.pass) << result.kernel << ": " << result.difference.maxAbs;
  EXPECT_EQ(nodesOf(all[1]), "node_c node_d ");
}

TEST_P(KernelResultsTest, TheFirstWrongKernelIsNamed) {
  format::Program &program = package.variants[0].program;
  ASSERT_NE(program.steps[0].launch.kernel, program.steps[1].launch.kernel);
  program.steps[1].launch.kernel = program.steps[0].launch.kernel; // Relu where Tanh should be
  const auto all = results();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0].difference.pass);
  EXPECT_FALSE(all[1].difference.pass);
  EXPECT_EQ(nodesOf(all[1]), "node_c node_d ");
}

TEST_P(KernelResultsTest, TheKernelsAreThoseOfAnOrdinaryPackage) {
  options.kernelResults = false;
  auto ordinary = need(Compilation::load(path, options));
  const format::Package other = need(ordinary->impl().makePackage());
  const auto &kernels = package.variants[0].program.kernels, &expected = other.variants[0].program.kernels;
  ASSERT_EQ(kernels.size(), expected.size());
  for (size_t i = 0; i < kernels.size(); ++i)
    EXPECT_EQ(kernels[i].name, expected[i].name);
}

CUPOLA_FOR_ALL_DEVICES(KernelResultsTest);

} // namespace cupola::compiler
