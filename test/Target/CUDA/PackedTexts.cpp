//===- test/Target/CUDA/PackedTexts.cpp - products whose weights are packed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

#include <tuple>

namespace cupola::test {

/// Of 32 along k the first 16 are the low halves of 16 bytes.
static std::string nibble(Text &text, const Expr &row, const Expr &k) {
  const std::string byte = text.loadStored(1, "ui8", row + floorDiv(k, 32) * 16 + mod(k, 16));
  const std::string half = text.line("kernel.index " + inOp(mod(floorDiv(k, 16), 2)));
  const std::string shift =
      text.binary("mul", text.convert(half, "i64", "ui8"), text.line("kernel.constant 4 : ui8"), "ui8");
  return text.binary("bitwise_and", text.binary("shift_right", byte, shift, "ui8"),
                     text.line("kernel.constant 15 : ui8"), "ui8");
}

KernelCase packedCase(const PackedShape &s) {
  Text text;
  const std::string compute = computeOf(s.type);
  const Exprs extents = {s.rows, s.columns};
  const Expr n = v("d1"), k = v("d2");
  const std::string tile = text.dot({s.rows, s.columns, s.depth});
  text.yield(text.loadStored(0, s.type, v("d0") * s.depth + k), s.type);
  text.rhs();
  std::string x;
  if (s.areBytes)
    x = text.loadStored(1, "ui8", n * s.depth + k);
  else
    x = nibble(text, n * (s.depth / 2), k);
  const Expr block = n * (s.depth / s.block) + floorDiv(k, s.block);
  const std::string offset =
      s.zeros ? text.convert(text.loadStored(4, "i8", block), "i8", "f32")
              : text.line(std::string("kernel.constant ") + (s.areBytes ? "-128.0" : "-8.0") + " : f32");
  x = text.binary("add", text.convert(x, "ui8", "f32"), offset, "f32");
  x = text.binary("mul", x, text.loadStored(2, "f32", block), "f32");
  text.yield(text.convert(x, "f32", s.type), s.type);
  text.close(tileType(compute, extents));
  text.loop({v("d3"), v("d4")}, extents);
  text.store(text.extract(tile, {v("d3"), v("d4")}, compute, extents), 3, s.type, v("d3") * s.columns + v("d4"));
  text.raw("}");
  std::vector<std::string> buffers = {s.type + ", read", "ui8, read", "f32, read", s.type + ", write"};
  const int64_t blocks = s.columns * s.depth / s.block;
  std::vector<int64_t> elements = {s.rows * s.depth, s.columns * s.depth / (s.areBytes ? 1 : 2), blocks,
                                   s.rows * s.columns};
  if (s.zeros) {
    buffers.push_back("i8, read");
    elements.push_back(blocks);
  }
  std::string name = std::string(s.areBytes ? "bytes_" : "packed_") + s.type + tag(s.rows) + tag(s.columns) +
                     tag(s.depth) + "_block" + std::to_string(s.block) + (s.zeros ? "_zeros" : "");
  if (!s.schedule.empty())
    name += "_" + wordsOf(s.schedule);
  const bool isHalf = s.type != "f32", areFew = s.rows <= (isHalf && s.depth >= 512 ? 2 : 8) && s.schedule.empty();
  return {name,
          areFew   ? "row_matvec"
          : isHalf ? "gemm_mma"
                   : "gemm",
          text.func("gemm", {}, "", buffers, s.schedule.empty() ? "" : "#cuda." + s.schedule),
          {},
          elements,
          /*indexBound=*/256};
}

std::vector<KernelCase> packedCases() {
  std::vector<KernelCase> cases;
  for (const char *type : {"f32", "f16", "bf16"}) {
    cases.push_back(packedCase({type, 1, 64, 512, 32}));
    cases.push_back(packedCase({type, 1, 45, 96, 32}));   // less than a step of the lanes, columns beyond the matrix
    cases.push_back(packedCase({type, 3, 33, 1056, 16})); // what is left of the steps; two blocks in a byte
    cases.push_back(packedCase({type, 8, 130, 640, 128}));
    cases.push_back(packedCase({type, 65, 72, 160, 32}));
    cases.push_back(packedCase({type, 16, 100, 64, 64}));
  }
  cases.push_back(packedCase({"f16", 2, 2051, 64, 32})); // several columns of a warp, the last ones of the matrix
  cases.push_back(packedCase({"f16", 1, 4096, 32, 16}));
  return cases;
}

namespace {

/// A whole tile or two; more tiles of k than stages, ragged everywhere; less than a tile of each. Blocks of all sizes,
/// by turns.
void addCases(std::initializer_list<MmaTile> tiles, int64_t mmaK, int64_t sharedBytes, std::vector<KernelCase> &cases) {
  constexpr int64_t blocks[] = {16, 32, 64};
  for (const MmaTile &tile : tiles) {
    if (tile.sharedBytes() > sharedBytes)
      continue;
    const std::string schedule = tile.schedule(mmaK, /*async=*/tile.stages > 2);
    for (auto [m, n, k] : {std::tuple(tile.m, tile.n, 4 * tile.split * tile.k),
                           std::tuple(tile.m + 20, tile.n + 24, 5 * tile.split * tile.k),
                           std::tuple(int64_t(7), int64_t(24), 4 * tile.split * tile.k - 32)}) {
      const int64_t block = blocks[cases.size() % 3];
      const bool isBf16 = mmaK == 16 && cases.size() % 2 == 1;
      cases.push_back(packedCase({isBf16 ? "bf16" : "f16", m, n, k, k % block == 0 ? block : 32,
                                  /*zeros=*/cases.size() % 4 > 1, schedule}));
      // Ragged; threads with 64 by 64 sums and two vectors of bytes have too few registers.
      const bool hasRegisters = tile.stages == 2 || tile.m != 128 || tile.warpsM * tile.warpsN > 4;
      if (m != tile.m && hasRegisters)
        cases.push_back(packedCase({"f16", m, n, k, 32, /*zeros=*/cases.size() % 2 == 0, schedule, /*areBytes=*/true}));
    }
  }
}

} // namespace

std::vector<KernelCase> asyncPackedCases(int64_t sharedBytes) {
  std::vector<KernelCase> cases;
  addCases({{256, 128, 32, 4, 2, 1, 4},
            {128, 256, 32, 2, 4, 1, 3},
            {128, 128, 32, 2, 2, 1, 4},
            {128, 128, 32, 2, 4, 1, 3},
            {256, 64, 32, 4, 1, 1, 4},
            {128, 64, 32, 2, 1, 1, 3},
            {64, 64, 128, 2, 1, 4, 3},
            {64, 64, 64, 2, 2, 1, 4},
            {32, 64, 128, 1, 1, 4, 3},
            {32, 32, 128, 1, 1, 4, 4},
            {16, 64, 128, 1, 1, 4, 3},
            {16, 32, 128, 1, 1, 4, 4, 2},
            {64, 64, 64, 2, 2, 1, 4, 2}},
           /*mmaK=*/16, sharedBytes, cases);
  return cases;
}

std::vector<KernelCase> registerPackedCases(int64_t mmaK) {
  std::vector<KernelCase> cases;
  addCases({{128, 128, 32, 2, 4, 1, 2},
            {128, 64, 32, 4, 2, 1, 2},
            {64, 64, 32, 2, 2, 1, 2},
            {32, 64, 64, 1, 2, 2, 2},
            {32, 64, 32, 1, 2, 1, 2},
            {32, 32, 128, 1, 1, 4, 2}},
           mmaK, /*sharedBytes=*/64 << 10, cases);
  return cases;
}

} // namespace cupola::test
