//===- test/Target/CUDA/AttentionTexts.cpp - two products with a softmax between them ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As GraphToKernel writes attention: rows meet the keys block by block and carry the largest
// score, the sum of exponentials and the weighted sum of values.
//===----------------------------------------------------------------------===//

#include "test/Target/CUDA/KernelTexts.h"

#include "test/Target/CUDA/KernelText.h"

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
    views[1] = views[2] = cached() + ", read";
    views.resize(views.size() + (shape.kept ? 2 : 1), shape.type + ", write");
    const std::string scalars = shape.dynamic ? std::string(anyScalar) + ", " + anyScalar : "";
    return text.func("attention", shape.batch > 1 ? Exprs{shape.batch} : Exprs{}, scalars, views,
                     shape.schedule.empty() ? "" : "#cuda." + shape.schedule);
  }

private:
  std::string cached() const { return shape.cache.empty() ? shape.type : shape.cache; }
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
    const std::string type = view == 1 || view == 2 ? cached() : shape.type;
    if (isRagged())
      more.push_back(inside(column));
    std::string mask;
    if (!more.empty())
      mask = " mask [" + list(more) + "] else " + constant(type == "i8" ? "0" : "0.0", type) + " : " + type;
    const std::string value = text.loadStored(view, type, at, mask);
    return type == shape.type ? value : text.convert(text.convert(value, type, f32), f32, shape.type);
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
  name += shape.cache.empty() ? "" : "_of_" + shape.cache;
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

} // namespace cupola::test
