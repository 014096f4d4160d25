//===- lib/Runtime/CPU/CpuDevice.h - The processor as a device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_CPUDEVICE_H
#define CUPOLA_LIB_RUNTIME_CPU_CPUDEVICE_H

#include "lib/Runtime/Device.h"

namespace cupola::runtime {

/// Runs the cpu variants' object images on a thread pool. Streams execute at
/// once; `synchronize` has nothing to wait for.
Result<std::shared_ptr<Device>> createCpuDevice(const DeviceOptions &options);

/// The kernel ABI of object images: iterations [begin, end) of the grid, with
/// `scratch` of the kernel's size, 64-byte aligned, for this thread alone.
/// `args` holds the resolved buffer addresses, the slots, then the step.
using CpuKernel = void (*)(const uint64_t *bindings, const uint64_t *args, int64_t begin, int64_t end, void *scratch);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_CPUDEVICE_H
