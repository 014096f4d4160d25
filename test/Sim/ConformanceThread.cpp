//===- test/Sim/ConformanceThread.cpp - Indices, shuffles, votes, reductions, atomics ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cupola::test {

namespace {

ConformanceCase indexCase() {
  ConformanceCase c;
  c.name = "indices";
  c.run.kernel = "k_indices";
  c.run.threads = 96;
  c.run.grid = 3;
  c.run.text = kernelHead("k_indices", 96, 1, 1) +
               "  u32 *const out = cu_write<u32>(bindings, ref0) + (cu_block() * 96 + cu_tid()) * 7;\n"
               "  out[0] = cu_tid();\n  out[1] = cu_block();\n  out[2] = cu_threads();\n  out[3] = cu_blocks();\n"
               "  out[4] = cu_lane();\n  out[5] = cu_warp();\n  out[6] = cu_cast<u32>(cu_scalar<i64>(bindings, slot0) "
               ">> 32);\n}\n";
  c.run.buffers = {output<uint32_t>(3 * 96 * 7)};
  c.run.scalars = {int64_t(77) << 32};
  c.check = [](const std::vector<std::string> &found) {
    std::vector<uint32_t> expected;
    for (uint32_t b = 0; b < 3; ++b)
      for (uint32_t t = 0; t < 96; ++t)
        expected.insert(expected.end(), {t, b, 96, 3, t % 32, t / 32, 77});
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// A value of another lane, for 4- and 8-byte types; `source` gives the lane.
ConformanceCase shuffleCase(const std::string &call, uint32_t argument, uint32_t (*source)(uint32_t, uint32_t)) {
  ConformanceCase c;
  c.name = call + "_" + std::to_string(argument);
  c.run.kernel = "k_shuffle";
  c.run.text = kernelHead("k_shuffle", 32, 2, 1) + "  const u64 x = cu_read<u64>(bindings, ref0)[cu_tid()];\n" +
               "  const u32 k = cu_scalar<u32>(bindings, slot0);\n  u64 *const out = cu_write<u64>(bindings, ref1);\n" +
               "  out[cu_tid()] = " + call + "(x, k);\n  out[32 + cu_tid()] = " + call + "(cu_cast<u32>(x), k);\n}\n";
  std::vector<uint64_t> in;
  Numbers numbers(5);
  for (int i = 0; i < 32; ++i)
    in.push_back(numbers.next());
  c.run.buffers = {input(in), output<uint64_t>(64)};
  c.run.scalars = {argument};
  c.check = [=](const std::vector<std::string> &found) {
    std::vector<uint64_t> expected;
    for (uint32_t l = 0; l < 32; ++l)
      expected.push_back(in[source(l, argument)]);
    for (uint32_t l = 0; l < 32; ++l)
      expected.push_back(static_cast<uint32_t>(in[source(l, argument)]));
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

ConformanceCase voteCase() {
  ConformanceCase c;
  c.name = "votes";
  c.run.kernel = "k_votes";
  c.run.text = kernelHead("k_votes", 32, 1, 0) +
               "  u32 *const out = cu_write<u32>(bindings, ref0) + cu_tid() * 5;\n"
               "  out[0] = cu_ballot(cu_tid() % 3 == 0);\n  out[1] = cu_any(cu_tid() == 31);\n  out[2] = "
               "cu_any(cu_tid() > 31);\n"
               "  out[3] = cu_all(cu_tid() < 32);\n  out[4] = cu_all(cu_tid() > 0);\n}\n";
  c.run.buffers = {output<uint32_t>(160)};
  c.check = [](const std::vector<std::string> &found) {
    std::vector<uint32_t> expected;
    for (int l = 0; l < 32; ++l)
      expected.insert(expected.end(), {0x49249249u, 1, 0, 1, 0});
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// Reductions whose exact result does not depend on the order: small integers in every type.
template <class T> ConformanceCase reduceCase(const std::string &type, uint32_t threads) {
  ConformanceCase c;
  c.name = "reduce_" + type + "_" + std::to_string(threads);
  c.run.kernel = "k_reduce";
  c.run.threads = threads;
  c.run.sharedBytes = 32 * sizeof(T);
  c.run.grid = 2;
  const std::string count = "<" + std::to_string(threads) + ">(x, scratch);\n";
  c.run.text = kernelHead("k_reduce", static_cast<int>(threads), 2, 0) +
               "  const u32 i = cu_block() * cu_threads() + cu_tid();\n  const " + type + " x = cu_read<" + type +
               ">(bindings, ref0)[i];\n  " + type + " *const out = cu_write<" + type +
               ">(bindings, ref1) + i * 8;\n  " + type + " *const scratch = cu_shared<" + type + ">(0);\n" +
               "  out[0] = warp_sum(x);\n  out[1] = warp_max(x);\n  out[2] = warp_min(x);\n  out[3] = warp_prod(x);\n" +
               "  out[4] = block_sum" + count + "  out[5] = block_max" + count + "  out[6] = block_min" + count +
               "  out[7] = block_prod" + count + "}\n";
  std::vector<T> in;
  Numbers numbers(6);
  for (uint32_t i = 0; i < 2 * threads; ++i) // products stay exact: few factors are not 1
    in.push_back(static_cast<T>(i % 37 == 5 ? 2 : numbers.next() % 50 == 0 ? T(-1) : T(1)));
  c.run.buffers = {input(in), output<T>(in.size() * 8)};
  c.check = [in, threads](const std::vector<std::string> &found) {
    std::vector<T> expected;
    const auto reduce = [&](uint32_t begin, uint32_t count) {
      T sum = 0, largest = in[begin], smallest = in[begin], product = 1;
      for (uint32_t i = begin; i < begin + count; ++i) {
        sum = static_cast<T>(sum + in[i]);
        largest = std::max(largest, in[i]);
        smallest = std::min(smallest, in[i]);
        product = static_cast<T>(product * in[i]);
      }
      expected.insert(expected.end(), {sum, largest, smallest, product});
    };
    for (uint32_t i = 0; i < 2 * threads; ++i) {
      reduce(i / 32 * 32, 32);
      reduce(i / threads * threads, threads);
    }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// Groups of 2, 4, 8 and 16 lanes; products are exact in f32.
template <class T> ConformanceCase lanesCase(const std::string &type) {
  ConformanceCase c;
  c.name = "reduce_lanes_" + type;
  c.run.kernel = "k_lanes";
  c.run.threads = 64;
  c.run.text = kernelHead("k_lanes", 64, 2, 0) + "  const " + type + " x = cu_read<" + type +
               ">(bindings, ref0)[cu_tid()];\n  " + type + " *const out = cu_write<" + type +
               ">(bindings, ref1) + cu_tid() * 16;\n";
  int at = 0;
  for (const char *lanes : {"2", "4", "8", "16"})
    for (const char *kind : {"sum", "max", "min", "prod"})
      c.run.text += "  out[" + std::to_string(at++) + "] = lanes_" + kind + "<" + lanes + ">(x);\n";
  c.run.text += "}\n";
  std::vector<T> in;
  Numbers numbers(15);
  for (int i = 0; i < 64; ++i)
    in.push_back(static_cast<T>(i % 16 < 14 ? 1 + numbers.next() % 2 : 60 + i % 4));
  c.run.buffers = {input(in), output<T>(64 * 16)};
  c.check = [in](const std::vector<std::string> &found) {
    std::vector<T> expected;
    for (size_t i = 0; i < 64; ++i)
      for (size_t lanes : {2, 4, 8, 16}) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / lanes * lanes), last = first + lanes;
        expected.insert(expected.end(),
                        {std::accumulate(first, last, T(0)), *std::max_element(first, last),
                         *std::min_element(first, last), std::accumulate(first, last, T(1), std::multiplies<T>())});
      }
    return compareBytes(found[0], toBytes(expected));
  };
  return c;
}

/// A NaN anywhere is the maximum and the minimum.
ConformanceCase reduceNanCase() {
  ConformanceCase c;
  c.name = "reduce_nan";
  c.run.kernel = "k_reduce_nan";
  c.run.threads = 64;
  c.run.sharedBytes = 8;
  c.run.text =
      kernelHead("k_reduce_nan", 64, 2, 0) +
      "  const f32 x = cu_read<f32>(bindings, ref0)[cu_tid()];\n  f32 *const out = cu_write<f32>(bindings, ref1);\n"
      "  out[cu_tid()] = block_max<64>(x, cu_shared<f32>(0));\n  out[64 + cu_tid()] = block_min<64>(x, "
      "cu_shared<f32>(0));\n}\n";
  std::vector<float> in(64, 1.0f);
  in[41] = std::numeric_limits<float>::quiet_NaN();
  c.run.buffers = {input(in), output<float>(128)};
  c.check = [](const std::vector<std::string> &found) {
    return compareFloats(kF32, found[0], std::vector<long double>(128, std::numeric_limits<long double>::quiet_NaN()),
                         0);
  };
  return c;
}

/// Every thread of two blocks does each atomic once, on global and on shared memory.
ConformanceCase atomicCase() {
  ConformanceCase c;
  c.name = "atomics";
  c.run.kernel = "k_atomics";
  c.run.threads = 64;
  c.run.grid = 2;
  c.run.sharedBytes = 8;
  c.run.text =
      kernelHead("k_atomics", 64, 2, 0) +
      "  u64 *const w = cu_write<u64>(bindings, ref0);\n  const u32 i = cu_block() * 64 + cu_tid();\n"
      "  cu_atomic_add(reinterpret_cast<i32 *>(w), -2);\n  cu_atomic_add(reinterpret_cast<u32 *>(w + 1), i);\n"
      "  cu_atomic_add(w + 2, 1ull << 33);\n  cu_atomic_add(reinterpret_cast<i64 *>(w + 3), -5ll);\n"
      "  cu_atomic_add(reinterpret_cast<f32 *>(w + 4), 0.5f);\n  cu_atomic_add(reinterpret_cast<f64 *>(w + 5), 0.25);\n"
      "  cu_atomic_max(reinterpret_cast<u32 *>(w + 6), i);\n  cu_atomic_max(reinterpret_cast<i32 *>(w + 7), "
      "-static_cast<i32>(i) - 1);\n"
      "  cu_atomic_min(reinterpret_cast<u32 *>(w + 8), i + 3);\n  cu_atomic_min(reinterpret_cast<i32 *>(w + 9), "
      "-static_cast<i32>(i));\n"
      "  cu_atomic_cas(reinterpret_cast<u32 *>(w + 10), i, i + 1000);\n"
      "  u32 *const s = cu_shared<u32>(0);\n  if (cu_tid() == 0) s[0] = 0;\n  cu_barrier();\n"
      "  const u32 before = cu_atomic_add(s, 1u);\n  cu_write<u32>(bindings, ref1)[cu_block() * 64 + before] = 1;\n}\n";
  std::vector<uint64_t> start(11, 0);
  start[7] = 0xffffff00u; // i32 -256
  start[8] = 99;
  start[9] = 99;
  start[10] = 17;
  c.run.buffers = {inPlace(start), output<uint32_t>(128)};
  c.check = [](const std::vector<std::string> &found) {
    const float half = 64.0f;
    const double quarter = 32.0;
    std::vector<uint64_t> expected = {
        uint32_t(-256), 8128, uint64_t(128) << 33, static_cast<uint64_t>(int64_t(-640)), 0, 0, 127, 0xffffffffu, 3,
        uint32_t(-127), 1017};
    std::memcpy(&expected[4], &half, 4);
    std::memcpy(&expected[5], &quarter, 8);
    const std::string wrong = compareBytes(found[0], toBytes(expected));
    return wrong.empty() ? compareBytes(found[1], toBytes(std::vector<uint32_t>(128, 1))) : wrong;
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> threadCases() {
  std::vector<ConformanceCase> cases = {indexCase(), voteCase(), reduceNanCase(), atomicCase()};
  for (uint32_t k : {1, 16, 31})
    cases.push_back(shuffleCase("cu_shfl_xor", k, [](uint32_t l, uint32_t a) { return l ^ a; }));
  cases.push_back(shuffleCase("cu_shfl", 9, [](uint32_t, uint32_t a) { return a; }));
  cases.push_back(shuffleCase("cu_shfl_up", 3, [](uint32_t l, uint32_t a) { return l < a ? l : l - a; }));
  cases.push_back(shuffleCase("cu_shfl_down", 5, [](uint32_t l, uint32_t a) { return l + a > 31 ? l : l + a; }));
  for (uint32_t threads : {32, 64, 96, 1024}) {
    cases.push_back(reduceCase<float>("f32", threads));
    cases.push_back(reduceCase<int64_t>("i64", threads));
  }
  cases.push_back(reduceCase<double>("f64", 128));
  cases.push_back(reduceCase<int32_t>("i32", 128));
  cases.push_back(reduceCase<uint32_t>("u32", 128));
  cases.push_back(lanesCase<float>("f32"));
  cases.push_back(lanesCase<double>("f64"));
  cases.push_back(lanesCase<uint32_t>("u32"));
  cases.push_back(lanesCase<int64_t>("i64"));
  return cases;
}

} // namespace cupola::test
