//===- test/Sim/ConformanceCast.cpp - Conversions between all element types ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <cmath>
#include <limits>

namespace cupola::test {

namespace {

using Real = long double; // holds every 64-bit integer and every f64 exactly

struct ElementType {
  const char *name;
  int bytes;
  const FloatFormat *format; ///< null: integer or bool
  bool isSigned;
};
const ElementType kTypes[] = {{"f32", 4, &kF32, true},    {"f64", 8, &kF64, true},    {"f16", 2, &kF16, true},
                              {"bf16", 2, &kBf16, true},  {"i8", 1, nullptr, true},   {"i16", 2, nullptr, true},
                              {"i32", 4, nullptr, true},  {"i64", 8, nullptr, true},  {"u8", 1, nullptr, false},
                              {"u16", 2, nullptr, false}, {"u32", 4, nullptr, false}, {"u64", 8, nullptr, false},
                              {"bool", 1, nullptr, false}};

bool isBool(const ElementType &t) { return std::string(t.name) == "bool"; }
Real highest(const ElementType &t) { return std::ldexp(1.0L, t.bytes * 8 - t.isSigned) - 1; }
Real lowest(const ElementType &t) { return t.isSigned ? -highest(t) - 1 : 0; }

/// The bits of an integer value in the type's range.
uint64_t integerBits(Real x) { return x < 0 ? 0 - static_cast<uint64_t>(-x) : static_cast<uint64_t>(x); }

std::vector<Real> sourceValues(const ElementType &from) {
  std::vector<Real> values = {0,
                              1,
                              2,
                              127,
                              128,
                              255,
                              256,
                              32767,
                              32768,
                              65535,
                              65504,
                              65519,
                              65520,
                              2147483647.0L,
                              2147483648.0L,
                              4294967295.0L,
                              -1,
                              -128,
                              -129,
                              -32768,
                              -2147483648.0L,
                              0.5L,
                              1.5L,
                              2.5L,
                              -0.5L,
                              -2.75L,
                              1e20L,
                              -1e20L,
                              0x1p-24L,
                              0x1.8p-25L,
                              0x1p-25L,
                              3.14159265358979L,
                              1.0009765625L,
                              1.00048828125L,
                              1.00146484375L,
                              0x1p-133L,
                              1 + 0x1p-11L + 0x1p-30L,
                              1 + 0x1p-8L + 0x1p-40L,
                              16777217,
                              9007199254740993.0L,
                              0x1.01p62L,
                              0x1.010001p62L,
                              std::ldexp(257.0L, 8) + 1,
                              0x1p63L,
                              0x1.fffffffffffffffep63L};
  if (from.format) {
    values.insert(values.end(), {std::numeric_limits<Real>::infinity(), -std::numeric_limits<Real>::infinity(),
                                 std::numeric_limits<Real>::quiet_NaN(), -0.0L, 0x1p-149L, 3.4e38L});
    for (Real &x : values)
      x = roundTo(*from.format, x);
  } else {
    for (Real &x : values)
      x = isBool(from) ? Real(x != 0)
                       : std::fmin(std::fmax(std::trunc(x), lowest(from)), highest(from)) + 0.0L; // no -0
  }
  values.resize(64, 1);
  return values;
}

std::string encodeElements(const ElementType &type, const std::vector<Real> &values) {
  if (type.format)
    return encodeAll(*type.format, values);
  std::string bytes;
  for (Real x : values) {
    const uint64_t bits = integerBits(x);
    bytes.append(reinterpret_cast<const char *>(&bits), static_cast<size_t>(type.bytes));
  }
  return bytes;
}

/// What the cast must give, as the value of the target type.
Real expectedCast(const ElementType &from, const ElementType &to, Real x) {
  if (to.format)
    return roundTo(*to.format, x);
  if (isBool(to))
    return std::isnan(x) || x != 0;
  if (from.format)
    return std::isnan(x) ? 0 : std::fmin(std::fmax(std::trunc(x), lowest(to)), highest(to));
  const uint64_t bits = integerBits(x) << (64 - to.bytes * 8);
  const int unused = 64 - to.bytes * 8;
  return to.isSigned ? Real(static_cast<int64_t>(bits) >> unused) : Real(bits >> unused);
}

ConformanceCase castCase(const ElementType &from) {
  ConformanceCase c;
  const std::vector<Real> values = sourceValues(from);
  const std::string type = from.name;
  c.name = "cast_from_" + type;
  c.run.kernel = "k_cast";
  c.run.threads = 64;
  c.run.text = kernelHead("k_cast", 64, 1 + static_cast<int>(std::size(kTypes)), 0) + "  const " + type +
               " x = cu_read<" + type + ">(bindings, ref0)[cu_tid()];\n";
  c.run.buffers = {{"r", 64 * static_cast<size_t>(from.bytes), encodeElements(from, values)}};
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    const std::string to = kTypes[i].name;
    c.run.text +=
        "  cu_write<" + to + ">(bindings, ref" + std::to_string(i + 1) + ")[cu_tid()] = cu_cast<" + to + ">(x);\n";
    c.run.buffers.push_back({"w", 64 * static_cast<size_t>(kTypes[i].bytes), ""});
  }
  c.run.text += "}\n";
  c.check = [from, values](const std::vector<std::string> &found) -> std::string {
    for (size_t i = 0; i < std::size(kTypes); ++i) {
      std::vector<Real> expected;
      for (Real x : values)
        expected.push_back(expectedCast(from, kTypes[i], x));
      const std::string wrong = kTypes[i].format ? compareFloats(*kTypes[i].format, found[i], expected, 0)
                                                 : compareBytes(found[i], encodeElements(kTypes[i], expected));
      if (!wrong.empty())
        return std::string("to ") + kTypes[i].name + ": " + wrong;
    }
    return "";
  };
  return c;
}

/// cu_saturate from f32: rounds half to even and clamps.
ConformanceCase saturateCase(const ElementType &to) {
  ConformanceCase c;
  const std::vector<Real> values = sourceValues(kTypes[0]);
  const std::string type = to.name;
  c.name = "saturate_to_" + type;
  c.run.kernel = "k_saturate";
  c.run.threads = 64;
  c.run.text = kernelHead("k_saturate", 64, 2, 0) + "  cu_write<" + type +
               ">(bindings, ref1)[cu_tid()] = cu_saturate<" + type + ">(cu_read<f32>(bindings, ref0)[cu_tid()]);\n}\n";
  c.run.buffers = {{"r", 256, encodeAll(kF32, values)}, {"w", 64 * static_cast<size_t>(to.bytes), ""}};
  c.check = [to, values](const std::vector<std::string> &found) {
    std::vector<Real> expected;
    for (Real x : values)
      expected.push_back(std::isnan(x) ? 0 : std::fmin(std::fmax(std::nearbyint(x), lowest(to)), highest(to)));
    return compareBytes(found[0], encodeElements(to, expected));
  };
  return c;
}

/// cu_bitcast and cu_saturate from i32.
ConformanceCase bitsCase() {
  ConformanceCase c;
  c.name = "bitcast";
  c.run.kernel = "k_bits";
  c.run.text =
      kernelHead("k_bits", 32, 2, 0) +
      "  const i32 x = cu_read<i32>(bindings, ref0)[cu_tid()];\n  i32 *const out = cu_write<i32>(bindings, ref1);\n"
      "  out[cu_tid()] = cu_bitcast<i32>(cu_bitcast<f32>(x));\n"
      "  out[32 + cu_tid()] = cu_saturate<i8>(x) * 1000 + cu_saturate<u8>(x);\n}\n";
  std::vector<int32_t> in;
  for (int32_t i = 0; i < 32; ++i)
    in.push_back((i - 16) * 37);
  c.run.buffers = {input(in), output<int32_t>(64)};
  c.check = [in](const std::vector<std::string> &found) {
    std::vector<int32_t> expected = in;
    for (int32_t x : in)
      expected.push_back(std::min(std::max(x, -128), 127) * 1000 + std::min(std::max(x, 0), 255));
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// What quotients are rounded to: about those with a half, where the last bit decides, of all sizes, and none.
std::vector<float> dividends(float divisor) {
  const float infinity = std::numeric_limits<float>::infinity(), least = std::numeric_limits<float>::denorm_min();
  std::vector<float> values = {0,      -0.0F, infinity, -infinity, std::nanf(""),   least,
                               -least, 3e38F, -3e38F,   1e-38F,    1e30F * divisor, -1e30F * divisor};
  for (int i = -600; i < 600; ++i) {
    const float x = static_cast<float>((i + 0.5) * static_cast<double>(divisor));
    for (float y : {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)})
      values.push_back(y);
  }
  Numbers numbers(21);
  while (values.size() % 128 != 0 || values.size() < 4096)
    values.push_back(std::ldexp(divisor, numbers.small(40)) * static_cast<float>(numbers.small(1 << 24)) * 0x1p-24F);
  return values;
}

/// cu_quotient, rounded to an integer, against the division.
ConformanceCase quotientCase(float divisor, const std::string &number) {
  ConformanceCase c;
  c.name = "quotient_by_" + number;
  c.run.kernel = "k_quotient";
  c.run.threads = 128;
  const std::vector<float> in = dividends(divisor);
  c.run.text =
      kernelHead("k_quotient", 128, 3, 0) +
      "  const f32 *const divisor = cu_read<f32>(bindings, ref0);\n  for (u32 i = cu_tid(); i < " +
      std::to_string(in.size()) +
      "; i += 128)\n    cu_write<i32>(bindings, ref2)[i] = cu_cast<i32>(cu_round(cu_quotient(cu_read<f32>(bindings, "
      "ref1)[i], divisor[0], divisor[1])));\n}\n";
  c.run.buffers = {input(std::vector<float>{divisor, 1 / divisor}), input(in), output<int32_t>(in.size())};
  c.check = [in, divisor](const std::vector<std::string> &found) {
    std::vector<int32_t> expected;
    for (float x : in) {
      const Real rounded = std::nearbyint(x / divisor), low = -0x1p31L, high = 0x1p31L - 1;
      expected.push_back(std::isnan(rounded) ? 0 : static_cast<int32_t>(std::min(std::max(rounded, low), high)));
    }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> castCases() {
  std::vector<ConformanceCase> cases;
  for (const ElementType &type : kTypes)
    cases.push_back(castCase(type));
  for (size_t i = 4; i < 12; ++i)
    cases.push_back(saturateCase(kTypes[i]));
  cases.push_back(bitsCase());
  // Whose significands are few, many and all bits; the ends of what a divisor may be.
  for (const auto &[divisor, number] : {std::pair(0.05F, "0_05"),
                                        {1 / 255.0F, "255th"},
                                        {1 / 3.0F, "third"},
                                        {0.25F, "quarter"},
                                        {0x1.fffffep0F, "all_ones"},
                                        {0x1.000002p0F, "next_to_1"},
                                        {31.37F, "31_37"},
                                        {0x1p-60F, "least"},
                                        {0x1p60F, "largest"}})
    cases.push_back(quotientCase(divisor, number));
  return cases;
}

} // namespace cupola::test
