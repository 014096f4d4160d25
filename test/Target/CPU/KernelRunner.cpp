//===- test/Target/CPU/KernelRunner.cpp - compile, load and run kernels ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CPU/KernelRunner.h"

#include "mlir/Parser/Parser.h"

#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <sys/mman.h>
#include <unistd.h>

namespace cupola::test {

using Entry = void (*)(const uint64_t *, const uint64_t *, int64_t, int64_t, void *);

std::vector<int> runnableLevels() {
  __builtin_cpu_init();
  std::vector<int> levels;
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back(3);
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(4);
  return levels;
}

std::string kernelText(const std::string &name, const std::vector<std::pair<std::string, std::string>> &words) {
  std::ifstream file("test/Target/CPU/Inputs/" + name + ".mlir");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_FALSE(text.empty()) << name << ": tests run in the root of the source";
  for (const auto &[word, value] : words)
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
      text.replace(at, word.size(), value);
  return text;
}

std::string positionText(const Expr &position) {
  return std::regex_replace(position.text(), std::regex("\\b[dg][0-9]"), "%$&");
}

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(generator);
  return values;
}

KernelRunner::KernelRunner(const std::string &text, int level, bool pack) {
  compile(text, *findCpu("x86-64-v" + std::to_string(level)), pack);
}

void KernelRunner::compile(const std::string &text, const CpuArchitecture &isa, bool pack) {
  cpu::registerCpuDialects(registry);
  registry.insert<graph::GraphDialect, kernel::KernelDialect>();
  context = std::make_unique<mlir::MLIRContext>(registry);
  context->loadAllAvailableDialects();
  module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  ASSERT_TRUE(module) << text;
  std::vector<kernel::FuncOp> funcs;
  for (auto func : module->getOps<kernel::FuncOp>())
    funcs.push_back(func);
  for (size_t i = 0, count = funcs.size(); pack && i < count; ++i)
    for (mlir::Region *operand : cpu::packableOperands(funcs[i])) {
      packers.push_back(cpu::packOperand(funcs[i], *operand, "pack" + std::to_string(packers.size()), isa));
      packedBytes.push_back(funcs[i].getPackedOperands().back().getBytes().getValue());
      funcs.push_back(*packers.back());
    }
  for (kernel::FuncOp func : funcs) {
    cpu::swapOperands(func, isa);
    cupola::Status chosen = cpu::chooseSchedule(func, isa);
    ASSERT_TRUE(chosen.isOk()) << chosen.message();
    auto prepared = cpu::prepareCpuKernel(func, isa);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    kernels.push_back(prepared.take());
  }
  cpu::ImageBuilder image(funcs, isa);
  generations = image.pieces();
  for (size_t i = 0; i < generations; ++i) {
    cupola::Status compiled = image.compile(i);
    ASSERT_TRUE(compiled.isOk()) << compiled.message();
  }
  auto linked = image.link();
  ASSERT_TRUE(linked.isOk()) << linked.status().message();
  bytes = linked.take();
  load();
}

void KernelRunner::load() {
  descriptor = ::memfd_create("kernels", MFD_CLOEXEC);
  ASSERT_EQ(::write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  handle = ::dlopen(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), RTLD_NOW);
  ASSERT_TRUE(handle) << ::dlerror();
}

void KernelRunner::setExtensions(uint32_t bits) {
  void *word = ::dlsym(handle, kCpuExtensionsSymbol);
  ASSERT_TRUE(word) << ::dlerror();
  *static_cast<uint32_t *>(word) = bits;
}

KernelRunner::~KernelRunner() {
  if (handle)
    ::dlclose(handle);
  if (descriptor >= 0)
    ::close(descriptor);
}

uint32_t KernelRunner::run(size_t i, const std::vector<void *> &buffers, const std::vector<int64_t> &scalars,
                           int64_t pieces) {
  const cpu::CpuKernel &kernel = kernels.at(i);
  auto entry = reinterpret_cast<Entry>(::dlsym(handle, kernel.record.name.c_str()));
  EXPECT_TRUE(entry) << kernel.record.name;
  uint32_t flags[format::kFlagWords] = {};
  std::vector<uint64_t> bindings{reinterpret_cast<uint64_t>(flags)}, args;
  std::map<std::string, int64_t> values;
  for (void *buffer : buffers)
    args.push_back(reinterpret_cast<uint64_t>(buffer));
  for (size_t slot = 0; slot < scalars.size(); ++slot) {
    args.push_back(bindings.size());
    bindings.push_back(scalars[slot]);
    values["n" + std::to_string(slot)] = scalars[slot];
  }
  args.push_back(7); // the step
  int64_t grid = kernel.grid.evaluate(values).value();
  void *scratch = std::aligned_alloc(64, (kernel.record.scratchBytes + 64) / 64 * 64);
  for (int64_t piece = pieces; piece-- > 0;)
    entry(bindings.data(), args.data(), grid * piece / pieces, grid * (piece + 1) / pieces, scratch);
  std::free(scratch);
  return flags[0];
}

} // namespace cupola::test
