//===- lib/Sim/Launch.h - Loading a module and running its kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_LAUNCH_H
#define CUPOLA_LIB_SIM_LAUNCH_H

#include "lib/Runtime/Status.h"
#include "lib/Sim/Memory.h"
#include "lib/Sim/Traffic.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::sim {

/// A kernel's entry point in a loaded module.
struct KernelEntry {
  std::string name;
  void (*call)(void *const *arguments) = nullptr;
  int parameters = 0;
};

/// A compiled module in memory. It stays loaded until the object dies.
class LoadedModule {
public:
  ~LoadedModule();
  static Result<std::unique_ptr<LoadedModule>> load(std::string_view image);
  Result<KernelEntry> find(const std::string &kernel) const;

private:
  int file = -1;
  void *handle = nullptr;
};

/// A buffer that the kernel may use.
struct LaunchBuffer {
  uintptr_t address;
  uint64_t bytes;
  bool writable;
  bool isNamed = false; ///< by its address, not through the bindings table: it is the same in all runs
};

struct LaunchRequest {
  const KernelEntry *kernel = nullptr;
  uint32_t grid = 0, gridY = 1, gridZ = 1; ///< blocks along x, y and z
  uint32_t cluster = 0;                    ///< blocks along x that run together; at most 1: none
  bool programmatic = false;               ///< the kernel itself waits for the work queued before it
  bool cooperative = false;                ///< all blocks run at the same time and meet at barriers of the grid
  uint32_t threads = 0;
  uint64_t sharedBytes = 0;
  std::vector<void *> arguments;     ///< addresses of the kernel's arguments
  std::vector<LaunchBuffer> buffers; ///< in the order of the kernel's parameters
  uintptr_t bindings = 0;            ///< the bindings table; its word 0 names the flag block
  uint64_t bindingsBytes = 0;
  uint64_t seed = 0; ///< 0: fixed order of threads and blocks, else a random one
};

/// Runs all blocks with all checks. The error's text has a line per finding. `counts` is added to either way.
Status runLaunch(const LaunchRequest &request, Memory &memory, TrafficCounts &counts);

} // namespace cupola::sim

#endif
