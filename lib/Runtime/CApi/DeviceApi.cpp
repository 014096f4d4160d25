//===- lib/Runtime/CApi/DeviceApi.cpp - The C functions of devices ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CApi/Handles.h"
#include "lib/Runtime/DeviceList.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::capi;

struct cupola_device_list {
  std::vector<DeviceInfo> devices;
};

extern "C" {

cupola_status *cupola_device_create(cupola_string name, const cupola_device_options *options, cupola_device **device) {
  return guarded({device}, [&] {
    const cupola_device_options known = versioned(options);
    DeviceOptions chosen;
    std::string kind;
    CUPOLA_TRY(toText(name, kind));
    CUPOLA_TRY(toText(known.arch, chosen.arch));
    CUPOLA_TRY(toText(known.cache_dir, chosen.cacheDir));
    chosen.ordinal = known.ordinal;
    chosen.threads = known.threads;
    CUPOLA_ASSIGN(std::shared_ptr<Device> made, createDevice(kind, chosen));
    *device = new cupola_device{std::move(made), known.ordinal};
    return Status::ok();
  });
}

cupola_string cupola_device_name(const cupola_device *device) {
  return device ? string(device->device->properties().name) : string("");
}

cupola_string cupola_device_arch(const cupola_device *device) {
  return device ? string(device->device->properties().arch) : string("");
}

void cupola_device_release(cupola_device *device) { delete device; }

cupola_status *cupola_device_list_create(cupola_device_list **list) {
  return guarded({list}, [&] {
    *list = new cupola_device_list{listDevices()};
    return Status::ok();
  });
}

size_t cupola_device_list_count(const cupola_device_list *list) { return list ? list->devices.size() : 0; }

cupola_status *cupola_device_list_get(const cupola_device_list *list, size_t index, cupola_device_info *info) {
  return guarded({list, info}, [&] {
    if (index >= list->devices.size())
      return Status::usage("device " + std::to_string(index) + " of " + std::to_string(list->devices.size()));
    const DeviceInfo &device = list->devices[index];
    giveVersioned(cupola_device_info{0, string(device.name), device.ordinal, string(device.arch),
                                     string(device.description), device.memoryBytes, string(device.driver),
                                     string(device.reason)},
                  info);
    return Status::ok();
  });
}

void cupola_device_list_release(cupola_device_list *list) { delete list; }

} // extern "C"
