//===- test/Runtime/SessionTest.cpp - Executables and sessions on every device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/SessionFixture.h"

#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cupola::runtime {

CUPOLA_FOR_ALL_DEVICES(SessionTest);

TEST_P(SessionTest, OneExecutableServesAllShapes) {
  const auto session = start();
  ASSERT_TRUE(session);
  for (int64_t rows : {1, 7, 1000, 7, 33})
    expectRuns(*session, rows);
}

TEST_P(SessionTest, RepeatedRunsGiveTheSameAnswer) { // the second and later ones may be replayed
  const auto session = start();
  for (int i = 0; i < 4; ++i)
    expectRuns(*session, 100);
}

TEST_P(SessionTest, OutputShapesAreKnownAfterBind) {
  const auto session = start();
  EXPECT_FALSE(session->isBound());
  ASSERT_TRUE(session->bind({{9, 4}, {9}}).isOk());
  EXPECT_EQ(session->outputShapes(), std::vector<Shape>({{9, 4}}));
  EXPECT_GE(session->arenaBytes(), 9u * 16);
}

TEST_P(SessionTest, PoisonChangesNoAnswer) {
  SessionOptions options;
  options.poison = true;
  const auto session = start(std::move(options));
  for (int64_t rows : {3, 500})
    expectRuns(*session, rows);
}

TEST_P(SessionTest, MisalignedTensorsAreCopied) {
  const auto session = start();
  Case data(5);
  std::vector<char> raw(data.x.size() * 4 + 128);
  char *odd = raw.data() + (64 - reinterpret_cast<uintptr_t>(raw.data()) % 64) + 1;
  std::memcpy(odd, data.x.data(), data.x.size() * 4);
  auto inputs = data.inputs();
  inputs[0].data = odd;
  const Status status = session->run(inputs, data.outputs());
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(data.y, data.expected());
}

TEST_P(SessionTest, TensorsOnTheDevice) {
  const auto session = start();
  Case data(64);
  Result<std::unique_ptr<Stream>> stream = device->createStream(nullptr);
  ASSERT_TRUE(stream.isOk());
  Result<DeviceAddress> x = device->allocate(1024), y = device->allocate(1024);
  ASSERT_TRUE(x.isOk() && y.isOk());
  ASSERT_TRUE((*stream)->upload(*x, data.x.data(), 1024).isOk());
  ASSERT_TRUE((*stream)->synchronize().isOk());
  auto inputs = data.inputs();
  inputs[0] = {reinterpret_cast<void *>(*x), DType::F32, {64, 4}, true};
  const Status status = session->run(inputs, {{reinterpret_cast<void *>(*y), DType::F32, {64, 4}, true}});
  ASSERT_TRUE(status.isOk()) << status.message();
  ASSERT_TRUE((*stream)->download(data.y.data(), *y, 1024).isOk());
  ASSERT_TRUE((*stream)->synchronize().isOk());
  EXPECT_EQ(data.y, data.expected());
  device->free(*x);
  device->free(*y);
}

TEST_P(SessionTest, AnIndexOutOfRangeNamesItsNodesAndHarmsNothing) {
  const auto session = start();
  for (int64_t wrong : {int64_t(3), int64_t(-1), INT64_MAX, INT64_MIN}) {
    Case data(10);
    data.ids[4] = wrong;
    expectError(session->run(data.inputs(), data.outputs()), Code::Usage,
                "nodes 'embed/Gather' (Gather), 'add' (Add): an index lies outside the tensor it selects from");
    expectRuns(*session, 10);
  }
}

