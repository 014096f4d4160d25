//===- test/Transforms/form-fusions-byte-keys.mlir - keys and values that lie in memory as bytes ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{byte-keys=true scaled-byte-keys=true})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{byte-keys=true})" | FileCheck %s --check-prefix=CASTS
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func @scaled
// CHECK: %[[R:.*]] = graph.fusion attention(%arg0, %arg1, %{{.*}}, %arg2) : (tensor<2x5x8xf32>, tensor<2x7x8xi8>, tensor<1x1x8xf32>, tensor<2x7x6xi8>)
// CHECK: return %[[R]]
// Where only casts are made there, scaled keys are written.
// CASTS-LABEL: func.func @scaled
// CASTS-COUNT-1: graph.fusion pointwise
// CASTS: graph.fusion attention(%arg0, %{{.*}}, %arg2)
// APART-LABEL: func.func @scaled
// APART-COUNT-2: graph.fusion pointwise
// APART: graph.fusion attention
func.func @scaled(%q: tensor<2x5x8xf32>, %k: tensor<2x7x8xi8>, %v: tensor<2x7x6xi8>) -> tensor<2x5x6xf32> {
  %scale = graph.constant dense<[[[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]]]> : tensor<1x1x8xf32> : tensor<1x1x8xf32>
  %scales = graph.broadcast %scale : tensor<1x1x8xf32> -> tensor<2x7x8xf32>
  %kf = graph.cast %k : tensor<2x7x8xi8> -> tensor<2x7x8xf32>
  %ks = graph.binary mul %kf, %scales : tensor<2x7x8xf32>, tensor<2x7x8xf32> -> tensor<2x7x8xf32> loc("key")
  %kt = graph.transpose %ks [0, 2, 1] : tensor<2x7x8xf32> -> tensor<2x8x7xf32>
  %vf = graph.cast %v : tensor<2x7x6xi8> -> tensor<2x7x6xf32> loc("value")
  %0 = graph.matmul %q, %kt : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32>
  %2 = graph.matmul %1, %vf : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32>
  return %2 : tensor<2x5x6xf32>
}

// What takes more than sums and products, or numbers in memory, is written.
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-2: graph.fusion pointwise
// CHECK: graph.fusion attention
func.func @refused(%q: tensor<2x5x8xf32>, %k: tensor<2x7x8xi8>, %v: tensor<2x7x6xi8>, %o: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %kf = graph.cast %k : tensor<2x7x8xi8> -> tensor<2x7x8xf32>
  %ke = graph.unary exp %kf : tensor<2x7x8xf32> -> tensor<2x7x8xf32>
  %kt = graph.transpose %ke [0, 2, 1] : tensor<2x7x8xf32> -> tensor<2x8x7xf32>
  %vf = graph.cast %v : tensor<2x7x6xi8> -> tensor<2x7x6xf32>
  %vs = graph.binary mul %vf, %o : tensor<2x7x6xf32>, tensor<2x7x6xf32> -> tensor<2x7x6xf32>
  %0 = graph.matmul %q, %kt : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32>
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32>
  %2 = graph.matmul %1, %vs : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32>
  return %2 : tensor<2x5x6xf32>
}
