//===- test/Target/CPU/KernelRunner.h - compile, load and run kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_TARGET_CPU_KERNELRUNNER_H
#define CUPOLA_TEST_TARGET_CPU_KERNELRUNNER_H

#include "lib/Target/CPU/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace cupola::test {

/// The levels that this machine runs.
std::vector<int> runnableLevels();

/// test/Target/CPU/Inputs/<name>.mlir with words replaced.
std::string kernelText(const std::string &name, const std::vector<std::pair<std::string, std::string>> &words = {});
/// A position as a kernel has it, where d0, d1, .. and g0, g1, .. are values.
std::string positionText(const Expr &position);
/// Numbers of N(0, 1), the same for the same seed.
std::vector<float> randomFloats(size_t count, uint32_t seed = 1);

/// A module of kernels, compiled and loaded.
class KernelRunner {
public:
  /// Fails the test if the text does not parse or compile. With `pack`, kernels read
  /// packed operands, and the packers follow the kernels.
  KernelRunner(const std::string &text, int level, bool pack = false);
  ~KernelRunner();

  size_t size() const { return kernels.size(); }
  const cpu::CpuKernel &kernel(size_t i) const { return kernels[i]; }
  const std::string &image() const { return bytes; }
  /// What packing the operand of packer `i` needs.
  std::vector<Expr> packedBytes; ///< of those, in order
  unsigned codeGenerations() const { return generations; }

  /// Runs kernel `i` in `pieces` calls, as threads would, last piece first. Returns
  /// the flag word: 0, or the step (7) and one.
  uint32_t run(size_t i, const std::vector<void *> &buffers, const std::vector<int64_t> &scalars, int64_t pieces = 3);

  /// Writes the word of CpuExtension bits, which is 0 before; the image has one.
  void setExtensions(uint32_t bits);

private:
  void compile(const std::string &text, const CpuArchitecture &isa, bool pack);
  void load();

  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::OwningOpRef<kernel::FuncOp>> packers;
  std::vector<cpu::CpuKernel> kernels;
  std::string bytes;
  unsigned generations = 0;
  void *handle = nullptr;
  int descriptor = -1;
};

} // namespace cupola::test

#endif // CUPOLA_TEST_TARGET_CPU_KERNELRUNNER_H
