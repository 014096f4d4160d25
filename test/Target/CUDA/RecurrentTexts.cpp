//===- test/Target/CUDA/RecurrentTexts.cpp - loops over states ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As GraphToKernel writes them: before a product its left operand is a map of its own.
//===----------------------------------------------------------------------===//

#include "test/Target/CUDA/KernelTexts.h"

#include "test/Target/CUDA/KernelText.h"

namespace cupola::test {

namespace {

const char *const f32 = "f32";

class RecurrentText {
public:
  explicit RecurrentText(const RecurrentShape &shape)
      : shape(shape), rows(shape.dynamic ? v("n0") : Expr(shape.rows)),
        steps(shape.dynamic ? v("n1") : Expr(shape.steps)), direction(shape.directions > 1 ? v("g0") : Expr(0)),
        space{rows, shape.width}, stored(tileType(shape.type, space)), computed(tileType(f32, space)) {}

  std::string generate() {
    const std::string first = map();
    text.yield(text.loadStored(0, shape.type, at()), shape.type);
    text.close(stored);
    const std::string other = map();
    text.yield(text.number("0.5", f32), f32);
    text.close(computed);
    const std::string sum = shape.together ? first : other;
    const std::string last = text.steps(steps, {}, {"%h = " + first, "%c = " + sum}, {stored, computed});
    step();
    text.loop(point(), space);
    text.store(text.extract(last + "#1", point(), f32, space), results() + 1, f32, at());
    text.raw("}");
    const std::string read = shape.type + ", read";
    std::vector<std::string> views(results(), read);
    views.push_back(shape.type + ", write");
    views.push_back("f32, write");
    const std::string scalars = shape.dynamic ? std::string(anyScalar) + ", " + anyScalar : "";
    return text.func("recurrence", shape.directions > 1 ? Exprs{shape.directions} : Exprs{}, scalars, views,
                     shape.schedule.empty() ? "" : "#cuda." + shape.schedule);
  }

private:
  int results() const { return 2 + shape.products; }
  static Exprs point() { return {v("d0"), v("d1")}; }
  /// Of a state, and of all steps' rows.
  Expr at() const { return (direction * rows + v("d0")) * shape.width + v("d1"); }
  Expr inStep() const { return ((v("d9") * shape.directions + direction) * rows + v("d0")) * shape.width + v("d1"); }
  std::string map() { return text.map(point(), space); }
  std::string scaled(const std::string &value) { return text.binary("mul", value, text.number("0.05", f32), f32); }

  void step() {
    const std::string left = map();
    text.yield(text.extract("%h", point(), shape.type, space), shape.type);
    text.close(stored);
    const std::string sums = product(left, 2, shape.gates * shape.width);
    const std::string more = shape.products > 1 ? second(sums) : "";
    const std::string next = text.maps(3, point(), space);
    std::string sum = text.load(1, shape.type, inStep());
    for (int64_t gate = 0; gate < shape.gates; ++gate)
      sum = text.binary("sub", scaled(gateOf(sums, gate)), sum, f32);
    if (shape.products > 1)
      sum = text.binary("add", sum, scaled(text.extract(more, point(), f32, space)), f32);
    const std::string state = text.unary("tanh", sum, f32), half = text.number("0.5", f32);
    const std::string kept = text.binary("mul", text.extract("%c", point(), f32, space), half, f32);
    const std::string narrow = text.convert(state, f32, shape.type);
    text.yield(Text::join({narrow, text.binary("add", kept, state, f32), narrow}),
               Text::join({shape.type, f32, shape.type}));
    text.close(Text::join({stored, computed, stored}));
    text.loop(point(), space);
    const std::string row = text.extract(next + "#2", point(), shape.type, space);
    text.store(text.convert(row, shape.type, computeOf(shape.type)), results(), shape.type, inStep());
    text.raw("}");
    text.yield(Text::join({next + "#0", next + "#1"}), Text::join({stored, computed}));
    text.raw("}");
  }

