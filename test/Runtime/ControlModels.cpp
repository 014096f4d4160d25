//===- test/Runtime/ControlModels.cpp - Small models with branches and loops ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/ControlPackage.h"

namespace cupola::test {

using namespace format;
using Builders = std::vector<BodyBuilder>;

/// Inputs x: f32[s0], n: i64[], go: bool[]; output y of the given extents. Run symbols r0..r3.
static Package tensors(std::vector<std::string> outputDims) {
  Package package;
  package.inputs = {{"x", DType::F32, {"s0"}}, {"n", DType::I64, {}}, {"go", DType::Bool, {}}};
  package.outputs = {{"y", DType::F32, std::move(outputDims)}};
  package.symbols = {{"s0", "", 1, 1000, 1}};
  for (const char *id : {"r0", "r1", "r2", "r3"})
    package.symbols.push_back({id, "", 0, 4096, 1, true});
  package.nodes = {{"loop", "Loop"}, {"select", "Gather"}};
  return package;
}

/// x: 0, n: 1, go: 2, y: 3
static void addIo(BodyBuilder &program, const std::string &outputBytes) {
  program.input(0, "4*s0"), program.input(1, "8"), program.input(2, "1"), program.output(0, outputBytes);
}

Package branchPackage() {
  return makeControlPackage(tensors({"s0"}), 2, [](Builders &b) {
    addIo(b[0], "4*s0");
    Branch &branch = b[0].branch(Step::IfStep);
    branch.bodies = {0, 1};
    branch.condition = 2;
    branch.captures = {0};
    branch.results = {3};
    for (size_t i : {1, 2}) {
      const uint32_t in = b[i].parameter(0, "4*s0"), out = b[i].parameter(1, "4*s0");
      b[i].scale("s0", in, out, i == 1 ? "2" : "3");
    }
  });
}

Package doublingPackage(Ends ends) {
  return makeControlPackage(tensors({"s0"}), 1, [=](Builders &b) {
    addIo(b[0], "4*s0");
    const uint32_t spare = b[0].arena("4*s0"), proceed = b[0].arena("1");
    Loop &loop = b[0].loop();
    loop.carried = {{0, 3, spare}};
    loop.index = "r3"; // which nothing reads
    const uint32_t in = b[1].parameter(0, "4*s0"), out = b[1].parameter(1, "4*s0");
    b[1].scale("s0", in, out, "2");
    if (ends != Ends::Condition)
      loop.trip = 1 + 1;
    if (ends == Ends::Trip)
      return;
    loop.condition = 1 + 2;
    loop.proceed = 1 + proceed;
    b[1].less(out, b[1].parameter(2, "1"), "100");
  });
}

Package scanPackage(bool counted) {
  return makeControlPackage(tensors({"r1", "s0"}), 2, [=](Builders &b) {
    addIo(b[0], "");
    const uint32_t row = b[0].arena("4*s0"), rows = b[0].growing(), proceed = b[0].arena("1");
    Loop &loop = b[0].loop();
    loop.trip = 1 + 1;
    loop.captures = {0};
    loop.scans = {{row, rows}};
    loop.index = "r0";
    loop.count = "r1";
    loop.proceed = counted ? 0 : 1 + proceed;
    const uint32_t in = b[1].parameter(0, "4*s0"), out = b[1].parameter(1, "4*s0");
    b[1].scale("s0", in, out, "r0 + 1");
    if (!counted)
      b[1].less(out, b[1].parameter(2, "1"), "100");
    Branch &call = b[0].branch(Step::CallStep);
    call.bodies = {1};
    call.captures = {rows};
    call.results = {3};
    b[2].scale("r1*s0", b[2].parameter(0, "4*r1*s0"), b[2].parameter(1, "4*r1*s0"), "1");
  });
}

Package growingPackage(bool counted) {
  return makeControlPackage(tensors({"r2"}), 5, [=](Builders &b) {
    addIo(b[0], "");
    const uint32_t value = b[0].growing();
    Branch &branch = b[0].branch(Step::IfStep);
    branch.bodies = {0, 1};
    branch.condition = 2;
    branch.captures = {0, 1};
    branch.results = {value};
    branch.symbols = {"r2"};
    branch.thenValues = {"r1"};
    branch.elseValues = {"2*s0"};
    const uint32_t x = b[1].parameter(0, "4*s0"), n = b[1].parameter(1, "8");
    const uint32_t result = b[1].parameter(2), spare = b[1].growing();
    Loop &loop = b[1].loop();
    loop.body = 2;
    loop.trip = 1 + n;
    loop.carried = {{x, result, spare}};
    loop.extents = {{"r0", "s0", "r0 + 1", "r1"}};
    b[2].extend("2*s0", b[2].parameter(0, "4*s0"), b[2].parameter(2, "8*s0"), "s0");
    const uint32_t longer = b[3].parameter(1, "4*r0 + 4");
    b[3].extend("r0 + 1", b[3].parameter(0, "4*r0"), longer, "r0");
    if (!counted) {
      loop.proceed = 1 + b[1].arena("1");
      b[3].less(longer, b[3].parameter(2, "1"), "1000"); // always
    }
    Branch &call = b[0].branch(Step::CallStep);
    call.bodies = {3};
    call.captures = {value};
    call.results = {3};
    const uint32_t all = b[4].parameter(0), y = b[4].parameter(1); // only handed on
    Branch &inner = b[4].branch(Step::CallStep);
    inner.bodies = {4};
    inner.captures = {all};
    inner.results = {y};
    b[5].copy(b[5].parameter(0, "4*r2"), b[5].parameter(1, "4*r2"), "4*r2");
  });
}

Package nestedPackage() {
  return makeControlPackage(tensors({"s0"}), 2, [](Builders &b) {
    addIo(b[0], "4*s0");
    Loop &outer = b[0].loop();
    outer.trip = 1 + 1;
    outer.captures = {1};
    outer.carried = {{0, 3, b[0].arena("4*s0")}};
    const uint32_t n = b[1].parameter(0, "8"), in = b[1].parameter(1, "4*s0"), out = b[1].parameter(2, "4*s0");
    const uint32_t spare = b[1].arena("4*s0");
    Loop &inner = b[1].loop();
    inner.body = 1;
    inner.trip = 1 + n;
    inner.limit = "5";
    inner.carried = {{in, out, spare}};
    b[2].scale("s0", b[2].parameter(0, "4*s0"), b[2].parameter(1, "4*s0"), "2");
  });
}

Package selectingPackage() {
  Package package = tensors({"s0", "4"});
  package.weights = {{"w", DType::F32, {3, 4}, 0, 48}};
  package.inputs[0] = {"x", DType::F32, {"s0", "4"}};
  package.inputs.push_back({"ids", DType::I64, {"s0"}});
  package = makeControlPackage(package, 1, [](Builders &b) {
    const uint32_t x = b[0].input(0, "16*s0"), n = b[0].input(1, "8"), ids = b[0].input(3, "8*s0");
    const uint32_t y = b[0].output(0, "16*s0"), spare = b[0].arena("16*s0");
    const uint32_t table = b[0].init(0, "48");
    b[0].scale("12", b[0].weight(0, "48"), table, "3"); // becomes an init step
    Loop &loop = b[0].loop();
    loop.trip = 1 + n;
    loop.captures = {ids};
    loop.carried = {{x, y, spare}};
    b[0].node(0);
    const uint32_t list = b[1].parameter(0, "8*s0"), in = b[1].parameter(1, "16*s0"), out = b[1].parameter(2, "16*s0");
    b[1].gather("s0", {in, b[1].init(table, "48"), list, out}, "3");
    b[1].node(1);
  });
  for (Variant &variant : package.variants) {
    Program &program = variant.program;
    program.init = {program.steps[0]};
    program.steps.erase(program.steps.begin());
    for (Buffer &buffer : program.buffers)
      buffer.last = 0;
  }
  return package;
}

} // namespace cupola::test
