//===- test/Target/CUDA/AttentionShapes.cpp - the attentions that tests have ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelTexts.h"

#include "llvm/ADT/StringRef.h"

#include <tuple>

namespace cupola::test {

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
  AttentionShape plain, ragged, kept, token, several, bytes;
  plain.type = kept.type = token.type = several.type = bytes.type = "f16";
  bytes.cache = "i8";
  bytes.batch = 2;
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
    if (llvm::StringRef(schedule).contains("groups 4")) // four of these are too much for some architectures
      continue;
    add(schedule, 3, 333, 64, bytes);
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
  s.appended = 0;
  s.cache = "i8";
  for (int64_t head : {40, 64, 96, 128, 256}) {
    s.head = s.columns = head;
    shapes.push_back(s);
  }
  s.cache = "f8E4M3FN";
  s.head = s.columns = 64;
  shapes.push_back(s);
  s.type = "bf16";
  s.cache = "i8";
  shapes.push_back(s);
  return shapes;
}

static std::vector<KernelCase> casesOf(const std::vector<AttentionShape> &shapes) {
  std::vector<KernelCase> cases;
  for (const AttentionShape &shape : shapes)
    cases.push_back(attentionCase(shape));
  return cases;
}

std::vector<KernelCase> scheduledAttentionCases() { return casesOf(scheduledShapes()); }

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
  std::vector<KernelCase> cases = casesOf(wgmmaShapes());
  for (KernelCase &test : cases)
    test.orders = 3; // which warpgroup comes first, and how late it is
  return cases;
}

std::vector<KernelCase> halfAttentionCases() { return casesOf(attentionShapesOf("f16")); }

std::vector<KernelCase> attentionCases() { return casesOf(attentionShapes()); }

} // namespace cupola::test
