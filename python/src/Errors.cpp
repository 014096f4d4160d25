//===- python/src/Errors.cpp - Errors of the C interfaces as Python's ---===//
// SPDX-License-Identifier: Apache-2.0
#include "python/src/Errors.h"

namespace nb = nanobind;

namespace cupola::python {

nb::str textOf(std::string_view text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

static void translate(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error &error) {
    const nb::object made =
        nb::module_::import_("cupola.errors").attr("of")(static_cast<int>(error.code()), textOf(error.what()));
    PyErr_SetObject(made.type().ptr(), made.ptr());
  }
}

void prepareModule() {
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(nb::cast<bool>(nb::module_::import_("sys").attr("flags").attr("dev_mode")));
}

} // namespace cupola::python
