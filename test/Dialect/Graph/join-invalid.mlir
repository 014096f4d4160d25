// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @sum(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{'graph.join' op}}
  %0 = graph.join %a, %b axis 1 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @rank(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{operands and result have one rank}}
  %0 = graph.join %a, %b axis 1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
