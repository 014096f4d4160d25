//===- test/Target/CUDA/ByteTexts.cpp - products of bytes and other integers, summed in i32 ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

#include <tuple>

namespace cupola::test {

KernelCase byteGemmCase(int64_t m, int64_t n, int64_t k, const ByteGemm &o) {
  Text text;
  const Expr rows = o.dynamic ? v("n0") : Expr(m), g = o.batch > 1 ? v("g0") : Expr(0),
             out = (g * rows + v("d3")) * n + v("d4");
  const Exprs extents = {rows, n};
  const std::string tile = text.dot({rows, n, k});
  text.yield(text.load(0, o.left, g * rows * k + (o.lhsTransposed ? v("d2") * rows + v("d0") : v("d0") * k + v("d2"))),
             o.left);
  text.rhs();
  text.yield(text.load(1, o.right, g * (n * k) + (o.alongColumns ? v("d2") * n + v("d1") : v("d1") * k + v("d2"))),
             o.right);
  text.close(tileType("i32", extents));
  text.loop({v("d3"), v("d4")}, extents);
  const std::string sum = text.extract(tile, {v("d3"), v("d4")}, "i32", extents);
  text.store(text.requantized(sum, {2, v("d4")}, {3, out}, o.result), 4, o.result, out);
  text.raw("}");
  std::string name = "bytes_" + o.left + "_" + o.right + "_" + o.result + tag(m) + tag(n) + tag(k);
  for (auto [set, word] : {std::pair(o.dynamic, "dynamic"),
                           {o.lhsTransposed, "lhsT"},
                           {o.alongColumns, "alongColumns"},
                           {o.batch > 1, "batched"}})
    name += set ? std::string("_") + word : "";
  name += o.schedule.empty() ? "" : "_" + wordsOf(o.schedule);
  KernelCase test{name,
                  o.left == "ui8" || o.left == "i8" ? "gemm_mma" : "gemm",
                  text.func("gemm", o.batch > 1 ? Exprs{o.batch} : Exprs{}, o.dynamic ? anyScalar : "",
                            {o.left + ", read", o.right + ", read", "i32, read", "i8, read", o.result + ", write"},
                            o.schedule.empty() ? "" : "#cuda." + o.schedule),
                  {},
                  {o.batch * m * k, o.batch * n * k, n, o.batch * m * n, o.batch * m * n}};
  if (o.dynamic)
    test.scalars = {m};
  test.indexBound = allBytes;
  return test;
}

/// Whole tiles and ragged ones, all pairs of signs, all layouts; depths that no vector has.
std::vector<KernelCase> byteCases() {
  std::vector<KernelCase> cases;
  for (auto [m, n, k] :
       {std::tuple(64, 64, 128), std::tuple(33, 70, 19), std::tuple(130, 136, 208), std::tuple(5, 40, 68)})
    for (const char *left : {"ui8", "i8"}) {
      ByteGemm o;
      o.left = left;
      cases.push_back(byteGemmCase(m, n, k, o));
      o.right = "ui8";
      o.result = o.left == "i8" ? "i32" : "ui8";
      cases.push_back(byteGemmCase(m, n, k, o));
    }
  addLayouts(cases, byteGemmCase);
  for (auto [m, n, k] : {std::tuple(130, 136, 208), std::tuple(33, 70, 19), std::tuple(5, 40, 300)})
    for (const char *type : {"i16", "i32"}) { // by plain cores
      ByteGemm o;
      o.left = o.right = type;
      o.alongColumns = n != 40;
      o.result = "i32";
      o.dynamic = m == 33;
      cases.push_back(byteGemmCase(m, n, k, o));
    }
  for (const KernelCase &test : byteConvCases())
    cases.push_back(test);
  return cases;
}

/// Borders of any number, windows that overlap and with gaps, channels of whole vectors and few.
std::vector<KernelCase> byteConvCases() {
  std::vector<KernelCase> cases;
  ConvOptions o;
  auto add = [&](int64_t columns) {
    for (const char *type : {"ui8", "i8"}) {
      o.type = type;
      cases.push_back(convCase(columns, o));
    }
  };
  for (int64_t channels : {3, 4, 16, 24})
    for (int64_t fill : {0, 113}) {
      o.fill = fill;
      o.channels = channels;
      add(channels == 3 ? 64 : 40);
    }
  o.channels = 32;
  o.images = 2;
  o.height = 9;
  o.width = 7;
  o.stride = 2;
  o.fill = 0;
  add(72);
  o.pad = 0;
  o.taps = 1;
  o.dynamic = true;
  add(64);
  o = {};
  o.channels = 16;
  o.groups = 2;
  add(32);
  return cases;
}

namespace {

/// A whole tile or two; more tiles of k than stages, ragged everywhere; less than a tile of each.
void addCases(const MmaTile &tile, ByteGemm o, std::vector<KernelCase> &cases) {
  o.schedule = tile.schedule(/*mmaK=*/32, /*async=*/tile.stages > 2);
  for (auto [m, n, k] : {std::tuple(tile.m, tile.n, 2 * tile.k), std::tuple(tile.m + 20, tile.n + 24, 5 * tile.k - 16),
                         std::tuple(int64_t(7), int64_t(24), int64_t(48))}) {
    cases.push_back(byteGemmCase(m, n, k, o));
    o.result = o.result == "i8" ? "i32" : "i8";
  }
}

void addAll(std::initializer_list<MmaTile> tiles, int64_t sharedBytes, std::vector<KernelCase> &cases) {
  ByteGemm o;
  for (const MmaTile &tile : tiles) {
    if (tile.sharedBytes(/*element=*/1) > sharedBytes)
      continue;
    o.left = o.left == "ui8" ? "i8" : "ui8";
    addCases(tile, o, cases);
  }
}

} // namespace

std::vector<KernelCase> asyncByteCases(int64_t sharedBytes) {
  std::vector<KernelCase> cases;
  addAll({{256, 128, 128, 4, 2, 1, 3},
          {256, 128, 64, 4, 2, 1, 4},
          {128, 256, 64, 2, 4, 1, 3},
          {128, 128, 64, 2, 2, 1, 4},
          {128, 128, 64, 2, 4, 1, 3},
          {256, 64, 64, 4, 1, 1, 4},
          {128, 64, 64, 2, 1, 1, 3},
          {64, 128, 64, 1, 2, 1, 3},
          {64, 64, 256, 2, 1, 4, 3},
          {64, 64, 128, 2, 2, 1, 4},
          {32, 64, 256, 1, 1, 4, 3},
          {32, 32, 256, 1, 1, 4, 4}},
         sharedBytes, cases);
  for (const MmaTile &tile : {MmaTile{64, 64, 128, 2, 2, 1, 4, 2}, {32, 32, 256, 1, 1, 4, 4, 3}}) {
    ByteGemm o;
    o.schedule = tile.schedule(/*mmaK=*/32, /*async=*/tile.stages > 2);
    cases.push_back(byteGemmCase(tile.m, tile.n, 4 * tile.split * tile.k, o));
    cases.push_back(byteGemmCase(tile.m + 20, tile.n + 24, 4 * tile.split * tile.k - 32, o));
  }
  return cases;
}

std::vector<KernelCase> registerByteCases() {
  std::vector<KernelCase> cases;
  addAll({{128, 128, 64, 2, 4, 1, 2},
          {128, 64, 64, 4, 2, 1, 2},
          {64, 64, 64, 2, 2, 1, 2},
          {32, 64, 128, 1, 2, 2, 2},
          {32, 64, 64, 1, 2, 1, 2},
          {32, 32, 256, 1, 1, 4, 2}},
         /*sharedBytes=*/64 << 10, cases);
  return cases;
}

} // namespace cupola::test
