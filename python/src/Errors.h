//===- python/src/Errors.h - Errors of the C interfaces as Python's ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_ERRORS_H
#define CUPOLA_PYTHON_SRC_ERRORS_H

#include "cupola/Status.hpp"

#include <nanobind/nanobind.h>

namespace cupola::python {

/// Makes cupola::Error arrive in Python as what cupola.errors.of(code, message) gives, and leaks be reported in
/// Python's development mode alone: a traceback that the interpreter keeps to its end is none. Once per module.
void prepareModule();

/// A text of the C interfaces; bytes that are no UTF-8, as in names of a model, become U+FFFD.
nanobind::str textOf(std::string_view text);

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_ERRORS_H
