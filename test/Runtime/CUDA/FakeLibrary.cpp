//===- test/Runtime/CUDA/FakeLibrary.cpp - the fake driver as libcuda.so.1 ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For processes that look for a driver by its file. Every kernel is y[i] = x[i] + 1, with the
// parameters of a pointwise kernel with one input, one output and one dynamic extent. The functions named fake_* are
// for the test, which has the device's memory by them and asks at the end what was done wrong.
#include "test/Runtime/CUDA/FakeDriver.h"
#include "test/Runtime/CUDA/FakeParameters.h"

#include <algorithm>
#include <cstring>

using namespace cupola::runtime::cuda;

namespace {

void increment(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  for (int64_t i = 0; i < std::min(p.scalar(3), p.threads()); ++i)
    p.buffer<float>(1)[i] = p.buffer<float>(0)[i] + 1;
}

/// Lives as long as the process, as a driver does.
FakeDriver &driver() {
  static FakeDriver *const fake = [] {
    auto *made = new FakeDriver;
    made->otherKernels = {increment, {8, 8, 8, 4, 4}};
    made->imagePrefix = "\x7f"
                        "ELF";
    return made;
  }();
  return *fake;
}

DriverApi &table() {
  static DriverApi api = (driver(), FakeDriver::table());
  return api;
}

/// Calls of the test have a context, too.
template <typename Call> void withContext(Call call) {
  CuContext context = nullptr;
  table().devicePrimaryCtxRetain(&context, 0);
  table().ctxPushCurrent(context);
  call();
  table().ctxPopCurrent(&context);
  table().devicePrimaryCtxRelease(0);
}

} // namespace

extern "C" {

CuResult cuDriverGetVersion(int *version) { return table().driverGetVersion(version); }

CuResult cuGetProcAddress_v2(const char *name, void **address, int, uint64_t, int *) {
  for (const DriverSymbol &row : driverSymbols)
    if (std::strcmp(row.name, name) == 0) {
      *address = *reinterpret_cast<void **>(reinterpret_cast<char *>(&table()) + row.offset);
      return cuSuccess;
    }
  return 500;
}

/// Memory of the device, which the host reaches, too; never given back.
CuPointer fake_allocate(size_t bytes) {
  CuPointer address = 0;
  withContext([&] { table().memAlloc(&address, bytes); });
  return address;
}

CuStream fake_stream() {
  CuStream stream = nullptr;
  withContext([&] { table().streamCreate(&stream, 0); });
  return stream;
}

uint64_t fake_count(const char *call) { return driver().count(call); }

uint64_t fake_copied_bytes() { return driver().copiedBytes; }

/// All that was wrong, one a line.
const char *fake_violations() {
  static std::string text;
  text.clear();
  for (const std::string &violation : driver().violations)
    text += violation + "\n";
  return text.c_str();
}
}
