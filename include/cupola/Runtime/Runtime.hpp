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

/// Outermost first.
using Extents = std::vector<int64_t>;

/// cupola_tensor_info
struct TensorInfo {
  std::string name;              ///< the model's
  cupola_type type;              ///< of its elements
  std::vector<std::string> dims; ///< numbers, or expressions over symbols
  int32_t sharesWith = -1;       ///< cupola_tensor_info::shares_with
  bool isShapeInput = false;     ///< cupola_tensor_info::is_shape_input
};

/// cupola_symbol
struct Symbol {
  std::string id;   ///< in the dimensions' expressions: "s0"
  std::string name; ///< the model's; may be empty
  int64_t min;      ///< the least value
  int64_t max;      ///< 0: without bound
  int64_t divisor;  ///< it is a multiple of this
  bool isFound;     ///< by a run, not by the inputs' shapes
};

/// cupola_composite
struct Composite {
  std::string name;           ///< the model's
  cupola_composite_kind kind; ///< what it is
  bool isOutput;              ///< its tensors are outputs
  bool isAbsent;              ///< an optional without a value
  size_t first;               ///< the index of its first tensor
  size_t count;               ///< how many it has
};

/// cupola_metadata
struct Metadata {
  std::string producerName;                                    ///< what exported the model
  std::string producerVersion;                                 ///< and its version
  std::string graphName;                                       ///< of the main graph
  std::string graphDescription;                                ///< its doc_string
  std::string domain;                                          ///< as "org.example"
  std::string description;                                     ///< the model's doc_string
  int64_t version;                                             ///< model_version
  std::vector<std::pair<std::string, std::string>> properties; ///< in the model's order
};

/// cupola_package
class Package {
public:
  /// Reads the file and verifies every byte of it.
  explicit Package(std::string_view path) {
    cupola_package *made = nullptr;
    capi::check(cupola_package_open(capi::string(path), &made));
    handle.reset(made);
  }
  /// Takes over the handle.
  explicit Package(cupola_package *handle) : handle(handle) {}
  /// The same for bytes in memory, which are copied.
  Package(const void *data, size_t size) {
    cupola_package *made = nullptr;
    capi::check(cupola_package_open_memory(data, size, &made));
    handle.reset(made);
  }

  /// In the order in which runs take them.
  std::vector<TensorInfo> inputs() const {
    return list(cupola_package_input_count(get()), cupola_package_input, cupola_package_input_dim);
  }
  /// In the order in which runs take them.
  std::vector<TensorInfo> outputs() const {
    return list(cupola_package_output_count(get()), cupola_package_output, cupola_package_output_dim);
  }
  /// What varies from run to run.
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
  /// The inputs, then the outputs, of the model that are no tensors.
  std::vector<Composite> composites() const {
    std::vector<Composite> composites;
    for (size_t i = 0; i < cupola_package_composite_count(get()); ++i) {
      cupola_composite given{};
      given.struct_size = sizeof(given);
      capi::check(cupola_package_composite(get(), i, &given));
      composites.push_back(
          {capi::text(given.name), given.kind, given.is_output != 0, given.is_absent != 0, given.first, given.count});
    }
    return composites;
  }
  /// What the model says about itself.
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
  /// The handle, which stays this object's.
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
      tensor.isShapeInput = info.is_shape_input != 0;
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

/// cupola_device
class Device {
public:
  /// "cuda", "cpu", "sim" or "auto".
  explicit Device(std::string_view name, const cupola_device_options *options = nullptr) {
    cupola_device *made = nullptr;
    capi::check(cupola_device_create(capi::string(name), options, &made));
    handle.reset(made);
  }
  /// "cuda"
  std::string name() const { return capi::text(cupola_device_name(get())); }
  /// "sm_86"
  std::string arch() const { return capi::text(cupola_device_arch(get())); }
  /// The handle, which stays this object's.
  cupola_device *get() const { return handle.get(); }

private:
  capi::Handle<cupola_device, cupola_device_release> handle;
};

/// cupola_device_info
struct DeviceInfo {
  std::string name;        ///< "cpu", "cuda", "sim"
  int32_t ordinal;         ///< cuda: which GPU
  std::string arch;        ///< "x86-64-v4", "sm_90"
  std::string description; ///< "16 threads", "NVIDIA H200"
  uint64_t memoryBytes;    ///< of cpu and sim: the machine's
  std::string driver;      ///< cuda: the newest CUDA that it knows, "12.4"
  std::string reason;      ///< why it is not there; empty where it is
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

/// cupola_executable
class Executable {
public:
  /// Loads the kernels and brings the weights to the device. Both may go before it.
  Executable(const Package &package, const Device &device) {
    cupola_executable *made = nullptr;
    capi::check(cupola_executable_create(package.get(), device.get(), &made));
    handle.reset(made);
  }
  /// The handle, which stays this object's.
  cupola_executable *get() const { return handle.get(); }

private:
  capi::Handle<cupola_executable, cupola_executable_release> handle;
};

/// cupola_session
class Session {
public:
  /// The executable may go before it.
  explicit Session(const Executable &executable, const cupola_session_options *options = nullptr) {
    cupola_session *made = nullptr;
    capi::check(cupola_session_create(executable.get(), options, &made));
    handle.reset(made);
  }

