//===- test/Dialect/Graph/invalid-attributes.mlir - expressions, shapes, attributes and fusions that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Expressions and shapes
//===----------------------------------------------------------------------===//

// expected-error @below {{'s0 +' is no expression: }}
graph.assume "s0 +" equal "4" because ""

// -----

// expected-error @below {{'9223372036854775807*s0*s0 + 9223372036854775807*s0*s0' is no expression: it leaves the range of 64 bits}}
graph.assume "9223372036854775807*s0*s0 + 9223372036854775807*s0*s0" equal "4" because ""

// -----

// expected-error @below {{shape has 2 expressions for rank 1}}
func.func private @f(tensor<?xf32, #graph.shape<"s0", "4">>)

// -----

// expected-error @below {{expression 's0' does not match the type's extent}}
func.func private @f(tensor<4xf32, #graph.shape<"s0">>)

// -----

// expected-error @below {{expression '4' does not match the type's extent}}
func.func private @f(tensor<?x?xf32, #graph.shape<"s0", "4">>)

// -----

// expected-error @below {{a static shape needs no expressions}}
func.func private @f(tensor<4x6xf32, #graph.shape<"4", "6">>)

// -----

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

// expected-error @below {{no op has the attribute "graph.hint"}}
func.func @f() attributes {graph.hint} {
  return
}

// -----

// expected-error @below {{no argument has an attribute "graph.alias" like this}}
func.func @f(%x: tensor<2xf32> {graph.alias = 0}) {
  return
}

// -----

// expected-error @below {{no argument has an attribute "graph.element" like this}}
func.func @f(%x: tensor<2xui8> {graph.element = "i4"}) {
  return
}

// -----

// expected-error @below {{no argument has an attribute "graph.element" like this}}
func.func @f(%x: tensor<2xf32> {graph.element = "f32"}) {
  return
}

// -----

// expected-error @below {{no result has an attribute "graph.element" like this}}
func.func @f(%x: tensor<2xui8>) -> (tensor<2xui8> {graph.element = "f8"}) {
  return %x : tensor<2xui8>
}

// -----

// expected-error @below {{no result has an attribute "graph.storage" like this}}
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32> {graph.storage = [2]}) {
  return %x : tensor<2xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

func.func @arguments(%x: tensor<2x2xf32>) {
  // expected-error @below {{operands and arguments of the region differ in type}}
  %0 = graph.fusion pointwise(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
    graph.yield %1 : tensor<2x2xf32>
  }
  return
}

// -----

func.func @yielded(%x: tensor<2x2xf32>) {
  // expected-error @below {{yielded values and results differ in type}}
  %0 = graph.fusion pointwise(%x) : (tensor<2x2xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    graph.yield %a : tensor<2x2xf32>
  }
  return
}

// -----

func.func @open(%x: tensor<2x2xf32>) {
  // expected-error @below {{yielded values and results differ in type}}
  %0 = "graph.fusion"(%x) <{kind = #graph<kernel_kind pointwise>}> ({
  ^bb0(%a: tensor<2x2xf32>):
    %1 = graph.unary neg %a : tensor<2x2xf32> -> tensor<2x2xf32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @scalars(%x: tensor<2x2xf32>) {
  // expected-error @below {{has a kernel and its scalars, or none of both}}
  %0 = "graph.fusion"(%x) <{kind = #graph<kernel_kind pointwise>, kernel = @scalars}> ({
  ^bb0(%a: tensor<2x2xf32>):
    graph.yield %a : tensor<2x2xf32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @inputs(%x: tensor<2x2xf32>) {
  // expected-error @below {{has a library call and its inputs, or none of both}}
  %0 = "graph.fusion"(%x) <{kind = #graph<kernel_kind pointwise>, library_inputs = array<i64: 0, 0>}> ({
  ^bb0(%a: tensor<2x2xf32>):
    graph.yield %a : tensor<2x2xf32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @refused(%x: tensor<2x2xf32>) {
  // expected-error @below {{has a library call that is refused}}
  %0 = graph.fusion gemm(%x) library <product source [2, 2] weights [2, 2] result [2, 2]> inputs [0, 0] refused "slow"
      : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    graph.yield %a : tensor<2x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{has the kernel @k, which is not there}}
  %0 = graph.fusion pointwise(%x) kernel @k [] : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<2x2xf32>) {
  // expected-error @below {{has 2 inputs of a library call that takes 3}}
  %0 = graph.fusion gemm(%x) library <product source [2, 2] weights [2, 2] result [2, 2] post_ops [<add_tensor>]> inputs [0, 0]
      : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    graph.yield %a : tensor<2x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<2x2xf32>) {
  // expected-error @below {{has an input of its library call that is no input of the fusion}}
  %0 = graph.fusion gemm(%x) library <product source [2, 2] weights [2, 2] result [2, 2]> inputs [0, 1]
      : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    graph.yield %a : tensor<2x2xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Records of the module
//===----------------------------------------------------------------------===//

// expected-error @below {{is about @g, which is no function}}
graph.verdicts @g []

// -----

// expected-error @below {{'Two stages' is no name of a rule: small letters and hyphens}}
graph.verdicts @f [#graph.verdict<apart "Two stages" : loc("a") -> loc("b") because "no">]
func.func private @f()

// -----

module {
  // expected-error @below {{attribute 'nodes' failed to satisfy constraint: names and op types of nodes}}
  graph.provenance nodes [["a", "Exp"], ["b"]]
}

// -----

func.func @f() {
  // expected-error @below {{'graph.provenance' op expects parent op 'builtin.module'}}
  graph.provenance nodes []
  return
}

// -----

// expected-error @below {{attribute 'verdicts' failed to satisfy constraint: verdicts}}
graph.verdicts @f [#graph.reason<"no">]
func.func private @f()

// -----

// expected-error @below {{is about @g, which is no function}}
graph.precision @g f16 narrowed 0 kept []

// -----

// expected-error @below {{attribute 'element' failed to satisfy constraint: type attribute of 16-bit float or bfloat16 type}}
graph.precision @f f32 narrowed 0 kept []
func.func private @f()

// -----

// expected-error @below {{is about @g, which is no function}}
graph.layouts @g []

// -----

// expected-error @below {{attribute 'chains' failed to satisfy constraint: chains}}
graph.layouts @f [#graph.reason<"no">]
func.func private @f()

// -----

// expected-error @below {{attribute 'kept' failed to satisfy constraint: ops that stayed f32}}
graph.precision @f f16 narrowed 0 kept [#graph.reason<"no">]
func.func private @f()

// -----

// expected-error @below {{has elements and steps, which a strided product has and no other call}}
#call = #graph.library_call<product source [2, 2] weights [2, 2] result [2, 2] of f32 steps [0, 2, 1] and [0, 2, 1]>

// -----

// expected-error @below {{has elements of 'f64', which are none of f32, f16 and bf16}}
#call = #graph.library_call<strided_product source [1, 2, 2] weights [1, 2, 2] result [1, 2, 2] of f64 steps [0, 2, 1] and [0, 2, 1]>

// -----

func.func @stored(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{graph.stored is no narrower float than the result's f32}}
  %0 = graph.unary relu %x {graph.stored = i8} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
