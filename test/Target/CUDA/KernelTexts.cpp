//===- test/Target/CUDA/KernelTexts.cpp - kernels to run schedules on ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelTexts.h"

#include "test/Target/CUDA/KernelText.h"

namespace cupola::test {

KernelCase pointwiseCase(const std::string &type, int64_t rows, int64_t columns, bool dynamic) {
  Text text;
  Expr at = v("d0") * columns + v("d1");
  std::string compute = computeOf(type);
  text.loop({v("d0"), v("d1")}, {dynamic ? v("n0") : Expr(rows), columns});
  std::string x = text.load(0, type, at), y = text.load(1, type, v("d1"));
  std::string z = text.binary(type == "i1" ? "max" : "add", x, y, compute);
  if (isFloat(type))
    z = text.unary("gelu_erf", z, compute);
  text.store(z, 2, type, at);
  text.raw("}");
  KernelCase result{
      "pointwise_" + type + tag(rows) + tag(columns) + (dynamic ? "_dynamic" : ""),
      "pointwise",
      text.func("pointwise", {}, dynamic ? anyScalar : "", {type + ", read", type + ", read", type + ", write"}),
      {},
      {rows * columns, columns, rows * columns}};
  if (dynamic)
    result.scalars = {rows};
  return result;
}

KernelCase transposeCase(const std::string &type, int64_t a, int64_t b, int64_t c, std::vector<int> order,
                         const std::string &to) {
  const std::string result = to.empty() ? type : to;
  Text text;
  int64_t extents[] = {a, b, c}, strides[] = {b * c, c, 1};
  Expr in, out;
  Exprs vars, loops;
  for (int i = 0; i < 3; ++i) {
    vars.push_back(v("d" + std::to_string(i)));
    in += vars[i] * strides[order[i]];
    out = out * extents[order[i]] + vars[i];
    loops.push_back(extents[order[i]]);
  }
  text.loop(vars, loops);
  std::string x = text.load(0, type, in), y = text.load(1, result, out);
  text.store(text.binary("add", x, y, computeOf(type)), 2, result, out);
  text.raw("}");
  std::string name = "transpose_" + type + (to.empty() ? "" : "_" + to) + tag(a) + tag(b) + tag(c) + "_order";
  for (int axis : order)
    name += std::to_string(axis);
  bool turned = order[2] != 2 && extents[order[2]] >= 8;
  return {name,
          turned ? "transpose" : "pointwise",
          text.func("pointwise", {}, "", {type + ", read", result + ", read", result + ", write"}),
          {},
          {a * b * c, a * b * c, a * b * c}};
}

KernelCase gatherCase(const std::string &type, int64_t count, int64_t columns, bool outOfRange) {
  Text text;
  const int64_t tableRows = 11;
  text.loop({v("d0"), v("d1")}, {v("n0"), columns});
  std::string id = text.load(0, "i64", v("d0"));
  std::string row = text.line("kernel.checked_index " + id + " below 11 : i64");
  std::string x = text.load(1, type, v(row.substr(1)) * columns + v("d1"));
  text.store(x, 2, type, v("d0") * columns + v("d1"));
  text.raw("}");
  return {"gather_" + type + tag(count) + tag(columns) + (outOfRange ? "_outOfRange" : ""),
          "gather",
          text.func("gather", {}, anyScalar, {"i64, read", type + ", read", type + ", write"}),
          {count},
          {count, tableRows * columns, count * columns},
          outOfRange ? tableRows + 5 : tableRows,
          outOfRange};
}

KernelCase softmaxCase(const std::string &type, int64_t rows, int64_t columns, bool dynamic) {
  Text text;
  std::string compute = computeOf(type);
  Expr extent = dynamic ? v("n1") : Expr(columns);
  std::string tile;
  auto element = [&](const std::string &d) {
    return dynamic ? text.load(0, type, v("g0") * extent + v(d)) : text.extract(tile, {v(d)}, compute, {extent});
  };
  if (!dynamic) {
    tile = text.map({v("d0")}, {extent});
    text.yield(text.load(0, type, v("g0") * extent + v("d0")), compute);
    text.close(tileType(compute, {extent}));
  }
  std::string largest = text.reduce("max", {v("d1")}, {extent});
  text.yield(element("d1"), compute);
  text.close(compute);
  auto exponential = [&](const std::string &d) {
    return text.unary("exp", text.binary("sub", element(d), largest, compute), compute);
  };
  std::string sum = text.reduce("sum", {v("d2")}, {extent});
  text.yield(exponential("d2"), compute);
  text.close(compute);
  text.loop({v("d3")}, {extent});
  text.store(text.binary("div", exponential("d3"), sum, compute), 1, type, v("g0") * extent + v("d3"));
  text.raw("}");
  KernelCase result{"softmax_" + type + tag(rows) + tag(columns) + (dynamic ? "_dynamic" : ""),
                    "row_reduction",
                    text.func("row_reduction", {v("n0")},
                              std::string(anyScalar) + (dynamic ? ", " + std::string(anyScalar) : ""),
                              {type + ", read", type + ", write"}),
                    {rows},
                    {rows * columns, rows * columns}};
  if (dynamic)
    result.scalars.push_back(columns);
  return result;
}

KernelCase layerNormCase(const std::string &type, int64_t rows, int64_t columns) {
  Text text;
  std::string compute = computeOf(type);
  Exprs extents = {columns};
  std::string tile = text.map({v("d0")}, extents);
  text.yield(text.load(0, type, v("g0") * columns + v("d0")), compute);
  text.close(tileType(compute, extents));
  std::string count = text.line("kernel.constant " + std::to_string(columns) + ".0 : " + compute);
  auto mean = [&](const std::string &d, bool square) {
    std::string sum = text.reduce("sum", {v(d)}, extents);
    std::string x = text.extract(tile, {v(d)}, compute, extents);
    text.yield(square ? text.binary("mul", x, x, compute) : x, compute);
    text.close(compute);
    return text.binary("div", sum, count, compute);
  };
  std::string center = mean("d1", false);
  std::string shifted = text.map({v("d2")}, extents);
  text.yield(text.binary("sub", text.extract(tile, {v("d2")}, compute, extents), center, compute), compute);
  text.close(tileType(compute, extents));
  tile = shifted;
  std::string variance = mean("d3", true);
  std::string epsilon = text.line("kernel.constant 1.0e-5 : " + compute);
  std::string scale = text.unary("rsqrt", text.binary("add", variance, epsilon, compute), compute);
  text.loop({v("d4")}, extents);
  std::string x = text.extract(tile, {v("d4")}, compute, extents);
  x = text.binary("mul", x, scale, compute);
  text.store(text.binary("mul", x, text.load(1, type, v("d4")), compute), 2, type, v("g0") * columns + v("d4"));
  text.raw("}");
  return {"layerNorm_" + type + tag(rows) + tag(columns),
          "row_reduction",
          text.func("row_reduction", {rows}, "", {type + ", read", type + ", read", type + ", write"}),
          {},
          {rows * columns, columns, rows * columns}};
}

KernelCase reductionCase(const std::string &type, const std::string &kind, int64_t outer, int64_t reduced,
                         int64_t inner, const std::string &schedule) {
  Text text;
  std::string compute = computeOf(type);
  std::string sum = text.reduce(kind, {v("d0")}, {reduced});
  text.yield(text.load(0, type, (v("g0") * reduced + v("d0")) * inner + v("g1")), compute);
  text.close(compute);
  text.store(sum, 1, type, v("g0") * inner + v("g1"));
  const char *across = reduced >= 32 ? "column_reduction" : outer * inner >= 2048 ? "reduction" : "row_reduction";
  return {"reduction_" + type + "_" + kind + tag(outer) + tag(reduced) + tag(inner) + wordsOf(schedule),
          inner > 1 ? across : "row_reduction",
          text.func("reduction", {outer, inner}, "", {type + ", read", type + ", write"},
                    schedule.empty() ? "" : "#cuda." + schedule),
          {},
          {outer * reduced * inner, outer * inner}};
}

KernelCase jointCase(const std::string &type, int64_t outer, int64_t reduced, int64_t inner,
                     const std::string &schedule) {
  Text text;
  const std::string compute = computeOf(type);
  const std::string both = text.line(
      "kernel.reduce [#graph<reduce_kind min>, #graph<reduce_kind max>] " + over({v("d0")}, {reduced}), /*results=*/2);
  const std::string x = text.load(0, type, (v("g0") * reduced + v("d0")) * inner + v("g1"));
  text.raw("kernel.yield " + x + ", " + x + " : " + compute + ", " + compute);
  text.close(compute + ", " + compute);
  const Expr place = v("g0") * inner + v("g1");
  text.store(both + "#0", 1, type, place);
  text.store(both + "#1", 2, type, place);
  text.store(
      text.binary("div", text.binary("add", both + "#0", both + "#1", compute), text.number("2.0", compute), compute),
      3, type, place);
  const bool isChosen = schedule.find('<') == std::string::npos;
  return {"joint_" + type + tag(outer) + tag(reduced) + tag(inner) + wordsOf(schedule),
          schedule.substr(0, schedule.find('<')),
          text.func("reduction", {outer, inner}, "",
                    {type + ", read", type + ", write", type + ", write", type + ", write"},
                    isChosen ? "" : "#cuda." + schedule),
          {},
          {outer * reduced * inner, outer * inner, outer * inner, outer * inner}};
}

KernelCase placedSumCase(const std::string &type, int64_t rows, int64_t columns, const std::string &schedule) {
  Text text;
  const std::string sum = text.reduce("sum", {v("d0")}, {columns});
  const std::string x = text.load(0, type, v("g0") * columns + v("d0"));
  const std::string eighth = text.convert(text.line("kernel.index " + inOp(floorDiv(v("d0"), 8))), "i64", "f32");
  const std::string isFirst = text.line("kernel.in_range [" + inOp(Expr(15) - v("d0")) + "]");
  const std::string more = text.line("kernel.select " + isFirst + ", " + text.number("1000.0", "f32") + ", " +
                                     text.number("0.0", "f32") + " : f32");
  text.yield(text.binary("add", text.binary("mul", x, eighth, "f32"), more, "f32"), "f32");
  text.close("f32");
  text.store(sum, 1, "f32", v("g0"));
  return {"placedSum_" + type + tag(rows) + tag(columns) + wordsOf(schedule),
          "row_reduction",
          text.func("reduction", {rows}, "", {type + ", read", "f32, write"}, "#cuda." + schedule),
          {},
          {rows * columns, rows}};
}

KernelCase softmaxColumnsCase(const std::string &type, int64_t outer, int64_t reduced, int64_t inner) {
  Text text;
  const std::string compute = computeOf(type);
  const Exprs extents = {reduced};
  const auto at = [&](const char *d) { return (v("g0") * reduced + v(d)) * inner + v("g1"); };
  const std::string numbers = text.map({v("d0")}, extents);
  text.yield(text.load(0, type, at("d0")), compute);
  text.close(tileType(compute, extents));
  const std::string most = text.reduce("max", {v("d1")}, extents);
  text.yield(text.extract(numbers, {v("d1")}, compute, extents), compute);
  text.close(compute);
  const std::string powers = text.map({v("d2")}, extents);
  const std::string number = text.extract(numbers, {v("d2")}, compute, extents);
  text.yield(text.unary("exp", text.binary("sub", number, most, compute), compute), compute);
  text.close(tileType(compute, extents));
  const std::string sum = text.reduce("sum", {v("d3")}, extents);
  text.yield(text.extract(powers, {v("d3")}, compute, extents), compute);
  text.close(compute);
  text.loop({v("d4")}, extents);
  const std::string power = text.extract(powers, {v("d4")}, compute, extents);
  text.store(text.binary("div", power, sum, compute), 1, type, at("d4"));
  text.raw("}");
  return {"softmaxColumns_" + type + tag(outer) + tag(reduced) + tag(inner),
          "column_reduction",
          text.func("row_reduction", {outer, inner}, "", {type + ", read", type + ", write"}),
          {},
          {outer * reduced * inner, outer * reduced * inner}};
}

KernelCase argReductionCase(const std::string &type, const std::string &kind, bool last, int64_t outer, int64_t reduced,
                            int64_t inner, const std::string &schedule) {
  Text text;
  std::string best =
      text.line("kernel.arg_reduce " + kind + " last " + (last ? "true " : "false ") + over({v("d0")}, {reduced}));
  text.yield(text.load(0, type, (v("g0") * reduced + v("d0")) * inner + v("g1")), computeOf(type));
  text.close("i64");
  text.store(best, 1, "i64", v("g0") * inner + v("g1"));
  const size_t name = schedule.find('<');
  const bool isGiven = name != std::string::npos;
  return {
      "argReduction_" + type + "_" + kind + (last ? "_last" : "_first") + tag(outer) + tag(reduced) + tag(inner) +
          (isGiven ? wordsOf(schedule) : ""),
      schedule.substr(0, name),
      text.func("reduction", {outer, inner}, "", {type + ", read", "i64, write"}, isGiven ? "#cuda." + schedule : ""),
      {},
      {outer * reduced * inner, outer * inner},
      5};
}

KernelCase gemmCase(int64_t m, int64_t n, int64_t k, const GemmOptions &o) {
  Text text;
  const std::string &type = o.type;
  std::string compute = computeOf(type);
  Expr em = o.dynamic ? v("n0") : Expr(m), g = o.batch > 1 ? v("g0") : Expr(0);
  int64_t pitch = o.rhsPitch ? o.rhsPitch : (o.rhsTransposed ? k : n);
  Expr lhs = g * em * k + (o.lhsTransposed ? v("d2") * em + v("d0") : v("d0") * k + v("d2"));
  Expr rhs = g * (pitch * (o.rhsTransposed ? n : k)) +
             (o.rhsTransposed ? v("d1") * pitch + v("d2") : v("d2") * pitch + v("d1"));
  Expr out = (g * em + v("d3")) * n + v("d4");
  Exprs extents = {em, n};
  std::string tile = text.dot({em, n, k}, o.tf32.empty() ? "" : " tf32 " + o.tf32);
  std::string a = text.load(0, type, lhs);
  if (o.prologue)
    a = text.unary("gelu_erf", a, compute);
  text.yield(text.convert(a, compute, type), type);
  text.rhs();
  std::string b = text.load(1, type, rhs);
  if (o.rhsPrologue)
    b = text.unary("gelu_erf", b, compute);
  text.yield(text.convert(b, compute, type), type);
  text.close(tileType(compute, extents));
  text.loop({v("d3"), v("d4")}, extents);
  std::string x = text.extract(tile, {v("d3"), v("d4")}, compute, extents);
  x = text.binary("add", x, text.load(2, type, v("d4")), compute);
  x = text.binary("add", text.unary("gelu_erf", x, compute), text.load(3, type, out), compute);
  text.store(x, 4, type, out);
  text.raw("}");
  std::string name = "gemm_" + type + tag(m) + tag(n) + tag(k);
  for (auto [set, word] : {std::pair(o.dynamic, "dynamic"),
                           {o.lhsTransposed, "lhsT"},
                           {o.rhsTransposed, "rhsT"},
                           {o.prologue, "prologue"},
                           {o.rhsPrologue, "rhsPrologue"},
                           {o.batch > 1, "batched"},
                           {o.rhsPitch > 0, "pitch"}})
    name += set ? std::string("_") + word : "";
  name += (o.tf32.empty() ? "" : "_" + o.tf32) + (o.schedule.empty() ? "" : "_" + wordsOf(o.schedule));
  std::string read = type + ", read";
  bool narrow = n <= 4 && (o.dynamic || m >= 1024);
  bool half = type == "f16" || type == "bf16", few = m <= 8 && !o.dynamic;
  return {name,
          type == "f64" || narrow                    ? "pointwise"
          : !o.schedule.empty()                      ? o.schedule.substr(0, o.schedule.find('<'))
          : few && o.rhsTransposed && pitch % 2 == 0 ? "row_matvec"
          : few && !o.rhsTransposed                  ? "matvec"
          : half                                     ? "gemm_mma"
                                                     : "gemm",
          text.func("gemm", o.batch > 1 ? Exprs{o.batch} : Exprs{}, o.dynamic ? anyScalar : "",
                    {read, read, read, read, type + ", write"}, o.schedule.empty() ? "" : "#cuda." + o.schedule),
          o.dynamic ? std::vector<int64_t>{m} : std::vector<int64_t>{},
          {o.batch * m * k, o.batch * pitch * (o.rhsTransposed ? n : k), n, o.batch * m * n, o.batch * m * n},
          /*indexBound=*/7,
          /*raises=*/false,
          /*unread=*/{},
          o.tf32 == "x1" ? tf32Tolerance : 0};
}

} // namespace cupola::test
