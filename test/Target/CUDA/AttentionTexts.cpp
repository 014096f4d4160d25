//===- test/Target/CUDA/AttentionTexts.cpp - two products with a softmax between them ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As GraphToKernel writes attention: rows meet the keys block by block and carry the largest
// score, the sum of exponentials and the weighted sum of values.
//===----------------------------------------------------------------------===//

#include "test/Target/CUDA/KernelTexts.h"

#include "test/Target/CUDA/KernelText.h"

#include <tuple>

namespace cupola::test {

namespace {

const char *const f32 = "f32";
const char *const lowest = "0xFF800000"; ///< -inf

class AttentionText {
public:
  explicit AttentionText(const AttentionShape &shape)
      : shape(shape), rows(shape.dynamic ? v("n0") : Expr(shape.rows)),
        keys(shape.dynamic ? v("n1") : Expr(shape.keys)), image(shape.batch > 1 ? v("g0") : Expr(0)),
        key(v("d9") * atOnce() + v("d1")), ofRow(tileType(f32, {rows})), ofKeys(tileType(f32, {rows, atOnce()})),
        ofResult(tileType(f32, {rows, shape.columns})) {}

  std::string generate() {
    const std::string largest = fill({rows}, lowest), sum = fill({rows}, "0.0"),
                      result = fill({rows, shape.columns}, "0.0");
    const std::string last =
        text.steps(ceilDiv(keys, Expr(atOnce())), visible(),
                   {"%largest = " + largest, "%sum = " + sum, "%result = " + result}, {ofRow, ofRow, ofResult});
    step();
    meet();
    finish(last);
    if (shape.kept)
      keep();
    const std::string read = shape.type + ", read";
    std::vector<std::string> views(3 + (shape.mask ? 1 : 0) + (shape.residual ? 1 : 0), read);
    views.resize(views.size() + (shape.kept ? 2 : 1), shape.type + ", write");
    const std::string scalars = shape.dynamic ? std::string(anyScalar) + ", " + anyScalar : "";
    return text.func("attention", shape.batch > 1 ? Exprs{shape.batch} : Exprs{}, scalars, views,
                     shape.schedule.empty() ? "" : "#cuda." + shape.schedule);
  }

private:
  int64_t atOnce() const { return shape.columns > 128 || (!shape.dynamic && shape.keys <= 32) ? 32 : 64; }
  std::string constant(const std::string &number, const std::string &type = f32) {
    return text.line("kernel.constant " + number + " : " + type);
  }
  std::string fill(const Exprs &extents, const std::string &number) {
    const std::string tile = text.map(extents.size() > 1 ? Exprs{v("d0"), v("d1")} : Exprs{v("d0")}, extents);
    text.yield(constant(number), f32);
    text.close(tileType(f32, extents));
    return tile;
  }
  std::string binary(const std::string &kind, const std::string &a, const std::string &b) {
    return text.binary(kind, a, b, f32);
  }
  std::string select(const std::string &condition, const std::string &a, const std::string &b) {
    return text.line("kernel.select " + condition + ", " + a + ", " + b + " : f32");
  }
  std::string isEqual(const std::string &a, const std::string &b) {
    return text.line("kernel.binary equal " + a + ", " + b + " : f32 -> i1");
  }
  std::string inRange(const Expr &condition) { return text.line("kernel.in_range [" + inOp(condition) + "]"); }
  std::string atRow(const std::string &tile) { return text.extract(tile, {v("d0")}, f32, {rows}); }
  std::string atKey(const std::string &tile) { return text.extract(tile, {v("d0"), v("d1")}, f32, {rows, atOnce()}); }
  std::string atColumn(const std::string &tile) {
    return text.extract(tile, {v("d0"), v("d1")}, f32, {rows, shape.columns});
  }
  std::string reduce(const std::string &kind, const std::string &tile) {
    const std::string result = text.reduce(kind, {v("d1")}, {atOnce()});
    text.yield(atKey(tile), f32);
    text.close(f32);
    return result;
  }

