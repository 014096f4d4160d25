//===- test/Dialect/Graph/ops-attributes.mlir - attributes and records of passes, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt --mlir-print-local-scope | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s --mlir-print-local-scope | cupola-opt --mlir-print-local-scope --mlir-print-op-generic | diff %t.read -

// Names may hold any byte.
// CHECK: graph.provenance nodes {{\[}}["a\22\0A", "Exp"], ["b", "Softmax"], ["c", "Shape"]] folded ["c"]{{$}}
graph.provenance nodes [["a\22\0A", "Exp"], ["b", "Softmax"], ["c", "Shape"]] folded ["c"]
// CHECK: graph.provenance nodes {{\[}}["a", "Exp"]] dead ["a"]{{$}}
graph.provenance nodes [["a", "Exp"]] dead ["a"]
// CHECK: graph.provenance nodes []{{$}}
graph.provenance nodes []

// CHECK: graph.assume "s0" less_equal "4" because "dimension 'n\22'"
graph.assume "s0" less_equal "4" because "dimension 'n\22'"
// CHECK: graph.assume "s0 + 1" equal "s1" because ""
graph.assume "s0 + 1" equal "s1" because ""

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

// CHECK: graph.precision @rows f16 narrowed 3 kept [#graph.kept<loc("e"("Exp")) because "huge or tiny">]
graph.precision @rows f16 narrowed 3 kept [#graph.kept<loc("e"("Exp")) because "huge or tiny">]
// CHECK: graph.precision @rows tf32 narrowed 2 kept []
graph.precision @rows tf32 narrowed 2 kept []

// CHECK: graph.layouts @rows [#graph.chain<channels_last[loc("a"("Conv")), loc("b"("Conv"))] of
// CHECK-SAME: [<channels_last transposes 2 bytes 100 cost 200>, <channels_first transposes 0 bytes 0 cost 300>]>]
graph.layouts @rows [#graph.chain<channels_last [loc("a"("Conv")), loc("b"("Conv"))] of
    [<channels_last transposes 2 bytes 100 cost 200>, <channels_first transposes 0 bytes 0 cost 300>]>]
// CHECK: #graph.candidate<channels_first transposes 1 bytes 8 cost 16>
func.func private @candidate() attributes {one = #graph.candidate<channels_first transposes 1 bytes 8 cost 16>}
// CHECK: #graph<conv_layout channels_first>
func.func private @layout() attributes {one = #graph<conv_layout channels_first>}

// CHECK: graph.unary relu %{{.*}} {graph.stored = f16} : tensor<4xf32> -> tensor<4xf32>
func.func @stored(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary relu %x {graph.stored = f16} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
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

// CHECK-LABEL: func.func private @forms()
// CHECK-SAME: call = #graph.library_call<convolution source[1, 56, 56, 64] weights[3, 3, 64, 64] result[1, 56, 56, 64]
// CHECK-SAME: strides[1, 1] dilations[1, 1] padding[1, 1]
// CHECK-SAME: post_ops[<add_channel>, <add_tensor>, <relu>, <clip, 0.000000e+00 : f32, 6.000000e+00 : f32>, <sigmoid>, <silu>,
// CHECK-SAME: <hard_swish>, <gelu_erf>, <gelu_tanh>, <tanh>]>
// CHECK-SAME: expr = #graph.expr<"mod(s1, 8) + max(s0, 4)">
// CHECK-SAME: post_op = #graph.post_op<add_tensor>
// CHECK-SAME: product = #graph.library_call<product source[5, 48] weights[48, 8] result[5, 8]>
// CHECK-SAME: reason = #graph.reason<"a \22reason\22">
// CHECK-SAME: shape = #graph.shape<"s0", "16", "384*s1">
// CHECK-SAME: strided = #graph.library_call<strided_product source[2, 5, 3] weights[2, 3, 4] result[2, 5, 4] post_ops[<relu>] of bf16 steps[15, 3, 1] and[0, 1, 3] workspace 1024>
// CHECK-SAME: strided_alone = #graph.library_call<strided_product source[1, 5, 3] weights[1, 3, 4] result[1, 5, 4] of f32 steps[0, 3, 1] and[0, 4, 1]>
// CHECK-SAME: verdict = #graph.verdict<fused constant : loc("a") -> loc("b") because "">
func.func private @forms() attributes {
  call = #graph.library_call<convolution source[1, 56, 56, 64] weights[3, 3, 64, 64] result[1, 56, 56, 64]
           strides[1, 1] dilations[1, 1] padding[1, 1]
           post_ops[<add_channel>, <add_tensor>, <relu>, <clip, 0.000000e+00 : f32, 6.000000e+00 : f32>, <sigmoid>, <silu>,
                    <hard_swish>, <gelu_erf>, <gelu_tanh>, <tanh>]>,
  expr = #graph.expr<"max(s0, 4) + mod(s1, 8)">,
  post_op = #graph.post_op<add_tensor>,
  product = #graph.library_call<product source[5, 48] weights[48, 8] result[5, 8]>,
  reason = #graph.reason<"a \22reason\22">,
  shape = #graph.shape<"s0", "16", "384*s1">,
  snippet = #graph.snippet<["x", "alpha"] "return alpha * x;\0A">,
  strided = #graph.library_call<strided_product source[2, 5, 3] weights[2, 3, 4] result[2, 5, 4] post_ops[<relu>]
              of bf16 steps[15, 3, 1] and[0, 1, 3] workspace 1024>,
  strided_alone = #graph.library_call<strided_product source[1, 5, 3] weights[1, 3, 4] result[1, 5, 4] of f32 steps[0, 3, 1] and[0, 4, 1]>,
  verdict = #graph.verdict<fused constant : loc("a") -> loc("b") because "">
}

// CHECK: func.func @memory(%{{.*}}: tensor<?x8xf32, #graph.shape<"s0", "8">> {graph.dims = [#graph.expr<"s0">, #graph.expr<"8">], graph.name = "past", graph.storage = [#graph.expr<"s1">, #graph.expr<"8">]})
// CHECK-SAME: -> (tensor<?x8xf32, #graph.shape<"s0", "8">> {graph.alias = 0 : i64, graph.name = "present", graph.storage = [#graph.expr<"s1">, #graph.expr<"8">]})
func.func @memory(%past: tensor<?x8xf32, #graph.shape<"s0", "8">> {
      graph.dims = [#graph.expr<"s0">, #graph.expr<"8">], graph.name = "past", graph.storage = [#graph.expr<"s1">, #graph.expr<"8">]})
    -> (tensor<?x8xf32, #graph.shape<"s0", "8">> {
      graph.alias = 0 : i64, graph.name = "present", graph.storage = [#graph.expr<"s1">, #graph.expr<"8">]}) {
  return %past : tensor<?x8xf32, #graph.shape<"s0", "8">>
}

// CHECK: func.func @narrow(%{{.*}}: tensor<2xi8> {graph.element = "i4"}, %{{.*}}: tensor<2xui8> {graph.element = "f8e4m3fn"})
// CHECK-SAME: -> (tensor<2xui8> {graph.element = "f8e4m3fn"})
func.func @narrow(%x: tensor<2xi8> {graph.element = "i4"}, %y: tensor<2xui8> {graph.element = "f8e4m3fn"})
    -> (tensor<2xui8> {graph.element = "f8e4m3fn"}) {
  return %y : tensor<2xui8>
}
