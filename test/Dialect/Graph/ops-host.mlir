//===- test/Dialect/Graph/ops-host.mlir - what the host computes, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// CHECK-LABEL: func.func @concat
// CHECK: graph.host "string_concat" [](%arg0, %arg1) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
func.func @concat(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = graph.host "string_concat" [] (%a, %b) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: func.func @parse
// CHECK: graph.host "string_parse" ["f16"](%arg0) : (tensor<2x?xi64, #graph.shape<"2", "s0">>) -> tensor<2x?xf16, #graph.shape<"2", "s0">>
func.func @parse(%a: tensor<2x?xi64, #graph.shape<"2", "s0">>) -> tensor<2x?xf16, #graph.shape<"2", "s0">> {
  %0 = graph.host "string_parse" ["f16"] (%a) : (tensor<2x?xi64, #graph.shape<"2", "s0">>) -> tensor<2x?xf16, #graph.shape<"2", "s0">>
  return %0 : tensor<2x?xf16, #graph.shape<"2", "s0">>
}
