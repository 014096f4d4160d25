//===- test/Target/CUDA/Level1Text.h - writes kernels of level 1 ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_TARGET_CUDA_LEVEL1TEXT_H
#define CUPOLA_TEST_TARGET_CUDA_LEVEL1TEXT_H

#include "lib/Planner/Expr.h"

#include <string>
#include <vector>

namespace cupola::test {

inline Expr v(const std::string &name) { return Expr::symbol(name); }
inline std::string quoted(const Expr &e) { return "\"" + e.text() + "\""; }

inline bool isFloat(const std::string &type) { return type[0] == 'f' || type[0] == 'b'; }
inline std::string computeOf(const std::string &type) { return type == "f16" || type == "bf16" ? "f32" : type; }

/// Writes level 1, a value per line.
class Text {
public:
  std::string load(int view, const std::string &type, const Expr &at, const std::string &more = "") {
    return convert(line("kernel.load %a" + std::to_string(view) + "[" + quoted(at) + "]" + more + " : " + type +
                        " from !kernel.view<" + type + ", read>"),
                   type, computeOf(type));
  }
  void store(std::string value, int view, const std::string &type, const Expr &at) {
    value = convert(value, computeOf(type), type);
    body += "kernel.store " + value + ", %a" + std::to_string(view) + "[" + quoted(at) + "] : " + type +
            " to !kernel.view<" + type + ", write>\n";
  }
  std::string convert(const std::string &value, const std::string &from, const std::string &to) {
    return from == to ? value : line("kernel.cast " + value + " : " + from + " -> " + to);
  }
  std::string binary(const std::string &kind, const std::string &a, const std::string &b, const std::string &type) {
    return line("kernel.binary " + kind + " " + a + ", " + b + " : " + type + " -> " + type);
  }
  std::string unary(const std::string &kind, const std::string &a, const std::string &type) {
    return line("kernel.unary " + kind + " " + a + " : " + type + " -> " + type);
  }
  std::string extract(const std::string &tile, const std::string &index, const std::string &type,
                      const std::string &extents) {
    return line("kernel.extract " + tile + " [" + index + "] : " + type + " from !kernel.tile<" + type + ", " +
                extents + ">");
  }
  std::string line(const std::string &op) {
    std::string name = "%v" + std::to_string(count++);
    body += name + " = " + op + "\n";
    return name;
  }
  void yield(const std::string &value, const std::string &type) {
    body += "kernel.yield " + value + " : " + type + "\n";
  }
  void raw(const std::string &text) { body += text + "\n"; }

  std::string func(const std::string &schedule, const std::string &grid, const std::string &scalars,
                   const std::vector<std::string> &views) {
    std::string text = "kernel.func @k \"" + schedule + "\" grid [" + grid + "] scalars [" + scalars + "] {} (";
    for (size_t i = 0; i < views.size(); ++i)
      text += (i ? ", %a" : "%a") + std::to_string(i) + ": !kernel.view<" + views[i] + ">";
    return text + ") {\n" + body + "}\n";
  }

private:
  std::string body;
  int count = 0;
};

const char *const anyScalar = "#kernel.scalar<1, 4096, 1>";

inline std::string tag(int64_t value) { return "_" + std::to_string(value); }

} // namespace cupola::test

#endif // CUPOLA_TEST_TARGET_CUDA_LEVEL1TEXT_H
