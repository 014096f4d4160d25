//===- lib/Runtime/LoadedKernels.cpp - The functions of a variant's kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/LoadedKernels.h"

#include "lib/Runtime/Text.h"

#include <algorithm>

namespace cupola::runtime {

std::vector<uint32_t> LoadedKernels::missing(const std::vector<uint32_t> &kernels) const {
  std::vector<uint32_t> list;
  for (uint32_t kernel : kernels)
    if (!functions[kernel])
      list.push_back(kernel);
  return list;
}

Status LoadedKernels::add(Device &device, ModuleImage &image, const format::Variant &variant,
                          const std::vector<uint32_t> &kernels) {
  for (uint32_t kernel : kernels)
    image.kernels.push_back(&variant.program.kernels[kernel]);
  CUPOLA_ASSIGN(std::unique_ptr<Module> module, device.loadModule(image));
  for (size_t i = 0; i < kernels.size(); ++i)
    functions[kernels[i]] = &module->function(i);
  modules.push_back(std::move(module));
  return Status::ok();
}

static ImageKind binaryKind(const format::Variant &variant) {
  return variant.target == "cpu" ? ImageKind::CpuObject : ImageKind::Cubin;
}

bool LoadedKernels::hasBinaries(const Device &device, const format::Variant &variant) {
  std::vector<bool> found(variant.program.kernels.size());
  for (const format::Binary &binary : variant.binaries)
    if (device.accepts(binaryKind(variant), binary.arch))
      for (uint32_t kernel : binary.kernels)
        found[kernel] = true;
  return std::find(found.begin(), found.end(), false) == found.end();
}

Status LoadedKernels::loadBinaries(Device &device, const format::Variant &variant, bool exactly) {
  const ImageKind kind = binaryKind(variant);
  for (size_t i = 0; i < variant.binaries.size(); ++i) {
    const format::Binary &binary = variant.binaries[i];
    const std::vector<uint32_t> kernels = missing(binary.kernels);
    if (kernels.empty() || !device.accepts(kind, binary.arch) || (exactly && binary.arch != device.properties().arch))
      continue;
    ModuleImage image;
    image.kind = kind;
    image.name = "binary " + std::to_string(i) + " for " + binary.arch;
    image.arch = binary.arch;
    image.bytes = binary.image;
    CUPOLA_TRY(add(device, image, variant, kernels));
  }
  return Status::ok();
}

Status LoadedKernels::loadSources(Device &device, const format::Package &package, const format::Variant &variant) {
  if (!device.accepts(ImageKind::CudaSource, ""))
    return Status::ok();
  const size_t sources = variant.sources.size();
  for (uint32_t source = 0; source < sources; ++source) {
    std::vector<uint32_t> kernels;
    for (uint32_t i = 0; i < variant.program.kernels.size(); ++i)
      if (!functions[i] && variant.program.kernels[i].source == source)
        kernels.push_back(i);
    if (kernels.empty())
      continue;
    if (device.progress)
      device.progress("compiling for " + device.properties().arch + ": source " + std::to_string(source + 1) + " of " +
                      std::to_string(sources));
    ModuleImage image;
    image.kind = ImageKind::CudaSource;
    image.name = variant.sources[source].name;
    image.arch = variant.arch;
    image.bytes = variant.sources[source].text;
    image.headers = &package.headers;
    CUPOLA_TRY(withKernelNodes(add(device, image, variant, kernels), package.nodes, variant.program));
  }
  return Status::ok();
}

Status LoadedKernels::load(Device &device, const format::Package &package, const format::Variant &variant) {
  functions.assign(variant.program.kernels.size(), nullptr);
  CUPOLA_TRY(loadBinaries(device, variant, /*exactly=*/true));
  CUPOLA_TRY(loadBinaries(device, variant, /*exactly=*/false));
  CUPOLA_TRY(loadSources(device, package, variant));
  for (size_t i = 0; i < functions.size(); ++i)
    if (!functions[i])
      return Status::environment("the package has no code of kernel " + variant.program.kernels[i].name + " for " +
                                 device.properties().name + " " + device.properties().arch);
  return Status::ok();
}

} // namespace cupola::runtime
