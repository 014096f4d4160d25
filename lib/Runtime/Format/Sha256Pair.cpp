//===- lib/Runtime/Format/Sha256Pair.cpp - SHA-256 of two texts at once ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Sha256Pair.h"

#include <cassert>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace cupola::format {

static std::array<Digest, 2> oneByOne(char first, std::string_view a, std::string_view b) {
  const auto sum = [first](std::string_view text) {
    Sha256 hash;
    hash.update({&first, 1});
    hash.update(text);
    return hash.finish();
  };
  return {sum(a), sum(b)};
}

#if defined(__x86_64__)

namespace {

#define CUPOLA_SHA __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline

constexpr size_t kBlock = 64;

/// FIPS 180-4, 4.2.2.
alignas(16) constexpr uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// A sum under way, as the instructions take it: the state in two halves, and 16 words of the schedule.
struct Lane {
  __m128i abef, cdgh;
  __m128i words[4];
};

template <size_t group> CUPOLA_SHA void load(Lane &lane, const char *block) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block) + group);
  lane.words[group] = _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
}

/// Four rounds, and the words of those 16 later.
template <size_t group> CUPOLA_SHA void fourRounds(Lane &lane) {
  __m128i &word = lane.words[group % 4];
  const __m128i after = lane.words[(group + 1) % 4];
  const __m128i behind = lane.words[(group + 2) % 4], last = lane.words[(group + 3) % 4];
  const __m128i *constants = reinterpret_cast<const __m128i *>(kRounds);
  const __m128i sum = _mm_add_epi32(word, _mm_load_si128(constants + group));
  lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, sum);
  lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, _mm_shuffle_epi32(sum, 0x0e));
  if constexpr (group < 12)
    word =
        _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(word, after), _mm_alignr_epi8(last, behind, 4)), last);
}

template <size_t... group>
CUPOLA_SHA void loadBoth(Lane &a, Lane &b, const char *blockA, const char *blockB, std::index_sequence<group...>) {
  ((load<group>(a, blockA), load<group>(b, blockB)), ...);
}

template <size_t... group> CUPOLA_SHA void allRounds(Lane &a, Lane &b, std::index_sequence<group...>) {
  ((fourRounds<group>(a), fourRounds<group>(b)), ...);
}

/// Of lanes of its own, which stay in registers.
__attribute__((target("sha,sse4.1,ssse3"))) std::array<Lane, 2> added(Lane a, Lane b, const char *dataA,
                                                                      const char *dataB, size_t count) {
  for (; count > 0; --count, dataA += kBlock, dataB += kBlock) {
    const __m128i before[4] = {a.abef, a.cdgh, b.abef, b.cdgh};
    loadBoth(a, b, dataA, dataB, std::make_index_sequence<4>());
    allRounds(a, b, std::make_index_sequence<16>());
    a.abef = _mm_add_epi32(a.abef, before[0]);
    a.cdgh = _mm_add_epi32(a.cdgh, before[1]);
    b.abef = _mm_add_epi32(b.abef, before[2]);
    b.cdgh = _mm_add_epi32(b.cdgh, before[3]);
  }
  return {a, b};
}

/// What stands before the first whole block of the rest, and behind the last.
struct Ends {
  char head[kBlock];
  char tail[2 * kBlock] = {};
};

Digest digestOf(const Lane &lane) {
  uint32_t abef[4], cdgh[4];
  std::memcpy(abef, &lane.abef, sizeof(abef));
  std::memcpy(cdgh, &lane.cdgh, sizeof(cdgh));
  const uint32_t words[8] = {abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0]};
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<uint8_t>(words[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

/// At least a block less a byte.
std::array<Digest, 2> atOnce(char first, const std::string_view (&texts)[2]) {
  const size_t size = texts[0].size(), rest = size - (kBlock - 1), blocks = rest / kBlock, left = rest % kBlock;
  const size_t tailBlocks = left + 1 + sizeof(uint64_t) <= kBlock ? 1 : 2;
  Ends ends[2];
  for (size_t i = 0; i < 2; ++i) {
    ends[i].head[0] = first;
    std::memcpy(ends[i].head + 1, texts[i].data(), kBlock - 1);
    std::memcpy(ends[i].tail, texts[i].data() + size - left, left);
    ends[i].tail[left] = static_cast<char>(0x80);
    const uint64_t bits = __builtin_bswap64((uint64_t(size) + 1) * 8);
    std::memcpy(ends[i].tail + tailBlocks * kBlock - sizeof(bits), &bits, sizeof(bits));
  }
  const Lane start{_mm_set_epi32(0x6a09e667, static_cast<int>(0xbb67ae85), 0x510e527f, static_cast<int>(0x9b05688c)),
                   _mm_set_epi32(0x3c6ef372, static_cast<int>(0xa54ff53a), 0x1f83d9ab, 0x5be0cd19),
                   {}};
  std::array<Lane, 2> lanes = added(start, start, ends[0].head, ends[1].head, 1);
  lanes = added(lanes[0], lanes[1], texts[0].data() + kBlock - 1, texts[1].data() + kBlock - 1, blocks);
  lanes = added(lanes[0], lanes[1], ends[0].tail, ends[1].tail, tailBlocks);
  return {digestOf(lanes[0]), digestOf(lanes[1])};
}

bool hasInstructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0 && __builtin_cpu_supports("sse4.1");
}

} // namespace

std::array<Digest, 2> sha256Pair(char first, std::string_view a, std::string_view b) {
  assert(a.size() == b.size());
  static const bool isFast = hasInstructions();
  return isFast && a.size() >= kBlock ? atOnce(first, {a, b}) : oneByOne(first, a, b);
}

#else

std::array<Digest, 2> sha256Pair(char first, std::string_view a, std::string_view b) { return oneByOne(first, a, b); }

#endif

} // namespace cupola::format