  /// Fixes the shapes of all inputs. `elements`: of shape inputs, by input and else null; empty without any.
  void bind(const std::vector<Extents> &inputs, const std::vector<const void *> &elements = {}) {
    std::vector<cupola_shape> shapes;
    for (const Extents &extents : inputs)
      shapes.push_back({extents.data(), static_cast<int32_t>(extents.size()), nullptr, nullptr});
    for (size_t i = 0; i < elements.size() && i < shapes.size(); ++i)
      shapes[i].elements = elements[i];
    capi::check(cupola_session_bind(get(), shapes.data(), shapes.size()));
  }
  /// After bind(); -1 where only a run finds the extent.
  Extents outputShape(size_t index) const {
    cupola_shape shape{};
    capi::check(cupola_session_output_shape(get(), index, &shape));
    return Extents(shape.extents, shape.extents + shape.rank);
  }
  /// Runs once and waits.
  void run(const std::vector<cupola_tensor> &inputs, const std::vector<cupola_tensor> &outputs) {
    capi::check(cupola_session_run(get(), inputs.data(), inputs.size(), outputs.data(), outputs.size()));
  }
  /// The number of the run, for `wait`.
  uint64_t enqueue(const std::vector<cupola_tensor> &inputs, const std::vector<cupola_tensor> &outputs) {
    uint64_t run = 0;
    capi::check(cupola_session_enqueue(get(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), &run));
    return run;
  }
  /// For a run that enqueue() gave, once.
  void wait(uint64_t run) { capi::check(cupola_session_wait(get(), run)); }
  /// Of an output whose shape the run found.
  void fetchOutput(size_t index, const cupola_tensor &tensor) {
    capi::check(cupola_session_fetch_output(get(), index, &tensor));
  }
  /// The numbers of texts, for elements of inputs; the first call after a run begins anew.
  std::vector<int64_t> numberStrings(const std::vector<std::string> &texts) {
    std::vector<cupola_string> strings;
    for (const std::string &text : texts)
      strings.push_back({text.data(), text.size()});
    std::vector<int64_t> numbers(texts.size());
    capi::check(cupola_session_number_strings(get(), strings.data(), strings.size(), numbers.data()));
    return numbers;
  }
  /// The texts of elements of the last run's outputs.
  std::vector<std::string> readStrings(const std::vector<int64_t> &numbers) {
    std::vector<cupola_string> strings(numbers.size());
    capi::check(cupola_session_read_strings(get(), numbers.data(), numbers.size(), strings.data()));
    std::vector<std::string> texts;
    for (const cupola_string &text : strings)
      texts.emplace_back(text.data, text.size);
    return texts;
  }
  /// How many tensors the runs so far copied.
  uint64_t copiedTensors() const { return cupola_session_copied_tensors(get()); }
  /// The handle, which stays this object's.
  cupola_session *get() const { return handle.get(); }

private:
  capi::Handle<cupola_session, cupola_session_release> handle;
};

} // namespace cupola

#endif // CUPOLA_RUNTIME_RUNTIME_HPP
