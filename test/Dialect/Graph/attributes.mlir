//===- test/Dialect/Graph/attributes.mlir - records of passes as they are written ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt --mlir-print-local-scope | FileCheck %s

// Names may hold any byte.
// CHECK: graph.provenance nodes {{\[}}["a\22\0A", "Exp"], ["b", "Softmax"], ["c", "Shape"]] folded ["c"]{{$}}
graph.provenance nodes [["a\22\0A", "Exp"], ["b", "Softmax"], ["c", "Shape"]] folded ["c"]

// CHECK: graph.assume "s0" less_equal "4" because "dimension 'n\22'"
graph.assume "s0" less_equal "4" because "dimension 'n\22'"

// CHECK: graph.verdicts @main [#graph.verdict<fused view : loc("a"("Exp")) -> loc("b"("Softmax")) through[loc("v"("Reshape"))] because "composes into addresses">,
// CHECK-SAME: #graph.verdict<apart "several-readers" : loc("a"("Exp")) -> loc(fused["b"("Softmax"), "c"("Shape")]) because "more than one kernel reads it">]
graph.verdicts @main [
  #graph.verdict<fused view : loc("a"("Exp")) -> loc("b"("Softmax")) through [loc("v"("Reshape"))] because "composes into addresses">,
  #graph.verdict<apart "several-readers" : loc("a"("Exp")) -> loc(fused["b"("Softmax"), "c"("Shape")]) because "more than one kernel reads it">
]

// CHECK: func.func @main(%{{.*}}: tensor<4x8xf32> {graph.name = "x"}, %{{.*}}: tensor<8x2xf32>) -> (tensor<4x2xf32> {graph.name = "y"})
func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<8x2xf32>) -> (tensor<4x2xf32> {graph.name = "y"}) {
  // CHECK: graph.fusion gemm(%{{.*}}, %{{.*}}) kernel @main ["2*s0"]
  // CHECK-SAME: library <product source[4, 8] weights[8, 2] result[4, 2] post_ops[<relu>, <clip, 0xFF800000 : f32, 6.000000e+00 : f32>]> inputs [0, 1] :
  %0 = graph.fusion gemm(%x, %w) kernel @main ["2*s0"]
      library <product source [4, 8] weights [8, 2] result [4, 2] post_ops [<relu>, <clip, 0xFF800000 : f32, 6.0 : f32>]> inputs [0, 1]
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>):
    %1 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
    graph.yield %1 : tensor<4x2xf32>
  }
  return %0 : tensor<4x2xf32>
}

// CHECK: graph.verdicts @rows [#graph.verdict<fused attention : loc("q k"("MatMul")) -> loc("rows"("Softmax")) because "kept">]
graph.verdicts @rows [#graph.verdict<fused attention : loc("q k"("MatMul")) -> loc("rows"("Softmax")) because "kept">]

// CHECK: graph.fusion attention(%{{.*}}, %{{.*}}) :
func.func @rows(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.fusion attention(%x, %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>):
    %1 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
    graph.yield %1 : tensor<4x2xf32>
  }
  return %0 : tensor<4x2xf32>
}
