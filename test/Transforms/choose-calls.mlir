// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-choose-calls))' | FileCheck %s --check-prefix=CALL
// RUN: cupola-opt %s --pass-pipeline='builtin.module(func.func(graph-choose-calls{by-ops=true}))' | FileCheck %s --check-prefix=OPS

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
