//===- test/Target/CPU/ElementKernels.h - kernels of one scalar function ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_TARGET_CPU_ELEMENTKERNELS_H
#define CUPOLA_TEST_TARGET_CPU_ELEMENTKERNELS_H

#include "dialects/Graph/Graph.h"

#include <string>
#include <vector>

namespace cupola::test {

/// One kernel over n0 elements of each operand.
inline std::string elementKernel(const std::string &name, const std::string &op,
                                 const std::vector<std::string> &operands, const std::string &result) {
  std::string text = "kernel.func @" + name + R"( pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>] ()";
  std::string body;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string view = "!kernel.view<" + operands[i] + ", read>", number = std::to_string(i);
    text += "%a" + number + ": " + view + ", ";
    body += "%x" + number + " = kernel.load %a" + number + "[%d0] : " + operands[i] + " from " + view + "\n";
  }
  std::string out = "!kernel.view<" + result + ", write>";
  return text + "%o: " + out + ") { kernel.foreach (%d0) in [n0] {\n" + body + "%r = " + op +
         "\nkernel.store %r, %o[%d0] : " + result + " to " + out + "\n} }\n";
}

inline std::string unaryKernel(graph::UnaryKind kind, const std::string &type, double alpha, double beta) {
  std::string name = graph::stringifyUnaryKind(kind).str();
  std::string result = graph::isPredicate(kind) ? "i1" : type;
  std::string attributes = " {alpha = " + std::to_string(alpha) + " : f64, beta = " + std::to_string(beta) + " : f64}";
  return elementKernel("u_" + name, "kernel.unary " + name + " %x0" + attributes + " : " + type + " -> " + result,
                       {type}, result);
}

inline std::string binaryKernel(graph::BinaryKind kind, const std::string &type) {
  std::string name = graph::stringifyBinaryKind(kind).str();
  std::string result = graph::isComparison(kind) ? "i1" : type;
  return elementKernel("b_" + name, "kernel.binary " + name + " %x0, %x1 : " + type + " -> " + result, {type, type},
                       result);
}

inline std::string castKernel(const std::string &from, const std::string &to) {
  return elementKernel("c_" + from + "_" + to, "kernel.cast %x0 : " + from + " -> " + to, {from}, to);
}

} // namespace cupola::test

#endif // CUPOLA_TEST_TARGET_CPU_ELEMENTKERNELS_H
