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

std::vector<Problem> check(Model &model, Options &options) {
  const cupola_model view = model.view();
  const Options::View chosen(options);
  nb::gil_scoped_release release;
  return checkModel(view, chosen.get());
}

std::unique_ptr<Compilation> load(Model &model, Options &options) {
  const cupola_model view = model.view();
  const Options::View chosen(options);
  nb::gil_scoped_release release;
  return std::make_unique<Compilation>(view, chosen.get());
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

nb::str explain(Compilation &compilation) {
  std::string_view json;
  {
    nb::gil_scoped_release release;
    json = compilation.explain();
  }
  return textOf(json);
}

nb::str emit(Compilation &compilation, std::string_view phase) {
  std::string_view text;
  {
    nb::gil_scoped_release release;
    text = compilation.emit(phase);
  }
  return textOf(text);
}

} // namespace

void bindCompiler(nb::module_ &module) {
  nb::class_<Problem>(module, "Problem", "cupola_problem")
      .def_prop_ro("code", [](const Problem &problem) { return static_cast<int>(problem.code); })
      .def_prop_ro("node", [](const Problem &problem) { return textOf(problem.node); })
      .def_prop_ro("op", [](const Problem &problem) { return textOf(problem.op); })
      .def_ro("opset", &Problem::opset)
      .def_prop_ro("reason", [](const Problem &problem) { return textOf(problem.reason); })
      .def_prop_ro("text", [](const Problem &problem) { return textOf(problem.text); });

  module.def("check", check, nb::arg("model"), nb::arg("options"), "What keeps the model from being compiled.");

  nb::class_<Compilation>(module, "Compilation", "A model on its way to a package.")
      .def_static("load", load, nb::arg("model"), nb::arg("options"), nb::keep_alive<0, 2>())
      .def("build", &Compilation::build, nb::call_guard<nb::gil_scoped_release>())
      .def("package", packageOf, nb::sig("def package(self) -> memoryview"),
           "The bytes of the package, which the compilation keeps.")
      .def("explain", explain, "JSON (docs/schemas.md).")
      .def("emit", emit, nb::arg("phase"))
      .def("phases", &Compilation::phases, "Milliseconds by phase, in order.");
}

} // namespace cupola::python
