//===- test/Dialect/Graph/attributes-invalid.mlir - attributes that no op declares, or without what they need ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

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

// expected-error @below {{no result has an attribute "graph.storage" like this}}
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32> {graph.storage = [2]}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{is about @g, which is no function}}
graph.verdicts @g []

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
