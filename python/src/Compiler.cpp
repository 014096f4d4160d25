//===- python/src/Compiler.cpp - Checks and compilations, bound ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter's lock is free wherever the compiler works.
//===----------------------------------------------------------------------===//
#include "python/src/Compiler.h"
#include "python/src/Errors.h"
#include "python/src/Options.h"

#include <memory>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cupola::python {

namespace {

nb::tuple tupleOf(const Report &report) { return nb::make_tuple(textOf(report.text), textOf(report.json)); }

nb::tuple check(Model &model, Options &options, std::string_view name) {
  const cupola_model view = model.view();
  const Options::View chosen(options);
  std::vector<Problem> problems;
  Report report;
  {
    nb::gil_scoped_release release;
    problems = checkModel(view, chosen.get(), &report, name);
  }
  return nb::make_tuple(problems, textOf(report.text), textOf(report.json));
}

std::unique_ptr<Compilation> load(Model &model, Options &options) {
  const cupola_model view = model.view();
  const Options::View chosen(options);
  nb::gil_scoped_release release;
  return std::make_unique<Compilation>(view, chosen.get());
}

std::unique_ptr<Package> compile(Model &model, Options &options) {
  const cupola_model view = model.view();
  const Options::View chosen(options);
  nb::gil_scoped_release release;
  return std::make_unique<Package>(cupola::compile(view, chosen.get()));
}

std::unique_ptr<Package> findCompiled(Model &model, Options &options) {
  const cupola_model view = model.view();
  const Options::View chosen(options);
  nb::gil_scoped_release release;
  std::optional<Package> found = cupola::findCompiled(view, chosen.get());
  return found ? std::make_unique<Package>(std::move(*found)) : nullptr;
}

nb::ndarray<const uint8_t, nb::memview, nb::ndim<1>> packageOf(nb::object self) {
  auto &compilation = nb::cast<Compilation &>(self);
  std::string_view bytes;
  {
    nb::gil_scoped_release release;
    bytes = compilation.package();
  }
  return {bytes.data(), {bytes.size()}, self};
}

nb::tuple explain(Compilation &compilation) {
  Report report;
  {
    nb::gil_scoped_release release;
    report = compilation.explainReport();
  }
  return tupleOf(report);
}

nb::bytes reference(Compilation &compilation, const nb::bytes &inputs) {
  const std::string_view npz(inputs.c_str(), inputs.size());
  std::string_view outputs;
  {
    nb::gil_scoped_release release;
    outputs = compilation.reference(npz);
  }
  return nb::bytes(outputs.data(), outputs.size());
}

nb::str emit(Compilation &compilation, std::string_view phase) {
  std::string_view text;
  {
    nb::gil_scoped_release release;
    text = compilation.emit(phase);
  }
  return textOf(text);
}

nb::bytes diagnose(Compilation &compilation, const nb::bytes &inputs, std::string_view target, std::string_view arch,
                   double tolerance) {
  const std::string_view npz(inputs.c_str(), inputs.size());
  std::string_view diagnosis;
  {
    nb::gil_scoped_release release;
    diagnosis = compilation.diagnose(npz, target, arch, tolerance);
  }
  return nb::bytes(diagnosis.data(), diagnosis.size());
}

} // namespace

void bindCompiler(nb::module_ &module) {
  nb::class_<Problem>(module, "Problem", "cupola_problem")
      .def_prop_ro("code", [](const Problem &problem) { return static_cast<int>(problem.code); })
      .def_prop_ro("node", [](const Problem &problem) { return textOf(problem.node); })
      .def_prop_ro("op", [](const Problem &problem) { return textOf(problem.op); })
      .def_ro("opset", &Problem::opset)
      .def_prop_ro("reason", [](const Problem &problem) { return textOf(problem.reason); })
      .def_prop_ro("text", [](const Problem &problem) { return textOf(problem.text); })
      .def_ro("decided_by_inputs", &Problem::decidedByInputs);

  module.def("check", check, nb::arg("model"), nb::arg("options"), nb::arg("name"),
             nb::sig("def check(model: Model, options: Options, name: str) -> tuple[list[Problem], str, str]"),
             "What keeps the model from being compiled; text and JSON.");

  nb::module_::import_("cupola._runtime"); // whose Package these return
  module.def("compile", compile, nb::arg("model"), nb::arg("options"),
             nb::sig("def compile(model: Model, options: Options) -> cupola._runtime.Package"),
             "The package, from the cache if that has it.");
  module.def("find_compiled", findCompiled, nb::arg("model"), nb::arg("options"),
             nb::sig("def find_compiled(model: Model, options: Options) -> cupola._runtime.Package | None"),
             "The package, if the cache has it.");

  nb::class_<Compilation>(module, "Compilation", "A model on its way to a package.")
      .def_static("load", load, nb::arg("model"), nb::arg("options"), nb::keep_alive<0, 2>())
      .def("build", &Compilation::build, nb::call_guard<nb::gil_scoped_release>())
      .def("package", packageOf, nb::sig("def package(self) -> memoryview"),
           "The bytes of the package, which the compilation keeps.")
      .def("explain", explain, nb::sig("def explain(self) -> tuple[str, str]"), "Text and JSON (docs/schemas.md).")
      .def("reference", reference, nb::arg("inputs"), "What the model gives, op by op: .npz files in memory.")
      .def("diagnose", diagnose, nb::arg("inputs"), nb::arg("target"), nb::arg("arch"), nb::arg("tolerance"))
      .def("emit", emit, nb::arg("phase"))
      .def("phases", &Compilation::phases, "Milliseconds by phase, in order.");
}

} // namespace cupola::python
