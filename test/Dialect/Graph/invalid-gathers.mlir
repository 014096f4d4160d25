//===- test/Dialect/Graph/invalid-gathers.mlir - gathers that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @gatherAxis(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{'graph.gather' op axis 2 is out of range for rank 2}}
  %0 = graph.gather %x, %i axis 2 : tensor<4x6xf32>, tensor<3xi64> -> tensor<4x6xf32>
  return
}

// -----

func.func @gatherShape(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{'graph.gather' op expected result of type 'tensor<4x3xf32>', found 'tensor<3x6xf32>'}}
  %0 = graph.gather %x, %i axis 1 : tensor<4x6xf32>, tensor<3xi64> -> tensor<3x6xf32>
  return
}

// -----

func.func @gatherElement(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{'graph.gather' op expected result of type 'tensor<4x3xf32>', found 'tensor<4x3xi64>'}}
  %0 = graph.gather %x, %i axis 1 : tensor<4x6xf32>, tensor<3xi64> -> tensor<4x3xi64>
  return
}

// -----

func.func @gatherBatch(%x: tensor<4x6xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'graph.gather' op 2 common dimensions of 1 before the axis and 1 of indices}}
  %0 = graph.gather %x, %i axis 1 {batch_dims = 2 : i64} : tensor<4x6xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

func.func @gatherNegative(%x: tensor<4x6xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'graph.gather' op -1 common dimensions of 1 before the axis and 1 of indices}}
  %0 = graph.gather %x, %i axis 1 {batch_dims = -1 : i64} : tensor<4x6xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

func.func @elementsRank(%x: tensor<4x6xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{'graph.gather_elements' op data and indices have one rank}}
  %0 = graph.gather_elements %x, %i axis 0 : tensor<4x6xf32>, tensor<3xi64> -> tensor<3xf32>
  return
}

// -----

func.func @elementsAxis(%x: tensor<4x6xf32>, %i: tensor<4x3xi64>) {
  // expected-error @below {{'graph.gather_elements' op axis -1 is out of range for rank 2}}
  %0 = graph.gather_elements %x, %i axis -1 : tensor<4x6xf32>, tensor<4x3xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @elementsShape(%x: tensor<4x6xf32>, %i: tensor<4x3xi64>) {
  // expected-error @below {{'graph.gather_elements' op expected result of type 'tensor<4x3xf32>', found 'tensor<4x6xf32>'}}
  %0 = graph.gather_elements %x, %i axis 1 : tensor<4x6xf32>, tensor<4x3xi64> -> tensor<4x6xf32>
  return
}

// -----

func.func @elementsElement(%x: tensor<4x6xf32>, %i: tensor<4x3xi64>) {
  // expected-error @below {{'graph.gather_elements' op expected result of type 'tensor<4x3xf32>', found 'tensor<4x3xf64>'}}
  %0 = graph.gather_elements %x, %i axis 1 : tensor<4x6xf32>, tensor<4x3xi64> -> tensor<4x3xf64>
  return
}

// -----

func.func @depth(%x: tensor<4x6xf32>, %i: tensor<3x3xi64>) {
  // expected-error @below {{'graph.gather_nd' op the last dimension of indices must be static and fit the data's rank}}
  %0 = graph.gather_nd %x, %i : tensor<4x6xf32>, tensor<3x3xi64> -> tensor<3xf32>
  return
}

// -----

func.func @unknownDepth(%x: tensor<4x6xf32>, %i: tensor<?xi64, #graph.shape<"s0">>) {
  // expected-error @below {{'graph.gather_nd' op the last dimension of indices must be static and fit the data's rank}}
  %0 = graph.gather_nd %x, %i : tensor<4x6xf32>, tensor<?xi64, #graph.shape<"s0">> -> tensor<f32>
  return
}

// -----

func.func @negativeBatch(%x: tensor<4x6xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{'graph.gather_nd' op the last dimension of indices must be static and fit the data's rank}}
  %0 = graph.gather_nd %x, %i {batch_dims = -1 : i64} : tensor<4x6xf32>, tensor<3x1xi64> -> tensor<3x4x6xf32>
  return
}

// -----

func.func @coordinates(%x: tensor<4x6xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{'graph.gather_nd' op expected result of type 'tensor<3x6xf32>', found 'tensor<3xf32>'}}
  %0 = graph.gather_nd %x, %i : tensor<4x6xf32>, tensor<3x1xi64> -> tensor<3xf32>
  return
}

// -----

func.func @coordinatesElement(%x: tensor<4x6xf32>, %i: tensor<3x2xi64>) {
  // expected-error @below {{'graph.gather_nd' op expected result of type 'tensor<3xf32>', found 'tensor<3xbf16>'}}
  %0 = graph.gather_nd %x, %i : tensor<4x6xf32>, tensor<3x2xi64> -> tensor<3xbf16>
  return
}
