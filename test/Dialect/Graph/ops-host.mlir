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

// What graph ops make of the same inputs, too.
// CHECK-LABEL: @same
// CHECK: graph.host "last_match" [](%arg0, %arg1) same %{{.*}} : tensor<1x4x1xi64> : (tensor<1x2x1xi64>, tensor<4xi64>) -> tensor<1x4x1xi64>
func.func @same(%index: tensor<1x2x1xi64>, %extents: tensor<4xi64>) -> tensor<1x4x1xi64> {
  %iota = graph.iota 1 : tensor<1x4x1xi64>
  %0 = graph.host "last_match" [] (%index, %extents) same %iota : tensor<1x4x1xi64> : (tensor<1x2x1xi64>, tensor<4xi64>) -> tensor<1x4x1xi64>
  return %0 : tensor<1x4x1xi64>
}

// CHECK-LABEL: @reduce
// CHECK: graph.host "scatter_reduce" ["f32", "add"]
func.func @reduce(%x: tensor<3x2xf32>, %i: tensor<5xi64>, %u: tensor<5x2xf32>, %e: tensor<4xi64>) -> tensor<3x2xf32> {
  %0 = graph.host "scatter_reduce" ["f32", "add"] (%x, %i, %u, %e)
      : (tensor<3x2xf32>, tensor<5xi64>, tensor<5x2xf32>, tensor<4xi64>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
