//===- lib/Runtime/Host/Fourier.cpp - fast Fourier transforms ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Decimation in time with the factors of the length (Cooley and Tukey, "An algorithm for the machine calculation of
// complex Fourier series", 1965); a length with a large prime factor becomes a convolution of another one (Bluestein,
// "A linear filtering approach to the computation of the discrete Fourier transform", 1970).
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/VisitNumber.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace cupola::runtime {
namespace {

struct Complex {
  double real = 0, imaginary = 0;
  Complex operator+(Complex b) const { return {real + b.real, imaginary + b.imaginary}; }
  Complex operator-(Complex b) const { return {real - b.real, imaginary - b.imaginary}; }
  Complex operator*(Complex b) const {
    return {real * b.real - imaginary * b.imaginary, real * b.imaginary + imaginary * b.real};
  }
  Complex conjugate() const { return {real, -imaginary}; }
};
using Signal = std::vector<Complex>;

constexpr uint64_t kLargestFactor = 64; ///< of a butterfly, whose steps are its square

/// e^(-2 pi i turn / turns), exact in quarters of turns.
Complex rootOf(uint64_t turn, uint64_t turns) {
  const double angle = 2 * 3.14159265358979323846 * static_cast<double>(turn) / static_cast<double>(turns);
  if (4 * turn % turns != 0)
    return {std::cos(angle), -std::sin(angle)};
  constexpr double real[] = {1, 0, -1, 0}, imaginary[] = {0, -1, 0, 1};
  return {real[4 * turn / turns % 4], imaginary[4 * turn / turns % 4]};
}

/// Prime factors, ascending; none of 1.
std::vector<uint64_t> factorsOf(uint64_t number) {
  std::vector<uint64_t> factors;
  for (uint64_t factor = 2; factor * factor <= number; ++factor)
    for (; number % factor == 0; number /= factor)
      factors.push_back(factor);
  if (number > 1)
    factors.push_back(number);
  return factors;
}

/// Forward transforms of one length, whose prime factors are small.
class Butterflies {
public:
  explicit Butterflies(uint64_t length) : length(length), factors(factorsOf(length)) {
    for (uint64_t i = 0; i < length; ++i)
      roots.push_back(rootOf(i, length));
    parts.resize(factors.empty() ? 1 : factors.back());
  }

  void run(const Complex *from, Complex *to) { transform(from, to, length, 1, 0); }

private:
  /// Of every `stride`-th element.
  void transform(const Complex *from, Complex *to, uint64_t count, uint64_t stride, size_t level) {
    if (count == 1) {
      *to = *from;
      return;
    }
    const uint64_t factor = factors[level], each = count / factor;
    for (uint64_t j = 0; j < factor; ++j)
      transform(from + j * stride, to + j * each, each, stride * factor, level + 1);
    for (uint64_t k = 0; k < each; ++k)
      factor == 2 ? joinTwo(to + k, each, roots[k * stride]) : join(to + k, factor, each, k * stride);
  }

  static void joinTwo(Complex *to, uint64_t each, Complex root) {
    const Complex first = to[0], second = to[each] * root;
    to[0] = first + second;
    to[each] = first - second;
  }

  void join(Complex *to, uint64_t factor, uint64_t each, uint64_t turn) {
    for (uint64_t j = 0; j < factor; ++j)
      parts[j] = to[j * each] * roots[j * turn];
    const uint64_t part = length / factor;
    for (uint64_t q = 0; q < factor; ++q) {
      Complex sum = parts[0];
      for (uint64_t j = 1; j < factor; ++j)
        sum = sum + parts[j] * roots[j * q % factor * part];
      to[q * each] = sum;
    }
  }

  const uint64_t length;
  const std::vector<uint64_t> factors;
  Signal roots, parts;
};

/// Forward transforms of any length: j * k = (j^2 + k^2 - (k - j)^2) / 2 makes a convolution of the sum.
class Chirp {
public:
  explicit Chirp(uint64_t length) : length(length), padded(paddedOf(length)), butterflies(padded) {
    Signal filter(padded);
    for (uint64_t i = 0; i < length; ++i) {
      chirp.push_back(rootOf(i * i % (2 * length), 2 * length)); // lengths are below 2^32
      filter[i] = filter[(padded - i) % padded] = chirp[i].conjugate();
    }
    response.resize(padded), spectrum.resize(padded), signal.resize(padded);
    butterflies.run(filter.data(), response.data());
  }

  void run(const Complex *from, Complex *to) {
    std::fill(signal.begin(), signal.end(), Complex());
    for (uint64_t i = 0; i < length; ++i)
      signal[i] = from[i] * chirp[i];
    butterflies.run(signal.data(), spectrum.data());
    for (uint64_t i = 0; i < padded; ++i) // back again: the conjugate of the transform of the conjugate
      spectrum[i] = (spectrum[i] * response[i]).conjugate();
    butterflies.run(spectrum.data(), signal.data());
    const double share = 1 / static_cast<double>(padded);
    for (uint64_t i = 0; i < length; ++i) {
      const Complex sum = signal[i].conjugate() * chirp[i];
      to[i] = {sum.real * share, sum.imaginary * share};
    }
  }

private:
  static uint64_t paddedOf(uint64_t length) {
    uint64_t padded = 1;
    while (padded < 2 * length)
      padded *= 2;
    return padded;
  }

  const uint64_t length, padded;
  Butterflies butterflies;
  Signal chirp, response, spectrum, signal;
};

/// What the op is asked for; `parts` of a number, 1 or 2.
struct Shape {
  uint64_t rows, length, taken, made, partsTaken, partsMade;
};

/// The rows from `begin` to `end`. What is taken of an inverse transform may be the half that the other one mirrors.
/// `transform` is this thread's own: it has memory of what is under way.
template <class T, class Transform>
void transformRows(HostCall &call, const Shape &shape, Transform transform, bool isInverse, uint64_t begin,
                   uint64_t end) {
  Signal from(shape.length), to(shape.length);
  const double share = isInverse ? 1 / static_cast<double>(shape.length) : 1;
  for (uint64_t row = begin; row < end; ++row) {
    for (uint64_t i = 0; i < shape.taken; ++i) {
      const uint64_t at = (row * shape.taken + i) * shape.partsTaken;
      from[i].real = static_cast<double>(call.number<T>(0, at));
      from[i].imaginary = shape.partsTaken == 2 ? static_cast<double>(call.number<T>(0, at + 1)) : 0;
      if (isInverse)
        from[i] = from[i].conjugate();
    }
    for (uint64_t i = shape.taken; i < shape.length; ++i)
      from[i] = from[shape.length - i].conjugate();
    transform.run(from.data(), to.data());
    for (uint64_t i = 0; i < shape.made; ++i) {
      const Complex value = isInverse ? to[i].conjugate() : to[i];
      const uint64_t at = (row * shape.made + i) * shape.partsMade;
      call.put<T>(at, static_cast<T>(value.real * share));
      if (shape.partsMade == 2)
        call.put<T>(at + 1, static_cast<T>(value.imaginary * share));
    }
  }
}

template <class T, class Transform> void transformAll(HostCall &call, const Shape &shape, bool isInverse) {
  constexpr uint64_t stepsOfElement = 8;
  const Transform transform(shape.length);
  call.forRows(shape.rows, shape.length * stepsOfElement,
               [&](uint64_t begin, uint64_t end) { transformRows<T>(call, shape, transform, isInverse, begin, end); });
}

} // namespace

Status fourierTransform(HostCall &call) {
  CUPOLA_ASSIGN(const std::vector<uint64_t> list, call.extents(1, 6));
  const Shape shape{list[0], list[1], list[2], list[3], list[4], list[5]};
  const bool isInverse = call.argument(1) == "inverse";
  const uint64_t half = shape.length / 2 + 1;
  if ((!isInverse && call.argument(1) != "forward") || shape.length == 0 || shape.length >> 32 != 0 ||
      (shape.taken != shape.length && (!isInverse || shape.taken != half)) || shape.made > shape.length ||
      shape.partsTaken - 1 > 1 || shape.partsMade - 1 > 1)
    return Status::package("the manifest is inconsistent: there is no such Fourier transform");
  CUPOLA_TRY(call.expectOperand(0, shape.rows * shape.taken * shape.partsTaken));
  CUPOLA_TRY(call.expectResults(shape.rows * shape.made * shape.partsMade));
  if (shape.rows == 0)
    return Status::ok();
  return visitNumber(call.numbers(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const std::vector<uint64_t> factors = factorsOf(shape.length);
      if (factors.empty() || factors.back() <= kLargestFactor)
        transformAll<T, Butterflies>(call, shape, isInverse);
      else
        transformAll<T, Chirp>(call, shape, isInverse);
      return Status::ok();
    } else {
      return Status::package("the manifest is inconsistent: Fourier transforms are of floats");
    }
  });
}

} // namespace cupola::runtime
