//===- python/src/Bindings.h - What the module of the runtime is made of ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_BINDINGS_H
#define CUPOLA_PYTHON_SRC_BINDINGS_H

#include <nanobind/nanobind.h>

namespace cupola::python {

/// Binds `TensorInfo`, `Symbol`, `Metadata` and `Package`.
void bindPackage(nanobind::module_ &module);
/// Binds `Device`, `DeviceInfo` and `devices`.
void bindDevice(nanobind::module_ &module);
/// Binds `Executable` and `Session`.
void bindSession(nanobind::module_ &module);
/// Binds `inspect`, `bench` and `Verification`.
void bindReports(nanobind::module_ &module);

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_BINDINGS_H
