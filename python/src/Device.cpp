//===- python/src/Device.cpp - Devices, bound ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Runtime.hpp"
#include "python/src/Bindings.h"

#include <memory>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

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
}

} // namespace cupola::python
