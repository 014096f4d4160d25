//===- lib/Runtime/CUDA/CudaKernel.cpp - launches of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CudaFunction.h"

namespace cupola::runtime::cuda {

/// The parameters in the order of the kernel ABI: bindings, references, slots, step.
static void collectParameters(const LaunchArguments &arguments, std::vector<const void *> &parameters) {
  parameters.clear();
  parameters.push_back(&arguments.bindings);
  for (size_t i = 0; i < arguments.referenceCount; ++i)
    parameters.push_back(&arguments.references[i]);
  for (size_t i = 0; i < arguments.slotCount; ++i)
    parameters.push_back(&arguments.slots[i]);
  parameters.push_back(&arguments.step);
}

Status CudaKernel::checkGrid(const Grid &grid) const {
  constexpr uint64_t most[] = {(uint64_t(1) << 31) - 1, 65535, 65535};
  const uint64_t wanted[] = {grid.x, grid.y, grid.z};
  for (int d = 0; d < 3; ++d)
    if (wanted[d] > most[d])
      return Status::limit("kernel " + name + " wants " + std::to_string(wanted[d]) + " blocks along " + "xyz"[d] +
                           ", a launch has at most " + std::to_string(most[d]));
  if (cluster > 1 && grid.x % cluster != 0)
    return Status::package("kernel " + name + " wants " + std::to_string(grid.x) +
                           " blocks along x, which do not make clusters of " + std::to_string(cluster));
  return {};
}

void CudaKernel::addAttributes(LaunchRoom &room) const {
  room.attributes.clear();
  if (cluster > 1) {
    CuLaunchAttribute &attribute = room.attributes.emplace_back();
    attribute.id = cuLaunchClusterDimension;
    attribute.value.cluster = {cluster, 1, 1};
  }
  if (programmatic && room.follows) {
    CuLaunchAttribute &attribute = room.attributes.emplace_back();
    attribute.id = cuLaunchProgrammaticSerialization;
    attribute.value.flag = 1;
  }
  if (cooperative) {
    CuLaunchAttribute &attribute = room.attributes.emplace_back();
    attribute.id = cuLaunchCooperative;
    attribute.value.flag = 1;
  }
}

CuLaunchConfig CudaKernel::configure(const Grid &grid, CuStream stream, LaunchRoom &room) const {
  CuLaunchConfig config = {};
  config.gridX = unsigned(grid.x);
  config.gridY = unsigned(grid.y);
  config.gridZ = unsigned(grid.z);
  config.blockX = threads;
  config.blockY = config.blockZ = 1;
  config.sharedBytes = sharedBytes;
  config.stream = stream;
  addAttributes(room);
  config.attributes = room.attributes.data();
  config.attributeCount = unsigned(room.attributes.size());
  return config;
}

Status CudaKernel::launchError(CuResult code, const LaunchArguments &arguments) const {
  if (code == cuCooperativeLaunchTooLarge)
    return Status::unsupported("kernel " + name + " wants a grid of " + arguments.grid.text() + " blocks of " +
                               std::to_string(threads) + " threads and " + std::to_string(sharedBytes) +
                               " bytes of shared memory at the same time, more than this GPU has room for");
  return context->check(code, "launching " + name + " at step " + std::to_string(arguments.step));
}

Status CudaKernel::queue(const LaunchArguments &arguments, CuStream stream, LaunchRoom &room) {
  CUPOLA_TRY(checkGrid(arguments.grid));
  const CuLaunchConfig config = configure(arguments.grid, stream, room);
  collectParameters(arguments, room.parameters);
  const CuResult code =
      context->api().launchKernelEx(&config, handle, const_cast<void **>(room.parameters.data()), nullptr);
  if (code == cuSuccess)
    return {};
  return launchError(code, arguments);
}

} // namespace cupola::runtime::cuda
