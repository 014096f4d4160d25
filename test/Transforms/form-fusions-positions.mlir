//===- test/Transforms/form-fusions-positions.mlir - a mask by position is made where it is read ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --implicit-check-not="graph.fusion pointwise"

// Each of three readers makes it.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: graph.binary less_equal
func.func @main(%x: tensor<40x40xf32>, %y: tensor<40x40xf32>, %z: tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>) {
  %row = graph.iota 0 : tensor<40x40xi64>
  %key = graph.iota 1 : tensor<40x40xi64>
  %seen = graph.binary less_equal %key, %row : tensor<40x40xi64>, tensor<40x40xi64> -> tensor<40x40xi1>
  %low = graph.constant dense<-1.0> : tensor<40x40xf32> : tensor<40x40xf32>
  %0 = graph.select %seen, %x, %low : tensor<40x40xi1>, tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
  %1 = graph.softmax %0 axis 1 : tensor<40x40xf32> -> tensor<40x40xf32>
  %2 = graph.select %seen, %y, %low : tensor<40x40xi1>, tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
  %3 = graph.softmax %2 axis 1 : tensor<40x40xf32> -> tensor<40x40xf32>
  %4 = graph.select %seen, %z, %low : tensor<40x40xi1>, tensor<40x40xf32>, tensor<40x40xf32> -> tensor<40x40xf32>
  %5 = graph.softmax %4 axis 1 : tensor<40x40xf32> -> tensor<40x40xf32>
  return %1, %3, %5 : tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>
}
