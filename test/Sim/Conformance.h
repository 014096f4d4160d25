//===- test/Sim/Conformance.h - What every wrapper of the device headers must do ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A case is a small kernel, its inputs and a check of its outputs that does not use the headers' own code. The cases
// are data: ConformanceTest runs them on `sim`, and with CUPOLA_TEST_DEVICE=cuda on a GPU.
#ifndef CUPOLA_TEST_SIM_CONFORMANCE_H
#define CUPOLA_TEST_SIM_CONFORMANCE_H

#include "test/Sim/KernelRunner.h"

#include <functional>
#include <ostream>

namespace cupola::test {

struct ConformanceCase {
  std::string name;
  int minimumArch = 75;
  KernelRun run;
  /// Empty, or what is wrong with the output buffers.
  std::function<std::string(const std::vector<std::string> &)> check;
};

/// Names the case where a test fails.
inline std::ostream &operator<<(std::ostream &out, const ConformanceCase &c) { return out << c.name; }

/// All of the below; the kernel of a case is called k_<name of the case>.
std::vector<ConformanceCase> allConformanceCases();
std::vector<ConformanceCase> mathCases();
std::vector<ConformanceCase> integerCases();
std::vector<ConformanceCase> castCases();
std::vector<ConformanceCase> threadCases();
std::vector<ConformanceCase> memoryCases();
std::vector<ConformanceCase> matrixCases();
std::vector<ConformanceCase> byteMatrixCases();
std::vector<ConformanceCase> float8MatrixCases();
std::vector<ConformanceCase> clusterCases();
std::vector<ConformanceCase> tensorCases();

/// Stores accumulators `acc[mi][ni][4]` of mma.sync to a matrix of `type`, the third buffer.
std::string mmaStoreText(const std::string &type, int mi, int ni);

/// A floating-point format: `mantissa` stored bits, exponents of normal numbers from `lowest` to `highest`.
struct FloatFormat {
  const char *name;
  int bytes, mantissa, lowest, highest;
};
constexpr FloatFormat kF16 = {"f16", 2, 10, -14, 15}, kBf16 = {"bf16", 2, 7, -126, 127},
                      kF32 = {"f32", 4, 23, -126, 127}, kF64 = {"f64", 8, 52, -1022, 1023};

/// `x` rounded to the format, to nearest even. Written from the definition, with long double.
long double roundTo(const FloatFormat &format, long double x);
/// The bits of a value that the format holds exactly, and back. NaN has one fixed pattern.
uint64_t encode(const FloatFormat &format, long double x);
long double decode(const FloatFormat &format, uint64_t bits);
std::string encodeAll(const FloatFormat &format, const std::vector<long double> &values);
std::vector<long double> decodeAll(const FloatFormat &format, const std::string &bytes);

/// Empty, or the first element of `found` that is more than `ulps` units of the format's last place (plus `absolute`)
/// from the expected value. NaN equals NaN; infinities must be equal.
std::string compareFloats(const FloatFormat &format, const std::string &found, const std::vector<long double> &expected,
                          double ulps, double absolute = 0);
/// Empty, or the first byte that differs.
std::string compareBytes(const std::string &found, const std::string &expected);
/// That element `i` of output `buffer`, which has `count`, is expected(i).
template <class T>
std::function<std::string(const std::vector<std::string> &)> isEach(uint32_t count, T (*expected)(uint32_t i),
                                                                    size_t buffer = 0) {
  return [=](const std::vector<std::string> &found) {
    std::vector<T> values;
    for (uint32_t i = 0; i < count; ++i)
      values.push_back(expected(i));
    return compareBytes(found[buffer], toBytes(values));
  };
}

/// Deterministic 64-bit numbers.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed * 2 + 1) {}
  uint64_t next();
  /// A small integer in [-limit, limit].
  int small(int limit) { return static_cast<int>(next() % static_cast<uint64_t>(2 * limit + 1)) - limit; }

private:
  uint64_t state;
};

} // namespace cupola::test

#endif
