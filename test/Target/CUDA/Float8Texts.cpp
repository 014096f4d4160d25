//===- test/Target/CUDA/Float8Texts.cpp - products of float8, summed in f32 ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Architectures.h"
#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

#include <tuple>

namespace cupola::test {

/// What waits for its weights has a schedule of its own.
constexpr int64_t fewRows = 8;

KernelCase float8GemmCase(int64_t m, int64_t n, int64_t k, const Float8Gemm &o) {
  Text text;
  const Expr rows = o.dynamic ? v("n0") : Expr(m), g = o.batch > 1 ? v("g0") : Expr(0);
  const Exprs extents = {rows, n};
  const std::string tile = text.dot({rows, n, k});
  text.yield(
      text.loadStored(0, o.left, g * rows * k + (o.lhsTransposed ? v("d2") * rows + v("d0") : v("d0") * k + v("d2"))),
      o.left);
  text.rhs();
  text.yield(
      text.loadStored(1, o.right, g * (n * k) + (o.alongColumns ? v("d2") * n + v("d1") : v("d1") * k + v("d2"))),
      o.right);
  text.close(tileType("f32", extents));
  text.loop({v("d3"), v("d4")}, extents);
  const std::string sum = text.extract(tile, {v("d3"), v("d4")}, "f32", extents);
  const std::string scaled = text.binary("mul", sum, text.load(2, "f32", v("d4")), "f32");
  text.store(scaled, 3, o.result, (g * rows + v("d3")) * n + v("d4"));
  text.raw("}");
  std::string name = "float8_" + o.left + "_" + o.right + "_" + o.result + tag(m) + tag(n) + tag(k);
  for (auto [set, word] : {std::pair(o.dynamic, "dynamic"),
                           {o.lhsTransposed, "lhsT"},
                           {o.alongColumns, "alongColumns"},
                           {o.batch > 1, "batched"}})
    name += set ? std::string("_") + word : "";
  name += o.schedule.empty() ? "" : "_" + wordsOf(o.schedule);
  KernelCase test{name,
                  m > fewRows ? "gemm_mma" : "row_matvec",
                  text.func("gemm", o.batch > 1 ? Exprs{o.batch} : Exprs{}, o.dynamic ? anyScalar : "",
                            {o.left + ", read", o.right + ", read", "f32, read", o.result + ", write"},
                            o.schedule.empty() ? "" : "#cuda." + o.schedule),
                  {},
                  {o.batch * m * k, o.batch * n * k, n, o.batch * m * n}};
  if (o.dynamic)
    test.scalars = {m};
  return test;
}

/// Whole tiles and ragged ones, all pairs of types, all layouts; depths that no vector has.
std::vector<KernelCase> float8Cases() {
  const std::string e4m3 = "f8E4M3FN", e5m2 = "f8E5M2";
  std::vector<KernelCase> cases;
  for (auto [m, n, k] :
       {std::tuple(64, 64, 128), std::tuple(33, 70, 19), std::tuple(130, 136, 208), std::tuple(5, 40, 68)})
    for (auto [left, right, result] :
         {std::tuple(e4m3, e4m3, "f32"), {e5m2, e5m2, "f16"}, {e4m3, e5m2, "bf16"}, {e5m2, e4m3, "f32"}}) {
      Float8Gemm o;
      o.left = left;
      o.right = right;
      o.result = result;
      cases.push_back(float8GemmCase(m, n, k, o));
    }
  addLayouts(cases, float8GemmCase);
  return cases;
}

/// Warps of 64 by 64 are for architectures without units of float8, which take registers for sums of their own.
std::vector<KernelCase> asyncFloat8Cases(const GpuArchitecture &target) {
  std::vector<KernelCase> cases;
  for (const MmaTile &tile : {MmaTile{128, 128, 64, 2, 2, 1, 4},
                              {128, 128, 64, 2, 4, 1, 3},
                              {64, 64, 256, 2, 1, 4, 3},
                              {64, 64, 128, 2, 2, 1, 4, 2}}) {
    const bool isWide = tile.m / tile.warpsM * tile.n / tile.warpsN == 64 * 64;
    if (tile.sharedBytes(/*element=*/1) > target.sharedBytes || (isWide && target.family != "sm_80"))
      continue;
    Float8Gemm o;
    o.schedule = tile.schedule(/*mmaK=*/32, /*async=*/true);
    cases.push_back(float8GemmCase(tile.m + 20, tile.n + 24, 8 * tile.k - 16 * (tile.split == 1), o));
  }
  return cases;
}

} // namespace cupola::test
