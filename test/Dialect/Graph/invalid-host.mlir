//===- test/Dialect/Graph/invalid-host.mlir - ops of the host that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @unknown(%a: tensor<4xi64>) -> tensor<4xi64> {
  // expected-error @below {{'graph.host' op the host's op 'string_reverse' is not known}}
  %0 = graph.host "string_reverse" [] (%a) : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @operands(%a: tensor<4xi64>) -> tensor<4xi64> {
  // expected-error @below {{'graph.host' op the host's op 'string_concat' has 1 operands, expected 2}}
  %0 = graph.host "string_concat" [] (%a) : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @reads(%a: tensor<4xf32>) -> tensor<4xi64> {
  // expected-error @below {{'graph.host' op reads elements of 'f32', expected 'i64'}}
  %0 = graph.host "string_split_count" ["", "-1"] (%a) : (tensor<4xf32>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @writes(%a: tensor<4xi64>) -> tensor<4xi64> {
  // expected-error @below {{'graph.host' op has a result of 'i64', expected 'i1'}}
  %0 = graph.host "regex_full_match" ["a*"] (%a) : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @second(%a: tensor<4xi32>, %extents: tensor<3xi32>) -> tensor<4xi64> {
  // expected-error @below {{'graph.host' op reads elements of 'i32', expected 'i64'}}
  %0 = graph.host "order" ["i32", "largest"] (%a, %extents) : (tensor<4xi32>, tensor<3xi32>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @same(%a: tensor<4xi32>, %extents: tensor<3xi64>) -> tensor<4xi64> {
  %iota = graph.iota 0 : tensor<3xi64>
  // expected-error @below {{'graph.host' op is the same as a value of 'tensor<3xi64>', but has a result of 'tensor<4xi64>'}}
  %0 = graph.host "order" ["i32", "largest"] (%a, %extents) same %iota : tensor<3xi64> : (tensor<4xi32>, tensor<3xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

// expected-error @below {{graph.strings is no list of different texts}}
module attributes {graph.strings = ["a", "a"]} {}

// -----

// expected-error @below {{no argument has an attribute "graph.element" like this}}
func.func @element(%a: tensor<4xi64> {graph.element = "i64"}) {
  return
}
