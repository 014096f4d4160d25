// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-choose-calls))' | FileCheck %s --check-prefix=CALL
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-choose-calls{by-ops=true}))' | FileCheck %s --check-prefix=OPS
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-choose-calls{by-host=true}))' | FileCheck %s --check-prefix=HOST

// CALL-LABEL: @both
// CALL-NEXT: %[[Y:.*]] = graph.call <["x"]"return x * x;">(%arg0 : tensor<8xf32>) -> tensor<8xf32>
// CALL-NEXT: return %[[Y]]
// OPS-LABEL: @both
// OPS-NEXT: %[[Y:.*]] = graph.binary mul %arg0, %arg0
// OPS-NEXT: return %[[Y]]
func.func @both(%x: tensor<8xf32>) -> tensor<8xf32> {
  %square = graph.binary mul %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %y = graph.call <["x"] "return x * x;">(%x : tensor<8xf32>) same %square : tensor<8xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Nothing else says it.
// CALL-LABEL: @alone
// CALL: graph.call
// OPS-LABEL: @alone
// OPS: graph.call
func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = graph.call <["x"] "return x * x;">(%x : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// What others read stays.
// CALL-LABEL: @shared
// CALL: %[[S:.*]] = graph.binary mul
// CALL: %[[Y:.*]] = graph.call
// CALL: return %[[Y]], %[[S]]
// OPS-LABEL: @shared
// OPS: return %[[S:.*]], %[[S]]
func.func @shared(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %square = graph.binary mul %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %y = graph.call <["x"] "return x * x;">(%x : tensor<8xf32>) same %square : tensor<8xf32> -> tensor<8xf32>
  return %y, %square : tensor<8xf32>, tensor<8xf32>
}

// HOST-LABEL: @sorted
// HOST-NEXT: %[[Y:.*]] = graph.host "order" ["i32", "largest"](%arg0, %arg1) : (tensor<8xi32>, tensor<3xi64>) -> tensor<8xi64>
// HOST-NEXT: return %[[Y]]
// CALL-LABEL: @sorted
// CALL-NEXT: %[[P:.*]] = graph.iota
// CALL-NEXT: return %[[P]]
func.func @sorted(%x: tensor<8xi32>, %extents: tensor<3xi64>) -> tensor<8xi64> {
  %places = graph.iota 0 : tensor<8xi64>
  %y = graph.host "order" ["i32", "largest"] (%x, %extents) same %places : tensor<8xi64> : (tensor<8xi32>, tensor<3xi64>) -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// Strings are the host's alone.
// HOST-LABEL: @strings
// HOST: graph.host "string_rank"
// CALL-LABEL: @strings
// CALL: graph.host "string_rank"
func.func @strings(%x: tensor<8xi64>) -> tensor<8xi64> {
  %y = graph.host "string_rank" [] (%x) : (tensor<8xi64>) -> tensor<8xi64>
  return %y : tensor<8xi64>
}
