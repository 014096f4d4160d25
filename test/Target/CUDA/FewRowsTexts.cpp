//===- test/Target/CUDA/FewRowsTexts.cpp - products of few rows, with what comes before them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

namespace cupola::test {

namespace {

class FewRowsText {
public:
  explicit FewRowsText(const FewRowsShape &shape) : s(shape), compute(computeOf(shape.type)) {}

  /// Buffers: x, gamma, the weights of each product, out.
  std::string generate() {
    if (s.norm)
      norm();
    for (int product = 0; product < s.products; ++product)
      tiles.push_back(dot(product));
    const Exprs extents = {s.rows, s.columns}, point = {v("d3"), v("d4")};
    text.loop(point, extents);
    std::string result = text.extract(tiles.front(), point, compute, extents);
    for (size_t i = 1; i < tiles.size(); ++i)
      result = text.binary("mul", text.unary("gelu_erf", result, compute),
                           text.extract(tiles[i], point, compute, extents), compute);
    text.store(result, 2 + s.products, s.type, v("d3") * s.columns + v("d4"));
    text.raw("}");
    std::vector<std::string> views(2 + s.products, s.type + ", read");
    views.push_back(s.type + ", write");
    return text.func("gemm", {}, "", views, s.schedule.empty() ? "" : "#cuda." + s.schedule);
  }

private:
  std::string mean(const std::string &d, bool square) {
    std::string sum = text.reduce("sum", {v(d)}, {s.depth});
    std::string x = text.extract(row, {v(d)}, compute, {s.depth});
    text.yield(square ? text.binary("mul", x, x, compute) : x, compute);
    text.close(compute);
    return text.binary("div", sum, text.line("kernel.constant " + std::to_string(s.depth) + ".0 : " + compute),
                       compute);
  }

  /// The only row less its mean; what scales it to a variance of 1.
  void norm() {
    const Exprs extents = {s.depth};
    row = text.map({v("d5")}, extents);
    text.yield(text.load(0, s.type, v("d5")), compute);
    text.close(tileType(compute, extents));
    std::string center = mean("d6", false);
    std::string shifted = text.map({v("d7")}, extents);
    text.yield(text.binary("sub", text.extract(row, {v("d7")}, compute, extents), center, compute), compute);
    text.close(tileType(compute, extents));
    row = shifted;
    std::string epsilon = text.line("kernel.constant 1.0e-5 : " + compute);
    scale = text.unary("rsqrt", text.binary("add", mean("d8", true), epsilon, compute), compute);
  }

  std::string dot(int product) {
    const Exprs extents = {s.rows, s.columns};
    std::string tile = text.dot({s.rows, s.columns, s.depth});
    std::string x =
        s.norm ? text.extract(row, {v("d2")}, compute, {s.depth}) : text.load(0, s.type, v("d0") * s.depth + v("d2"));
    if (s.norm)
      x = text.binary("mul", text.binary("mul", x, scale, compute), text.load(1, s.type, v("d2")), compute);
    text.yield(text.convert(x, compute, s.type), s.type);
    text.rhs();
    text.yield(
        text.loadStored(2 + product, s.type, s.turned ? v("d1") * s.depth + v("d2") : v("d2") * s.columns + v("d1")),
        s.type);
    text.close(tileType(compute, extents));
    return tile;
  }

  FewRowsShape s;
  std::string compute, row, scale;
  std::vector<std::string> tiles;
  Text text;
};

} // namespace

KernelCase fewRowsCase(const FewRowsShape &s) {
  KernelCase result;
  result.name = "fewRows_" + s.type + tag(s.rows) + tag(s.columns) + tag(s.depth) +
                (s.products > 1 ? "_products" + std::to_string(s.products) : "") + (s.norm ? "_norm" : "") +
                (s.turned ? "_turned" : "") + (s.schedule.empty() ? "" : "_" + wordsOf(s.schedule));
  result.schedule = s.turned ? "row_matvec" : "matvec";
  result.text = FewRowsText(s).generate();
  result.elements = {s.rows * s.depth, s.depth};
  result.elements.insert(result.elements.end(), s.products, s.depth * s.columns);
  result.elements.push_back(s.rows * s.columns);
  return result;
}

std::vector<KernelCase> fewRowsCases() {
  std::vector<KernelCase> cases;
  for (const char *type : {"f32", "f16", "bf16"}) {
    cases.push_back(fewRowsCase({type, 1, 64, 320, /*products=*/1, /*norm=*/true}));
    cases.push_back(fewRowsCase({type, 1, 72, 1100, /*products=*/2, /*norm=*/true}));
    cases.push_back(fewRowsCase({type, 1, 45, 300, /*products=*/2}));
    cases.push_back(fewRowsCase({type, 8, 64, 70, /*products=*/2}));
    cases.push_back(fewRowsCase({type, 3, 40, 64, /*products=*/3}));
    // As where there are blocks enough.
    cases.push_back(
        fewRowsCase({type, 1, 72, 1100, /*products=*/2, /*norm=*/true, "matvec<rows 1, vector 8, warps 8>"}));
    cases.push_back(
        fewRowsCase({type, 3, 45, 70, /*products=*/1, /*norm=*/false, "matvec<rows 3, vector 1, warps 8>"}));
  }
  // Weights along the depth: of one step and of several, of columns that are no multiple of a block's.
  for (const char *type : {"f32", "f16", "bf16"}) {
    cases.push_back(fewRowsCase({type, 1, 45, 2048, /*products=*/1, /*norm=*/true, "", /*turned=*/true}));
    cases.push_back(fewRowsCase({type, 1, 72, 1104, /*products=*/2, /*norm=*/true, "", /*turned=*/true}));
    cases.push_back(fewRowsCase({type, 2, 45, 4096, /*products=*/1, /*norm=*/false, "", /*turned=*/true}));
    cases.push_back(fewRowsCase({type, 1, 2051, 264, /*products=*/2, /*norm=*/false, "", /*turned=*/true}));
    cases.push_back(fewRowsCase({type, 8, 64, 72, /*products=*/3, /*norm=*/false, "", /*turned=*/true}));
  }
  cases.push_back(fewRowsCase({"f32", 1, 40, 9000, /*products=*/1, /*norm=*/true, "", /*turned=*/true}));
  cases.push_back(fewRowsCase({"f32", 1, 40, 4200, /*products=*/1, /*norm=*/true}));
  cases.push_back(fewRowsCase({"f32", 1, 40, 9000, /*products=*/1, /*norm=*/true})); // no room for the row
  cases.push_back(fewRowsCase({"f16", 1, 33, 77, /*products=*/1, /*norm=*/true}));
  return cases;
}

} // namespace cupola::test