  bool isRagged() const { return shape.dynamic || shape.keys % atOnce() != 0; }
  /// Where a row stands among the keys, and in q and the result.
  Expr position(const Expr &row) const { return floorDiv(row, shape.sharing); }
  Expr place(const Expr &row) const {
    return image * rows + position(row) + mod(row, shape.sharing) * floorDiv(rows, shape.sharing);
  }
  Exprs visible() const {
    if (!shape.visible)
      return {};
    const Expr at = position(v("row"));
    const Expr first = shape.window ? floorDiv(max(at - shape.window, 0), atOnce()) : Expr(0);
    return {first, floorDiv(at, atOnce()) + 1};
  }
  /// What is at least 0 where there is such a key.
  Expr inside(const Expr &column) const { return keys - 1 - column; }
  /// 0 beyond the last key. As parts of a concat are read.
  std::string loadKeyed(int view, const Expr &at, const Expr &column) {
    if (!shape.appended)
      return loadInside(view, at, column);
    const Expr isBefore = keys - shape.appended - 1 - column;
    const std::string behind = loadInside(view, at, column, {-1 - isBefore}),
                      before = loadInside(view, at, column, {isBefore});
    return text.line("kernel.select " + inRange(isBefore) + ", " + before + ", " + behind + " : " + shape.type);
  }
  /// 0 beyond the last key, and where `more` is negative.
  std::string loadInside(int view, const Expr &at, const Expr &column, Exprs more = {}) {
    if (isRagged())
      more.push_back(inside(column));
    if (more.empty())
      return text.loadStored(view, shape.type, at);
    const std::string zero = constant("0.0", shape.type);
    return text.loadStored(view, shape.type, at, " mask [" + list(more) + "] else " + zero + " : " + shape.type);
  }
  std::string asF32(const std::string &value) { return text.convert(value, shape.type, f32); }

  /// Element d2 of a key.
  std::string keyElement() {
    const Expr at = shape.keysTransposed ? (image * keys + key) * shape.head + v("d2")
                                         : (image * shape.head + v("d2")) * keys + key;
    const std::string own = loadKeyed(1, at, key);
    return shape.rotated ? rotate(own, at) : own;
  }
  std::string rotate(const std::string &own, const Expr &at) {
    const Expr half = shape.head / 2, place = v("d2"), isFirst = half - 1 - place;
    const std::string before = asF32(loadInside(1, at - half, key, {place - half}));
    const std::string behind = binary("sub", constant("0.0"), asF32(loadInside(1, at + half, key, {isFirst})));
    const std::string other = select(inRange(isFirst), behind, before);
    const std::string cosine = asF32(loadInside(2, (image * keys + key) * shape.columns + place, key));
    const std::string sine = asF32(text.loadStored(0, shape.type, image * rows * shape.head + place));
    return text.convert(binary("add", binary("mul", asF32(own), cosine), binary("mul", other, sine)), f32, shape.type);
  }

  void step() {
    const std::string scores = score();
    const std::string state = rescale(scores), largest = state + "#0", shift = state + "#1", factor = state + "#2";
    const std::string weights = text.map({v("d0"), v("d1")}, {rows, atOnce()});
    text.yield(text.unary(isNarrow() ? "exp coarse" : "exp", binary("sub", atKey(scores), atRow(shift)), f32), f32);
    text.close(ofKeys);
    const std::string sum = text.map({v("d0")}, {rows});
    const std::string scaledSum = binary("mul", atRow("%sum"), atRow(factor));
    text.yield(binary("add", scaledSum, reduce("sum", weights)), f32);
    text.close(ofRow);
    const std::string scaled = text.map({v("d0"), v("d1")}, {rows, shape.columns});
    text.yield(binary("mul", atColumn("%result"), atRow(factor)), f32);
    text.close(ofResult);
    text.yield(Text::join({largest, sum, weigh(weights, scaled)}), Text::join({ofRow, ofRow, ofResult}));
  }

  std::string score() {
    const std::string tile = text.dot({rows, atOnce(), shape.head});
    text.yield(text.loadStored(0, shape.type, place(v("d0")) * shape.head + v("d2")), shape.type);
    text.rhs();
    text.yield(keyElement(), shape.type);
    text.close(ofKeys);
    const std::string scores = text.map({v("d0"), v("d1")}, {rows, atOnce()});
    std::string x = binary("mul", atKey(tile), constant(std::to_string(attentionScale)));
    if (shape.mask)
      x = binary("add", x, text.convert(loadInside(3, v("d0") * keys + key, key), shape.type, f32));
    if (shape.causal)
      x = select(inRange(position(v("d0")) - key), x, constant(lowest));
    if (shape.window)
      x = select(inRange(key + shape.window - position(v("d0"))), x, constant(lowest));
    if (isRagged())
      x = select(inRange(inside(key)), x, constant(lowest));
    text.yield(x, f32);
    text.close(ofKeys);
    return scores;
  }

