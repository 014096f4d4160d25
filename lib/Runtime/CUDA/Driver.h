//===- lib/Runtime/CUDA/Driver.h - the CUDA driver, opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_DRIVER_H
#define CUPOLA_LIB_RUNTIME_CUDA_DRIVER_H

#include "lib/Runtime/CUDA/DriverApi.h"
#include "lib/Runtime/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace cupola::runtime::cuda {

/// One loaded, initialised driver. Immutable, so any thread may use it.
class Driver {
public:
  /// Opens libcuda.so.1. Code::Environment, each with a text of its own, where it is missing, is a stub, is too old or
  /// does not start.
  static Result<std::shared_ptr<Driver>> load();

  /// Over a given table (tests).
  static Result<std::shared_ptr<Driver>> create(const DriverApi &table);

  const DriverApi &api() const { return table; }
  /// As cuDriverGetVersion counts.
  int version() const { return driverVersion; }
  /// Whether graphs may have conditional nodes.
  bool hasConditionals() const { return driverVersion >= conditionalDriverVersion && table.graphAddNode; }
  /// The majors of the toolkit whose libraries, and the cubins of whose NVRTC, work with this driver, best first: those
  /// of its own major and older ones.
  std::vector<int> toolkitMajors() const;
  /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
  std::string describe(CuResult code) const;

private:
  Driver() = default;
  Status start();
  DriverApi table = {};
  int driverVersion = 0;
};

/// "12.4" of 12040.
std::string versionText(int driverVersion);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_DRIVER_H
