//===- test/Sim/ConformanceMemory.cpp - Vector accesses and cp.async ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <cstring>

namespace cupola::test {

namespace {

std::vector<uint8_t> randomBytes(size_t count, uint64_t seed) {
  std::vector<uint8_t> bytes(count);
  Numbers numbers(seed);
  for (uint8_t &b : bytes)
    b = static_cast<uint8_t>(numbers.next());
  return bytes;
}

/// Reverses the elements of each vector on its way from global to shared to global memory.
ConformanceCase vectorCase(const std::string &type, size_t elementBytes, size_t count) {
  ConformanceCase c;
  c.name = "vector_" + type + "x" + std::to_string(count);
  c.run.kernel = "k_vector";
  c.run.sharedBytes = 32 * elementBytes * count;
  const std::string n = std::to_string(count), ld = "ld_vec<" + type + ", " + n + ">";
  c.run.text = kernelHead("k_vector", 32, 2, 0) + "  " + type + " *const s = cu_shared<" + type + ">(0) + cu_tid() * " +
               n + ";\n  const vec<" + type + ", " + n + "> x = " + ld + "(cu_read<" + type +
               ">(bindings, ref0) + cu_tid() * " + n + ");\n  vec<" + type + ", " + n + "> y = splat_vec<" + type +
               ", " + n + ">(x[0]);\n  for (int i = 0; i < " + n + "; ++i)\n    y[i] = x[" + n +
               " - 1 - i];\n  st_vec(s, y);\n  st_vec(cu_write<" + type + ">(bindings, ref1) + cu_tid() * " + n + ", " +
               ld + "(s));\n}\n";
  const std::vector<uint8_t> in = randomBytes(32 * elementBytes * count, 7);
  c.run.buffers = {input(in), output<uint8_t>(in.size())};
  c.check = [=](const std::vector<std::string> &found) {
    std::string expected;
    for (size_t t = 0; t < 32; ++t)
      for (size_t i = count; i-- > 0;)
        expected.append(reinterpret_cast<const char *>(in.data()) + (t * count + i) * elementBytes, elementBytes);
    return compareBytes(found[0], expected);
  };
  return c;
}

uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

/// All bytes.
ConformanceCase widenCase(const std::string &from, const std::string &type, size_t count, size_t vectors) {
  ConformanceCase c;
  c.name = "widen_" + from + "_" + type + "x" + std::to_string(count) + "x" + std::to_string(vectors);
  c.run.kernel = "k_widen";
  const size_t each = count * vectors;
  const std::string n = std::to_string(each), one = std::to_string(count);
  c.run.text = kernelHead("k_widen", 32, 2, 0) + "  const u32 t = cu_tid();\n  const vec<" + from + ", " + n +
               "> x = ld_vec<" + from + ", " + n + ">(cu_read<" + from + ">(bindings, ref0) + t * " + n + ");\n  vec<" +
               type + ", " + one + "> y[" + std::to_string(vectors) + "];\n  cu_widen(y, x);\n  for (int i = 0; i < " +
               n + "; ++i)\n    cu_write<" + type + ">(bindings, ref1)[t * " + n + " + i] = y[i / " + one + "][i % " +
               one + "];\n}\n";
  std::vector<uint8_t> in;
  for (size_t i = 0; i < 32 * each; ++i)
    in.push_back(static_cast<uint8_t>(i));
  const size_t bytes = type == "f32" ? 4 : 2;
  c.run.buffers = {input(in), output<uint8_t>(in.size() * bytes)};
  c.check = [=](const std::vector<std::string> &found) {
    std::string expected;
    for (uint8_t byte : in) {
      const float number = from == "i8" ? static_cast<float>(static_cast<int8_t>(byte)) : static_cast<float>(byte);
      uint32_t word = bitsOf(number);
      if (type == "bf16")
        word >>= 16; // a byte fits
      if (type == "f16") {
        const auto half = static_cast<_Float16>(number);
        uint16_t bits;
        std::memcpy(&bits, &half, 2);
        word = bits;
      }
      expected.append(reinterpret_cast<const char *>(&word), bytes);
    }
    return found.at(0) == expected ? "" : std::string("other numbers");
  };
  return c;
}

/// Numbers of four bits, of low halves of bytes and of high ones, by halves.
ConformanceCase unpackCase(const std::string &type, const std::string &scale, size_t count) {
  ConformanceCase c;
  c.name = "unpack_" + type + "_by_" + scale + "x" + std::to_string(count);
  c.run.kernel = "k_unpack";
  const std::string n = std::to_string(count);
  c.run.text = kernelHead("k_unpack", 32, 3, 0) + "  const u32 t = cu_tid();\n  const vec<u8, " + n +
               "> x = ld_vec<u8, " + n + ">(cu_read<u8>(bindings, ref0) + t * " + n +
               ");\n  const f16 s = cu_read<f16>(bindings, ref1)[t];\n" + "  vec<" + type + ", " + n +
               "> y;\n  cu_unpack(y, x, u8(t % 2 * 4), i8(i32(t) - 24), cu_cast<" + scale +
               ">(s));\n  for (int i = 0; i < " + n + "; ++i)\n    cu_write<" + type + ">(bindings, ref2)[t * " + n +
               " + i] = y[i];\n}\n";
  const std::vector<uint8_t> in = randomBytes(32 * count, 11);
  std::vector<_Float16> scales;
  Numbers numbers(12);
  for (int t = 0; t < 32; ++t)
    scales.push_back(static_cast<_Float16>(numbers.small(2000) / 1000.0));
  const size_t bytes = type == "f32" ? 4 : 2;
  c.run.buffers = {input(in), input(scales), output<uint8_t>(in.size() * bytes)};
  c.check = [=](const std::vector<std::string> &found) {
    std::string expected;
    for (size_t i = 0; i < in.size(); ++i) {
      const auto t = static_cast<int>(i / count);
      const int number = (in[i] >> t % 2 * 4 & 15) + t - 24;
      const float product = static_cast<float>(number) * static_cast<float>(scales[static_cast<size_t>(t)]);
      uint32_t word = bitsOf(product);
      if (const auto half = static_cast<_Float16>(product); type == "f16")
        std::memcpy(&word, &half, 2);
      if (type == "bf16")
        word = (word + 0x7fff + (word >> 16 & 1)) >> 16;
      expected.append(reinterpret_cast<const char *>(&word), bytes);
    }
    return compareBytes(found[0], expected);
  };
  return c;
}

/// Two groups in flight; copies of odd lanes in the second one are zero-filled.
ConformanceCase asyncCase(int bytes) {
  ConformanceCase c;
  c.name = "cp_async_" + std::to_string(bytes);
  c.minimumArch = 80;
  c.run.kernel = "k_async";
  c.run.threads = 64;
  const size_t half = 64 * static_cast<size_t>(bytes);
  c.run.sharedBytes = 2 * half;
  const std::string n = std::to_string(bytes);
  c.run.text =
      kernelHead("k_async", 64, 2, 0) + "  const u8 *const in = cu_read<u8>(bindings, ref0);\n" +
      "  u8 *const out = cu_write<u8>(bindings, ref1);\n  u8 *const s = cu_shared();\n  const u32 at = cu_tid() * " +
      n + ";\n  cp_async<" + n + ">(s + at, cu_pinned(in) + at);\n  cp_async_commit();\n  cp_async<" + n +
      ">(s + 64 * " + n + " + at, in + 64 * " + n +
      " + at, cu_tid() % 2 == 0);\n  cp_async_commit();\n  cp_async_wait<1>();\n" +
      "  cu_barrier();\n  const u32 other = (cu_tid() ^ 32) * " + n + ";\n  for (u32 i = 0; i < " + n +
      "; ++i)\n    out[other + i] = s[other + i];\n  cp_async_wait<0>();\n  cu_barrier();\n  for (u32 i = 0; i < " + n +
      "; ++i)\n    out[64 * " + n + " + other + i] = s[64 * " + n + " + other + i];\n}\n";
  const std::vector<uint8_t> in = randomBytes(2 * half, 8);
  c.run.buffers = {input(in), output<uint8_t>(2 * half)};
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<uint8_t> expected = in;
    for (size_t i = half; i < 2 * half; ++i)
      if ((i - half) / static_cast<size_t>(bytes) % 2 == 1)
        expected[i] = 0;
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// None, one, two and more of a pair; the rest is zero.
ConformanceCase asyncPairCase() {
  ConformanceCase c;
  c.name = "cp_async_pair";
  c.minimumArch = 80;
  c.run.kernel = "k_pair";
  c.run.sharedBytes = 128;
  c.run.text =
      kernelHead("k_pair", 32, 2, 0) + "  const f16 *const in = cu_read<f16>(bindings, ref0);\n" +
      "  u32 *const out = cu_write<u32>(bindings, ref1);\n  f16 *const s = cu_shared<f16>(0) + 2 * cu_tid();\n" +
      "  cp_async_pair(s, in + 2 * cu_tid(), i32(cu_tid() % 5) - 1);\n  cp_async_commit();\n" +
      "  cp_async_wait<0>();\n  out[cu_tid()] = mma_load_pair(s, true, cu_tid() % 2 == 0);\n}\n";
  const std::vector<uint8_t> in = randomBytes(128, 9);
  c.run.buffers = {input(in), output<uint8_t>(128)};
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<uint8_t> expected = in;
    for (int t = 0; t < 32; ++t)
      for (int i = 0; i < 4; ++i)
        if (i / 2 >= t % 5 - 1 || (i / 2 == 1 && t % 2 == 1))
          expected[4 * t + i] = 0;
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// ld_fragment gathers vectors that lie apart.
ConformanceCase fragmentCase() {
  ConformanceCase c;
  c.name = "ld_fragment";
  c.run.kernel = "k_fragment";
  c.run.text = kernelHead("k_fragment", 32, 2, 0) +
               "  f32 a[8];\n  ld_fragment<4>(a, cu_read<f32>(bindings, ref0) + cu_tid() * 4, 128u);\n"
               "  for (int i = 0; i < 8; ++i)\n    cu_write<f32>(bindings, ref1)[cu_tid() * 8 + i] = a[i];\n}\n";
  std::vector<float> in;
  for (int i = 0; i < 256; ++i)
    in.push_back(static_cast<float>(i));
  c.run.buffers = {input(in), output<float>(256)};
  c.check = [](const std::vector<std::string> &found) {
    std::vector<float> expected;
    for (int t = 0; t < 32; ++t)
      for (int i = 0; i < 8; ++i)
        expected.push_back(static_cast<float>(i / 4 * 128 + t * 4 + i % 4));
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// cu_wrapped_index and cu_checked_index: inside, negative, clamped.
ConformanceCase indexCheckCase() {
  ConformanceCase c;
  c.name = "index_checks";
  c.run.kernel = "k_index_checks";
  c.run.text = kernelHead("k_index_checks", 32, 1, 0) +
               "  const i64 i = static_cast<i64>(cu_tid()) - 16;\n  i64 *const out = cu_write<i64>(bindings, ref0);\n"
               "  out[cu_tid()] = cu_wrapped_index(bindings, step, i, 10ll);\n"
               "  out[32 + cu_tid()] = cu_checked_index(bindings, step, i, 10ll);\n}\n";
  c.run.buffers = {output<int64_t>(64)};
  c.check = [](const std::vector<std::string> &found) {
    std::vector<int64_t> expected;
    for (int64_t i = -16; i < 16; ++i)
      expected.push_back(i >= 10 ? 9 : i >= 0 ? i : i >= -10 ? i + 10 : 0);
    for (int64_t i = -16; i < 16; ++i)
      expected.push_back(i >= 10 ? 9 : i >= 0 ? i : 0);
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> memoryCases() {
  std::vector<ConformanceCase> cases = {fragmentCase(), indexCheckCase()};
  const struct {
    const char *type;
    size_t bytes;
  } types[] = {{"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f64", 8}, {"i8", 1}, {"u16", 2}, {"i64", 8}};
  for (const auto &t : types)
    for (size_t count = 1; count * t.bytes <= 16; count *= 2)
      cases.push_back(vectorCase(t.type, t.bytes, count));
  for (int bytes : {4, 8, 16})
    cases.push_back(asyncCase(bytes));
  cases.push_back(asyncPairCase());
  for (size_t count : {4, 8, 16})
    for (const auto &[type, scale] : {std::pair("f16", "f16"), {"f16", "f32"}, {"bf16", "f32"}, {"f32", "f32"}})
      cases.push_back(unpackCase(type, scale, count));
  for (const char *from : {"i8", "u8"})
    for (const char *type : {"f16", "bf16", "f32"})
      for (auto [count, vectors] : {std::pair(8, 2), {4, 1}, {4, 4}, {2, 2}})
        cases.push_back(widenCase(from, type, static_cast<size_t>(count), static_cast<size_t>(vectors)));
  return cases;
}

} // namespace cupola::test
