//===- test/Dialect/Graph/invalid-views.mlir - views that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @reshape(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.reshape' op cannot turn 24 elements into 25}}
  %0 = graph.reshape %x : tensor<4x6xf32> -> tensor<5x5xf32>
  return
}

// -----

func.func @reshapeElement(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.reshape' op element types 'f32' and 'i32' differ}}
  %0 = graph.reshape %x : tensor<4x6xf32> -> tensor<24xi32>
  return
}

// -----

func.func @perm(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.transpose' op perm has 3 entries for rank 2}}
  %0 = graph.transpose %x [0, 1, 2] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @permRange(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.transpose' op axis -1 is out of range for rank 2}}
  %0 = graph.transpose %x [0, -1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @permTwice(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.transpose' op perm repeats dimension 1}}
  %0 = graph.transpose %x [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @permResult(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.transpose' op expected result of type 'tensor<6x4xf32>', found 'tensor<4x6xf32>'}}
  %0 = graph.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @broadcastRank(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.broadcast' op rank 2 becomes 3}}
  %0 = graph.broadcast %x : tensor<4x6xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.broadcast' op cannot broadcast extent 6 to 12}}
  %0 = graph.broadcast %x : tensor<4x6xf32> -> tensor<4x12xf32>
  return
}

// -----

func.func @broadcastElement(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.broadcast' op element types 'f32' and 'f16' differ}}
  %0 = graph.broadcast %x : tensor<4x6xf32> -> tensor<4x6xf16>
  return
}

// -----

func.func @sliceSteps(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.slice' op needs a step that is not 0 for every dimension}}
  %0 = graph.slice %x ["0", "0"] [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @sliceStep(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.slice' op needs a step that is not 0 for every dimension}}
  %0 = graph.slice %x ["0", "0"] [1, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @sliceRank(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.slice' op keeps the rank}}
  %0 = graph.slice %x ["0", "0"] [1, 1] : tensor<4x6xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sliceStarts(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.slice' op expected 2 expressions, found 1}}
  %0 = graph.slice %x ["0"] [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @sliceElement(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.slice' op element types 'f32' and 'f16' differ}}
  %0 = graph.slice %x ["0", "0"] [1, 1] : tensor<4x6xf32> -> tensor<4x6xf16>
  return
}

// -----

func.func @padRank(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pad' op keeps the rank}}
  %0 = graph.pad %x ["0", "0"] edge 0.0 : f32 : tensor<4x6xf32> -> tensor<4xf32>
  return
}

// -----

func.func @padValue(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pad' op pads 'f32' with a value of type 'i32'}}
  %0 = graph.pad %x ["0", "1"] constant 0 : i32 : tensor<4x6xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @padLow(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pad' op expected 2 expressions, found 3}}
  %0 = graph.pad %x ["0", "1", "2"] wrap 0.0 : f32 : tensor<4x6xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @padElement(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.pad' op element types 'f32' and 'f64' differ}}
  %0 = graph.pad %x ["0", "1"] wrap 0.0 : f32 : tensor<4x6xf32> -> tensor<4x8xf64>
  return
}

// -----

func.func @concatNothing() {
  // expected-error @below {{'graph.concat' op needs an operand}}
  %0 = "graph.concat"() <{axis = 0 : i64}> : () -> tensor<4x6xf32>
  return
}

// -----

func.func @concatAxis(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.concat' op axis 2 is out of range for rank 2}}
  %0 = graph.concat %x axis 2 : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @concatRank(%x: tensor<4x6xf32>, %y: tensor<6xf32>) {
  // expected-error @below {{'graph.concat' op operands have one rank}}
  %0 = graph.concat %x, %y axis 0 : tensor<4x6xf32>, tensor<6xf32> -> tensor<5x6xf32>
  return
}

// -----

func.func @concatElement(%x: tensor<4x6xf32>, %y: tensor<4x6xf16>) {
  // expected-error @below {{'graph.concat' op element types 'f16' and 'f32' differ}}
  %0 = graph.concat %x, %y axis 0 : tensor<4x6xf32>, tensor<4x6xf16> -> tensor<8x6xf32>
  return
}

// -----

func.func @concatExtent(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.concat' op expected result of type 'tensor<8x6xf32>', found 'tensor<9x6xf32>'}}
  %0 = graph.concat %x, %x axis 0 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<9x6xf32>
  return
}

// -----

func.func @concatOther(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) {
  // expected-error @below {{'graph.concat' op extents 4 and 5 differ in dimension 0}}
  %0 = graph.concat %x, %y axis 1 : tensor<4x6xf32>, tensor<5x6xf32> -> tensor<4x12xf32>
  return
}

// -----

func.func @concatTooLong(%x: tensor<?xf32, #graph.shape<"9223372036854775807*s0">>) {
  // expected-error @below {{'graph.concat' op has a result with an extent that leaves the range of 64 bits}}
  %0 = graph.concat %x, %x axis 0 : tensor<?xf32, #graph.shape<"9223372036854775807*s0">>,
      tensor<?xf32, #graph.shape<"9223372036854775807*s0">> -> tensor<?xf32, #graph.shape<"s1">>
  return
}

// -----

func.func @joinExtent(%x: tensor<4x6xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{'graph.join' op expected result of type 'tensor<4x9xf32>', found 'tensor<4x8xf32>'}}
  %0 = graph.join %x, %y axis 1 : tensor<4x6xf32>, tensor<4x3xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @joinRank(%x: tensor<4x6xf32>, %y: tensor<6xf32>) {
  // expected-error @below {{'graph.join' op operands have one rank}}
  %0 = graph.join %x, %y axis 1 : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x12xf32>
  return
}
