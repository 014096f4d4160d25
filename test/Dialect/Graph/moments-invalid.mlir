// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @places(%x: tensor<4x6x8xf32>) -> tensor<4x1x1xf32> {
  // expected-error @below {{expected result of type 'tensor<4x1x1x2xf32>', found 'tensor<4x1x1xf32>'}}
  %0 = graph.moments %x axes [1, 2] : tensor<4x6x8xf32> -> tensor<4x1x1xf32>
  return %0 : tensor<4x1x1xf32>
}

// -----

func.func @half(%x: tensor<4x6xf16>) -> tensor<4x1x2xf16> {
  // expected-error @below {{expected result of type 'tensor<4x1x2xf32>', found 'tensor<4x1x2xf16>'}}
  %0 = graph.moments %x axes [1] : tensor<4x6xf16> -> tensor<4x1x2xf16>
  return %0 : tensor<4x1x2xf16>
}

// -----

func.func @integers(%x: tensor<4x6xi32>) -> tensor<4x1x2xf32> {
  // expected-error @below {{has no moments of 'i32'}}
  %0 = graph.moments %x axes [1] : tensor<4x6xi32> -> tensor<4x1x2xf32>
  return %0 : tensor<4x1x2xf32>
}

// -----

func.func @order(%x: tensor<4x6x8xf32>) -> tensor<4x1x1x2xf32> {
  // expected-error @below {{axes do not ascend}}
  %0 = graph.moments %x axes [2, 1] : tensor<4x6x8xf32> -> tensor<4x1x1x2xf32>
  return %0 : tensor<4x1x1x2xf32>
}

// -----

func.func @parts(%x: tensor<4x6x8xf32>, %m: tensor<4x3x1x2xf32>) -> tensor<4x6x8xf32> {
  // expected-error @below {{has 3 moments along axis 1 of extent 6}}
  %0 = graph.normalize %x moments %m axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32>, tensor<4x3x1x2xf32> -> tensor<4x6x8xf32>
  return %0 : tensor<4x6x8xf32>
}

// -----

func.func @rows(%x: tensor<4x6x8xf32>, %m: tensor<1x6x1x2xf32>) -> tensor<4x6x8xf32> {
  // expected-error @below {{has 1 moments along axis 0 of extent 4}}
  %0 = graph.normalize %x moments %m axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32>, tensor<1x6x1x2xf32> -> tensor<4x6x8xf32>
  return %0 : tensor<4x6x8xf32>
}

// -----

func.func @element(%x: tensor<4x6xf64>, %m: tensor<4x1x2xf32>) -> tensor<4x6xf64> {
  // expected-error @below {{does not hold moments of}}
  %0 = graph.normalize %x moments %m axes [1] {epsilon = 1.0e-5 : f64} : tensor<4x6xf64>, tensor<4x1x2xf32> -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}
