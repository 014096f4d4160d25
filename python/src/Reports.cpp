//===- python/src/Reports.cpp - What packages hold and how runs go, bound ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A report arrives in Python as (text, JSON); tensors are .npz files in memory. The interpreter's lock is free
// wherever the runtime works.
//===----------------------------------------------------------------------===//
#include "cupola/Runtime/Reports.hpp"
#include "python/src/Bindings.h"
#include "python/src/Errors.h"

#include <memory>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cupola::python {

namespace {

nb::tuple tupleOf(const Report &report) { return nb::make_tuple(textOf(report.text), textOf(report.json)); }

nb::tuple inspect(const Package &package, std::string_view name) { return tupleOf(inspectPackage(package, name)); }

/// What cupola_run_inputs refers to. It stays where it is.
class Inputs {
public:
  Inputs(const nb::bytes &npz, const std::vector<std::string> &shapes, uint64_t seed) : shapes(shapes) {
    for (const std::string &shape : this->shapes)
      texts.push_back(capi::string(shape));
    given = {sizeof(given), {npz.size() ? npz.data() : nullptr, npz.size()}, {texts.data(), texts.size()}, seed};
  }
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  const cupola_run_inputs *get() const { return &given; }

private:
  std::vector<std::string> shapes;
  std::vector<cupola_string> texts;
  cupola_run_inputs given;
};

nb::tuple benchOf(const Executable &executable, const nb::bytes &npz, const std::vector<std::string> &shapes,
                  uint64_t seed, uint64_t warmup, uint64_t iterations, bool profile) {
  const Inputs inputs(npz, shapes, seed);
  const cupola_bench_options options{sizeof(options), warmup, iterations, profile};
  Report report;
  {
    nb::gil_scoped_release release;
    report = bench(executable, inputs.get(), &options);
  }
  return tupleOf(report);
}

std::unique_ptr<Verification> verificationOf(const Executable &executable, const nb::bytes &npz,
                                             const std::vector<std::string> &shapes, uint64_t seed) {
  const Inputs inputs(npz, shapes, seed);
  nb::gil_scoped_release release;
  return std::make_unique<Verification>(executable, inputs.get());
}

nb::bytes inputsOf(const Verification &verification) {
  const std::string_view npz = verification.inputs();
  return nb::bytes(npz.data(), npz.size());
}

nb::tuple compare(const Verification &verification, const nb::bytes &references, double tolerance) {
  const std::string_view npz(references.c_str(), references.size());
  Report report;
  bool passed = false;
  {
    nb::gil_scoped_release release;
    report = verification.compare(npz, tolerance, passed);
  }
  return nb::make_tuple(passed, textOf(report.text), textOf(report.json));
}

nb::tuple compareKernels(const Verification &verification, const nb::bytes &diagnosis, const nb::bytes &references,
                         double tolerance) {
  const std::string_view found(diagnosis.c_str(), diagnosis.size()), npz(references.c_str(), references.size());
  Report report;
  bool passed = false;
  {
    nb::gil_scoped_release release;
    report = verification.compareKernels(found, npz, tolerance, passed);
  }
  return nb::make_tuple(passed, textOf(report.text), textOf(report.json));
}

} // namespace

void bindReports(nb::module_ &module) {
  module.def(
      "page", [](std::string_view json, std::string_view title) { return textOf(htmlPage(json, title)); },
      nb::arg("json"), nb::arg("title"), nb::sig("def page(json: str, title: str) -> str"), "HTML of a report's JSON.");
  module.def("inspect", inspect, nb::arg("package"), nb::arg("name"),
             nb::sig("def inspect(package: Package, name: str) -> tuple[str, str]"), "Text and JSON.");
  module.def("bench", benchOf, nb::arg("executable"), nb::arg("npz"), nb::arg("shapes"), nb::arg("seed"),
             nb::arg("warmup"), nb::arg("iterations"), nb::arg("profile"),
             nb::sig("def bench(executable: Executable, npz: bytes, shapes: list[str], seed: int, warmup: int, "
                     "iterations: int, profile: bool) -> tuple[str, str]"),
             "Text and JSON; no bytes stand for random inputs.");

  nb::class_<Verification>(module, "Verification", "One run, to be held against references.")
      .def_static("create", verificationOf, nb::arg("executable"), nb::arg("npz"), nb::arg("shapes"), nb::arg("seed"))
      .def("inputs", inputsOf)
      .def("compare", compare, nb::arg("references"), nb::arg("tolerance"),
           nb::sig("def compare(self, references: bytes, tolerance: float) -> tuple[bool, str, str]"),
           "Whether it passed, text and JSON.")
      .def("compare_kernels", compareKernels, nb::arg("diagnosis"), nb::arg("references"), nb::arg("tolerance"),
           nb::sig("def compare_kernels(self, diagnosis: bytes, references: bytes, tolerance: float) -> tuple[bool, "
                   "str, str]"),
           "The same for every kernel; no bytes stand for no references.");
}

} // namespace cupola::python
