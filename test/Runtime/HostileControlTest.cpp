//===- test/Runtime/HostileControlTest.cpp - Packages whose branches and loops break a rule ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Bodies.h"
#include "test/Runtime/ControlPackage.h"
#include "test/Runtime/Hostile.h"

namespace cupola::format {

using test::expectRefused;

namespace {

// Steps of the packages: an If of bodies 0 and 1; a loop of body 0; a loop and a call.
Branch &branchOf(Program &p) { return p.steps[0].branch; }
Loop &loopOf(Program &p) { return p.steps[0].loop; }

} // namespace

TEST(HostileControl, BodiesAreATree) {
  const Package branch = test::branchPackage(), nested = test::nestedPackage();
  expectRefused(branch, [](Program &p) { branchOf(p).bodies[1] = 2; }, "enters body 2 of 2");
  expectRefused(branch, [](Program &p) { branchOf(p).bodies[1] = 0; }, "enters body 0, which another step enters");
  expectRefused(branch, [](Program &p) { p.bodies.emplace_back(); }, "body 2 is entered by no step before it");
  expectRefused(branch, [](Program &p) { branchOf(p).bodies.pop_back(); }, "has 1 bodies, expected 2");
  expectRefused(branch, [](Program &p) { p.steps[0].kind = Step::CallStep; }, "has 2 bodies, expected 1");
  expectRefused(branch, [](Program &p) { p.steps[0].kind = Step::Kind(7); }, "no known kind");
  expectRefused(branch, [](Program &p) { p.init = {p.steps[0]}; }, "init step 0 has no known kind");
  expectRefused(nested, [](Program &p) { p.bodies[0].steps[0].loop.body = 0; }, "does not come after the step's own");
  expectRefused(nested, [](Program &p) { loopOf(p).body = 1, p.bodies[0].steps[0].loop.body = 0; }, "entered by no");
}

TEST(HostileControl, BodiesDoNotNestForEver) {
  const auto chain = [](size_t count) {
    return test::makeControlPackage({}, count, [&](std::vector<test::BodyBuilder> &b) {
      for (uint32_t i = 0; i < count; ++i)
        b[i].branch(Step::CallStep).bodies = {i};
    });
  };
  EXPECT_TRUE(writePackageToMemory(chain(256), test::packageWeights()).isOk());
  expectRefused(chain(257), [](Program &) {}, "bodies nest deeper than 256");
}

TEST(HostileControl, BuffersOfBodies) {
  const Package branch = test::branchPackage();
  const auto buffer = [](BufferKind kind, uint32_t index, const std::string &bytes) {
    Buffer made;
    made.kind = kind, made.index = index, made.bytes = bytes;
    return made;
  };
  const auto refuse = [&](const Buffer &made, const std::string &text) {
    expectRefused(branch, [&](Program &p) { p.bodies[0].buffers[0] = made; }, text);
  };
  refuse(buffer(BufferKind::Parameter, 2, "4"), "refers to 2 of 2");
  refuse(buffer(BufferKind::Parameter, 1, "4"), "stands for a parameter that another one stands for");
  refuse(buffer(BufferKind::Parameter, 0, ""), "whose size is not known");
  refuse(buffer(BufferKind::Growing, 0, ""), "whose size is not known");
  refuse(buffer(BufferKind::Growing, 0, "4"), "grows and has a size");
  refuse(buffer(BufferKind::Input, 0, "4"), "refers to 0 of 0");
  refuse(buffer(BufferKind::Output, 0, "4"), "refers to 0 of 0");
  refuse(buffer(BufferKind::Weight, 0, "4"), "refers to 0 of 0");
  refuse(buffer(BufferKind::Counters, 0, "4 * s0"), "of counters has no number as its size");
  refuse(buffer(BufferKind::Counters, 0, "2000000"), "of counters has no number as its size");
  refuse(buffer(BufferKind::Init, 9, "4"), "refers to 9 of 4");
  refuse(buffer(BufferKind::Init, 0, "4"), "names none that the init steps write");
  refuse(buffer(BufferKind::Arena, 0, ""), "has no size");
  refuse(buffer(BufferKind(10), 0, "4"), "no known kind");
  expectRefused(branch, [&](Program &p) { p.buffers[0] = buffer(BufferKind::Parameter, 0, "4"); }, "refers to 0 of 0");
  expectRefused(branch, [](Program &p) { p.bodies[0].steps[0].launch.buffers[1] = 7; }, "refers to 7 of 2");
  expectRefused(branch, [](Program &p) { p.bodies[0].steps[0].launch.scalars[0] = 2; }, "refers to 2 of 2");
  expectRefused(
      test::growingPackage(true), [&](Program &p) { p.buffers.push_back(buffer(BufferKind::View, 4, "4")); },
      "is a part of one whose size is not known");
  Package shared = test::scanPackage(true);
  shared.inputs[0].dims = shared.outputs[0].dims;
  shared.inputs[0].storage = shared.outputs[0].storage = {"4", "4"};
  shared.outputs[0].memoryOf = 1;
  expectRefused(shared, [](Program &) {}, "lies in the memory of an input and has no size");
}

TEST(HostileControl, WhatStepsHandOver) {
  const Package branch = test::branchPackage(), loop = test::scanPackage(false),
                carry = test::doublingPackage(test::Ends::Both);
  expectRefused(branch, [](Program &p) { branchOf(p).captures[0] = 9; }, "refers to 9 of 4");
  expectRefused(branch, [](Program &p) { branchOf(p).results[0] = 9; }, "refers to 9 of 4");
  expectRefused(branch, [](Program &p) { branchOf(p).condition = 9; }, "refers to 9 of 4");
  expectRefused(
      branch, [](Program &p) { branchOf(p).results[0] = 0; }, "lets a body write buffer 0, which is only read");
  expectRefused(branch, [](Program &p) { p.steps[0].nodes = {9}; }, "refers to 9 of 2");
  expectRefused(carry, [](Program &p) { loopOf(p).trip = 10; }, "refers to 9 of 6");
  expectRefused(carry, [](Program &p) { loopOf(p).condition = 10; }, "refers to 9 of 6");
  expectRefused(carry, [](Program &p) { loopOf(p).proceed = 10; }, "refers to 9 of 6");
  expectRefused(carry, [](Program &p) { loopOf(p).proceed = 3; }, "lets a body write buffer 2");
  expectRefused(carry, [](Program &p) { loopOf(p).carried[0].initial = 9; }, "refers to 9 of 6");
  expectRefused(carry, [](Program &p) { loopOf(p).carried[0].result = 9; }, "refers to 9 of 6");
  expectRefused(carry, [](Program &p) { loopOf(p).carried[0].spare = 9; }, "refers to 9 of 6");
  expectRefused(carry, [](Program &p) { loopOf(p).carried[0].spare = 3; }, "no second buffer");
  expectRefused(carry, [](Program &p) { loopOf(p).carried[0].spare = 0; }, "no second buffer");
  expectRefused(carry, [](Program &p) { loopOf(p).trip = loopOf(p).proceed = 0; }, "has no end");
  expectRefused(loop, [](Program &p) { loopOf(p).scans[0].row = 9; }, "refers to 9 of 7");
  expectRefused(loop, [](Program &p) { loopOf(p).scans[0].rows = 9; }, "refers to 9 of 7");
  expectRefused(loop, [](Program &p) { loopOf(p).scans[0].rows = 0; }, "no buffer for all rows");
  expectRefused(loop, [](Program &p) { loopOf(p).trip = 1 + 5; }, "uses buffer 5, whose size is not known");
  expectRefused(
      loop, [](Program &p) { loopOf(p).captures.push_back(5); }, "hands buffer 5, which may grow, over twice");
  // What a body only reads, it lets no other write.
  expectRefused(
      test::nestedPackage(), [](Program &p) { p.bodies[0].steps[0].loop.carried[0].result = 1; },
      "step 0 lets a body write buffer 1, which is only read");
}

TEST(HostileControl, SymbolsGetTheirValuesOnce) {
  const Package grow = test::growingPackage(true);
  const auto inner = [](Program &p) -> Loop & { return p.bodies[0].steps[0].loop; };
  expectRefused(grow, [&](Program &p) { inner(p).index = "s0"; }, "gives a value to 's0'");
  expectRefused(grow, [&](Program &p) { inner(p).count = "zz"; }, "gives a value to 'zz'");
  expectRefused(grow, [&](Program &p) { inner(p).count = "r2"; }, "gives a value to 'r2'");
  expectRefused(grow, [&](Program &p) { inner(p).index = inner(p).count = "r3"; }, "gives a value to 'r3'");
  expectRefused(grow, [&](Program &p) { inner(p).extents[0].symbol = ""; }, "gives a value to ''");
  expectRefused(grow, [&](Program &p) { inner(p).extents[0].last = "r0"; }, "gives a value to 'r0'");
  expectRefused(grow, [](Program &p) { branchOf(p).symbols[0] = "s0"; }, "gives a value to 's0'");
  expectRefused(grow, [](Program &p) { branchOf(p).symbols.push_back("r3"); }, "2 symbols with 1 and 1 values");
  expectRefused(grow, [](Program &p) { branchOf(p).elseValues.clear(); }, "1 symbols with 1 and 0 values");
  expectRefused(grow, [](Program &p) { p.steps[1].branch.symbols = {"r3"}; }, "1 symbols with 0 and 0 values");
}

TEST(Bodies, StepsAreNumberedThrough) {
  const Package package = test::nestedPackage();
  const Program &program = package.variants[0].program;
  EXPECT_EQ(stepCount(program), 3u);
  EXPECT_EQ(stepAt(program, 0), &program.steps[0]);
  EXPECT_EQ(stepAt(program, 1), &program.bodies[0].steps[0]);
  EXPECT_EQ(stepAt(program, 2), &program.bodies[1].steps[0]);
  EXPECT_EQ(stepAt(program, 3), nullptr);
  uint32_t next = 0;
  forEachStep(program, [&](const Body &, const Step &step, uint32_t number) {
    EXPECT_EQ(number, next++);
    EXPECT_EQ(stepAt(program, number), &step);
  });
  EXPECT_EQ(next, 3u);
}

} // namespace cupola::format