TEST_P(SessionTest, WrongTensorsAreNamed) {
  const auto session = start();
  Case data(6);
  const auto run = [&](auto change) {
    auto inputs = data.inputs();
    auto outputs = data.outputs();
    change(inputs, outputs);
    return session->run(inputs, outputs);
  };
  using Tensors = std::vector<TensorRef>;
  expectError(run([](Tensors &in, Tensors &) { in.pop_back(); }), Code::Usage, "1 inputs were given, the model has 2");
  expectError(run([](Tensors &, Tensors &out) { out.clear(); }), Code::Usage, "0 outputs were given");
  expectError(run([](Tensors &in, Tensors &) { in[1].dtype = DType::I32; }), Code::Usage,
              "input 'ids': element type is i32, the model declares i64");
  expectError(run([](Tensors &in, Tensors &) { in[0].shape = {6, 4, 1}; }), Code::Usage,
              "input 'x': shape [6, 4, 1] has rank 3, the model declares [s0 'batch', 4]");
  expectError(run([](Tensors &in, Tensors &) { in[0].shape = {6, 5}; }), Code::Usage,
              "input 'x': dimension 1 is 5, the model declares 4");
  expectError(
      run([](Tensors &in, Tensors &) { in[1].shape = {5}; }), Code::Usage,
      "input 'ids': dimension 0 is 5, the model declares s0 = 6, where s0 'batch' = 6 by input 'x': dimension 0");
  expectError(run([](Tensors &in, Tensors &) { in[0].data = nullptr; }), Code::Usage, "input 'x': its address is null");
  expectError(run([](Tensors &, Tensors &out) { out[0].shape = {7, 4}; }), Code::Usage,
              "output 'y': shape is [7, 4], these inputs give [6, 4]");
  expectError(run([](Tensors &in, Tensors &out) { out[0].data = static_cast<char *>(in[0].data) + 64; }), Code::Usage,
              "output 'y' overlaps input 'x'");
  expectRuns(*session, 6);
}

TEST_P(SessionTest, ShapesOutsideTheDeclaredRangeAreRefused) {
  const auto session = start();
  expectError(session->bind({{0, 4}, {0}}), Code::Usage,
              "input 'x': dimension 0 gives s0 'batch' = 0, the package was compiled for 1..1000");
  expectError(session->bind({{1001, 4}, {1001}}), Code::Usage, "= 1001");
  expectError(session->bind({{-1, 4}, {1}}), Code::Usage, "is -1");
  expectRuns(*session, 1000);
}

TEST_P(SessionTest, EmptyTensorsRun) {
  format::Package package = test::makeRunnablePackage();
  package.symbols[0].min = 0;
  Result<std::unique_ptr<Session>> session = Session::create(load(package), {});
  ASSERT_TRUE(session.isOk());
  const Status status =
      (*session)->run({{nullptr, DType::F32, {0, 4}}, {nullptr, DType::I64, {0}}}, {{nullptr, DType::F32, {0, 4}}});
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_P(SessionTest, AViewOfAnInputAndACopyIntoAnOutput) {
  // t = gather-add of rows 1.. of x; y's tail = 2 * t by a copy from the arena
  format::Package package = test::makeRunnablePackage();
  for (format::Variant &variant : package.variants) {
    format::Program &program = variant.program;
    format::Buffer tail;
    tail.kind = format::BufferKind::View;
    tail.index = 5; // y
    tail.offset = "16";
    tail.bytes = "16*s0 - 16";
    program.buffers.push_back(tail); // 6
    tail.index = 2;                  // x
    program.buffers.push_back(tail); // 7
    program.scalars.push_back("4*s0 - 4");
    program.steps[1].launch.buffers = {7, 6};
    program.steps[1].launch.scalars[0] = 4;
    program.steps[1].launch.grid = {variant.target == "cpu" ? "4*s0 - 4" : "ceildiv(4*s0 - 4, 128)"};
    format::Step copy;
    copy.kind = format::Step::CopyStep;
    copy.copy = {2, 5, "16"};
    program.steps.push_back(copy);
  }
  Result<std::unique_ptr<Session>> session = Session::create(load(package), {});
  ASSERT_TRUE(session.isOk());
  for (int repeat = 0; repeat < 3; ++repeat) {
    Case data(20); // tensors at other addresses each time
    const Status status = (*session)->run(data.inputs(), data.outputs());
    ASSERT_TRUE(status.isOk()) << status.message();
    for (size_t i = 0; i < data.y.size(); ++i)
      ASSERT_EQ(data.y[i], data.x[i] * (i < 4 ? 1 : 2)) << i;
  }
}

TEST_P(SessionTest, AllocatorHooksServeTheArena) {
  int live = 0, calls = 0;
  {
    SessionOptions options;
    options.memory.allocate = [&](uint64_t bytes) {
      Result<DeviceAddress> address = device->allocate(bytes);
      ++calls, ++live;
      return address.isOk() ? *address : 0;
    };
    options.memory.free = [&](DeviceAddress address) { device->free(address), --live; };
    const auto session = start(std::move(options));
    expectRuns(*session, 10);
    EXPECT_GE(calls, 1);
  }
  EXPECT_EQ(live, 0);
}

TEST_P(SessionTest, NoMemoryIsATableAndTheSessionStaysUsable) {
  bool refuse = false;
  SessionOptions options;
  options.memory.allocate = [&](uint64_t bytes) { return refuse ? 0 : *device->allocate(bytes); };
  options.memory.free = [&](DeviceAddress address) { device->free(address); };
  const auto session = start(std::move(options));
  expectRuns(*session, 10);
  refuse = true;
  const Status status = session->bind({{1000, 4}, {1000}});
  expectError(status, Code::Environment, "arena 16128 bytes, inputs and outputs 40000, weights ");
  refuse = false;
  expectRuns(*session, 10);
  expectRuns(*session, 1000);
}

TEST_P(SessionTest, SessionsOfOneExecutableRunInThreads) {
  const auto executable = load(test::makeRunnablePackage());
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Result<std::unique_ptr<Session>> session = Session::create(executable, {});
      for (int i = 0; i < 20 && session.isOk() && failures[t].empty(); ++i) {
        Case data(1 + 13 * t);
        const Status status = (*session)->run(data.inputs(), data.outputs());
        if (status.failed() || data.y != data.expected())
          failures[t] = "wrong answer or error: " + status.message();
      }
      if (session.failed())
        failures[t] = session.status().message();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &failure : failures)
    EXPECT_EQ(failure, "");
}

