//===- test/Runtime/CUDA/FakeWork.cpp - the fake driver's modules, launches, streams and graphs ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/FakeCalls.h"

#include <cstring>
#include <utility>

namespace cupola::runtime::cuda {

/// Held against what the device and the driver can do.
FakeLaunch FakeCalls::readLaunch(const CuLaunchConfig &config) {
  FakeLaunch launch;
  launch.grid = {config.gridX, config.gridY, config.gridZ};
  if (config.gridX == 0 || config.gridX > 0x7fffffff || config.gridY == 0 || config.gridY > 65535 ||
      config.gridZ == 0 || config.gridZ > 65535)
    self().violation("cuLaunchKernelEx with a grid that no launch has");
  for (unsigned i = 0; i < config.attributeCount; ++i) {
    const CuLaunchAttribute &attribute = config.attributes[i];
    if (self().capability < 90 && attribute.id != cuLaunchCooperative)
      self().violation("cuLaunchKernelEx with an attribute that the GPU does not know");
    if (attribute.id == cuLaunchClusterDimension) {
      launch.cluster = attribute.value.cluster.x;
      if (launch.cluster == 0 || launch.cluster > 8 || config.gridX % launch.cluster != 0 ||
          attribute.value.cluster.y != 1 || attribute.value.cluster.z != 1)
        self().violation("cuLaunchKernelEx with a grid that does not make clusters");
    } else if (attribute.id == cuLaunchProgrammaticSerialization) {
      launch.programmatic = attribute.value.flag == 1;
      if (capturing() && self().version < 12030)
        self().violation("a driver before CUDA 12.3 does not capture a programmatic launch");
    } else if (attribute.id == cuLaunchCooperative) {
      launch.cooperative = attribute.value.flag == 1;
    } else {
      self().violation("cuLaunchKernelEx with an unknown attribute");
    }
  }
  if (launch.cooperative && (launch.cluster != 0 || launch.programmatic))
    self().violation("cuLaunchKernelEx of a cooperative kernel with another attribute");
  return launch;
}

void FakeCalls::fillModules(DriverApi &api) {
  api.libraryLoadData = [](CuLibrary *library, const void *image, void *, void *, unsigned, void *, void *, unsigned) {
    forbidInCapture("cuLibraryLoadData");
    CuResult code = self().enter("cuLibraryLoadData");
    const auto startsWith = [&](const std::string &prefix) {
      return std::memcmp(image, prefix.data(), prefix.size()) == 0;
    };
    if (code == cuSuccess && !startsWith(self().imagePrefix) && !startsWith(".version")) // PTX
      code = cuInvalidImage;
    return make<Library>(code, self().libraries, library);
  };
  api.libraryUnload = [](CuLibrary library) {
    forbidWhileQueued("cuLibraryUnload");
    return drop(self().enter("cuLibraryUnload"), self().libraries, library, "cuLibraryUnload");
  };
  api.libraryGetKernel = [](CuKernel *kernel, CuLibrary library, const char *name) {
    if (const CuResult code = self().enter("cuLibraryGetKernel"))
      return code;
    auto row = self().kernels.find(name);
    FakeKernelRow *found = row != self().kernels.end() ? &row->second : &self().otherKernels;
    if (!exists(self().libraries, library, "cuLibraryGetKernel") || !found->run)
      return CuResult(500);
    *kernel = reinterpret_cast<CuKernel>(found);
    return CuResult(cuSuccess);
  };
  api.kernelGetFunction = [](CuFunction *function, CuKernel kernel) {
    *function = reinterpret_cast<CuFunction>(kernel);
    return self().enter("cuKernelGetFunction");
  };
  api.kernelSetAttribute = [](CuFunctionAttribute attribute, int value, CuKernel, CuDevice) {
    if (attribute != cuFunctionMaxDynamicShared || value > self().sharedBytes)
      self().violation("cuKernelSetAttribute beyond the device");
    return self().enter("cuKernelSetAttribute");
  };
  api.launchKernelEx = [](const CuLaunchConfig *config, CuFunction function, void **parameters, void **) {
    if (const CuResult code = self().enter("cuLaunchKernelEx"))
      return code;
    if (self().libraries.empty() || config->blockX == 0 || config->blockX > 1024)
      self().violation("cuLaunchKernelEx with a bad configuration");
    const FakeLaunch launch = readLaunch(*config);
    if (launch.cooperative && uint64_t(config->gridX) * config->gridY * config->gridZ > self().blocksAtOnce)
      return CuResult(cuCooperativeLaunchTooLarge);
    self().launches.push_back(launch);
    const auto *row = reinterpret_cast<const FakeKernelRow *>(function);
    // The values are copied now, as the driver does.
    std::vector<std::vector<char>> values;
    for (size_t i = 0; i < row->parameterBytes.size(); ++i) {
      const char *from = static_cast<const char *>(parameters[i]);
      values.emplace_back(from, from + row->parameterBytes[i]);
    }
    return self().submit(config->stream, [row, values, config = *config]() mutable {
      config.attributes = nullptr; // the caller's
      std::vector<void *> pointers;
      for (std::vector<char> &value : values)
        pointers.push_back(value.data());
      row->run(config, pointers.data());
      self().clock += 1;
    });
  };
}

void FakeCalls::fillStreams(DriverApi &api) {
  api.streamCreate = [](CuStream *stream, unsigned) {
    return make<Stream>(self().enter("cuStreamCreate"), self().streams, stream);
  };
  api.streamDestroy = [](CuStream stream) {
    return drop(self().enter("cuStreamDestroy"), self().streams, stream, "cuStreamDestroy");
  };
  api.streamSynchronize = [](CuStream stream) {
    forbidInCapture("cuStreamSynchronize");
    const CuResult code = self().enter("cuStreamSynchronize");
    if (exists(self().streams, stream, "cuStreamSynchronize"))
      self().drain(*reinterpret_cast<Stream *>(stream));
    return code;
  };
  api.eventCreate = [](CuEvent *event, unsigned flags) {
    const CuResult code = make<Event>(self().enter("cuEventCreate"), self().events, event);
    if (code == cuSuccess)
      reinterpret_cast<Event *>(*event)->timed = (flags & cuEventDisableTiming) == 0;
    return code;
  };
  api.eventDestroy = [](CuEvent event) {
    return drop(self().enter("cuEventDestroy"), self().events, event, "cuEventDestroy");
  };
  api.eventRecord = [](CuEvent handle, CuStream stream) {
    if (const CuResult code = self().enter("cuEventRecord"))
      return code;
    if (!exists(self().events, handle, "cuEventRecord"))
      return CuResult(400);
    auto *event = reinterpret_cast<Event *>(handle);
    auto reached = event->reached = std::make_shared<bool>(false);
    event->stream = reinterpret_cast<Stream *>(stream);
    auto at = event->at = std::make_shared<float>(0);
    return self().submit(stream, [reached, at] {
      *reached = true;
      *at = self().clock;
    });
  };
  api.eventElapsedTime = [](float *milliseconds, CuEvent from, CuEvent to) {
    if (const CuResult code = self().enter("cuEventElapsedTime"))
      return code;
    const auto *earlier = reinterpret_cast<Event *>(from), *later = reinterpret_cast<Event *>(to);
    for (const Event *event : {earlier, later})
      if (!event->timed || !event->reached || !*event->reached)
        self().violation("cuEventElapsedTime of an event that has no time");
    *milliseconds = *later->at - *earlier->at;
    return CuResult(cuSuccess);
  };
  api.eventSynchronize = [](CuEvent handle) {
    const CuResult code = self().enter("cuEventSynchronize");
    auto *event = reinterpret_cast<Event *>(handle);
    // Only what stands before the event has to have happened.
    while (exists(self().events, handle, "cuEventSynchronize") && event->reached && !*event->reached) {
      FakeDriver::Work work = std::move(event->stream->queue.front());
      event->stream->queue.pop_front();
      work();
    }
    return code;
  };
}

void FakeCalls::fillGraphs(DriverApi &api) {
  api.streamBeginCapture = [](CuStream stream, CuCaptureMode) {
    CuResult code = self().enter("cuStreamBeginCapture");
    if (code == cuSuccess && exists(self().streams, stream, "cuStreamBeginCapture")) {
      CuGraph graph = nullptr;
      code = make<Graph>(code, self().graphs, &graph);
      reinterpret_cast<Stream *>(stream)->capture = reinterpret_cast<Graph *>(graph);
      reinterpret_cast<Stream *>(stream)->follows = 0;
    }
    return code;
  };
  api.streamEndCapture = [](CuStream handle, CuGraph *graph) {
    const CuResult code = self().enter("cuStreamEndCapture");
    auto *stream = reinterpret_cast<Stream *>(handle);
    if (!exists(self().streams, stream, "cuStreamEndCapture") || !stream->capture)
      return CuResult(903);
    for (const auto &[key, other] : self().streams)
      if (other->capture && other->capture->parent == stream->capture)
        self().violation("cuStreamEndCapture while the body of a node is captured");
    Graph *made = std::exchange(stream->capture, nullptr);
    made->isWhole = true;
    if (code == cuSuccess)
      *graph = reinterpret_cast<CuGraph>(made);
    else if (!made->parent)
      self().graphs.erase(made);
    return code;
  };
  api.graphInstantiateWithFlags = [](CuGraphExec *executable, CuGraph graph, unsigned long long) {
    const CuResult code = make<Graph>(self().enter("cuGraphInstantiateWithFlags"), self().executables, executable);
    if (code == cuSuccess && exists(self().graphs, graph, "cuGraphInstantiateWithFlags")) {
      reinterpret_cast<Graph *>(*executable)->work = reinterpret_cast<Graph *>(graph)->work;
      reinterpret_cast<Graph *>(*executable)->values = reinterpret_cast<Graph *>(graph)->values;
    }
    return code;
  };
  api.graphLaunch = [](CuGraphExec executable, CuStream stream) {
    if (const CuResult code = self().enter("cuGraphLaunch"))
      return code;
    if (!exists(self().executables, executable, "cuGraphLaunch"))
      return CuResult(400);
    const auto *graph = reinterpret_cast<Graph *>(executable);
    for (const FakeDriver::Value &value : graph->values)
      (void)self().submit(stream, [value] { *value = 0; });
    for (const FakeDriver::Work &work : graph->work)
      if (const CuResult code = self().submit(stream, work))
        return code;
    ++*graph->queued;
    return self().submit(stream, [queued = graph->queued] { --*queued; });
  };
  api.graphExecDestroy = [](CuGraphExec executable) {
    if (exists(self().executables, executable, "cuGraphExecDestroy") &&
        *reinterpret_cast<Graph *>(executable)->queued > 0 && self().lost == cuSuccess)
      self().violation("cuGraphExecDestroy of a graph under way");
    return drop(self().enter("cuGraphExecDestroy"), self().executables, executable, "cuGraphExecDestroy");
  };
  api.graphDestroy = [](CuGraph graph) {
    return drop(self().enter("cuGraphDestroy"), self().graphs, graph, "cuGraphDestroy");
  };
}
} // namespace cupola::runtime::cuda
