//===- lib/Runtime/Device.cpp - Makes devices by name ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Device.h"
#include "lib/Runtime/CPU/CpuDevice.h"
#include "lib/Runtime/CUDA/CudaDevice.h"

#include <dlfcn.h>

namespace cupola::runtime {

namespace {

/// Found through the run path of the library or tool that this code is in.
constexpr const char *kSimulatorLibrary = "libcupola_sim.so";

Result<std::shared_ptr<Device>> createSimulator(const DeviceOptions &options) {
  // Never closed: devices and their code may live until the process ends.
  void *library = ::dlopen(kSimulatorLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status::environment(std::string("no device 'sim': ") + ::dlerror());
  const auto entry = reinterpret_cast<DevicePluginEntry>(::dlsym(library, "cupola_device_plugin"));
  if (!entry)
    return Status::environment(std::string(kSimulatorLibrary) + " is no device plug-in");
  const DevicePlugin *plugin = entry();
  if (plugin->abi != kPluginAbi)
    return Status::environment(std::string(kSimulatorLibrary) + " has plug-in interface " +
                               std::to_string(plugin->abi) + ", this runtime " + std::to_string(kPluginAbi));
  std::unique_ptr<Device> device;
  CUPOLA_TRY(plugin->create(options, device));
  return std::shared_ptr<Device>(std::move(device));
}

Result<std::shared_ptr<Device>> createAny(const DeviceOptions &options) {
  Result<std::shared_ptr<Device>> cuda = createCudaDevice(options);
  if (cuda.isOk() || cuda.status().code() != Code::Environment)
    return cuda;
  return createCpuDevice(options);
}

struct DeviceRow {
  const char *name;
  Result<std::shared_ptr<Device>> (*create)(const DeviceOptions &);
};

constexpr DeviceRow kDevices[] = {
    {"auto", createAny},
    {"cuda", createCudaDevice},
    {"cpu", createCpuDevice},
    {"sim", createSimulator},
};

} // namespace

Result<std::shared_ptr<Device>> createDevice(const std::string &name, const DeviceOptions &options) {
  std::string known;
  for (const DeviceRow &row : kDevices) {
    if (name == row.name) {
      Result<std::shared_ptr<Device>> device = row.create(options);
      if (device.isOk())
        (*device)->progress = options.progress;
      return device;
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return Status::usage("no device '" + name + "'; there are " + known);
}

} // namespace cupola::runtime
