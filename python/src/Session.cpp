//===- python/src/Session.cpp - Executables and sessions, bound ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter's lock is free wherever the runtime works.
//===----------------------------------------------------------------------===//
#include "python/src/Bindings.h"
#include "python/src/Errors.h"
#include "python/src/Tensors.h"

#include "cupola/Runtime/Reports.hpp"

#include <memory>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cupola::python {

namespace {

/// With what its package declares, and the last bind.
struct Runner {
  Runner(const Executable &executable, const Package &package, const cupola_session_options &options);

  Session session;
  std::vector<cupola_type> inputs, outputs;
  std::vector<int32_t> memoryOf;                    ///< by output
  std::vector<Extents> inputStrides, outputStrides; ///< of memory that is shared, else empty

  void bind(const std::vector<Extents> &shapes, const std::vector<Extents> &strides,
            const std::vector<nb::bytes> &elements);
  nb::tuple outputShape(size_t index) const;
  void run(nb::list in, nb::list out);
  uint64_t enqueue(nb::list in, nb::list out);
  void fetch(size_t index, nb::handle out);
  nb::tuple profile(nb::list in, nb::list out);
};

Runner::Runner(const Executable &executable, const Package &package, const cupola_session_options &options)
    : session(executable, &options), inputs(typesOf(package.inputs())), outputs(typesOf(package.outputs())) {
  for (const TensorInfo &info : package.outputs())
    memoryOf.push_back(info.sharesWith);
}

void Runner::bind(const std::vector<Extents> &shapes, const std::vector<Extents> &strides,
                  const std::vector<nb::bytes> &elements) {
  std::vector<cupola_shape> given;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool isDense = i >= strides.size() || strides[i].size() != shapes[i].size();
    given.push_back({shapes[i].data(), static_cast<int32_t>(shapes[i].size()), isDense ? nullptr : strides[i].data(),
                     i < elements.size() && elements[i].size() > 0 ? elements[i].data() : nullptr});
  }
  {
    nb::gil_scoped_release release;
    capi::check(cupola_session_bind(session.get(), given.data(), given.size()));
  }
  inputStrides = strides;
  outputStrides.assign(outputs.size(), {});
  for (size_t i = 0; i < outputs.size(); ++i)
    if (memoryOf[i] >= 0 && static_cast<size_t>(memoryOf[i]) < strides.size())
      outputStrides[i] = strides[memoryOf[i]];
}

nb::tuple tupleOf(const int64_t *values, int32_t count) {
  nb::list list;
  for (int32_t i = 0; i < count; ++i)
    list.append(values[i]);
  return nb::tuple(list);
}

nb::tuple Runner::outputShape(size_t index) const {
  cupola_shape shape{};
  capi::check(cupola_session_output_shape(session.get(), index, &shape));
  return tupleOf(shape.extents, shape.rank);
}

void Runner::run(nb::list in, nb::list out) {
  const Tensors given(in, inputs, inputStrides, /*areWritten=*/false);
  const Tensors results(out, outputs, outputStrides, /*areWritten=*/true);
  nb::gil_scoped_release release;
  session.run(given.list(), results.list());
}

uint64_t Runner::enqueue(nb::list in, nb::list out) {
  const Tensors given(in, inputs, inputStrides, /*areWritten=*/false);
  const Tensors results(out, outputs, outputStrides, /*areWritten=*/true);
  nb::gil_scoped_release release;
  return session.enqueue(given.list(), results.list());
}

nb::tuple Runner::profile(nb::list in, nb::list out) {
  const Tensors given(in, inputs, inputStrides, /*areWritten=*/false);
  const Tensors results(out, outputs, outputStrides, /*areWritten=*/true);
  Report report;
  {
    nb::gil_scoped_release release;
    report = cupola::profile(session, given.list(), results.list());
  }
  return nb::make_tuple(textOf(report.text), textOf(report.json));
}

void Runner::fetch(size_t index, nb::handle out) {
  nb::list arrays;
  arrays.append(out);
  const Tensors results(arrays, {index < outputs.size() ? outputs[index] : cupola_type{}}, {}, /*areWritten=*/true);
  nb::gil_scoped_release release;
  session.fetchOutput(index, results.list().front());
}

