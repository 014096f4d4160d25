//===- test/Target/CUDA/KernelInterpreter.h - what a kernel means ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_TARGET_CUDA_KERNELINTERPRETER_H
#define CUPOLA_TEST_TARGET_CUDA_KERNELINTERPRETER_H

#include "dialects/Kernel/Kernel.h"

#include <string>
#include <vector>

namespace cupola::test {

/// Elements of a buffer: floats in `real`, integers and bools in `whole`.
struct Number {
  double real = 0;
  int64_t whole = 0;
};

std::vector<Number> decode(const std::string &bytes, mlir::Type element);
std::string encode(const std::vector<Number> &numbers, mlir::Type element);

/// Runs the kernel for every grid point, floats in f64. `buffers` holds one vector per
/// parameter; written ones change. Returns whether an index was out of range.
bool interpret(kernel::FuncOp func, const std::vector<int64_t> &scalars, std::vector<std::vector<Number>> &buffers);

} // namespace cupola::test

#endif // CUPOLA_TEST_TARGET_CUDA_KERNELINTERPRETER_H
