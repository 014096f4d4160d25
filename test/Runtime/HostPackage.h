//===- test/Runtime/HostPackage.h - A package whose steps the host does ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_HOSTPACKAGE_H
#define CUPOLA_TEST_RUNTIME_HOSTPACKAGE_H

#include "test/Runtime/TestPackage.h"

namespace cupola::test {

/// y = a + b over strings a, b, y: [s0]; of `package`, which has the test package's variants. The package's strings
/// are "constant" and "".
inline format::Package hostPackageOf(format::Package package) {
  using format::BufferKind;
  const auto tensor = [](const char *name) {
    format::Tensor made;
    made.name = name;
    made.dtype = format::DType::String;
    made.dims = {"s0"};
    return made;
  };
  const auto buffer = [](BufferKind kind, uint32_t index) {
    format::Buffer made;
    made.kind = kind;
    made.index = index;
    made.bytes = "8*s0";
    return made;
  };
  package.inputs = {tensor("a"), tensor("b")};
  package.outputs = {tensor("y")};
  package.strings = {"constant", ""};
  format::Step concat;
  concat.kind = format::Step::HostStep;
  concat.host = {"string_concat", {}, {0, 1}, {2}};
  concat.nodes = {0};
  for (format::Variant &variant : package.variants) {
    variant.program.init.clear();
    variant.program.scalars.clear();
    variant.program.buffers = {buffer(BufferKind::Input, 0), buffer(BufferKind::Input, 1),
                               buffer(BufferKind::Output, 0)};
    variant.program.steps = {concat};
  }
  return package;
}

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_HOSTPACKAGE_H
