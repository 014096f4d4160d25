//===- lib/Runtime/Executable.h - A package loaded onto a device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_EXECUTABLE_H
#define CUPOLA_LIB_RUNTIME_EXECUTABLE_H

#include "lib/Runtime/BoundPlan.h"
#include "lib/Runtime/Device.h"
#include "lib/Runtime/DeviceMemory.h"
#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/LibraryCalls.h"
#include "lib/Runtime/LoadedKernels.h"
#include "lib/Runtime/ParsedProgram.h"

#include <memory>
#include <vector>

namespace cupola::runtime {

class Bindings;
class FlagBlock;
class PassingWeights;
class Readback;

/// The variant that fits the device best, its kernels loaded, its weights on the
/// device, its init steps run. Immutable: any number of sessions, in any threads,
/// share it; it keeps package and device alive.
class Executable {
public:
  /// Code::Environment if the package has nothing for the device (the text says
  /// what it was built for) or memory is short.
  static Result<std::shared_ptr<const Executable>> create(std::shared_ptr<const format::PackageFile> file,
                                                          std::shared_ptr<Device> device);

  const format::Package &package() const { return file->package(); }
  const format::Variant &variant() const { return *chosen; }
  const format::Program &program() const { return chosen->program; }
  Device &device() const { return *target; }
  const std::shared_ptr<Device> &sharedDevice() const { return target; }

  const ParsedInterface &parsedInterface() const { return interface; }
  const ParsedProgram &parsedProgram() const { return parsed; }
  const LoadedKernels &kernels() const { return loaded; }
  const LibraryCalls &calls() const { return libraryCalls; }

  /// Of a weight that a step of this variant uses.
  DeviceAddress weightAddress(uint32_t index) const { return weights[index]; }
  DeviceAddress initAddress() const { return initMemory.address(); }
  /// The offset of an Init buffer from initAddress().
  uint64_t initOffset(uint32_t buffer) const { return initPlan.buffers[buffer].offset; }
  /// Bytes that weights and prepared weights take on the device.
  uint64_t residentBytes() const { return resident; }

private:
  Executable(std::shared_ptr<const format::PackageFile> file, std::shared_ptr<Device> device)
      : file(std::move(file)), target(std::move(device)) {}
  Status choose();
  Status load();
  Status uploadWeights(Stream &stream, const PassingWeights &passing);
  Status runInit(Stream &stream, PassingWeights &passing);
  Status queueInit(Stream &stream, const PassingWeights &passing, Bindings &bindings, FlagBlock &flags,
                   Readback &found) const;

  std::shared_ptr<const format::PackageFile> file;
  std::shared_ptr<Device> target; ///< outlives what follows
  const format::Variant *chosen = nullptr;
  ParsedInterface interface;
  ParsedProgram parsed;
  LoadedKernels loaded;
  LibraryCalls libraryCalls;
  DeviceMemory weightMemory, initMemory;
  std::vector<DeviceAddress> weights;
  BoundPlan initPlan;
  uint64_t resident = 0;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_EXECUTABLE_H
