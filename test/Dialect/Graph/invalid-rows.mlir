//===- test/Dialect/Graph/invalid-rows.mlir - reductions and normalisations that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

func.func @unsorted(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.reduce' op axes are not sorted}}
  %0 = graph.reduce sum %x [2, 1] : tensor<4x6x8xf32> -> tensor<4x1x1xf32>
  return
}

// -----

func.func @reduceAxis(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.reduce' op axis 3 is out of range for rank 3}}
  %0 = graph.reduce sum %x [1, 3] : tensor<4x6x8xf32> -> tensor<4x1x1xf32>
  return
}

// -----

func.func @reduceShape(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.reduce' op expected result of type 'tensor<4x1x8xf32>', found 'tensor<4x8xf32>'}}
  %0 = graph.reduce sum %x [1] : tensor<4x6x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @reduceElement(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.reduce' op expected result of type 'tensor<4x1x8xf32>', found 'tensor<4x1x8xf64>'}}
  %0 = graph.reduce sum %x [1] : tensor<4x6x8xf32> -> tensor<4x1x8xf64>
  return
}

// -----

func.func @argKind(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.arg_reduce' op kind is max or min}}
  %0 = graph.arg_reduce sum %x axis 1 : tensor<4x6x8xf32> -> tensor<4x1x8xi64>
  return
}

// -----

func.func @argElement(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.arg_reduce' op expected result of type 'tensor<4x1x8xi64>', found 'tensor<4x1x8xi32>'}}
  %0 = graph.arg_reduce max %x axis 1 : tensor<4x6x8xf32> -> tensor<4x1x8xi32>
  return
}

// -----

func.func @argAxis(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.arg_reduce' op axis -1 is out of range for rank 3}}
  %0 = graph.arg_reduce max %x axis -1 : tensor<4x6x8xf32> -> tensor<4x6x1xi64>
  return
}

// -----

func.func @argShape(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.arg_reduce' op expected result of type 'tensor<4x1x8xi64>', found 'tensor<4x6x1xi64>'}}
  %0 = graph.arg_reduce min %x axis 1 : tensor<4x6x8xf32> -> tensor<4x6x1xi64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

func.func @softmaxAxis(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.softmax' op axis 3 is out of range for rank 3}}
  %0 = graph.softmax %x axis 3 : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @softmaxShape(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.softmax' op expected result of type 'tensor<4x6x8xf32>', found 'tensor<4x6x1xf32>'}}
  %0 = graph.softmax %x axis 2 : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  return
}

// -----

func.func @softmaxElement(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.softmax' op expected result of type 'tensor<4x6x8xf32>', found 'tensor<4x6x8xf16>'}}
  %0 = graph.softmax %x axis 2 : tensor<4x6x8xf32> -> tensor<4x6x8xf16>
  return
}

// -----

func.func @nothing(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.layer_norm' op normalises over no dimension}}
  %0 = graph.layer_norm %x axes [] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @normAxis(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.layer_norm' op axis 3 is out of range for rank 3}}
  %0 = graph.layer_norm %x axes [3] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @normTwice(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.layer_norm' op axes do not ascend}}
  %0 = graph.layer_norm %x axes [1, 1] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @normShape(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.layer_norm' op expected result of type 'tensor<4x6x8xf32>', found 'tensor<4x6x1xf32>'}}
  %0 = graph.layer_norm %x axes [2] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  return
}

// -----

func.func @normElement(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.layer_norm' op expected result of type 'tensor<4x6x8xf32>', found 'tensor<4x6x8xf64>'}}
  %0 = graph.layer_norm %x axes [2] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32> -> tensor<4x6x8xf64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

func.func @places(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.moments' op expected result of type 'tensor<4x1x1x2xf32>', found 'tensor<4x1x1xf32>'}}
  %0 = graph.moments %x axes [1, 2] : tensor<4x6x8xf32> -> tensor<4x1x1xf32>
  return
}

// -----

func.func @half(%x: tensor<4x6xf16>) {
  // expected-error @below {{'graph.moments' op expected result of type 'tensor<4x1x2xf32>', found 'tensor<4x1x2xf16>'}}
  %0 = graph.moments %x axes [1] : tensor<4x6xf16> -> tensor<4x1x2xf16>
  return
}

// -----

func.func @integers(%x: tensor<4x6xi32>) {
  // expected-error @below {{'graph.moments' op has no moments of 'i32'}}
  %0 = graph.moments %x axes [1] : tensor<4x6xi32> -> tensor<4x1x2xf32>
  return
}

// -----

func.func @order(%x: tensor<4x6x8xf32>) {
  // expected-error @below {{'graph.moments' op axes do not ascend}}
  %0 = graph.moments %x axes [2, 1] : tensor<4x6x8xf32> -> tensor<4x1x1x2xf32>
  return
}

// -----

func.func @parts(%x: tensor<4x6x8xf32>, %m: tensor<4x3x1x2xf32>) {
  // expected-error @below {{'graph.normalize' op has 3 moments along axis 1 of extent 6}}
  %0 = graph.normalize %x moments %m axes [1, 2] {epsilon = 1.0e-5 : f64}
      : tensor<4x6x8xf32>, tensor<4x3x1x2xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @rows(%x: tensor<4x6x8xf32>, %m: tensor<1x6x1x2xf32>) {
  // expected-error @below {{'graph.normalize' op has 1 moments along axis 0 of extent 4}}
  %0 = graph.normalize %x moments %m axes [1, 2] {epsilon = 1.0e-5 : f64}
      : tensor<4x6x8xf32>, tensor<1x6x1x2xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @element(%x: tensor<4x6xf64>, %m: tensor<4x1x2xf32>) {
  // expected-error @below {{'graph.normalize' op operand of type 'tensor<4x1x2xf32>' does not hold moments of 'tensor<4x6xf64>'}}
  %0 = graph.normalize %x moments %m axes [1] {epsilon = 1.0e-5 : f64}
      : tensor<4x6xf64>, tensor<4x1x2xf32> -> tensor<4x6xf64>
  return
}

// -----

func.func @pair(%x: tensor<4x6xf32>, %m: tensor<4x1x3xf32>) {
  // expected-error @below {{'graph.normalize' op operand of type 'tensor<4x1x3xf32>' does not hold moments of 'tensor<4x6xf32>'}}
  %0 = graph.normalize %x moments %m axes [1] {epsilon = 1.0e-5 : f64}
      : tensor<4x6xf32>, tensor<4x1x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @result(%x: tensor<4x6xf32>, %m: tensor<4x1x2xf32>) {
  // expected-error @below {{'graph.normalize' op expected result of type 'tensor<4x6xf32>', found 'tensor<6x4xf32>'}}
  %0 = graph.normalize %x moments %m axes [1] {epsilon = 1.0e-5 : f64}
      : tensor<4x6xf32>, tensor<4x1x2xf32> -> tensor<6x4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

func.func @noMoments(%m: tensor<4x6x1x3xf32>) {
  // expected-error @below {{'graph.statistics' op operand of type 'tensor<4x6x1x3xf32>' does not hold moments}}
  %0 = graph.statistics %m axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<4x6x1x3xf32> -> tensor<4x1x1x3xf32>
  return
}

// -----

func.func @overMoments(%m: tensor<4x6x1x2xf32>) {
  // expected-error @below {{'graph.statistics' op operand of type 'tensor<4x6x1x2xf32>' does not hold moments}}
  %0 = graph.statistics %m axes [1, 3] {epsilon = 1.0e-5 : f64} : tensor<4x6x1x2xf32> -> tensor<4x1x1x1xf32>
  return
}

// -----

func.func @partsStay(%m: tensor<4x6x1x2xf32>) {
  // expected-error @below {{'graph.statistics' op expected result of type 'tensor<4x1x1x2xf32>', found 'tensor<4x6x1x2xf32>'}}
  %0 = graph.statistics %m axes [1] {epsilon = 1.0e-5 : f64} : tensor<4x6x1x2xf32> -> tensor<4x6x1x2xf32>
  return
}
