//===- test/Sim/ConformanceInteger.cpp - Integer arithmetic of every width ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

namespace cupola::test {

namespace {

/// Wide enough for every exact result of two 64-bit operands, but for products of unsigned ones: those are exact modulo
/// 2^128.
using Wide = __int128;
using UnsignedWide = unsigned __int128;

struct IntegerFormat {
  const char *name;
  int bytes;
  bool isSigned;
};
const IntegerFormat kFormats[] = {{"i8", 1, true},  {"i16", 2, true},  {"i32", 4, true},  {"i64", 8, true},
                                  {"u8", 1, false}, {"u16", 2, false}, {"u32", 4, false}, {"u64", 8, false}};

/// The value of the low bits of `x`.
Wide wrap(const IntegerFormat &format, Wide x) {
  const int bits = format.bytes * 8;
  const Wide modulus = Wide(1) << bits;
  Wide low = x & (modulus - 1);
  return format.isSigned && (low >> (bits - 1) & 1) ? low - modulus : low;
}

Wide floorDivide(Wide a, Wide b) {
  const Wide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

struct Operation {
  const char *expression;
  Wide (*exact)(const IntegerFormat &, Wide a, Wide b);
};

const Operation kOperations[] = {
    {"cu_add(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return a + b; }},
    {"cu_sub(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return a - b; }},
    {"cu_mul(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return Wide(UnsignedWide(a) * UnsignedWide(b)); }},
    {"cu_neg(a)", [](const IntegerFormat &, Wide a, Wide) { return -a; }},
    {"cu_div_trunc(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return b == 0 ? 0 : a / b; }},
    {"cu_mod_trunc(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return b == 0 ? 0 : a % b; }},
    {"cu_div_floor(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return b == 0 ? 0 : floorDivide(a, b); }},
    {"cu_mod_floor(a, b)",
     [](const IntegerFormat &, Wide a, Wide b) { return b == 0 ? 0 : a - floorDivide(a, b) * b; }},
    {"cu_shl(a, b)",
     [](const IntegerFormat &f, Wide a, Wide b) { return b < 0 || b >= f.bytes * 8 ? 0 : a * (Wide(1) << b); }},
    {"cu_shr(a, b)",
     [](const IntegerFormat &f, Wide a, Wide b) { return b < 0 || b >= f.bytes * 8 ? (a < 0 ? -1 : 0) : a >> b; }},
    {"cu_max(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return a > b ? a : b; }},
    {"cu_min(a, b)", [](const IntegerFormat &, Wide a, Wide b) { return a < b ? a : b; }},
    {"cu_abs(a)", [](const IntegerFormat &, Wide a, Wide) { return a < 0 ? -a : a; }},
    {"cu_sign(a)", [](const IntegerFormat &, Wide a, Wide) { return Wide((a > 0) - (a < 0)); }},
};

std::vector<Wide> testValues(const IntegerFormat &format) {
  const int bits = format.bytes * 8;
  const Wide half = Wide(1) << (bits - 1);
  std::vector<Wide> values = {0,        1,    2,       3, 7, -1, -2, -7, half - 1, half, half + 1, 2 * half - 1,
                              half / 2, bits, bits - 1};
  Numbers numbers(3);
  while (values.size() < 32)
    values.push_back(values.size() % 2 ? Wide(numbers.next()) : Wide(numbers.small(20)));
  for (Wide &v : values)
    v = wrap(format, v);
  return values;
}

std::string encodeIntegers(const IntegerFormat &format, const std::vector<Wide> &values) {
  std::string bytes;
  for (Wide v : values) {
    const auto word = static_cast<uint64_t>(v);
    bytes.append(reinterpret_cast<const char *>(&word), static_cast<size_t>(format.bytes));
  }
  return bytes;
}

ConformanceCase operationsCase(const IntegerFormat &format) {
  ConformanceCase c;
  const std::vector<Wide> values = testValues(format);
  const std::string type = format.name;
  c.name = "integer_" + type;
  c.run.kernel = "k_integer";
  c.run.grid = 32;
  c.run.text = kernelHead("k_integer", 32, 2, 0) + "  const " + type + " a = cu_read<" + type +
               ">(bindings, ref0)[cu_block()];\n  const " + type + " b = cu_read<" + type +
               ">(bindings, ref0)[cu_tid()];\n  " + type + " *out = cu_write<" + type +
               ">(bindings, ref1) + cu_block() * 32 + cu_tid();\n";
  for (const Operation &o : kOperations)
    c.run.text += "  *out = " + std::string(o.expression) + ";\n  out += 1024;\n";
  c.run.text += "}\n";
  const size_t bytes = 1024 * static_cast<size_t>(format.bytes);
  c.run.buffers = {{"r", 32 * static_cast<size_t>(format.bytes), encodeIntegers(format, values)},
                   {"w", bytes * std::size(kOperations), ""}};
  c.check = [format, values, bytes](const std::vector<std::string> &found) -> std::string {
    for (size_t i = 0; i < std::size(kOperations); ++i) {
      std::vector<Wide> expected;
      for (Wide a : values)
        for (Wide b : values)
          expected.push_back(wrap(format, kOperations[i].exact(format, a, b)));
      const std::string wrong = compareBytes(found[0].substr(i * bytes, bytes), encodeIntegers(format, expected));
      if (!wrong.empty())
        return std::string(kOperations[i].expression) + ": " + wrong;
    }
    return "";
  };
  return c;
}

uint64_t unsignedPower(uint64_t base, uint64_t exponent) {
  const uint64_t half = exponent == 0 ? 1 : unsignedPower(base, exponent / 2);
  return exponent == 0 ? 1 : half * half * (exponent % 2 ? base : 1);
}

/// Integer powers and the plain helpers of index arithmetic.
ConformanceCase powerCase() {
  ConformanceCase c;
  c.name = "integer_power";
  c.run.kernel = "k_power";
  c.run.text =
      kernelHead("k_power", 32, 2, 0) +
      "  i64 *const out = cu_write<i64>(bindings, ref1);\n  const i64 *const in = cu_read<i64>(bindings, ref0);\n"
      "  const u32 t = cu_tid();\n  out[t] = cu_pow(in[t], in[32 + t]);\n"
      "  out[32 + t] = cu_pow(cu_cast<i32>(in[t]), cu_cast<i32>(in[32 + t]));\n"
      "  out[64 + t] = cu_ceil_div(t + 5u, 4u);\n"
      "  out[96 + t] = cu_cast<i64>(cu_pow(cu_cast<u64>(in[t]), cu_cast<u64>(in[32 + t])));\n}\n";
  std::vector<int64_t> in;
  Numbers numbers(4);
  for (int i = 0; i < 64; ++i)
    in.push_back(i < 32 ? numbers.small(9) : numbers.small(12) + 6);
  in[0] = 1, in[32] = -3, in[1] = -1, in[33] = -3, in[2] = -1, in[34] = -4, in[3] = 2, in[35] = -1, in[4] = 0,
  in[36] = 0;
  c.run.buffers = {input(in), output<int64_t>(128)};
  c.check = [in](const std::vector<std::string> &found) {
    std::vector<int64_t> expected(128);
    for (size_t t = 0; t < 32; ++t) {
      uint64_t power = 1;
      for (int64_t i = 0; i < in[32 + t]; ++i)
        power *= static_cast<uint64_t>(in[t]);
      if (in[32 + t] < 0)
        power = in[t] == 1 ? 1 : in[t] == -1 ? (in[32 + t] % 2 ? ~uint64_t(0) : 1) : 0;
      expected[t] = static_cast<int64_t>(power);
      expected[32 + t] = static_cast<int32_t>(static_cast<uint32_t>(power));
      expected[64 + t] = static_cast<int64_t>((t + 8) / 4);
      expected[96 + t] = static_cast<int64_t>(unsignedPower(in[t], in[32 + t]));
    }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> integerCases() {
  std::vector<ConformanceCase> cases;
  for (const IntegerFormat &format : kFormats)
    cases.push_back(operationsCase(format));
  cases.push_back(powerCase());
  return cases;
}

} // namespace cupola::test
