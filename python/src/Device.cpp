//===- python/src/Device.cpp - Devices, bound ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Runtime.hpp"
#include "python/src/Bindings.h"
#include "python/src/Errors.h"

#include <memory>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cupola::python {

static std::unique_ptr<Device> deviceOf(std::string_view name, std::string_view arch, int32_t ordinal, uint32_t threads,
                                        std::string_view cacheDir) {
  const cupola_device_options options{sizeof(options), capi::string(arch), ordinal, threads, capi::string(cacheDir)};
  nb::gil_scoped_release release;
  return std::make_unique<Device>(name, &options);
}

void bindDevice(nb::module_ &module) {
  nb::class_<Device>(module, "Device", "A device; shared by what is made for it.")
      .def_static("create", deviceOf, nb::arg("name"), nb::arg("arch"), nb::arg("ordinal"), nb::arg("threads"),
                  nb::arg("cache_dir"))
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("arch", &Device::arch);

  nb::class_<DeviceInfo>(module, "DeviceInfo", "cupola_device_info")
      .def_prop_ro("name", [](const DeviceInfo &info) { return textOf(info.name); })
      .def_ro("ordinal", &DeviceInfo::ordinal)
      .def_prop_ro("arch", [](const DeviceInfo &info) { return textOf(info.arch); })
      .def_prop_ro("description", [](const DeviceInfo &info) { return textOf(info.description); })
      .def_ro("memory_bytes", &DeviceInfo::memoryBytes)
      .def_prop_ro("driver", [](const DeviceInfo &info) { return textOf(info.driver); })
      .def_prop_ro("reason", [](const DeviceInfo &info) { return textOf(info.reason); });

  module.def("devices", listDevices, nb::call_guard<nb::gil_scoped_release>(),
             "The processor, the GPUs, the simulator, or why one is not there.");
}

} // namespace cupola::python