/// Of str, whose lone surrogates are bytes that are no UTF-8, or of bytes.
std::string textOfElement(nb::handle element) {
  if (PyBytes_Check(element.ptr()))
    return {PyBytes_AS_STRING(element.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(element.ptr()))};
  if (!PyUnicode_Check(element.ptr()))
    throw Error(CUPOLA_USAGE,
                std::string("an element is a ") + nb::type_name(element.type()).c_str() + ", expected str or bytes");
  const auto encoded = nb::steal<nb::object>(PyUnicode_AsEncodedString(element.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid())
    throw nb::python_error();
  return textOfElement(encoded);
}

nb::list numberStrings(Runner &runner, nb::list elements) {
  std::vector<std::string> texts;
  for (nb::handle element : elements)
    texts.push_back(textOfElement(element));
  nb::list numbers;
  for (int64_t number : runner.session.numberStrings(texts))
    numbers.append(number);
  return numbers;
}

nb::list readStrings(Runner &runner, const std::vector<int64_t> &numbers) {
  nb::list texts;
  for (const std::string &text : runner.session.readStrings(numbers)) {
    PyObject *decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (!decoded)
      throw nb::python_error();
    texts.append(nb::steal<nb::object>(decoded));
  }
  return texts;
}

std::unique_ptr<Executable> executableOf(const Package &package, const Device &device) {
  nb::gil_scoped_release release;
  return std::make_unique<Executable>(package, device);
}

std::unique_ptr<Runner> runnerOf(const Executable &executable, const Package &package, uintptr_t stream,
                                 uint32_t inFlight) {
  const cupola_session_options options{sizeof(options), reinterpret_cast<void *>(stream), nullptr, inFlight};
  nb::gil_scoped_release release;
  return std::make_unique<Runner>(executable, package, options);
}

} // namespace

void bindSession(nb::module_ &module) {
  nb::class_<Executable>(module, "Executable", "A package on a device; for any number of sessions and threads.")
      .def_static("create", executableOf, nb::arg("package"), nb::arg("device"));

  nb::class_<Runner>(module, "Session", "Runs an executable, one thread at a time.")
      .def_static("create", runnerOf, nb::arg("executable"), nb::arg("package"), nb::arg("stream"),
                  nb::arg("in_flight"))
      .def("bind", &Runner::bind, nb::arg("shapes"), nb::arg("strides"), nb::arg("elements"),
           "Strides are in elements; an empty list stands for dense ones.")
      .def("output_shape", &Runner::outputShape, nb::arg("index"),
           nb::sig("def output_shape(self, index: int) -> tuple[int, ...]"))
      .def("run", &Runner::run, nb::arg("inputs"), nb::arg("outputs"),
           nb::sig("def run(self, inputs: list[typing.Any], outputs: list[typing.Any]) -> None"),
           "Arrays in the package's order; None for an output whose shape the run finds.")
      .def("enqueue", &Runner::enqueue, nb::arg("inputs"), nb::arg("outputs"),
           nb::sig("def enqueue(self, inputs: list[typing.Any], outputs: list[typing.Any]) -> int"))
      .def(
          "wait", [](Runner &runner, uint64_t run) { runner.session.wait(run); }, nb::arg("run"),
          nb::call_guard<nb::gil_scoped_release>())
      .def("profile", &Runner::profile, nb::arg("inputs"), nb::arg("outputs"),
           nb::sig("def profile(self, inputs: list[typing.Any], outputs: list[typing.Any]) -> tuple[str, str]"),
           "Text and JSON of a run, step by step.")
      .def(
          "metrics",
          [](const Runner &runner, std::string_view name) {
            const Report report = metrics(runner.session, name);
            return nb::make_tuple(textOf(report.text), textOf(report.json));
          },
          nb::arg("name"), nb::sig("def metrics(self, name: str) -> tuple[str, str]"), "Text and JSON.")
      .def("number_strings", numberStrings, nb::arg("elements"),
           nb::sig("def number_strings(self, elements: list[typing.Any]) -> list[int]"),
           "What int64 arrays for inputs hold in place of str or bytes.")
      .def("read_strings", readStrings, nb::arg("numbers"),
           nb::sig("def read_strings(self, numbers: list[int]) -> list[str]"))
      .def("fetch", &Runner::fetch, nb::arg("index"), nb::arg("array"))
      .def_prop_ro("copied_tensors", [](const Runner &runner) { return runner.session.copiedTensors(); });
}

} // namespace cupola::python
