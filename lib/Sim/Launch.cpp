//===- lib/Sim/Launch.cpp - Loading a module and running its kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Launch.h"

#include "lib/Sim/Regions.h"
#include "lib/Sim/Together.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

namespace cupola::sim {

LoadedModule::~LoadedModule() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

Result<std::unique_ptr<LoadedModule>> LoadedModule::load(std::string_view image) {
  auto module = std::make_unique<LoadedModule>();
  module->file = memfd_create("kernels", MFD_CLOEXEC);
  if (module->file < 0)
    return Status::environment(std::string("cannot make a file for simulated kernels: ") + std::strerror(errno));
  for (size_t at = 0; at < image.size();) {
    const ssize_t count = write(module->file, image.data() + at, image.size() - at);
    if (count < 0)
      return Status::environment(std::string("cannot write simulated kernels: ") + std::strerror(errno));
    at += static_cast<size_t>(count);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(module->file);
  module->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module->handle)
    return Status::environment(std::string("cannot load simulated kernels: ") + dlerror());
  return module;
}

Result<KernelEntry> LoadedModule::find(const std::string &kernel) const {
  KernelEntry entry;
  entry.name = kernel;
  void *call = dlsym(handle, ("cupola_sim_entry_" + kernel).c_str());
  const void *parameters = dlsym(handle, ("cupola_sim_parameters_" + kernel).c_str());
  if (!call || !parameters)
    return Status::environment("the compiled module lacks kernel " + kernel);
  entry.call = reinterpret_cast<void (*)(void *const *)>(call);
  entry.parameters = *static_cast<const int *>(parameters);
  return entry;
}

namespace {

std::mutex launchMutex; // `machine` is one

constexpr uint64_t kFlagBytes = 64;

std::vector<Region::Part> listParts(const LaunchRequest &request) {
  std::vector<Region::Part> parts;
  for (size_t i = 0; i < request.buffers.size(); ++i) {
    const LaunchBuffer &b = request.buffers[i];
    parts.push_back({b.address, b.address + b.bytes, static_cast<int>(i), b.writable, b.isNamed});
  }
  if (!request.bindings)
    return parts;
  parts.push_back({request.bindings, request.bindings + request.bindingsBytes, -1, false});
  const uintptr_t flags = *reinterpret_cast<const uint64_t *>(request.bindings);
  if (flags)
    parts.push_back({flags, flags + kFlagBytes, -2, true});
  return parts;
}

/// 1024-aligned memory for the blocks of the largest cluster.
bool prepareShared() {
  if (machine.allShared)
    return true;
  void *memory = mmap(nullptr, kMaxSharedBytes * kMaxCluster + 65536, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  machine.allShared = (reinterpret_cast<uintptr_t>(memory) + 1023) / 1024 * 1024;
  return true;
}

uint32_t clusterOf(const LaunchRequest &request) { return std::max(request.cluster, 1u); }
uint64_t countSerials(const LaunchRequest &request) {
  return uint64_t(request.grid / clusterOf(request)) * request.gridY * request.gridZ;
}

uint64_t reservedSerials(const LaunchRequest &request) {
  return request.cooperative ? kSerialsTogether : countSerials(request);
}

Status checkTogether(const LaunchRequest &request) {
  if (!request.cooperative)
    return {};
  if (clusterOf(request) > 1)
    return Status::limit("the simulator runs no cooperative launches of clusters; kernel " + request.kernel->name +
                         " has clusters of " + std::to_string(request.cluster));
  const uint64_t blocks = countSerials(request);
  if (blocks * request.threads > kMostTogether)
    return Status::limit("the simulator runs at most " + std::to_string(kMostTogether) +
                         " threads at the same time; kernel " + request.kernel->name + " has " +
                         std::to_string(blocks) + " blocks of " + std::to_string(request.threads));
  return {};
}

Status checkRequest(const LaunchRequest &request) {
  const uint32_t cluster = clusterOf(request);
  if (request.threads == 0 || request.threads > kMaxThreads || request.sharedBytes > kMaxSharedBytes)
    return Status::usage("a block of " + std::to_string(request.threads) + " threads and " +
                         std::to_string(request.sharedBytes) + " bytes of shared memory is not possible");
  if (cluster > kMaxCluster || request.grid % cluster != 0)
    return Status::usage("a grid of " + std::to_string(request.grid) + " blocks along x in clusters of " +
                         std::to_string(cluster) + " is not possible");
  if (cluster * request.threads > kMaxThreads)
    return Status::limit("the simulator runs clusters of at most " + std::to_string(kMaxThreads) + " threads; kernel " +
                         request.kernel->name + " has " + std::to_string(cluster * request.threads));
  if (countSerials(request) >= kMaxBlockSerial)
    return Status::limit("the simulator runs grids of less than " + std::to_string(kMaxBlockSerial) + " blocks");
  return checkTogether(request);
}

Status prepareMachine(const LaunchRequest &request, Memory &memory) {
  const uint32_t cluster = clusterOf(request), threads = cluster * request.threads;
  const uint64_t stacks = request.cooperative ? countSerials(request) * threads : threads;
  if (!prepareShared() || !machine.stacks.reserve(stacks))
    return Status::environment("no memory for the stacks of " + std::to_string(stacks) + " simulated threads");
  if (machine.nextSerial + reservedSerials(request) > kMaxBlockSerial) {
    machine.nextSerial = 1;
    machine.cellPool.clear();
    machine.allSharedCells.clear();
  }
  machine.launchStart = makeStamp(machine.nextSerial, 0, 0);
  machine.sharedBytes = request.sharedBytes;
  machine.sharedShift = 2;
  machine.allSharedCells.resize(cluster * kMaxSharedBytes / 4);
  machine.grid[0] = request.grid, machine.grid[1] = request.gridY, machine.grid[2] = request.gridZ;
  machine.cluster = cluster;
  machine.isProgrammatic = request.programmatic;
  machine.isTogether = request.cooperative;
  machine.firstStack = 0;
  machine.threadCount = request.threads;
  machine.blocks.resize(cluster);
  machine.threads.resize(threads);
  machine.warps.resize(size_t(cluster) * ((request.threads + kWarpLanes - 1) / kWarpLanes));
  machine.memory = &memory;
  machine.entry = request.kernel->call;
  machine.arguments = request.arguments.data();
  machine.random = request.seed * 0x9e3779b97f4a7c15ull;
  machine.abandoned = false;
  machine.reports = Reports();
  machine.order.beginLaunch();
  machine.traffic.begin(threads);
  buildRegions(listParts(request));
  for (const Region &region : machine.regions)
    machine.traffic.addRange(region.begin, region.end);
  return {};
}

std::vector<uint32_t> makeBlockOrder(const LaunchRequest &request) {
  std::vector<uint32_t> order(countSerials(request));
  std::iota(order.begin(), order.end(), 0u);
  uint64_t random = request.seed * 0x2545f4914f6cdd1dull;
  if (random)
    for (size_t i = order.size(); i > 1; --i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(order[i - 1], order[(random >> 33) % i]);
    }
  return order;
}

void runBlocks() {
  if (machine.isTogether)
    return runTogether();
  for (uint32_t block : machine.blockOrder) {
    beginBlocks(block);
    if (!runReady())
      break;
  }
}

void addCounts(TrafficCounts &to, const TrafficCounts &from) {
  ++to.launches;
  to.blocks += from.blocks;
  to.barriers += from.barriers;
  to.bytesRead += from.bytesRead;
  to.bytesWritten += from.bytesWritten;
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.distinctSectors += from.distinctSectors;
  to.sharedRequests += from.sharedRequests;
  to.bankConflicts += from.bankConflicts;
}

} // namespace

Status runLaunch(const LaunchRequest &request, Memory &memory, TrafficCounts &counts) {
  CUPOLA_TRY(checkRequest(request));
  if (countSerials(request) == 0)
    return {};
  std::lock_guard<std::mutex> lock(launchMutex);
  CUPOLA_TRY(prepareMachine(request, memory));
  machine.blockOrder = makeBlockOrder(request);
  runBlocks();
  if (const std::string damage = memory.damagedGuard(); !damage.empty())
    machine.reports.add(Finding::GuardZone, damage, 0);
  addCounts(counts, machine.traffic.counted);
  if (machine.reports.empty())
    return {};
  return Status::finding("simulator: kernel " + request.kernel->name + ": " + machine.reports.text());
}

} // namespace cupola::sim
