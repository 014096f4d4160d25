//===- test/Runtime/CApiTest.cpp - libcupola_runtime.so through its C interface ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Runtime.hpp"
#include "test/Runtime/ControlPackage.h"
#include "test/Runtime/Exports.h"
#include "test/Runtime/HostPackage.h"
#include "test/Runtime/TwoRows.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

extern "C" int cupolaHeaderIsC(void); // CApiHeader.c

namespace cupola {

namespace {

using test::TwoRows;

std::string packageBytes() { return test::packageBytes(test::makePackage()); }

/// The error of a call that must fail.
template <typename Call> std::pair<cupola_code, std::string> errorOf(Call call) {
  try {
    call();
  } catch (const Error &error) {
    return {error.code(), error.what()};
  }
  return {CUPOLA_OK, "no error"};
}

} // namespace

TEST(CApi, TheHeaderIsC) { EXPECT_EQ(cupolaHeaderIsC(), 1); }

TEST(CApi, TheLibraryExportsWhatTheHeadersDeclare) {
  std::set<std::string> declared = test::declaredIn("cupola/Runtime/Runtime.h");
  declared.merge(test::declaredIn("cupola/Runtime/Reports.h"));
  declared.merge(test::declaredIn("cupola/Status.h"));
  EXPECT_EQ(test::exportsOf(CUPOLA_RUNTIME_LIBRARY), declared);
}

TEST(CApi, StatusesAreMadeForCallbacks) {
  EXPECT_EQ(cupola_status_create(CUPOLA_OK, {"well", 4}), nullptr);
  cupola_status *status = cupola_status_create(CUPOLA_IO, {"the server is away", 10});
  EXPECT_EQ(cupola_status_code(status), CUPOLA_IO);
  EXPECT_EQ(capi::text(cupola_status_message(status)), "the server");
  cupola_status_release(status);
  status = cupola_status_create(CUPOLA_USAGE, {nullptr, 3});
  EXPECT_EQ(cupola_status_message(status).size, 0u);
  cupola_status_release(status);
}

TEST(CApi, DescribesAPackage) {
  const std::string bytes = packageBytes();
  const Package package(bytes.data(), bytes.size());
  const std::vector<TensorInfo> inputs = package.inputs();
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[0].dims, (std::vector<std::string>{"s0", "4"}));
  EXPECT_EQ(inputs[1].type.code, CUPOLA_TYPE_INT);
  EXPECT_EQ(inputs[1].type.bits, 64);
  EXPECT_EQ(package.outputs()[0].name, "y");
  EXPECT_EQ(package.contents(), bytes);
  const std::vector<Symbol> symbols = package.symbols();
  ASSERT_EQ(symbols.size(), 1u);
  EXPECT_EQ(symbols[0].id, "s0");
  EXPECT_EQ(symbols[0].name, "batch");
  EXPECT_FALSE(symbols[0].isFound);
  cupola_symbol symbol{};
  EXPECT_EQ(errorOf([&] { capi::check(cupola_package_symbol(package.get(), 1, &symbol)); }).second, "symbol 1 of 1");
}

TEST(CApi, RunsAndKeepsAliveWhatItNeeds) {
  std::unique_ptr<Session> session;
  {
    const std::string bytes = packageBytes();
    cupola_device_options options{};
    options.struct_size = sizeof(options);
    options.threads = 2;
    session = std::make_unique<Session>(Executable(Package(bytes.data(), bytes.size()), Device("cpu", &options)));
  }
  session->bind({{2, 4}, {2}});
  EXPECT_EQ(session->outputShape(0), (Extents{2, 4}));
  TwoRows data;
  session->run(data.inputs(), data.outputs());
  data.expectAnswer();
}