  std::string gateOf(const std::string &sums, int64_t gate) {
    return text.extract(sums, {v("d0"), v("d1") + gate * shape.width}, f32, {rows, shape.gates * shape.width});
  }

  std::string product(const std::string &left, int weights, int64_t columns) {
    const std::string sums = text.dot({rows, columns, shape.width});
    text.yield(text.extract(left, {v("d0"), v("d2")}, shape.type, space), shape.type);
    text.rhs();
    text.yield(text.loadStored(weights, shape.type, (direction * shape.width + v("d2")) * columns + v("d1")),
               shape.type);
    text.close(tileType(f32, {rows, columns}));
    return sums;
  }

  /// Of the state times a gate, as GRU resets it.
  std::string second(const std::string &sums) {
    const std::string left = map();
    const std::string gate = text.unary("tanh", scaled(gateOf(sums, 0)), f32);
    const std::string state = text.convert(text.extract("%h", point(), shape.type, space), shape.type, f32);
    text.yield(text.convert(text.binary("mul", state, gate, f32), f32, shape.type), shape.type);
    text.close(stored);
    return product(left, 3, shape.width);
  }

  const RecurrentShape &shape;
  Expr rows, steps, direction;
  Exprs space;
  std::string stored, computed;
  Text text;
};

std::string nameOf(const RecurrentShape &s) {
  return s.type + tag(s.directions) + tag(s.rows) + tag(s.width) + tag(s.gates) + tag(s.steps) +
         (s.products > 1 ? "_two" : "") + (s.together ? "_together" : "") + (s.dynamic ? "_dynamic" : "") +
         (s.schedule.empty() ? "" : "_" + wordsOf(s.schedule));
}

} // namespace

KernelCase recurrentCase(const RecurrentShape &s) {
  const int64_t state = s.directions * s.rows * s.width, matrix = s.directions * s.width * s.width;
  std::vector<int64_t> elements{state, s.steps * state, s.gates * matrix};
  if (s.products > 1)
    elements.push_back(matrix);
  elements.push_back(s.steps * state);
  elements.push_back(state);
  return {nameOf(s), "recurrence", RecurrentText(s).generate(),
          s.dynamic ? std::vector<int64_t>{s.rows, s.steps} : std::vector<int64_t>{}, elements};
}

/// One block for a direction and several, whole and ragged; rows in one tile and in several.
std::vector<KernelCase> recurrentCases() {
  std::vector<KernelCase> cases;
  for (const char *type : {"f32", "f16", "bf16"}) {
    cases.push_back(recurrentCase({type, 1, 1, 64}));
    cases.push_back(recurrentCase({type, 2, 3, 100, 3}));
  }
  cases.push_back(recurrentCase({"f32", 2, 1, 256, 4, 2}));
  cases.push_back(
      recurrentCase({"f32", 1, 1, 96, 2, 2, /*products=*/1, /*dynamic=*/false, /*schedule=*/"", /*together=*/true}));
  cases.push_back(recurrentCase({"f32", 1, 2, 7, 1, 4}));
  cases.push_back(recurrentCase({"f32", 1, 17, 129, 1}));
  cases.push_back(recurrentCase({"f32", 2, 2, 128, 2, 3, /*products=*/2}));
  cases.push_back(recurrentCase({"f16", 1, 1, 90, 2, 5, /*products=*/2}));
  cases.push_back(recurrentCase({"f32", 1, 5, 128, 3, 3, /*products=*/1, /*dynamic=*/true}));
  cases.push_back(recurrentCase({"f32", 2, 9, 60, 2, 1, /*products=*/2, /*dynamic=*/true}));
  for (const char *schedule :
       {"recurrence<rows 2, units 8, split 4, warps 2>", "recurrence<rows 1, units 8, split 32, warps 16>",
        "recurrence<rows 8, units 32, split 1, warps 8>"})
    for (bool dynamic : {false, true})
      cases.push_back(recurrentCase({"f32", 2, 3, 20, 2, 4, /*products=*/2, dynamic, schedule}));
  return cases;
}

} // namespace cupola::test