TEST_P(SessionTest, ASecondThreadIsRefused) {
  Session *inner = nullptr;
  Status second;
  SessionOptions options;
  options.memory.allocate = [&](uint64_t bytes) { // called while `bind` is under way
    std::thread other([&] { second = inner->bind({{3, 4}, {3}}); });
    other.join();
    return *device->allocate(bytes);
  };
  options.memory.free = [&](DeviceAddress address) { device->free(address); };
  const auto session = start(std::move(options));
  inner = session.get();
  ASSERT_TRUE(session->bind({{5, 4}, {5}}).isOk());
  expectError(second, Code::Usage, "in use by another thread");
  expectRuns(*session, 5);
}

TEST_P(SessionTest, TheExecutableOutlivesPackageAndDeviceHandles) {
  auto session = start();
  device.reset();
  expectRuns(*session, 4);
}

TEST_P(SessionTest, AForkedChildIsRefused) {
  const auto session = start();
  expectRuns(*session, 2);
  const pid_t child = ::fork();
  if (child == 0) {
    Case data(2);
    ::_exit(session->run(data.inputs(), data.outputs()).code() == Code::Usage ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_P(SessionTest, APackageForOtherDevicesSaysWhatItWasBuiltFor) {
  format::Package package = test::makeRunnablePackage();
  package.variants.resize(1);
  package.variants[0].target = device->properties().name == "cpu" ? "cuda" : "cpu";
  package.variants[0].arch = device->properties().name == "cpu" ? "sm_80" : "x86-64-v3";
  package.variants[0].sources = {{"m0.cu", "// none"}};
  const Status status = Executable::create(test::loadPackage(package), device).status();
  expectError(status, Code::Environment, "the package was built for " + package.variants[0].target);
}

TEST_P(SessionTest, AnExpressionThatIsNoneIsRefused) {
  for (const char *text : {"4*", "s9", "floordiv(1, "}) {
    format::Package package = test::makeRunnablePackage();
    for (format::Variant &variant : package.variants)
      variant.program.steps[0].launch.grid = {text};
    expectError(Executable::create(test::loadPackage(package), device).status(), Code::Package, text);
  }
}

} // namespace cupola::runtime