TEST(CApi, TensorsAreDlpack) {
  const std::string bytes = packageBytes();
  Session session(Executable(Package(bytes.data(), bytes.size()), Device("cpu")));
  TwoRows data;
  auto inputs = data.inputs();
  int64_t dense[2] = {4, 1}, columns[2] = {1, 2};
  inputs[0].strides = dense;
  alignas(64) char shifted[12 + sizeof(data.x) + 2] = {};
  std::memcpy(shifted + 12, data.x, sizeof(data.x));
  session.run(inputs, data.outputs());
  EXPECT_EQ(session.copiedTensors(), 0u);
  inputs[0].data = shifted;
  inputs[0].byte_offset = 12;
  session.run(inputs, data.outputs());
  EXPECT_EQ(session.copiedTensors(), 0u) << "12 bytes are enough for the processor";
  std::memcpy(shifted + 14, data.x, sizeof(data.x));
  inputs[0].byte_offset = 14;
  session.run(inputs, data.outputs());
  EXPECT_EQ(session.copiedTensors(), 1u) << "14 bytes are no alignment";
  data.expectAnswer();

  const auto fails = [&](auto change) {
    auto changed = data.inputs();
    change(changed[0]);
    return errorOf([&] { session.run(changed, data.outputs()); });
  };
  using Expected = std::pair<cupola_code, std::string>;
  EXPECT_EQ(fails([&](cupola_tensor &t) { t.strides = columns; }),
            Expected(CUPOLA_USAGE, "input 'x': its stride of dimension 1 is 2, dense row-major tensors have 1"));
  int64_t none[2] = {0, 4}, any[2] = {0, 0};
  EXPECT_EQ(fails([&](cupola_tensor &t) { t.shape = none, t.strides = any; }).second.find("stride"), std::string::npos)
      << "without elements every stride will do";
  EXPECT_EQ(fails([](cupola_tensor &t) { t.device = {2, 0}; }),
            Expected(CUPOLA_USAGE, "input 'x': it lies on device type 2, number 0; the session runs on cpu 0"));
  EXPECT_EQ(fails([](cupola_tensor &t) { t.dtype.lanes = 4; }),
            Expected(CUPOLA_USAGE, "input 'x': element type with code 2, 32 bits and 4 lanes is not known"));
  EXPECT_EQ(fails([](cupola_tensor &t) { t.shape = nullptr; }).first, CUPOLA_USAGE);
  EXPECT_EQ(fails([](cupola_tensor &t) { t.ndim = -1; }).first, CUPOLA_USAGE);
  EXPECT_EQ(fails([](cupola_tensor &t) { t.data = nullptr; }),
            Expected(CUPOLA_USAGE, "input 'x': its address is null"));
}

TEST(CApi, AnOutputWhoseShapeARunFinds) {
  const std::string bytes = test::packageBytes(test::scanPackage(true));
  Session session(Executable(Package(bytes.data(), bytes.size()), Device("cpu")));
  alignas(64) float x[2] = {1, 2}, y[6] = {};
  alignas(64) int64_t n = 3;
  bool go = true;
  int64_t two[1] = {2}, found[2] = {3, 2};
  const cupola_type floats = {CUPOLA_TYPE_FLOAT, 32, 1};
  const std::vector<cupola_tensor> inputs = {{x, {1, 0}, 1, floats, two, nullptr, 0},
                                             {&n, {1, 0}, 0, {CUPOLA_TYPE_INT, 64, 1}, nullptr, nullptr, 0},
                                             {&go, {1, 0}, 0, {CUPOLA_TYPE_BOOL, 8, 1}, nullptr, nullptr, 0}};
  const cupola_tensor none = {nullptr, {1, 0}, 0, floats, nullptr, nullptr, 0};
  const cupola_tensor whole = {y, {1, 0}, 2, floats, found, nullptr, 0};
  session.bind({{2}, {}, {}});
  EXPECT_EQ(session.outputShape(0), (Extents{-1, 2}));
  EXPECT_EQ(errorOf([&] { session.fetchOutput(0, whole); }).second, "output 'y': no run has made it");
  EXPECT_EQ(errorOf([&] { session.run(inputs, {whole}); }).first, CUPOLA_USAGE);
  session.run(inputs, {none});
  EXPECT_EQ(session.outputShape(0), (Extents{3, 2}));
  session.fetchOutput(0, whole);
  EXPECT_EQ(std::vector<float>(y, y + 6), (std::vector<float>{1, 2, 2, 4, 3, 6}));
  EXPECT_EQ(errorOf([&] { session.fetchOutput(1, whole); }).second, "output 1 of 1");
}

