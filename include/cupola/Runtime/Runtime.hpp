//===- include/cupola/Runtime/Runtime.hpp - The C interface as C++ objects ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Header-only; errors are cupola::Error. Objects are move-only owners of their
// handles and have the rules of Runtime.h.
//
//   cupola::Session session(cupola::Executable(cupola::Package("m.cupola"), cupola::Device("auto")));
//   session.bind({{1, 16}, {1, 16}});
//   session.run(inputs, outputs);
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_RUNTIME_RUNTIME_HPP
#define CUPOLA_RUNTIME_RUNTIME_HPP

#include "cupola/Runtime/Runtime.h"
#include "cupola/Status.hpp"

#include <utility>
#include <vector>

namespace cupola {

using Extents = std::vector<int64_t>;

struct TensorInfo {
  std::string name;
  cupola_type type;
  std::vector<std::string> dims; ///< numbers, or expressions over symbols
  int32_t sharesWith = -1;       ///< cupola_tensor_info::shares_with
};

/// cupola_symbol
struct Symbol {
  std::string id, name;
  int64_t min, max, divisor;
  bool isFound;
};

/// cupola_metadata
struct Metadata {
  std::string producerName, producerVersion, graphName, graphDescription, domain, description;
  int64_t version;
  std::vector<std::pair<std::string, std::string>> properties;
};

class Package {
public:
  explicit Package(std::string_view path) {
    cupola_package *made = nullptr;
    capi::check(cupola_package_open(capi::string(path), &made));
    handle.reset(made);
  }
  Package(const void *data, size_t size) {
    cupola_package *made = nullptr;
    capi::check(cupola_package_open_memory(data, size, &made));
    handle.reset(made);
  }

  std::vector<TensorInfo> inputs() const {
    return list(cupola_package_input_count(get()), cupola_package_input, cupola_package_input_dim);
  }
  std::vector<TensorInfo> outputs() const {
    return list(cupola_package_output_count(get()), cupola_package_output, cupola_package_output_dim);
  }
  std::vector<Symbol> symbols() const {
    std::vector<Symbol> symbols;
    for (size_t i = 0; i < cupola_package_symbol_count(get()); ++i) {
      cupola_symbol given{};
      given.struct_size = sizeof(given);
      capi::check(cupola_package_symbol(get(), i, &given));
      symbols.push_back(
          {capi::text(given.id), capi::text(given.name), given.min, given.max, given.divisor, given.is_found != 0});
    }
    return symbols;
  }
  Metadata metadata() const {
    cupola_metadata given{};
    given.struct_size = sizeof(given);
    capi::check(cupola_package_metadata(get(), &given));
    Metadata metadata{capi::text(given.producer_name),
                      capi::text(given.producer_version),
                      capi::text(given.graph_name),
                      capi::text(given.graph_description),
                      capi::text(given.domain),
                      capi::text(given.description),
                      given.version,
                      {}};
    for (size_t i = 0; i < given.property_count; ++i) {
      cupola_string key{}, value{};
      capi::check(cupola_package_property(get(), i, &key, &value));
      metadata.properties.emplace_back(capi::text(key), capi::text(value));
    }
    return metadata;
  }
  /// The bytes of the file; they live as long as the package.
  std::string_view contents() const {
    cupola_bytes bytes{};
    capi::check(cupola_package_contents(get(), &bytes));
    return {static_cast<const char *>(bytes.data), bytes.size};
  }
  cupola_package *get() const { return handle.get(); }

private:
  template <typename Get, typename GetDim>
  std::vector<TensorInfo> list(size_t count, Get getInfo, GetDim getDim) const {
    std::vector<TensorInfo> tensors;
    for (size_t i = 0; i < count; ++i) {
      cupola_tensor_info info{};
      info.struct_size = sizeof(info);
      capi::check(getInfo(get(), i, &info));
      TensorInfo &tensor = tensors.emplace_back();
      tensor.name = capi::text(info.name);
      tensor.type = info.type;
      tensor.sharesWith = info.shares_with;
      for (int32_t d = 0; d < info.rank; ++d) {
        cupola_string dim{};
        capi::check(getDim(get(), i, d, &dim));
        tensor.dims.push_back(capi::text(dim));
      }
    }
    return tensors;
  }

