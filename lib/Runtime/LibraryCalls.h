//===- lib/Runtime/LibraryCalls.h - The steps that a library does ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_LIBRARYCALLS_H
#define CUPOLA_LIB_RUNTIME_LIBRARYCALLS_H

#include "lib/Runtime/Device.h"

#include <memory>
#include <string>
#include <vector>

namespace cupola::runtime {

/// What of the init steps is left to do.
struct InitNeeds {
  std::vector<bool> steps, buffers;
};

/// For each step of a program and its bodies, by number, that describes itself to a library (LibraryCall.h): the
/// library's function, or the reason why its kernel runs.
class LibraryCalls {
public:
  /// `weights`: addresses of the package's weights, by index, on a device with host memory.
  void prepare(Device &device, const format::Variant &variant, const std::vector<DeviceAddress> &weights);

  /// Null: the step's kernel runs.
  Function *function(size_t step) const { return functions[step].get(); }
  /// How many steps describe themselves, and how many of them a library does.
  size_t described() const { return wanted; }
  size_t used() const { return made; }
  /// Why a described step is left to its kernel; empty if it is not.
  const std::string &refusal(size_t step) const { return refusals[step]; }
  /// Different refusals, in the order of the steps.
  std::vector<std::string> reasons() const;

  /// What the libraries' copies of weights take.
  uint64_t residentBytes() const { return resident; }

  /// Init steps whose results only replaced kernels would read are not needed.
  InitNeeds initNeeds(const format::Program &program) const;

private:
  std::vector<std::unique_ptr<Function>> functions; ///< by step
  std::vector<std::string> refusals;                ///< by step
  size_t wanted = 0, made = 0;
  uint64_t resident = 0;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_LIBRARYCALLS_H
