//===- python/src/Package.cpp - Packages, bound ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Runtime.hpp"
#include "python/src/Bindings.h"
#include "python/src/Errors.h"

#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cupola::python {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig>;

static std::unique_ptr<Package> packageOfBytes(const Bytes &bytes) {
  nb::gil_scoped_release release;
  return std::make_unique<Package>(bytes.data(), bytes.size());
}

static std::unique_ptr<Package> packageOfFile(std::string_view path) {
  nb::gil_scoped_release release;
  return std::make_unique<Package>(path);
}

static nb::list dimsOf(const TensorInfo &info) {
  nb::list dims;
  for (const std::string &dim : info.dims)
    dims.append(textOf(dim));
  return dims;
}

static nb::list propertiesOf(const Metadata &metadata) {
  nb::list properties;
  for (const auto &[key, value] : metadata.properties)
    properties.append(nb::make_tuple(textOf(key), textOf(value)));
  return properties;
}

void bindPackage(nb::module_ &module) {
  nb::class_<TensorInfo>(module, "TensorInfo", "What a package says of an input or output.")
      .def_prop_ro("name", [](const TensorInfo &info) { return textOf(info.name); })
      .def_ro("type", &TensorInfo::type)
      .def_prop_ro("dims", dimsOf, nb::sig("def dims(self) -> list[str]"), "Numbers, or expressions over symbols.")
      .def_ro("shares_with", &TensorInfo::sharesWith, "The output in the memory of this input, or the reverse; or -1.")
      .def_ro("is_shape_input", &TensorInfo::isShapeInput, "Its elements decide extents.");

  nb::class_<Symbol>(module, "Symbol", "What varies from run to run.")
      .def_prop_ro("id", [](const Symbol &symbol) { return textOf(symbol.id); })
      .def_prop_ro("name", [](const Symbol &symbol) { return textOf(symbol.name); });

  nb::class_<Composite>(module, "Composite", "cupola_composite")
      .def_prop_ro("name", [](const Composite &composite) { return textOf(composite.name); })
      .def_prop_ro("kind", [](const Composite &composite) { return static_cast<int>(composite.kind); })
      .def_ro("is_output", &Composite::isOutput)
      .def_ro("is_absent", &Composite::isAbsent)
      .def_ro("first", &Composite::first)
      .def_ro("count", &Composite::count);

  nb::class_<Metadata>(module, "Metadata", "cupola_metadata")
      .def_prop_ro("producer_name", [](const Metadata &metadata) { return textOf(metadata.producerName); })
      .def_prop_ro("producer_version", [](const Metadata &metadata) { return textOf(metadata.producerVersion); })
      .def_prop_ro("graph_name", [](const Metadata &metadata) { return textOf(metadata.graphName); })
      .def_prop_ro("graph_description", [](const Metadata &metadata) { return textOf(metadata.graphDescription); })
      .def_prop_ro("domain", [](const Metadata &metadata) { return textOf(metadata.domain); })
      .def_prop_ro("description", [](const Metadata &metadata) { return textOf(metadata.description); })
      .def_ro("version", &Metadata::version)
      .def_prop_ro("properties", propertiesOf, nb::sig("def properties(self) -> list[tuple[str, str]]"));

  nb::class_<Package>(module, "Package", "A package in memory, all of it verified.")
      .def_static("of_file", packageOfFile, nb::arg("path"))
      .def_static("of_bytes", packageOfBytes, nb::arg("data"), nb::sig("def of_bytes(data: memoryview) -> Package"),
                  "Copies the bytes.")
      .def_prop_ro("inputs", &Package::inputs)
      .def_prop_ro("outputs", &Package::outputs)
      .def_prop_ro("symbols", &Package::symbols)
      .def_prop_ro("composites", &Package::composites)
      .def_prop_ro("metadata", &Package::metadata)
      .def(
          "contents",
          [](const Package &package) {
            const std::string_view bytes = package.contents();
            return nb::ndarray<const uint8_t, nb::memview, nb::ndim<1>>(bytes.data(), {bytes.size()},
                                                                        nb::find(package));
          },
          "The bytes of the file, without a copy.");
}

} // namespace cupola::python
