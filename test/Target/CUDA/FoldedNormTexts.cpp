//===- test/Target/CUDA/FoldedNormTexts.cpp - products with norms of rows before and behind them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

namespace cupola::test {

namespace {

constexpr int64_t part = 32;

class FoldedNormText {
public:
  explicit FoldedNormText(const FoldedNormShape &shape) : s(shape), rows(shape.dynamic ? v("n0") : Expr(shape.rows)) {}

  /// Buffers: x, weights, moments of x, bias, out, moments of out.
  std::string generate() {
    if (s.parts)
      statistics();
    product = text.dot({rows, s.columns, s.depth});
    text.yield(text.loadStored(0, s.type, v("d0") * s.depth + v("d2")), s.type);
    text.rhs();
    text.yield(text.loadStored(1, s.type, v("d2") * s.columns + v("d1")), s.type);
    text.close(tileType("f32", tileExtents()));
    s.moments ? partMoments() : element();
    std::vector<std::string> views = {s.type + ", read", s.type + ", read", "f32, read", "f32, read",
                                      s.type + ", write"};
    if (s.moments)
      views.push_back("f32, write");
    return text.func("gemm", {}, s.dynamic ? anyScalar : "", views, s.schedule.empty() ? "" : "#cuda." + s.schedule);
  }

private:
  Exprs tileExtents() const { return {rows, s.columns}; }
  std::string average(const std::string &d, bool squares) {
    const std::string sum = text.reduce("sum", {v(d)}, {s.parts});
    auto moment = [&](int which) { return text.load(2, "f32", (v("d5") * s.parts + v(d)) * 2 + which); };
    std::string x = moment(0);
    if (squares)
      x = text.binary("add", moment(1), text.binary("mul", x, x, "f32"), "f32");
    text.yield(x, "f32");
    text.close("f32");
    return text.binary("div", sum, text.number(std::to_string(s.parts) + ".0", "f32"), "f32");
  }

  /// Two scalars of a row, of the moments of its parts.
  void statistics() {
    scalars = text.maps(2, {v("d5")}, {rows});
    const std::string mean = average("d6", false), squares = average("d7", true);
    const std::string radicand =
        text.binary("add", text.binary("mul", squares, squares, "f32"), text.number("1.0", "f32"), "f32");
    text.raw("kernel.yield " + mean + ", " + text.unary("rsqrt", radicand, "f32") + " : f32, f32");
    text.close(tileType("f32", {rows}) + ", " + tileType("f32", {rows}));
  }

  std::string ofElement() {
    const Exprs point = {v("d3"), v("d4")};
    std::string sum = text.extract(product, point, "f32", tileExtents());
    const std::string bias = text.load(3, "f32", v("d4"));
    if (s.parts) {
      auto scalar = [&](int i) { return text.extract(scalars + "#" + std::to_string(i), {v("d3")}, "f32", {rows}); };
      const std::string mean = scalar(0), scale = scalar(1);
      sum = text.binary("sub", sum, text.binary("mul", mean, bias, "f32"), "f32");
      sum = text.binary("mul", sum, scale, "f32");
    }
    const std::string value = text.binary("add", sum, bias, "f32");
    text.store(value, 4, s.type, v("d3") * s.columns + v("d4"));
    return value;
  }

  void element() {
    text.loop({v("d3"), v("d4")}, tileExtents());
    ofElement();
    text.raw("}");
  }

  /// Mean and variance of 32 columns each.
  void partMoments() {
    const std::string kept = text.map({v("d3"), v("d4")}, tileExtents());
    text.yield(ofElement(), "f32");
    text.close(tileType("f32", tileExtents()));
    text.loop({v("d10"), v("d11")}, {rows, s.columns / part});
    auto mean = [&](const std::string &d, const std::string &center) {
      const std::string sum = text.reduce("sum", {v(d)}, {part});
      std::string x = text.extract(kept, {v("d10"), v("d11") * part + v(d)}, "f32", tileExtents());
      if (!center.empty()) {
        x = text.binary("sub", x, center, "f32");
        x = text.binary("mul", x, x, "f32");
      }
      text.yield(x, "f32");
      text.close("f32");
      return text.binary("div", sum, text.number("32.0", "f32"), "f32");
    };
    const Expr at = (v("d10") * (s.columns / part) + v("d11")) * 2;
    const std::string center = mean("d12", "");
    const std::string variance = mean("d13", center);
    text.store(center, 5, "f32", at);
    text.store(variance, 5, "f32", at + 1);
    text.raw("}");
  }

