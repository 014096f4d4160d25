//===- lib/Runtime/DeviceList.h - What devices this machine has, or why not ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_DEVICELIST_H
#define CUPOLA_LIB_RUNTIME_DEVICELIST_H

#include <cstdint>
#include <string>
#include <vector>

namespace cupola::runtime {

struct DeviceInfo {
  std::string name;         ///< "cpu", "cuda" or "sim"
  int ordinal = 0;          ///< cuda: which GPU
  std::string arch;         ///< "x86-64-v4": it runs code of the lower levels, too; "sm_90"
  std::string description;  ///< "NVIDIA H200", "16 threads"
  uint64_t memoryBytes = 0; ///< of cpu and sim: the machine's
  std::string driver;       ///< cuda: the newest CUDA that it knows, "12.4"
  std::string reason;       ///< why it is not there; then all but the name, and the driver if there is one, is empty
};

namespace cuda {
class Driver;
}

/// One row per GPU, or one with the reason why there is none. Makes no context, which would take memory of the GPU.
std::vector<DeviceInfo> listGpus(const cuda::Driver &driver);

/// The processor, every GPU (one row with the reason where there is none), the simulator.
std::vector<DeviceInfo> listDevices();

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_DEVICELIST_H
