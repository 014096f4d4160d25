//===- python/src/RuntimeModule.cpp - cupola._runtime: libcupola_runtime.so ---===//
// SPDX-License-Identifier: Apache-2.0
#include "python/src/Bindings.h"
#include "python/src/Errors.h"
#include "python/src/Tensors.h"

NB_MODULE(_runtime, module) {
  using namespace cupola::python;
  module.doc() = "The runtime's C interface (cupola/Runtime/Runtime.h).";
  module.def("version", [] { return textOf(cupola::capi::text(cupola_version())); });
  prepareModule();
  bindTensors(module);
  bindPackage(module);
  bindDevice(module);
  bindSession(module);
  bindReports(module);
}
