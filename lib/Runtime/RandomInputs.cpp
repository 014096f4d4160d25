//===- lib/Runtime/RandomInputs.cpp - Input values from a seed ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/RandomInputs.h"

#include "lib/Runtime/Format/NarrowFloats.h"

#include <cstring>

namespace cupola::runtime {

using format::DType;

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// N(0, 1) as the sum of twelve uniforms less six: mathematical libraries
  /// differ in the last bit of log and cos, additions do not.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += static_cast<double>(next() >> 11) * 0x1p-53;
    return sum;
  }

private:
  uint64_t state;
};

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// To nearest even, for |value| < 8; what is below the normal range becomes 0.
uint16_t toHalf(float value) {
  const uint32_t bits = bitsOf(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude < 0x38800000)
    return sign;
  const uint32_t rebased = magnitude - 0x38000000;
  return sign | static_cast<uint16_t>((rebased + 0xfff + (rebased >> 13 & 1)) >> 13);
}

uint16_t toBFloat(float value) {
  const uint32_t bits = bitsOf(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename T> void put(uint8_t *to, T value) { std::memcpy(to, &value, sizeof(value)); }

void putFloat(DType dtype, uint8_t *to, double value) {
  if (const format::NarrowFloat *type = format::narrowFloatOf(dtype))
    return put(to, static_cast<uint8_t>(format::encoded(*type, value)));
  switch (dtype) {
  case DType::F16:
    return put(to, toHalf(static_cast<float>(value)));
  case DType::BF16:
    return put(to, toBFloat(static_cast<float>(value)));
  case DType::F64:
    return put(to, value);
  default:
    return put(to, static_cast<float>(value));
  }
}

/// The integers that every machine we run on stores low byte first.
void putInteger(DType dtype, uint8_t *to, uint64_t value) { std::memcpy(to, &value, format::byteSize(dtype)); }

/// Strings from a seed: with capitals, spaces, numbers, and letters that are no ASCII.
constexpr const char *kWords[] = {"red", "Green", "blue sky", "a,b", "42", "3.5", "", "caf\xc3\xa9"};

uint64_t integerBound(const format::Tensor &tensor) {
  constexpr uint64_t kUnknown = 10;
  if (tensor.dtype == DType::Bool)
    return 2;
  const uint64_t bound = tensor.indexedExtent > 0 ? static_cast<uint64_t>(tensor.indexedExtent) : kUnknown;
  const uint64_t most = uint64_t(1) << (format::rowOf(tensor.dtype).bits - 1);
  return bound < most ? bound : most;
}

} // namespace

HostTensor randomTensor(const format::Tensor &tensor, const Shape &shape, uint64_t seed, uint32_t input) {
  HostTensor result;
  result.dtype = tensor.dtype;
  result.shape = shape;
  size_t elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<size_t>(extent);
  const size_t size = format::byteSize(tensor.dtype);
  result.bytes.resize(elements * size);
  Random random(Random(seed).next() + input);
  if (tensor.dtype == DType::String) {
    for (size_t i = 0; i < elements; ++i)
      result.texts.emplace_back(kWords[random.below(std::size(kWords))]);
    return result;
  }
  const uint64_t bound = integerBound(tensor);
  const bool isReal = format::isFloat(tensor.dtype) || format::narrowFloatOf(tensor.dtype);
  for (size_t i = 0; i < elements; ++i) {
    uint8_t *to = result.bytes.data() + i * size;
    if (isReal)
      putFloat(tensor.dtype, to, tensor.mask ? 1.0 : random.normal());
    else
      putInteger(tensor.dtype, to, tensor.mask ? 1 : random.below(bound));
  }
  return result;
}

} // namespace cupola::runtime