  FoldedNormShape s;
  Expr rows;
  std::string scalars, product;
  Text text;
};

} // namespace

KernelCase foldedNormCase(const FoldedNormShape &s) {
  KernelCase result;
  result.name = "foldedNorm_" + s.type + tag(s.rows) + tag(s.columns) + tag(s.depth) + tag(s.parts) +
                (s.moments ? "_moments" : "") + (s.dynamic ? "_dynamic" : "") +
                (s.schedule.empty() ? "" : "_" + wordsOf(s.schedule));
  result.schedule = s.schedule.empty() ? "gemm_mma" : s.schedule.substr(0, s.schedule.find('<'));
  result.text = FoldedNormText(s).generate();
  if (s.dynamic)
    result.scalars = {s.rows};
  result.elements = {s.rows * s.depth, s.depth * s.columns, s.rows * std::max<int64_t>(s.parts, 1) * 2, s.columns,
                     s.rows * s.columns};
  if (s.moments)
    result.elements.push_back(s.rows * (s.columns / part) * 2);
  return result;
}

/// Whole tiles, rows and columns that end within one; parts that lanes share evenly, and not; warps side by side,
/// slices and parts of the depth; results that leave pair by pair.
std::vector<KernelCase> foldedNormCases() {
  std::vector<KernelCase> cases;
  for (const char *type : {"f16", "bf16"})
    for (bool moments : {false, true})
      for (int64_t parts : {0, 1, 3, 24})
        if (moments || parts) {
          cases.push_back(foldedNormCase({type, 128, 96, 64, parts, moments}));
          cases.push_back(foldedNormCase({type, 37, 160, 200, parts, moments, /*dynamic=*/parts == 3}));
        }
  return cases;
}

std::vector<KernelCase> asyncFoldedNormCases(int64_t sharedBytes) {
  std::vector<KernelCase> cases;
  for (const MmaTile &tile : {MmaTile{128, 256, 32, 2, 4, 1, 3},
                              {128, 128, 32, 2, 2, 1, 4},
                              {256, 64, 32, 4, 1, 1, 4},
                              {128, 64, 32, 2, 1, 1, 3},
                              {64, 64, 64, 2, 2, 1, 4},
                              {32, 64, 128, 1, 1, 4, 3},
                              {32, 32, 128, 1, 1, 4, 4, 2}}) {
    if (tile.sharedBytes() + tile.m * 8 > sharedBytes)
      continue;
    FoldedNormShape shape{"f16", 139, 288, 512, 9, /*moments=*/true};
    shape.schedule = tile.schedule(16, /*async=*/true);
    cases.push_back(foldedNormCase(shape));
  }
  return cases;
}

std::vector<KernelCase> wgmmaFoldedNormCases() {
  std::vector<KernelCase> cases;
  for (const char *schedule :
       {"tile 128x256, stages 4, cluster 2, blocks 132", "tile 64x64, stages 3, cluster 1, blocks 4"})
    for (bool dynamic : {false, true})
      cases.push_back(foldedNormCase(
          {"f16", 300, 288, 192, 6, /*moments=*/true, dynamic, "gemm_wgmma<" + std::string(schedule) + ">"}));
  // Moments of what blocks that share a depth have of the rows.
  for (const char *split : {"2", "4"})
    cases.push_back(
        foldedNormCase({"f16", 100, 160, 512, 0, /*moments=*/true, /*dynamic=*/false,
                        "gemm_wgmma<tile 64x64, stages 2, cluster 1, blocks 132, split " + std::string(split) + ">"}));
  return cases;
}

} // namespace cupola::test