  std::string rescale(const std::string &scores) {
    const std::string state = text.maps(3, {v("d0")}, {rows});
    const std::string before = atRow("%largest");
    const std::string largest = binary("max", before, reduce("max", scores));
    const std::string shift = shiftOf(largest);
    text.yield(Text::join({largest, shift, factorOf(before, shift)}), Text::join({f32, f32, f32}));
    text.close(Text::join({ofRow, ofRow, ofRow}));
    return state;
  }
  std::string shiftOf(const std::string &largest) {
    return select(isEqual(largest, constant(lowest)), constant("0.0"), largest);
  }
  std::string factorOf(const std::string &largest, const std::string &shift) {
    return text.unary("exp", binary("sub", largest, shift), f32);
  }

  void meet() {
    text.raw("} meet (%largest0, %sum0, %result0) (%largest1, %sum1, %result1) {");
    const std::string state = text.maps(3, {v("d0")}, {rows});
    const std::string before = atRow("%largest0"), behind = atRow("%largest1"), largest = binary("max", before, behind);
    const std::string shift = shiftOf(largest);
    text.yield(Text::join({largest, factorOf(before, shift), factorOf(behind, shift)}), Text::join({f32, f32, f32}));
    text.close(Text::join({ofRow, ofRow, ofRow}));
    const std::string sum = text.map({v("d0")}, {rows});
    const std::string x = binary("mul", atRow("%sum0"), atRow(state + "#1"));
    text.yield(binary("add", x, binary("mul", atRow("%sum1"), atRow(state + "#2"))), f32);
    text.close(ofRow);
    const std::string result = text.map({v("d0"), v("d1")}, {rows, shape.columns});
    const std::string y = binary("mul", atColumn("%result0"), atRow(state + "#1"));
    text.yield(binary("add", y, binary("mul", atColumn("%result1"), atRow(state + "#2"))), f32);
    text.close(ofResult);
    text.yield(Text::join({state + "#0", sum, result}), Text::join({ofRow, ofRow, ofResult}));
    text.raw("}");
  }

  std::string weigh(const std::string &weights, const std::string &scaled) {
    const std::string result = text.dot({rows, shape.columns, atOnce()}, Text::init(scaled, ofResult));
    const std::string weight = text.extract(weights, {v("d0"), v("d2")}, f32, {rows, atOnce()});
    text.yield(text.convert(weight, f32, shape.type), shape.type);
    text.rhs();
    const Expr row = v("d9") * atOnce() + v("d2");
    text.yield(loadKeyed(2, (image * keys + row) * shape.columns + v("d1"), row), shape.type);
    text.close(ofResult);
    return result;
  }

  void finish(const std::string &last) {
    std::string inverse;
    if (isNarrow()) {
      inverse = text.map({v("d0")}, {rows});
      const std::string sum = atRow(last + "#1");
      text.yield(binary("div", constant("1.0"), divisorOf(sum)), f32);
      text.close(ofRow);
    }
    text.loop({v("d0"), v("d1")}, {rows, shape.columns});
    const std::string sum = atRow(last + "#1"), result = atColumn(last + "#2");
    std::string x = isNarrow() ? binary("mul", result, atRow(inverse)) : binary("div", result, divisorOf(sum));
    if (shape.guard)
      x = select(text.line("kernel.unary is_nan " + sum + " : f32 -> i1"), constant("0.0"), x);
    const Expr at = place(v("d0")) * shape.columns + v("d1");
    if (shape.residual)
      x = binary("add", x, text.load(shape.mask ? 4 : 3, shape.type, at));
    text.store(x, results() + (shape.kept ? 1 : 0), shape.type, at);
    text.raw("}");
  }

  std::string divisorOf(const std::string &sum) {
    return shape.guard ? select(isEqual(sum, constant("0.0")), constant("1.0"), sum) : sum;
  }

  bool isNarrow() const { return shape.type != f32; }
  int results() const { return 3 + (shape.mask ? 1 : 0) + (shape.residual ? 1 : 0); }

  /// Two heads share values; the first of them writes these, doubled.
  void keep() {
    text.loop({v("d0"), v("d1")}, {keys, shape.columns});
    const std::string x = text.load(2, shape.type, (image * keys + v("d0")) * shape.columns + v("d1"));
    const std::string y = text.convert(binary("add", x, x), f32, shape.type);
    const Expr at = (floorDiv(image, 2) * keys + v("d0")) * shape.columns + v("d1");
    text.raw("kernel.store " + y + ", %a" + std::to_string(results()) + "[" + inOp(at) + "] mask [" +
             inOp(-mod(image, 2)) + "] : " + shape.type + " to !kernel.view<" + shape.type + ", write>");
    text.raw("}");
  }

