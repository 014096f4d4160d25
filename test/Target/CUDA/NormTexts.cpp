//===- test/Target/CUDA/NormTexts.cpp - the two stages of a norm ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelTexts.h"

#include "test/Target/CUDA/KernelText.h"

namespace cupola::test {

namespace {

std::string number(Text &text, int64_t value, const std::string &type) {
  return text.line("kernel.constant " + std::to_string(value) + ".0 : " + type);
}
std::string tagOf(const NormShape &shape) {
  return tag(shape.parts) + tag(shape.length) + tag(shape.groups) + tag(shape.channels);
}

} // namespace

KernelCase momentsCase(const std::string &type, const NormShape &shape) {
  Text text;
  const std::string compute = computeOf(type);
  const bool one = shape.channels == 1;
  auto vars = [&](int i) {
    const Expr place = v("d" + std::to_string(2 * i)), channel = v("d" + std::to_string(2 * i + 1));
    return one ? Exprs{place} : Exprs{place, channel};
  };
  const Exprs extents = one ? Exprs{shape.length} : Exprs{shape.length, shape.channels};
  std::string tile = text.map(vars(0), extents);
  Expr at = ((v("g0") * shape.length + v("d0")) * shape.groups + v("g1")) * shape.channels;
  text.yield(text.load(0, type, one ? at : at + v("d1")), compute);
  text.close(tileType(compute, extents));
  const std::string count = number(text, shape.length * shape.channels, compute);
  std::string sum = text.reduce("sum", vars(1), extents);
  text.yield(text.extract(tile, vars(1), compute, extents), compute);
  text.close(compute);
  const std::string mean = text.binary("div", sum, count, compute);
  sum = text.reduce("sum", vars(2), extents);
  const std::string difference = text.binary("sub", text.extract(tile, vars(2), compute, extents), mean, compute);
  text.yield(text.binary("mul", difference, difference, compute), compute);
  text.close(compute);
  const Expr place = (v("g0") * shape.groups + v("g1")) * 2;
  text.store(mean, 1, compute, place);
  text.store(text.binary("div", sum, count, compute), 1, compute, place + 1);
  return {"moments_" + type + tagOf(shape),
          one ? "column_reduction" : "row_reduction",
          text.func("row_reduction", {shape.parts, shape.groups}, "", {type + ", read", compute + ", write"}),
          {},
          {shape.elements(), shape.parts * shape.groups * 2}};
}

KernelCase normalizeCase(const std::string &type, const NormShape &shape) {
  Text text;
  const std::string compute = computeOf(type);
  text.loop({v("d0"), v("d1"), v("d2"), v("d3")}, {shape.parts, shape.length, shape.groups, shape.channels});
  auto moment = [&](int64_t which) { return text.load(1, compute, (v("d4") * shape.groups + v("d2")) * 2 + which); };
  const std::string count = number(text, shape.parts, compute);
  std::string sum = text.reduce("sum", {v("d4")}, {shape.parts});
  text.yield(moment(0), compute);
  text.close(compute);
  const std::string mean = text.binary("div", sum, count, compute);
  sum = text.reduce("sum", {v("d4")}, {shape.parts});
  const std::string difference = text.binary("sub", moment(0), mean, compute);
  // Random numbers stand for variances: squares keep them positive.
  const std::string variance = moment(1);
  text.yield(text.binary("add", text.binary("mul", variance, variance, compute),
                         text.binary("mul", difference, difference, compute), compute),
             compute);
  text.close(compute);
  const std::string epsilon = text.line("kernel.constant 1.0e-1 : " + compute);
  const std::string scale =
      text.unary("rsqrt", text.binary("add", text.binary("div", sum, count, compute), epsilon, compute), compute);
  const Expr at = ((v("d0") * shape.length + v("d1")) * shape.groups + v("d2")) * shape.channels + v("d3");
  const std::string centred = text.binary("sub", text.load(0, type, at), mean, compute);
  text.store(text.binary("mul", centred, scale, compute), 2, type, at);
  text.raw("}");
  return {"normalize_" + type + tagOf(shape),
          "pointwise",
          text.func("pointwise", {}, "", {type + ", read", compute + ", read", type + ", write"}),
          {},
          {shape.elements(), shape.parts * shape.groups * 2, shape.elements()}};
}

} // namespace cupola::test
