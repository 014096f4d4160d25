//===- test/Runtime/CUDA/FakeCalls.h - what the functions of the fake driver share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_FAKECALLS_H
#define CUPOLA_TEST_RUNTIME_CUDA_FAKECALLS_H

#include "test/Runtime/CUDA/FakeDriver.h"

#include <cstdlib>

namespace cupola::runtime::cuda {

/// The functions of the table, grouped as in DriverApi.
struct FakeCalls {
  using Stream = FakeDriver::Stream;
  using Event = FakeDriver::Event;
  using Graph = FakeDriver::Graph;
  using Library = FakeDriver::Library;
  static FakeDriver &self() { return *FakeDriver::current; }

  template <typename Object, typename Handle, typename Map>
  static CuResult make(CuResult code, Map &map, Handle *handle) {
    if (code != cuSuccess)
      return code;
    auto object = std::make_unique<Object>();
    *handle = reinterpret_cast<Handle>(object.get());
    map.emplace(object.get(), std::move(object));
    return cuSuccess;
  }

  /// Gives an object back, also when the call then says that it failed.
  template <typename Map, typename Handle>
  static CuResult drop(CuResult code, Map &map, Handle handle, const char *name) {
    if (map.erase((typename Map::key_type)(handle)) == 0)
      self().violation(std::string(name) + " of what does not exist");
    return code;
  }

  template <typename Map> static bool exists(Map &map, const void *handle, const char *name) {
    const bool found = map.count(static_cast<typename Map::key_type>(const_cast<void *>(handle))) > 0;
    if (!found)
      self().violation(std::string(name) + " of what does not exist");
    return found;
  }

  static bool capturing() {
    for (const auto &[key, stream] : self().streams)
      if (stream->capture)
        return true;
    return false;
  }

  // For libraries on top of the driver.
  static bool hasContext() { return !self().contexts.empty(); }
  static bool inAllocation(CuPointer address, size_t bytes) { return self().inAllocation(address, bytes); }
  static CuResult submit(CuStream stream, FakeDriver::Work work) { return self().submit(stream, std::move(work)); }

  static void forbidInCapture(const char *name) {
    if (capturing())
      self().violation(std::string(name) + " during capture");
  }

  /// A driver would wait for the device; Device::free is not to rely on that.
  static void forbidWhileQueued(const char *name) {
    for (const auto &[key, stream] : self().streams) {
      if (!stream->queue.empty() && self().lost == cuSuccess)
        self().violation(std::string(name) + " while work is queued");
      self().drain(*stream);
    }
  }

  template <typename Map, typename Key> static CuResult release(const char *name, Map &map, Key address) {
    forbidWhileQueued(name);
    const CuResult code = self().enter(name);
    auto it = map.find(address);
    if (it == map.end()) {
      self().violation(std::string(name) + " of what was not allocated");
      return 1;
    }
    self().usedBytes -= it->second;
    std::free(reinterpret_cast<void *>(address));
    map.erase(it);
    return code;
  }

  static CuResult allocate(const char *name, size_t bytes, void **address);
  static CuResult queueCopy(const char *name, CuPointer target, CuPointer source, size_t bytes, bool targetOnDevice,
                            bool sourceOnDevice, CuStream stream);

  static void fillDevice(DriverApi &api);
  static void fillMemory(DriverApi &api);
  static void fillVirtualMemory(DriverApi &api);
  static FakeLaunch readLaunch(const CuLaunchConfig &config);
  static void fillModules(DriverApi &api);
  static void fillTensorMaps(DriverApi &api);
  static void fillStreams(DriverApi &api);
  static void fillGraphs(DriverApi &api);
  static void fillConditionals(DriverApi &api);
  static FakeKernelRow decideRow();
  static void run(const Graph &graph);
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_FAKECALLS_H
