//===- test/Target/CUDA/KernelText.h - writes kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_TARGET_CUDA_KERNELTEXT_H
#define CUPOLA_TEST_TARGET_CUDA_KERNELTEXT_H

#include "lib/Planner/Expr.h"

#include <regex>
#include <string>
#include <vector>

namespace cupola::test {

inline Expr v(const std::string &name) { return Expr::symbol(name); }
using Exprs = std::vector<Expr>;

/// An expression as an op has it: n0, n1, .. are constants, all other symbols are values.
inline std::string inOp(const Expr &e) {
  static const std::regex value("\\b([dgv][0-9]+)");
  return std::regex_replace(e.text(), value, "%$1");
}
/// %d0, %d1
inline std::string list(const Exprs &exprs) {
  std::string text;
  for (const Expr &e : exprs)
    text += (text.empty() ? "" : ", ") + inOp(e);
  return text;
}
/// (%d0, %d1) in [40, n0] {
inline std::string over(const Exprs &vars, const Exprs &extents) {
  return "(" + list(vars) + ") in [" + list(extents) + "] {";
}
inline std::string tileType(const std::string &type, const Exprs &extents) {
  std::string text = "!kernel.tile<" + type;
  for (const Expr &extent : extents)
    text += ", \"" + extent.text() + "\"";
  return text + ">";
}

inline bool isFloat(const std::string &type) { return type[0] == 'f' || type[0] == 'b'; }
inline std::string computeOf(const std::string &type) { return type == "f16" || type == "bf16" ? "f32" : type; }

/// Writes a kernel, a value per line.
class Text {
public:
  std::string load(int view, const std::string &type, const Expr &at, const std::string &more = "") {
    return convert(loadStored(view, type, at, more), type, computeOf(type));
  }
  /// Of the view's type.
  std::string loadStored(int view, const std::string &type, const Expr &at, const std::string &more = "") {
    return line("kernel.load %a" + std::to_string(view) + "[" + inOp(at) + "]" + more + " : " + type +
                " from !kernel.view<" + type + ", read>");
  }
  void store(std::string value, int view, const std::string &type, const Expr &at) {
    value = convert(value, computeOf(type), type);
    body += "kernel.store " + value + ", %a" + std::to_string(view) + "[" + inOp(at) + "] : " + type +
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
  std::string extract(const std::string &tile, const Exprs &point, const std::string &type, const Exprs &extents) {
    return line("kernel.extract " + tile + " [" + list(point) + "] : " + type + " from " + tileType(type, extents));
  }
  /// An i32 sum of bytes plus a bias less one number and, but for i32 results, times 2^-10 plus a residual of i8, into
  /// what the type holds. All of it is exact.
  struct At {
    int view;
    Expr position;
  };
  std::string requantized(const std::string &sum, const At &bias, const At &residual, const std::string &type) {
    std::string whole = binary("add", sum, load(bias.view, "i32", bias.position), "i32");
    whole = binary("sub", whole, convert(load(residual.view, "i8", 0), "i8", "i32"), "i32");
    if (type == "i32")
      return whole;
    std::string x = binary("mul", convert(whole, "i32", "f32"), number("9.765625e-4", "f32"), "f32");
    x = binary("add", x, convert(load(residual.view, "i8", residual.position), "i8", "f32"), "f32");
    const bool isSigned = type == "i8";
    x = binary("max", x, number(isSigned ? "-128.0" : "0.0", "f32"), "f32");
    return convert(binary("min", x, number(isSigned ? "127.0" : "255.0", "f32"), "f32"), "f32", type);
  }
  std::string number(const std::string &value, const std::string &type) {
    return line("kernel.constant " + value + " : " + type);
  }
  /// The heads of loops; bodies follow, and close() of those that give values.
  void loop(const Exprs &vars, const Exprs &extents) { raw("kernel.foreach " + over(vars, extents)); }
  std::string map(const Exprs &vars, const Exprs &extents) { return line("kernel.map " + over(vars, extents)); }
  std::string reduce(const std::string &kind, const Exprs &vars, const Exprs &extents) {
    return line("kernel.reduce [#graph<reduce_kind " + kind + ">] " + over(vars, extents));
  }
  /// Maps to several tiles: results are %v0#0, %v0#1, ..
  std::string maps(int results, const Exprs &vars, const Exprs &extents) {
    return line("kernel.map " + over(vars, extents), results);
  }
  /// %d9 counts the steps; carry: `%name = init` each. `visible`: those that a `row` needs, if not all. The result,
  /// with #i of several.
  std::string steps(const Expr &count, const Exprs &visible, const std::vector<std::string> &carry,
                    const std::vector<std::string> &types) {
    return line("kernel.for (%d9) below " + inOp(count) + (visible.empty() ? "" : " visible [" + list(visible) + "]") +
                    " carry (" + join(carry) + ") : " + join(types) + " {",
                static_cast<int>(carry.size()));
  }
  /// m, n and k are %d0, %d1 and %d2. `more`: init and its type.
  std::string dot(const Exprs &extents, const std::string &more = "") {
    return line("kernel.dot [" + list(extents) + "]" + more + " lhs (%d0, %d2) {");
  }
  /// What a dot adds to.
  static std::string init(const std::string &tile, const std::string &type) { return " init " + tile + " : " + type; }
  void rhs() { raw("} rhs (%d2, %d1) {"); }
  void close(const std::string &type) { raw("} : " + type); }
  std::string line(const std::string &op, int results = 1) {
    std::string name = "%v" + std::to_string(count++);
    body += name + (results > 1 ? ":" + std::to_string(results) : "") + " = " + op + "\n";
    return name;
  }
  void yield(const std::string &value, const std::string &type) {
    body += "kernel.yield " + value + " : " + type + "\n";
  }
  static std::string join(const std::vector<std::string> &parts) {
    std::string text;
    for (const std::string &part : parts)
      text += (text.empty() ? "" : ", ") + part;
    return text;
  }
  void raw(const std::string &text) { body += text + "\n"; }

  /// `schedule`: an attribute, or empty: the compiler chooses.
  std::string func(const std::string &kind, const Exprs &grid, const std::string &scalars,
                   const std::vector<std::string> &views, const std::string &schedule = "") {
    Exprs point;
    for (size_t i = 0; i < grid.size(); ++i)
      point.push_back(v("g" + std::to_string(i)));
    std::string text = "kernel.func @k " + kind + " grid (" + list(point) + ") in [" + list(grid) + "] scalars [" +
                       scalars + "] " + (schedule.empty() ? "" : "schedule " + schedule + " ") + "(";
    for (size_t i = 0; i < views.size(); ++i)
      text += (i ? ", %a" : "%a") + std::to_string(i) + ": !kernel.view<" + views[i] + ">";
    return text + ") {\n" + body + "}\n";
  }

private:
  std::string body;
  int count = 0;
};

const char *const anyScalar = "#kernel.scalar<1, 4096, 1>";

/// Of "gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132>", for a name.
inline std::string wordsOf(const std::string &schedule) {
  std::string words;
  for (char c : schedule)
    words += std::isalnum(c) ? std::string(1, c) : c == ',' || c == '<' ? "_" : "";
  return words;
}

inline std::string tag(int64_t value) { return "_" + std::to_string(value); }

} // namespace cupola::test

#endif // CUPOLA_TEST_TARGET_CUDA_KERNELTEXT_H
