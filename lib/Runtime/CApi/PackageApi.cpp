//===- lib/Runtime/CApi/PackageApi.cpp - The C functions of packages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CApi/Handles.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::capi;

namespace {
/// The output in the memory of an input, or -1.
int32_t sharerOf(const format::Package &package, size_t input) {
  for (size_t i = 0; i < package.outputs.size(); ++i)
    if (package.outputs[i].memoryOf == input + 1)
      return static_cast<int32_t>(i);
  return -1;
}

Status tensorInfo(const std::vector<format::Tensor> &tensors, size_t index, int32_t sharesWith,
                  cupola_tensor_info *info) {
  CUPOLA_TRY(present({info}));
  if (index >= tensors.size())
    return Status::usage("tensor " + std::to_string(index) + " of " + std::to_string(tensors.size()));
  const format::Tensor &tensor = tensors[index];
  cupola_tensor_info known{};
  known.name = string(tensor.name);
  known.type = toC(tensor.dtype);
  known.rank = static_cast<int32_t>(tensor.dims.size());
  known.shares_with = sharesWith;
  known.is_shape_input = !tensor.elements.empty();
  giveVersioned(known, info);
  return Status::ok();
}

Status tensorDim(const std::vector<format::Tensor> &tensors, size_t index, int32_t dim, cupola_string *text) {
  CUPOLA_TRY(present({text}));
  if (index >= tensors.size() || dim < 0 || static_cast<size_t>(dim) >= tensors[index].dims.size())
    return Status::usage("dimension " + std::to_string(dim) + " of tensor " + std::to_string(index));
  *text = string(tensors[index].dims[static_cast<size_t>(dim)]);
  return Status::ok();
}

Status take(Result<std::shared_ptr<const format::PackageFile>> file, cupola_package **package) {
  CUPOLA_TRY(file.status());
  *package = new cupola_package{file.take()};
  return Status::ok();
}
} // namespace

extern "C" {

cupola_string cupola_version(void) { return string(format::version()); }

cupola_status *cupola_package_open(cupola_string path, cupola_package **package) {
  return guarded({package}, [&] {
    std::string name;
    CUPOLA_TRY(toText(path, name));
    return take(format::PackageFile::open(name), package);
  });
}

cupola_status *cupola_package_open_memory(const void *data, size_t size, cupola_package **package) {
  return guarded({package, data}, [&] {
    return take(format::PackageFile::fromMemory({static_cast<const char *>(data), size}), package);
  });
}

void cupola_package_release(cupola_package *package) { delete package; }

cupola_status *cupola_package_contents(const cupola_package *package, cupola_bytes *bytes) {
  return guarded({package, bytes}, [&] {
    *bytes = {package->file->all().data(), package->file->all().size()};
    return Status::ok();
  });
}

size_t cupola_package_input_count(const cupola_package *package) {
  return package ? package->file->package().inputs.size() : 0;
}

size_t cupola_package_output_count(const cupola_package *package) {
  return package ? package->file->package().outputs.size() : 0;
}

cupola_status *cupola_package_input(const cupola_package *package, size_t index, cupola_tensor_info *info) {
  return guarded({package}, [&] {
    return tensorInfo(package->file->package().inputs, index, sharerOf(package->file->package(), index), info);
  });
}

cupola_status *cupola_package_output(const cupola_package *package, size_t index, cupola_tensor_info *info) {
  return guarded({package}, [&] {
    const std::vector<format::Tensor> &outputs = package->file->package().outputs;
    const int32_t sharesWith = index < outputs.size() ? static_cast<int32_t>(outputs[index].memoryOf) - 1 : -1;
    return tensorInfo(outputs, index, sharesWith, info);
  });
}

cupola_status *cupola_package_input_dim(const cupola_package *package, size_t index, int32_t dim, cupola_string *text) {
  return guarded({package}, [&] { return tensorDim(package->file->package().inputs, index, dim, text); });
}

cupola_status *cupola_package_output_dim(const cupola_package *package, size_t index, int32_t dim,
                                         cupola_string *text) {
  return guarded({package}, [&] { return tensorDim(package->file->package().outputs, index, dim, text); });
}

size_t cupola_package_symbol_count(const cupola_package *package) {
  return package ? package->file->package().symbols.size() : 0;
}

cupola_status *cupola_package_symbol(const cupola_package *package, size_t index, cupola_symbol *symbol) {
  return guarded({package, symbol}, [&] {
    const std::vector<format::Symbol> &symbols = package->file->package().symbols;
    if (index >= symbols.size())
      return Status::usage("symbol " + std::to_string(index) + " of " + std::to_string(symbols.size()));
    const format::Symbol &found = symbols[index];
    giveVersioned(
        cupola_symbol{0, string(found.id), string(found.name), found.min, found.max, found.divisor, found.run ? 1 : 0},
        symbol);
    return Status::ok();
  });
}

size_t cupola_package_composite_count(const cupola_package *package) {
  return package ? package->file->package().composites.size() : 0;
}

cupola_status *cupola_package_composite(const cupola_package *package, size_t index, cupola_composite *composite) {
  return guarded({package, composite}, [&] {
    const std::vector<format::Composite> &composites = package->file->package().composites;
    if (index >= composites.size())
      return Status::usage("composite " + std::to_string(index) + " of " + std::to_string(composites.size()));
    const format::Composite &found = composites[index];
    giveVersioned(cupola_composite{0, string(found.name), static_cast<cupola_composite_kind>(found.kind),
                                   found.output ? 1 : 0, found.absent ? 1 : 0, found.first, found.count},
                  composite);
    return Status::ok();
  });
}

cupola_status *cupola_package_metadata(const cupola_package *package, cupola_metadata *metadata) {
  return guarded({package, metadata}, [&] {
    const format::Metadata &kept = package->file->package().metadata;
    giveVersioned(cupola_metadata{0, string(kept.producerName), string(kept.producerVersion), string(kept.graphName),
                                  string(kept.graphDescription), string(kept.domain), string(kept.description),
                                  kept.version, kept.properties.size()},
                  metadata);
    return Status::ok();
  });
}

cupola_status *cupola_package_property(const cupola_package *package, size_t index, cupola_string *key,
                                       cupola_string *value) {
  return guarded({package, key, value}, [&] {
    const std::vector<format::Property> &properties = package->file->package().metadata.properties;
    if (index >= properties.size())
      return Status::usage("property " + std::to_string(index) + " of " + std::to_string(properties.size()));
    *key = string(properties[index].key);
    *value = string(properties[index].value);
    return Status::ok();
  });
}

} // extern "C"