TEST(CApi, TensorsOfStrings) {
  const std::string bytes = test::packageBytes(test::hostPackageOf(test::makePackage()));
  Session session(Executable(Package(bytes.data(), bytes.size()), Device("cpu")));
  session.bind({{2}, {2}});
  int64_t shape[] = {2};
  std::vector<int64_t> a = session.numberStrings({"con", std::string("\0", 1)}),
                       b = session.numberStrings({"stant", ""}), y(2);
  const auto tensor = [&](std::vector<int64_t> &numbers) {
    return cupola_tensor{numbers.data(), {1, 0}, 1, {CUPOLA_TYPE_OPAQUE, 64, 1}, shape, nullptr, 0};
  };
  session.run({tensor(a), tensor(b)}, {tensor(y)});
  EXPECT_EQ(session.readStrings(y), (std::vector<std::string>{"constant", std::string("\0", 1)}));
  EXPECT_EQ(y[0], 0); // of the package
  const auto old = errorOf([&] { session.readStrings({99}); });
  EXPECT_EQ(old.first, CUPOLA_USAGE);
  EXPECT_EQ(old.second, "element 0 is 99, which is the number of no string");
  const cupola_string missing{nullptr, 3};
  int64_t number = 0;
  EXPECT_EQ(errorOf([&] { capi::check(cupola_session_number_strings(session.get(), &missing, 1, &number)); }).first,
            CUPOLA_USAGE);
}

TEST(CApi, RunsAreQueuedAndWaitedFor) {
  const std::string bytes = packageBytes();
  cupola_session_options options{sizeof(options), nullptr, nullptr, 3};
  Session session(Executable(Package(bytes.data(), bytes.size()), Device("cpu")), &options);
  TwoRows data[4];
  data[2].ids[0] = 3; // of 3
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(session.enqueue(data[i].inputs(), data[i].outputs()), i + 1);
  EXPECT_EQ(errorOf([&] { session.wait(3); }),
            std::make_pair(CUPOLA_USAGE, std::string("nodes 'embed/Gather' (Gather), 'add' (Add): an index lies "
                                                     "outside the tensor it selects from")));
  for (uint64_t run : {4, 1, 2}) {
    session.wait(run);
    data[run - 1].expectAnswer();
  }
  EXPECT_EQ(errorOf([&] { session.wait(3); }).second, "run 3 was waited for before");
  EXPECT_EQ(errorOf([&] { session.wait(5); }).second, "there is no run 5: the last one has number 4");
  EXPECT_EQ(errorOf([&] { session.enqueue(data[0].inputs(), {}); }).second, "0 outputs were given, the model has 1");
  EXPECT_EQ(session.enqueue(data[0].inputs(), data[0].outputs()), 5u);
}

TEST(CApi, ErrorsHaveCodesAndTexts) {
  EXPECT_EQ(errorOf([] { Package package("/no/such/file"); }),
            std::make_pair(CUPOLA_IO, std::string("/no/such/file: cannot open: No such file or directory")));
  std::string damaged = packageBytes();
  damaged[300] ^= 1;
  EXPECT_EQ(errorOf([&] { Package package(damaged.data(), damaged.size()); }).first, CUPOLA_PACKAGE);
  EXPECT_EQ(errorOf([] { Device device("tpu"); }).second, "no device 'tpu'; there are auto, cuda, cpu, sim");
  EXPECT_EQ(cupola_status_code(nullptr), CUPOLA_OK);
  EXPECT_EQ(cupola_status_message(nullptr).size, 0u);
  cupola_status_release(nullptr);
}

