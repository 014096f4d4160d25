//===- test/Compiler/Layers.h - a small model ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_COMPILER_LAYERS_H
#define CUPOLA_TEST_COMPILER_LAYERS_H

#include "lib/Runtime/Status.h"
#include "test/Import/Onnx/TestModels.h"

#include <stdexcept>

namespace cupola::test {

template <typename T> T need(Result<T> result) {
  if (result.failed())
    throw std::runtime_error(result.status().message());
  return result.take();
}

/// Three layers of one shape: the kernels of the first and the last are the same, and the
/// one between differs in nothing but its function.
inline onnx::ModelProto layers() {
  onnx::ModelProto model = onnx_import::modelOf(R"(layers (float[n, 8] x) => (float[n, 8] y) {
    a = MatMul(x, w)
    b = Relu(a)
    c = MatMul(b, w)
    d = Tanh(c)
    e = MatMul(d, w)
    y = Relu(e)
  })");
  for (int i = 0; i < model.graph().node_size(); ++i)
    model.mutable_graph()->mutable_node(i)->set_name("node_" + model.graph().node(i).output(0));
  onnx::TensorProto *w = model.mutable_graph()->add_initializer();
  w->set_name("w");
  w->set_data_type(onnx::TensorProto::FLOAT);
  w->add_dims(8);
  w->add_dims(8);
  for (int i = 0; i < 64; ++i)
    w->add_float_data(static_cast<float>(i * 37 % 17 - 8) / 16);
  return model;
}

} // namespace cupola::test

#endif // CUPOLA_TEST_COMPILER_LAYERS_H
