//===- lib/Runtime/DeviceList.cpp - What devices this machine has, or why not ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/DeviceList.h"
#include "lib/Runtime/CUDA/Driver.h"
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Format/GpuArch.h"

namespace cupola::runtime {

namespace {

DeviceInfo missing(const char *name, const std::string &reason) {
  DeviceInfo info;
  info.name = name;
  info.reason = reason;
  return info;
}

DeviceInfo describe(const char *name) {
  DeviceOptions options;
  options.cacheDir = "none";
  const Result<std::shared_ptr<Device>> device = createDevice(name, options);
  if (device.failed())
    return missing(name, device.status().message());
  const DeviceProperties &facts = (*device)->properties();
  return {facts.name, 0, facts.arch, facts.description, facts.totalBytes, "", ""};
}

DeviceInfo describeGpu(const cuda::Driver &driver, int ordinal) {
  const cuda::DriverApi &api = driver.api();
  cuda::CuDevice device = 0;
  char name[256] = {};
  size_t bytes = 0;
  int major = 0, minor = 0;
  cuda::CuResult code = api.deviceGet(&device, ordinal);
  if (code == cuda::cuSuccess)
    code = api.deviceGetName(name, sizeof(name) - 1, device);
  if (code == cuda::cuSuccess)
    code = api.deviceTotalMem(&bytes, device);
  if (code == cuda::cuSuccess)
    code = api.deviceGetAttribute(&major, cuda::cuAttributeCapabilityMajor, device);
  if (code == cuda::cuSuccess)
    code = api.deviceGetAttribute(&minor, cuda::cuAttributeCapabilityMinor, device);
  DeviceInfo info{"cuda", ordinal, "", "", 0, cuda::versionText(driver.version()), ""};
  if (code != cuda::cuSuccess) {
    info.reason = "the driver does not describe it: " + driver.describe(code);
    return info;
  }
  info.arch = GpuArch{major * 10 + minor}.text();
  info.description = name;
  info.memoryBytes = bytes;
  return info;
}

} // namespace

std::vector<DeviceInfo> listGpus(const cuda::Driver &driver) {
  int count = 0;
  const cuda::CuResult code = driver.api().deviceGetCount(&count);
  if (code != cuda::cuSuccess || count <= 0) {
    DeviceInfo none = missing("cuda", code == cuda::cuSuccess ? "the driver finds no GPU"
                                                              : "the driver counts no GPUs: " + driver.describe(code));
    none.driver = cuda::versionText(driver.version());
    return {none};
  }
  std::vector<DeviceInfo> list;
  for (int ordinal = 0; ordinal < count; ++ordinal)
    list.push_back(describeGpu(driver, ordinal));
  return list;
}

std::vector<DeviceInfo> listDevices() {
  std::vector<DeviceInfo> list = {describe("cpu")};
  const Result<std::shared_ptr<cuda::Driver>> driver = cuda::Driver::load();
  if (driver.failed())
    list.push_back(missing("cuda", driver.status().message()));
  else
    for (DeviceInfo &gpu : listGpus(**driver))
      list.push_back(std::move(gpu));
  list.push_back(describe("sim"));
  return list;
}

} // namespace cupola::runtime
