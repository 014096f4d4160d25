//===- test/Sim/Cute/CuteTest.cpp - Layouts, descriptors, fragments, tensor maps against a second source, CuTe ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A layout remembered wrongly in the headers and in the simulator alike would pass every other test.
#include "lib/Sim/FragmentLayout.h"
#include "lib/Sim/WgmmaLayout.h"
#include "test/Sim/Cute/CuteAnswers.h"
#include "test/Sim/Cute/WgmmaOnHost.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

using namespace cupola::sim;
using namespace cupola::test;

namespace {

/// Counts what is compared and what differs; the first that differs is described.
struct Tally {
  std::string what;
  unsigned compared = 0, differing = 0;
  explicit Tally(std::string what) : what(std::move(what)) {}
  ~Tally() {
    std::printf("%-45s %6u compared, %u differ\n", what.c_str(), compared, differing);
    EXPECT_GT(compared, 0u) << what;
  }
  template <class Describe> void operator()(bool same, Describe describe) {
    ++compared;
    if (!same && differing++ == 0)
      ADD_FAILURE() << what << ": " << describe();
  }
};

//===--- Shared memory ---===//

/// Where tensor copies with boxes of one swizzle row x all of the other dimension put an element (or, GroupsOfK, boxes
/// of 64 n x 8 k).
uint32_t ourByte(const CuteTile &tile, uint32_t o, uint32_t k) {
  const uint32_t wide = tile.span / 2;
  switch (tile.order) {
  case Order::AlongK:
    return swizzled(k / wide * tile.outer * tile.span + o * tile.span + k % wide * 2, tile.span);
  case Order::GroupsOfN:
    return swizzled(o / wide * tile.k * tile.span + k * tile.span + o % wide * 2, tile.span);
  case Order::GroupsOfK:
    break;
  }
  return swizzled((k / 8 * (tile.outer / wide) + o / wide) * 8 * tile.span + k % 8 * tile.span + o % wide * 2,
                  tile.span);
}

TEST(Cute, SwizzledTiles) {
  for (const CuteTile &tile : cuteTiles()) {
    Tally tally(tile.name);
    for (uint32_t o = 0; o < tile.outer; ++o)
      for (uint32_t k = 0; k < tile.k; ++k)
        tally(ourByte(tile, o, k) == tile.bytes[o * tile.k + k], [&] {
          return "element " + std::to_string(o) + ", " + std::to_string(k) + " lies at byte " +
                 std::to_string(ourByte(tile, o, k)) + ", CuTe's at " + std::to_string(tile.bytes[o * tile.k + k]);
        });
  }
}

//===--- Descriptors ---===//

/// The simulator reads CuTe's descriptors: every element of every step is where CuTe put it.
TEST(Cute, DescriptorsToAddresses) {
  for (const CuteTile &tile : cuteTiles()) {
    Tally tally(tile.name);
    for (const CuteDescriptor &d : tile.descriptors) {
      const MatrixDescriptor ours = MatrixDescriptor::decode(d.bits);
      EXPECT_EQ(ours.span, tile.span) << tile.name;
      for (uint32_t o = 0; o < tile.width; ++o)
        for (uint32_t k = 0; k < 16; ++k) {
          const uint32_t byte = tile.order == Order::AlongK ? ours.alongK(o, k) : ours.alongOuter(o, k);
          const uint32_t theirs = tile.bytes[(d.outer + o) * tile.k + d.k + k];
          tally(byte == theirs, [&] {
            return "element " + std::to_string(o) + ", " + std::to_string(k) + " of the step at " +
                   std::to_string(d.outer) + ", " + std::to_string(d.k) + ": byte " + std::to_string(byte) +
                   ", CuTe's is " + std::to_string(theirs);
          });
        }
    }
  }
}

/// What the device header writes for one product whose operands both lie as `tile` says, or B does.
cupola_device::Product ourProduct(const CuteTile &tile, const CuteDescriptor &d) {
  static f32 acc[32][4];
  const auto *const base = reinterpret_cast<const f16 *>(cupola_device::shared);
  if (tile.order == Order::AlongK) {
    // As schedules write it: 64 elements to a row, a further tile of [outer][64 k] every 64 k.
    const f16 *const p = base + d.k / 64 * 64 * tile.outer + d.outer * 64 + d.k % 64;
    wgmma(acc, p, p);
  } else {
    wgmma_transposed(acc, base, base + 64 * d.k, 64 * tile.k);
  }
  return cupola_device::lastProduct;
}

struct Field {
  const char *name;
  int shift, bits;
  uint64_t of(uint64_t descriptor) const { return descriptor >> shift & ((1ull << bits) - 1); }
};
const Field kFields[] = {{"start address", 0, 14},
                         {"leading byte offset", 16, 14},
                         {"stride byte offset", 32, 14},
                         {"base offset", 49, 3},
                         {"swizzle", 62, 2}};

TEST(Cute, DescriptorsOfTheDeviceHeader) {
  for (const CuteTile &tile : cuteTiles()) {
    if (tile.span != 128 || tile.order == Order::GroupsOfK)
      continue; // not made by schedules
    Tally tally(tile.name);
    // Of one group of 64 n there is no distance to the next: hardware does not look at it, CuTe leaves it out.
    const uint64_t ignored = tile.order == Order::GroupsOfN && tile.outer == 64 ? 0x3fffull << 16 : 0;
    for (const CuteDescriptor &d : tile.descriptors) {
      const cupola_device::Product product = ourProduct(tile, d);
      EXPECT_EQ(product.isTransposedB, tile.order == Order::GroupsOfN);
      EXPECT_EQ(product.b & ~ignored, d.bits & ~ignored) << tile.name;
      if (tile.order == Order::AlongK) {
        EXPECT_EQ(product.a, d.bits) << tile.name;
      }
      for (const Field &field : kFields) {
        const uint64_t ours = field.of(product.b & ~ignored), theirs = field.of(d.bits & ~ignored);
        tally(ours == theirs, [&] {
          return std::string(field.name) + " of the step at " + std::to_string(d.outer) + ", " + std::to_string(d.k) +
                 ": " + std::to_string(ours) + ", CuTe's is " + std::to_string(theirs);
        });
      }
    }
  }
}

/// Products with fragments go through all k of B.
TEST(Cute, DescriptorsBesideFragments) {
  static f32 acc[16][4];
  static u32 shallow[4][4], deep[8][4];
  const auto *const base = reinterpret_cast<const f16 *>(cupola_device::shared);
  unsigned compared = 0;
  for (const CuteTile &tile : cuteTiles()) {
    if (tile.span != 128 || tile.order == Order::GroupsOfK || (tile.k != 64 && tile.k != 128) ||
        tile.outer != tile.width)
      continue;
    const uint32_t group = 64 * (tile.order == Order::AlongK ? tile.outer : tile.k);
    if (tile.order == Order::GroupsOfN)
      wgmma_fragments_transposed(acc, shallow, base, group);
    else if (tile.k == 64)
      wgmma_fragments(acc, shallow, base, group);
    else
      wgmma_fragments(acc, deep, base, group);
    const uint64_t ignored = tile.order == Order::GroupsOfN && tile.outer == 64 ? 0x3fffull << 16 : 0;
    EXPECT_EQ(cupola_device::lastProduct.b & ~ignored, tile.descriptors.back().bits & ~ignored) << tile.name;
    EXPECT_EQ(cupola_device::lastProduct.isTransposedB, tile.order == Order::GroupsOfN) << tile.name;
    ++compared;
  }
  EXPECT_GE(compared, 6u);
}

TEST(Cute, TypesOfTheDeviceHeader) {
  f32 acc[8][4];
  const auto *const halves = reinterpret_cast<const f16 *>(cupola_device::shared);
  const auto *const brains = reinterpret_cast<const bf16 *>(cupola_device::shared);
  wgmma(acc, halves, halves);
  EXPECT_FALSE(cupola_device::lastProduct.isBf16);
  EXPECT_EQ(cupola_device::lastProduct.tiles, 8);
  wgmma_transposed(acc, brains, brains, 4096);
  EXPECT_TRUE(cupola_device::lastProduct.isBf16);
}

//===--- Fragments ---===//

using Place = CuteFragment::Place;

Place accumulator(uint32_t t, uint32_t v) { return {wgmmaRow(t, v % 4), wgmmaColumn(t, v / 4, v % 4)}; }
Place deviceAccumulator(uint32_t t, uint32_t v) {
  cupola_device::thread = 128 + t; // the second warpgroup of its block
  return {wgmma_row(v % 4), 8 * (v / 4) + wgmma_col(v % 4)};
}
Place ofA(uint32_t t, uint32_t v) { return {coordinateOfA(t, v).row, coordinateOfA(t, v).column}; }
Place ofB(uint32_t t, uint32_t v) { return {coordinateOfB(t, v).column, coordinateOfB(t, v).row}; }
Place ofByteA(uint32_t t, uint32_t v) { return {coordinateOfByteA(t, v).row, coordinateOfByteA(t, v).column}; }
Place ofByteB(uint32_t t, uint32_t v) { return {coordinateOfByteB(t, v).column, coordinateOfByteB(t, v).row}; }
Place ofC(uint32_t t, uint32_t v) { return {coordinateOfC(t, v).row, coordinateOfC(t, v).column}; }

void compareFragment(const CuteFragment &fragment, Place (*ours)(uint32_t thread, uint32_t value)) {
  Tally tally(fragment.name);
  for (uint32_t t = 0; t < fragment.threads; ++t)
    for (uint32_t v = 0; v < fragment.values; ++v) {
      const Place a = ours(t, v), b = fragment.places[t * fragment.values + v];
      tally(a.row == b.row && a.column == b.column, [&] {
        return "thread " + std::to_string(t) + " value " + std::to_string(v) + ": " + std::to_string(a.row) + ", " +
               std::to_string(a.column) + ", CuTe's is " + std::to_string(b.row) + ", " + std::to_string(b.column);
      });
    }
}

/// Of a warpgroup: 16 rows of each warp.
Place ofGroupA(uint32_t t, uint32_t v) { return {t / 32 * 16 + ofA(t % 32, v).row, ofA(t % 32, v).column}; }

TEST(Cute, Fragments) {
  for (const CuteFragment &fragment : cuteFragments()) {
    const std::string name = fragment.name;
    const char operand = name.back();
    if (name.compare(0, 3, "m64") == 0 && operand == 'A') {
      compareFragment(fragment, ofGroupA);
    } else if (name.compare(0, 3, "m64") == 0) {
      compareFragment(fragment, accumulator);
      compareFragment(fragment, deviceAccumulator);
    } else {
      const bool areBytes = name.find("k32") != std::string::npos;
      compareFragment(fragment, operand == 'A'   ? (areBytes ? ofByteA : ofA)
                                : operand == 'B' ? (areBytes ? ofByteB : ofB)
                                                 : ofC);
    }
  }
}

/// Keeps the number of an accumulator where a fragment would have its value.
struct Number {
  uint16_t bits;
  explicit Number(f32 number) : bits(static_cast<uint16_t>(number)) {}
};

/// Accumulators of one product are, packed, fragments of the next: the same elements in the same threads.
TEST(Cute, AccumulatorsAsFragments) {
  const std::vector<CuteFragment> fragments = cuteFragments();
  const auto find = [&](const std::string &name) {
    return std::find_if(fragments.begin(), fragments.end(), [&](const CuteFragment &f) { return f.name == name; });
  };
  const CuteFragment &from = *find("m64n64k16 C"), &to = *find("m64n64k16 A");
  f32 acc[8][4];
  for (uint32_t v = 0; v < 32; ++v)
    acc[v / 4][v % 4] = static_cast<f32>(v);
  u32 packed[4][4];
  wgmma_pack<Number>(packed, acc);
  Tally tally("accumulators as fragments");
  for (uint32_t t = 0; t < 128; ++t)
    for (uint32_t v = 0; v < 32; ++v) {
      const uint32_t number = packed[v / 8][v % 8 / 2] >> v % 2 * 16 & 0xffff;
      const Place a = from.places[t * from.values + number], b = to.places[t * to.values + v % 8];
      tally(a.row == b.row && a.column == v / 8 * 16 + b.column,
            [&] { return "thread " + std::to_string(t) + " value " + std::to_string(v); });
    }
}

//===--- Tensor maps ---===//

/// What a schedule asks for; all else is the same for every map.
struct Request {
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box;
};
const Request kAlongK128 = {{1024, 3000}, {2048}, {64, 128}};
const Request kAlongK64 = {{1024, 3000}, {2048}, {64, 64}};
const Request kAlongN = {{3000, 1024}, {6000}, {64, 64}}; ///< a copy per 64 n

/// cuda.h: f16, no interleave, swizzle of 128 bytes, L2 promotion to 128 bytes, zeros outside.
constexpr uint32_t kFloat16 = 6, kInterleaveNone = 0, kSwizzle128 = 3, kPromotion128 = 2, kFillZeros = 0;

TEST(Cute, TensorMaps) {
  const Request *const requests[] = {&kAlongK128, &kAlongK64, &kAlongK128, &kAlongN, &kAlongN};
  const std::vector<CuteTensorMap> maps = cuteTensorMaps();
  ASSERT_EQ(maps.size(), std::size(requests));
  for (size_t i = 0; i < maps.size(); ++i) {
    const CuteTensorMap &map = maps[i];
    SCOPED_TRACE(map.name);
    EXPECT_EQ(map.extents, requests[i]->extents);
    EXPECT_EQ(map.strides, requests[i]->strides);
    EXPECT_EQ(map.box, requests[i]->box);
    EXPECT_EQ(map.elementStrides, std::vector<uint32_t>(map.box.size(), 1));
    EXPECT_EQ(map.type, kFloat16);
    EXPECT_EQ(map.interleave, kInterleaveNone);
    EXPECT_EQ(map.swizzle, kSwizzle128);
    EXPECT_EQ(map.promotion, kPromotion128);
    EXPECT_EQ(map.fill, kFillZeros);
  }
}

} // namespace
