//===- lib/Runtime/LoadedKernels.h - The functions of a variant's kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_LOADEDKERNELS_H
#define CUPOLA_LIB_RUNTIME_LOADEDKERNELS_H

#include "lib/Runtime/Device.h"

#include <memory>
#include <vector>

namespace cupola::runtime {

/// Owns the modules.
class LoadedKernels {
public:
  /// Takes each kernel from a binary for exactly this device, else from any
  /// binary the device accepts, else from its source text. Code::Environment if
  /// there is none of the three.
  Status load(Device &device, const format::Package &package, const format::Variant &variant);
  /// Whether binaries that the device accepts have all kernels of the variant.
  static bool hasBinaries(const Device &device, const format::Variant &variant);

  Function &function(uint32_t kernel) const { return *functions[kernel]; }

private:
  Status loadBinaries(Device &device, const format::Variant &variant, bool exactly);
  Status loadSources(Device &device, const format::Package &package, const format::Variant &variant);
  Status add(Device &device, ModuleImage &image, const format::Variant &variant, const std::vector<uint32_t> &kernels);
  std::vector<uint32_t> missing(const std::vector<uint32_t> &kernels) const;

  std::vector<std::unique_ptr<Module>> modules;
  std::vector<Function *> functions; ///< by kernel
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_LOADEDKERNELS_H
