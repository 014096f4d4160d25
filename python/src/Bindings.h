//===- python/src/Bindings.h - What the module of the runtime is made of ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_BINDINGS_H
#define CUPOLA_PYTHON_SRC_BINDINGS_H

#include <nanobind/nanobind.h>

namespace cupola::python {

/// Binds `TensorInfo` and `Package`.
void bindPackage(nanobind::module_ &module);
/// Binds `Device`.
void bindDevice(nanobind::module_ &module);
/// Binds `Executable` and `Session`.
void bindSession(nanobind::module_ &module);

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_BINDINGS_H