  capi::Handle<cupola_package, cupola_package_release> handle;
};

class Device {
public:
  explicit Device(std::string_view name, const cupola_device_options *options = nullptr) {
    cupola_device *made = nullptr;
    capi::check(cupola_device_create(capi::string(name), options, &made));
    handle.reset(made);
  }
  std::string name() const { return capi::text(cupola_device_name(get())); }
  std::string arch() const { return capi::text(cupola_device_arch(get())); }
  cupola_device *get() const { return handle.get(); }

private:
  capi::Handle<cupola_device, cupola_device_release> handle;
};

/// cupola_device_info
struct DeviceInfo {
  std::string name;
  int32_t ordinal;
  std::string arch, description;
  uint64_t memoryBytes;
  std::string driver, reason;
};

/// The processor, the GPUs, the simulator, or why one is not there.
inline std::vector<DeviceInfo> listDevices() {
  cupola_device_list *made = nullptr;
  capi::check(cupola_device_list_create(&made));
  const capi::Handle<cupola_device_list, cupola_device_list_release> handle(made);
  std::vector<DeviceInfo> list;
  for (size_t i = 0; i < cupola_device_list_count(made); ++i) {
    cupola_device_info given{};
    given.struct_size = sizeof(given);
    capi::check(cupola_device_list_get(made, i, &given));
    list.push_back({capi::text(given.name), given.ordinal, capi::text(given.arch), capi::text(given.description),
                    given.memory_bytes, capi::text(given.driver), capi::text(given.reason)});
  }
  return list;
}

class Executable {
public:
  Executable(const Package &package, const Device &device) {
    cupola_executable *made = nullptr;
    capi::check(cupola_executable_create(package.get(), device.get(), &made));
    handle.reset(made);
  }
  cupola_executable *get() const { return handle.get(); }

private:
  capi::Handle<cupola_executable, cupola_executable_release> handle;
};

class Session {
public:
  explicit Session(const Executable &executable, const cupola_session_options *options = nullptr) {
    cupola_session *made = nullptr;
    capi::check(cupola_session_create(executable.get(), options, &made));
    handle.reset(made);
  }

  void bind(const std::vector<Extents> &inputs) {
    std::vector<cupola_shape> shapes;
    for (const Extents &extents : inputs)
      shapes.push_back({extents.data(), static_cast<int32_t>(extents.size()), nullptr});
    capi::check(cupola_session_bind(get(), shapes.data(), shapes.size()));
  }
  Extents outputShape(size_t index) const {
    cupola_shape shape{};
    capi::check(cupola_session_output_shape(get(), index, &shape));
    return Extents(shape.extents, shape.extents + shape.rank);
  }
  void run(const std::vector<cupola_tensor> &inputs, const std::vector<cupola_tensor> &outputs) {
    capi::check(cupola_session_run(get(), inputs.data(), inputs.size(), outputs.data(), outputs.size()));
  }
  /// The number of the run, for `wait`.
  uint64_t enqueue(const std::vector<cupola_tensor> &inputs, const std::vector<cupola_tensor> &outputs) {
    uint64_t run = 0;
    capi::check(cupola_session_enqueue(get(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), &run));
    return run;
  }
  void wait(uint64_t run) { capi::check(cupola_session_wait(get(), run)); }
  /// Of an output whose shape the run found.
  void fetchOutput(size_t index, const cupola_tensor &tensor) {
    capi::check(cupola_session_fetch_output(get(), index, &tensor));
  }
  uint64_t copiedTensors() const { return cupola_session_copied_tensors(get()); }
  cupola_session *get() const { return handle.get(); }

private:
  capi::Handle<cupola_session, cupola_session_release> handle;
};

} // namespace cupola

#endif // CUPOLA_RUNTIME_RUNTIME_HPP
