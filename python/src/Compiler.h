//===- python/src/Compiler.h - What the module of the compiler is made of ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_COMPILER_H
#define CUPOLA_PYTHON_SRC_COMPILER_H

#include <nanobind/nanobind.h>

namespace cupola::python {

/// Binds `Problem`, `check` and `Compilation`.
void bindCompiler(nanobind::module_ &module);

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_COMPILER_H