TEST(CApi, NullIsAnErrorNotACrash) {
  const auto usage = [](cupola_status *status) {
    const bool is = cupola_status_code(status) == CUPOLA_USAGE;
    cupola_status_release(status);
    return is;
  };
  cupola_package *package = nullptr;
  cupola_tensor_info info{};
  EXPECT_TRUE(usage(cupola_package_open({"x", 1}, nullptr)));
  EXPECT_TRUE(usage(cupola_package_open({"x\0y", 3}, &package))); // to the system that is the file x
  EXPECT_TRUE(usage(cupola_package_open_memory(nullptr, 0, &package)));
  EXPECT_TRUE(usage(cupola_package_input(nullptr, 0, &info)));
  EXPECT_TRUE(usage(cupola_package_contents(nullptr, nullptr)));
  EXPECT_TRUE(usage(cupola_package_symbol(nullptr, 0, nullptr)));
  EXPECT_TRUE(usage(cupola_package_composite(nullptr, 0, nullptr)));
  EXPECT_EQ(cupola_package_composite_count(nullptr), 0u);
  EXPECT_TRUE(usage(cupola_device_create({"cpu", 3}, nullptr, nullptr)));
  EXPECT_TRUE(usage(cupola_executable_create(nullptr, nullptr, nullptr)));
  EXPECT_TRUE(usage(cupola_session_create(nullptr, nullptr, nullptr)));
  EXPECT_TRUE(usage(cupola_session_bind(nullptr, nullptr, 0)));
  EXPECT_TRUE(usage(cupola_session_run(nullptr, nullptr, 0, nullptr, 0)));
  EXPECT_TRUE(usage(cupola_session_enqueue(nullptr, nullptr, 0, nullptr, 0, nullptr)));
  EXPECT_TRUE(usage(cupola_session_wait(nullptr, 1)));
  EXPECT_TRUE(usage(cupola_session_output_shape(nullptr, 0, nullptr)));
  EXPECT_TRUE(usage(cupola_session_fetch_output(nullptr, 0, nullptr)));
  EXPECT_TRUE(usage(cupola_session_number_strings(nullptr, nullptr, 0, nullptr)));
  EXPECT_TRUE(usage(cupola_session_read_strings(nullptr, nullptr, 0, nullptr)));
  EXPECT_EQ(cupola_session_copied_tensors(nullptr), 0u);
  cupola_package_release(nullptr);
  cupola_device_release(nullptr);
  cupola_executable_release(nullptr);
  cupola_session_release(nullptr);
}

TEST(CApi, IndicesAndOrderAreChecked) {
  const std::string bytes = packageBytes();
  const Package package(bytes.data(), bytes.size());
  cupola_tensor_info info{};
  info.struct_size = sizeof(info);
  EXPECT_EQ(errorOf([&] { capi::check(cupola_package_input(package.get(), 2, &info)); }).first, CUPOLA_USAGE);
  cupola_string text{};
  EXPECT_EQ(errorOf([&] { capi::check(cupola_package_input_dim(package.get(), 0, 2, &text)); }).first, CUPOLA_USAGE);
  Session session(Executable(package, Device("cpu")));
  EXPECT_EQ(errorOf([&] { session.outputShape(0); }).second, "the session is not bound");
  EXPECT_EQ(errorOf([&] { session.bind({{2, 4}}); }).second, "1 input shapes were given, the model has 2 inputs");
}

TEST(CApi, AnOlderCallersStructIsShorter) {
  const std::string bytes = packageBytes();
  const Package package(bytes.data(), bytes.size());
  cupola_tensor_info info{};
  std::memset(static_cast<void *>(&info), 0x7f, sizeof(info));
  info.struct_size = offsetof(cupola_tensor_info, type);
  capi::check(cupola_package_input(package.get(), 0, &info));
  EXPECT_EQ(capi::text(info.name), "x");
  EXPECT_EQ(info.rank, 0x7f7f7f7f) << "written beyond the caller's struct";
}

TEST(CApi, AnAllocatorServesTheSession) {
  struct Counter {
    int live = 0, calls = 0;
  } counter;
  cupola_allocator allocator{sizeof(allocator), &counter,
                             [](void *user, size_t size) {
                               static_cast<Counter *>(user)->live++;
                               static_cast<Counter *>(user)->calls++;
                               return std::aligned_alloc(256, (size + 255) / 256 * 256);
                             },
                             [](void *user, void *memory) {
                               static_cast<Counter *>(user)->live--;
                               std::free(memory);
                             }};
  cupola_session_options options{sizeof(options), nullptr, &allocator, 0};
  {
    const std::string bytes = packageBytes();
    Session session(Executable(Package(bytes.data(), bytes.size()), Device("cpu")), &options);
    TwoRows data;
    session.run(data.inputs(), data.outputs());
    data.expectAnswer();
    EXPECT_GE(counter.calls, 1);
  }
  EXPECT_EQ(counter.live, 0);
}

} // namespace cupola
