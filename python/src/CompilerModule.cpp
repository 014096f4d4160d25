//===- python/src/CompilerModule.cpp - cupola._compiler: libcupola_compiler.so ---===//
// SPDX-License-Identifier: Apache-2.0
#include "python/src/Compiler.h"
#include "python/src/Errors.h"
#include "python/src/Options.h"

NB_MODULE(_compiler, module) {
  using namespace cupola::python;
  module.doc() =
      "The compiler's C interface (cupola/Compiler/Compiler.h). Loading it brings LLVM; importing cupola does not.";
  module.def("version", [] { return textOf(cupola::capi::text(cupola_compiler_version())); });
  prepareModule();
  bindOptions(module);
  bindCompiler(module);
}
