//===- test/Runtime/ControlErrorsTest.cpp - What goes wrong inside of branches and loops ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/ControlTest.h"

namespace cupola::runtime {

using format::DType;
using test::branchPackage;
using test::growingPackage;
using test::scanPackage;
using test::selectingPackage;

class ControlErrorsTest : public ControlTest {};

CUPOLA_FOR_ALL_DEVICES(ControlErrorsTest);

TEST_P(ControlErrorsTest, AValueOutsideTheDeclaredRangeIsRefused) {
  const auto session = start(scanPackage(true));
  expectError(run(*session, numbers(1), 5000, true).status(), Code::Usage,
              "gives r0 = 4097, the package was compiled for 0..4096");
  expectRuns(*session, {3}, 2, true, {3, 6});
}

TEST_P(ControlErrorsTest, AFlagRaisedInABodyNamesItsNode) {
  const auto session = start(selectingPackage());
  Floats x(8), y(8);
  int64_t n = 2, ids[2] = {1, 3};
  bool go = true;
  const auto runIt = [&] {
    return session->run(
        {{x.data(), DType::F32, {2, 4}}, {&n, DType::I64, {}}, {&go, DType::Bool, {}}, {ids, DType::I64, {2}}},
        {{y.data(), DType::F32, {2, 4}}});
  };
  expectError(runIt(), Code::Usage, "node 'select' (Gather): an index lies outside the tensor it selects from");
  ids[1] = 2;
  ASSERT_TRUE(runIt().isOk());
  EXPECT_EQ(y, Floats({24, 30, 36, 42, 48, 54, 60, 66}));
}

TEST_P(ControlErrorsTest, NoMemoryInABodyLeavesTheSessionUsable) {
  int calls = 0, live = 0, refused = -1;
  const auto runAll = [&](Session &session) {
    for (int64_t n : {3, 40}) {
      CUPOLA_ASSIGN(const Floats y, run(session, numbers(50), n, true));
    }
    return Status::ok();
  };
  SessionOptions options;
  options.memory.allocate = [&](uint64_t bytes) {
    if (calls++ == refused)
      return DeviceAddress(0);
    ++live;
    return *device->allocate(bytes);
  };
  options.memory.free = [&](DeviceAddress address) { device->free(address), --live; };
  for (refused = 0; refused < 100; ++refused) {
    const auto session = start(growingPackage(false), options);
    calls = 0;
    const Status status = runAll(*session);
    if (calls <= refused)
      break;
    if (status.failed())
      expectError(status, Code::Environment, "no memory for this run");
    calls = 1000;
    EXPECT_TRUE(runAll(*session).isOk()) << "after refusing allocation " << refused;
  }
  EXPECT_GT(refused, 5);
  EXPECT_EQ(live, 0);
}

TEST_P(ControlErrorsTest, ASizeOfTheProgramItselfNeedsNoRunSymbol) {
  format::Package package = branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.buffers[0].bytes = "4*r0";
  expectError(Executable::create(test::loadPackage(package), device).status(), Code::Package,
              "symbol r0 has no value before a run");
  package = branchPackage();
  package.inputs[0].dims = {"r0"};
  expectError(Executable::create(test::loadPackage(package), device).status(), Code::Package, "no value before a run");
  package = branchPackage();
  package.checks = {{"s0", "<=", "r0", "too long"}};
  expectError(Executable::create(test::loadPackage(package), device).status(), Code::Package, "no value before a run");
  package = branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.bodies[0].scalars[0] = "r0";
  expectError(run(*start(package), numbers(2), 0, true).status(), Code::Package, "symbol r0 has no value yet");
}

TEST_P(ControlErrorsTest, ABodyGetsNoMoreThanIsHandedOver) {
  format::Package package = branchPackage();
  for (format::Variant &variant : package.variants)
    variant.program.bodies[0].buffers[1].bytes = "4*s0 + 4";
  const auto session = start(package);
  expectError(run(*session, numbers(2), 0, true).status(), Code::Package,
              "a body wants 12 bytes of a buffer that has 8");
  expectRuns(*session, {5}, 0, false, {15});
}

} // namespace cupola::runtime