  const AttentionShape &shape;
  Text text;
  Expr rows, keys, image;
  Expr key; ///< of the block's column d1
  std::string ofRow, ofKeys, ofResult;
};

std::string nameOf(const AttentionShape &shape) {
  std::string name =
      "attention_" + shape.type + tag(shape.rows) + tag(shape.keys) + tag(shape.head) + tag(shape.columns);
  for (auto [set, word] : {std::pair(shape.batch > 1, "batched"),
                           {shape.dynamic, "dynamic"},
                           {!shape.keysTransposed, "keysLast"},
                           {shape.mask, "mask"},
                           {shape.causal, "causal"},
                           {shape.window > 0, "window"},
                           {shape.visible, "visible"},
                           {shape.sharing > 1, "sharing"},
                           {shape.guard, "guard"},
                           {shape.residual, "residual"},
                           {shape.kept, "kept"},
                           {shape.rotated, "rotated"},
                           {shape.appended > 0, "appended"}})
    name += set ? std::string("_") + word : "";
  return name + (shape.schedule.empty() ? "" : "_" + wordsOf(shape.schedule));
}

} // namespace

KernelCase attentionCase(const AttentionShape &shape) {
  KernelCase result;
  result.name = nameOf(shape);
  if (!shape.schedule.empty())
    result.schedule = shape.schedule.substr(0, shape.schedule.find('<'));
  else
    result.schedule = shape.type == "f32" ? "attention" : "attention_mma";
  result.text = AttentionText(shape).generate();
  if (shape.dynamic)
    result.scalars = {shape.rows, shape.keys};
  const int64_t results = shape.batch * shape.rows * shape.columns;
  result.elements = {shape.batch * shape.rows * shape.head, shape.batch * shape.keys * shape.head,
                     shape.batch * shape.keys * shape.columns};
  if (shape.mask)
    result.elements.push_back(shape.rows * shape.keys);
  if (shape.residual)
    result.elements.push_back(results);
  if (shape.kept)
    result.elements.push_back((shape.batch + 1) / 2 * shape.keys * shape.columns);
  result.elements.push_back(results);
  return result;
}

/// Whole and ragged blocks of keys, one and several, of a group of warps, too; heads that fill a tensor core's depth
/// and ones that do not; all that may happen to scores and results.
static std::vector<AttentionShape> attentionShapesOf(const std::string &type) {
  std::vector<AttentionShape> shapes;
  auto add = [&](int64_t rows, int64_t keys, int64_t head, int64_t columns, AttentionShape shape = {}) {
    shape.type = type;
    std::tie(shape.rows, shape.keys, shape.head, shape.columns) = std::tuple(rows, keys, head, columns);
    shapes.push_back(shape);
  };
  add(64, 64, 64, 64);
  AttentionShape s;
  s.guard = true;
  add(1, 333, 64, 64, s); // a step of generation
  s = {};
  s.mask = s.residual = true;
  s.batch = 3;
  add(50, 50, 32, 32, s);
  s.dynamic = true;
  s.batch = 2;
  add(33, 333, 40, 40, s);
  s = {};
  s.kept = true;
  s.batch = 4;
  add(40, 70, 32, 24, s);
  s.dynamic = true;
  add(1, 333, 32, 30, s); // a cache
  s.kept = false;
  s.rotated = true; // many registers
  add(1, 333, 128, 128, s);
  add(16, 333, 64, 64, s);
  s = {};
  s.causal = true;
  add(70, 70, 64, 64, s);
  s.dynamic = true;
  add(270, 270, 32, 32, s);
  s = {};
  s.keysTransposed = false;
  add(20, 130, 80, 24, s);
  add(10, 20, 128, 128);
  return shapes;
}

/// Warps of two tiles of rows; keys in parts, of which some have none, of warps and of blocks. Other schedules than the
/// cost would take.
static std::vector<AttentionShape> scheduledShapes() {
  std::vector<AttentionShape> shapes;
  auto add = [&](const std::string &schedule, int64_t rows, int64_t keys, int64_t head, AttentionShape shape) {
    shape.schedule = schedule;
    std::tie(shape.rows, shape.keys, shape.head, shape.columns) = std::tuple(rows, keys, head, head);
    shapes.push_back(shape);
  };
  AttentionShape plain, ragged, kept, token, several;
  plain.type = kept.type = token.type = several.type = "f16";
  ragged.type = "bf16";
  ragged.dynamic = ragged.mask = ragged.guard = true;
  ragged.batch = 2;
  kept.kept = kept.causal = kept.dynamic = true;
  kept.batch = token.batch = 2;
  token.appended = 1;
  several.appended = 70; // from within a step on
  several.dynamic = true;
  for (const char *schedule : {"attention_mma<rows 128, warps 4, groups 1, async true>",
                               "attention_mma<rows 64, warps 2, groups 1, async true>",
                               "attention_mma<rows 16, warps 1, groups 2, async true>",
                               "attention_mma<rows 16, warps 1, groups 4, async true>",
                               "attention_mma<rows 16, warps 1, groups 2, async false>",
                               "attention_mma<rows 16, warps 1, groups 1, async true, split 4>",
                               "attention_mma<rows 64, warps 4, groups 1, async false, split 2>",
                               "attention_mma<rows 16, warps 1, groups 2, async true, split 3>"}) {
    add(schedule, 64, 512, 64, plain);
    add(schedule, 33, 900, 40, ragged);
    add(schedule, 3, 700, 64, ragged);
    add(schedule, 70, 600, 32, kept);
    add(schedule, 3, 513, 64, token);
    add(schedule, 20, 333, 64, several);
    add(schedule, 20, 333, 96, several); // rows of 12 vectors
  }
  return shapes;
}

std::vector<AttentionShape> attentionShapes() {
  std::vector<AttentionShape> shapes;
  for (const char *type : {"f32", "f16"})
    for (const AttentionShape &shape : attentionShapesOf(type))
      shapes.push_back(shape);
  AttentionShape s;
  s.type = "bf16";
  shapes.push_back(s);
  s.rows = 50;
  s.keys = 333; // several steps of each of four groups
  s.mask = s.dynamic = true;
  shapes.push_back(s);
  s = {};
  s.rows = 40;
  s.keys = 70;
  for (const char *type : {"f32", "f16"})
    for (int64_t head : {128, 160, 192, 256}) { // fewer keys at once
      s.type = type;
      s.head = s.columns = head;
      shapes.push_back(s);
    }
  s = {};
  s.type = "f16";
  s.batch = 2;
  s.rows = 8;
  s.keys = 300;
  s.dynamic = true;
  s.sharing = 4;
  s.appended = 1;
  for (int64_t head : {96, 128, 256}) { // a token of several heads behind an open cache: all addresses have 64 bits
    s.head = s.columns = head;
    shapes.push_back(s);
  }
  return shapes;
}

std::vector<KernelCase> scheduledAttentionCases() {
  std::vector<KernelCase> cases;
  for (const AttentionShape &shape : scheduledShapes())
    cases.push_back(attentionCase(shape));
  return cases;
}

/// One step, fewer than stages, more; blocks without all rows; heads that fill 64 or 128 elements and ones that do not.
static std::vector<AttentionShape> wgmmaShapes() {
  std::vector<AttentionShape> shapes;
  auto add = [&](int64_t rows, int64_t keys, int64_t head, int64_t columns, AttentionShape shape) {
    shape.schedule = "attention_wgmma<rows 128, stages 2>";
    std::tie(shape.rows, shape.keys, shape.head, shape.columns) = std::tuple(rows, keys, head, columns);
    shapes.push_back(shape);
  };
  AttentionShape plain, masked, causal, windowed, shared;
  masked.mask = masked.residual = masked.guard = masked.dynamic = true;
  causal.causal = causal.visible = causal.dynamic = true;
  windowed = causal;
  windowed.window = 70;
  shared = causal;
  shared.sharing = 3;
  masked.batch = causal.batch = shared.batch = 2;
  for (const char *type : {"f16", "bf16"}) {
    plain.type = masked.type = causal.type = windowed.type = shared.type = type;
    add(128, 64, 64, 64, plain);
    add(200, 256, 64, 64, plain);
    add(130, 330, 128, 128, plain);
    add(90, 100, 64, 64, masked);
    add(140, 333, 40, 80, masked);
    add(300, 300, 64, 64, causal);
    add(150, 150, 128, 128, causal);
    add(390, 390, 64, 64, windowed);
    add(3 * 90, 90, 64, 64, shared);
  }
  causal.visible = false; // rows that see no key of the last steps
  add(130, 333, 64, 64, causal);
  return shapes;
}

std::vector<KernelCase> wgmmaAttentionCases() {
  std::vector<KernelCase> cases;
  for (const AttentionShape &shape : wgmmaShapes()) {
    cases.push_back(attentionCase(shape));
    cases.back().orders = 3; // which warpgroup comes first, and how late it is
  }
  return cases;
}

std::vector<KernelCase> halfAttentionCases() {
  std::vector<KernelCase> cases;
  for (const AttentionShape &shape : attentionShapesOf("f16"))
    cases.push_back(attentionCase(shape));
  return cases;
}

std::vector<KernelCase> attentionCases() {
  std::vector<KernelCase> cases;
  for (const AttentionShape &shape : attentionShapes())
    cases.push_back(attentionCase(shape));
  return cases;
}

} // namespace cupola::test
