//===- test/Dialect/Graph/invalid-contractions.mlir - windows, convolutions and products that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

func.func @windowAxis(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op axis -1 is out of range for rank 3}}
  %0 = graph.window %x axis -1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x3x16xf32>
  return
}

// -----

func.func @windowRank(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op windows over 1 dimensions from 1 on turn rank 3 into 3}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x16xf32>
  return
}

// -----

func.func @windowBeyond(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op windows over 2 dimensions from 2 on turn rank 3 into 5}}
  %0 = graph.window %x axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1]
      : tensor<1x8x16xf32> -> tensor<1x8x14x3x3xf32>
  return
}

// -----

func.func @windowSizes(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op sizes has an entry below 1}}
  %0 = graph.window %x axis 1 sizes [0] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x0x16xf32>
  return
}

// -----

func.func @windowStride(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op strides has an entry below 1}}
  %0 = graph.window %x axis 1 sizes [3] strides [0] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x3x16xf32>
  return
}

// -----

func.func @windowDilations(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op dilations has 2 entries, expected 1}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1, 1] : tensor<1x8x16xf32> -> tensor<1x6x3x16xf32>
  return
}

// -----

func.func @tooMany(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op 7 windows of 3 do not fit into 8}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x7x3x16xf32>
  return
}

// -----

func.func @dilated(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op 5 windows of 3 do not fit into 8}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [2] : tensor<1x8x16xf32> -> tensor<1x5x3x16xf32>
  return
}

// -----

func.func @windowShape(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op expected result of type 'tensor<1x6x3x16xf32>', found 'tensor<1x6x16x3xf32>'}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x16x3xf32>
  return
}

// -----

func.func @windowElement(%x: tensor<1x8x16xf32>) {
  // expected-error @below {{'graph.window' op expected result of type 'tensor<1x6x3x16xf32>', found 'tensor<1x6x3x16xf16>'}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x3x16xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

func.func @convRank(%x: tensor<1x8x8x4xf32>, %w: tensor<3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op ranks 4, 3 and 4 are not one rank of at least 3}}
  %0 = graph.conv %x, %w strides [1] dilations [1] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x4x10xf32> -> tensor<1x6x8x10xf32>
  return
}

// -----

func.func @convPoint(%x: tensor<8x4xf32>, %w: tensor<4x10xf32>) {
  // expected-error @below {{'graph.conv' op ranks 2, 2 and 2 are not one rank of at least 3}}
  %0 = graph.conv %x, %w strides [] dilations [] groups 1 : tensor<8x4xf32>, tensor<4x10xf32> -> tensor<8x10xf32>
  return
}

// -----

func.func @convStrides(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op strides has 1 entries, expected 2}}
  %0 = graph.conv %x, %w strides [1] dilations [1, 1] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x6x10xf32>
  return
}

// -----

func.func @convDilations(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op dilations has an entry below 1}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 0] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x6x10xf32>
  return
}

// -----

func.func @convGroups(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op groups has an entry below 1}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 0
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x6x10xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x8x8x6xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op 2 groups of 4 channels contract 6 channels}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 2
      : tensor<1x8x8x6xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x6x10xf32>
  return
}

// -----

func.func @columns(%x: tensor<1x8x8x8xf32>, %w: tensor<3x3x4x9xf32>) {
  // expected-error @below {{'graph.conv' op 9 output channels do not divide into 2 groups}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 2
      : tensor<1x8x8x8xf32>, tensor<3x3x4x9xf32> -> tensor<1x6x6x9xf32>
  return
}

// -----

func.func @channelsFirst(%x: tensor<1x6x8x8xf32>, %w: tensor<10x4x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 2 groups of 4 channels contract 6 channels}}
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 2
      : tensor<1x6x8x8xf32>, tensor<10x4x3x3xf32> -> tensor<1x10x6x6xf32>
  return
}

// -----

func.func @columnsFirst(%x: tensor<1x8x8x8xf32>, %w: tensor<9x4x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 9 output channels do not divide into 2 groups}}
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 2
      : tensor<1x8x8x8xf32>, tensor<9x4x3x3xf32> -> tensor<1x9x6x6xf32>
  return
}

// -----

func.func @placesFirst(%x: tensor<1x4x8x9xf32>, %w: tensor<10x4x3x3xf32>) {
  // expected-error @below {{'graph.conv' op 8 windows of 3 do not fit into 9}}
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x4x8x9xf32>, tensor<10x4x3x3xf32> -> tensor<1x10x6x8xf32>
  return
}

// -----

func.func @shapeFirst(%x: tensor<1x4x8x8xf32>, %w: tensor<10x4x3x3xf32>) {
  // expected-error @below {{'graph.conv' op expected result of type 'tensor<1x10x6x6xf32>', found 'tensor<1x6x6x6xf32>'}}
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x4x8x8xf32>, tensor<10x4x3x3xf32> -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @layout(%x: tensor<1x4x8x8xf32>, %w: tensor<10x4x3x3xf32>) {
  // expected-error @below {{expected ::cupola::graph::ConvLayout to be one of: channels_last, channels_first}}
  // expected-error @below {{failed to parse Graph_ConvLayoutAttr parameter 'value'}}
  %0 = graph.conv %x, %w layout channels strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x4x8x8xf32>, tensor<10x4x3x3xf32> -> tensor<1x10x6x6xf32>
  return
}

// -----

func.func @convPlaces(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op 7 windows of 3 do not fit into 8}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x7x10xf32>
  return
}

// -----

func.func @convShape(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op expected result of type 'tensor<1x6x6x10xf32>', found 'tensor<2x6x6x10xf32>'}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<2x6x6x10xf32>
  return
}

// -----

func.func @convWeights(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf16>) {
  // expected-error @below {{'graph.conv' op element types 'f32' and 'f16' differ}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf16> -> tensor<1x6x6x10xf32>
  return
}

// -----

func.func @convResult(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) {
  // expected-error @below {{'graph.conv' op expected result of type 'tensor<1x6x6x10xf32>', found 'tensor<1x6x6x10xf64>'}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1
      : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x6x10xf64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

func.func @vector(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.matmul' op ranks 1 and 1 are not one rank of at least 2}}
  %0 = graph.matmul %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @productRanks(%x: tensor<2x4x4xf32>, %y: tensor<4x4xf32>) {
  // expected-error @below {{'graph.matmul' op ranks 3 and 2 are not one rank of at least 2}}
  %0 = graph.matmul %x, %y : tensor<2x4x4xf32>, tensor<4x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @depths(%x: tensor<4x6xf32>, %y: tensor<5x4xf32>) {
  // expected-error @below {{'graph.matmul' op contracts 6 with 5}}
  %0 = graph.matmul %x, %y : tensor<4x6xf32>, tensor<5x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @batches(%x: tensor<2x4x4xf32>, %y: tensor<1x4x4xf32>) {
  // expected-error @below {{'graph.matmul' op batch dimensions differ}}
  %0 = graph.matmul %x, %y : tensor<2x4x4xf32>, tensor<1x4x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @product(%x: tensor<4x6xf32>, %y: tensor<6x5xf32>) {
  // expected-error @below {{'graph.matmul' op expected result of type 'tensor<4x5xf32>', found 'tensor<5x4xf32>'}}
  %0 = graph.matmul %x, %y : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<5x4xf32>
  return
}

// -----

func.func @productSides(%x: tensor<4x6xf32>, %y: tensor<6x5xf16>) {
  // expected-error @below {{'graph.matmul' op element types 'f32' and 'f16' differ}}
  %0 = graph.matmul %x, %y : tensor<4x6xf32>, tensor<6x5xf16> -> tensor<4x5xf32>
  return
}

// -----

func.func @float8Side(%x: tensor<4x6xf8E4M3FN>, %y: tensor<6x5xf32>) {
  // expected-error @below {{'graph.matmul' op element types 'f8E4M3FN' and 'f32' differ}}
  %0 = graph.matmul %x, %y : tensor<4x6xf8E4M3FN>, tensor<6x5xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @float8Element(%x: tensor<4x6xf8E4M3FN>, %y: tensor<6x5xf8E4M3FN>) {
  // expected-error @below {{'graph.matmul' op expected result of type 'tensor<4x5xf32>', found 'tensor<4x5xf8E4M3FN>'}}
  %0 = graph.matmul %x, %y : tensor<4x6xf8E4M3FN>, tensor<6x5xf8E4M3FN> -> tensor<4x5xf8E4M3FN>
  return
}

// -----

func.func @productElement(%x: tensor<4x6xf16>, %y: tensor<6x5xf16>) {
  // expected-error @below {{'graph.matmul' op expected result of type 'tensor<4x5xf16>', found 'tensor<4x5xf32>'}}
  %0 = graph.matmul %x, %y : tensor<4x6xf16>, tensor<6x5xf16> -> tensor<4x5xf32>
  return
}

// -----

func.func @halfProducts(%x: tensor<2x4xf16>, %w: tensor<4x2xf16>) -> tensor<2x2xf16> {
  // expected-error @below {{multiplies 'f16', not f32, as tf32}}
  %0 = graph.matmul %x, %w tf32 x1 : tensor<2x4xf16>, tensor<4x2xf16> -> tensor<2x2xf16>
  return %0 : tensor<2x2xf16>
}

// -----

//===----------------------------------------------------------------------===//
// Products in blocks
//===----------------------------------------------------------------------===//

// -----

func.func @blockRank(%q: tensor<4x64xi8>, %w: tensor<64x8xui8>, %z: tensor<1x4x2xi32>, %s: tensor<4x2xf32>, %t: tensor<2x8xf32>) {
  // expected-error @below {{'graph.block_matmul' op has an operand of rank 3, expected matrices}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x64xi8>, tensor<64x8xui8>, tensor<1x4x2xi32>, tensor<4x2xf32>, tensor<2x8xf32>
      -> tensor<4x8xf32>
  return
}

// -----

func.func @blockElements(%q: tensor<4x64xi16>, %w: tensor<64x8xui8>, %z: tensor<4x2xi32>, %s: tensor<4x2xf32>, %t: tensor<2x8xf32>) {
  // expected-error @below {{'graph.block_matmul' op multiplies 'i16' by 'ui8' from 'i32' on, expected i8 by i8 or ui8 from i32 on}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x64xi16>, tensor<64x8xui8>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<2x8xf32>
      -> tensor<4x8xf32>
  return
}

// -----

func.func @blockStart(%q: tensor<4x64xi8>, %w: tensor<64x8xui8>, %z: tensor<4x2xf32>, %s: tensor<4x2xf32>, %t: tensor<2x8xf32>) {
  // expected-error @below {{'graph.block_matmul' op multiplies 'i8' by 'ui8' from 'f32' on, expected i8 by i8 or ui8 from i32 on}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x64xi8>, tensor<64x8xui8>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x8xf32>
      -> tensor<4x8xf32>
  return
}

// -----

func.func @blockScales(%q: tensor<4x64xi8>, %w: tensor<64x8xui8>, %z: tensor<4x2xi32>, %s: tensor<4x2xf32>, %t: tensor<2x8xf16>) {
  // expected-error @below {{'graph.block_matmul' op has scales that are not f32}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x64xi8>, tensor<64x8xui8>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<2x8xf16>
      -> tensor<4x8xf32>
  return
}

// -----

func.func @blockDepth(%q: tensor<4x32xi8>, %w: tensor<64x8xui8>, %z: tensor<4x2xi32>, %s: tensor<4x2xf32>, %t: tensor<2x8xf32>) {
  // expected-error @below {{'graph.block_matmul' op contracts 32 with 64}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x32xi8>, tensor<64x8xui8>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<2x8xf32>
      -> tensor<4x8xf32>
  return
}

// -----

func.func @blockRows(%q: tensor<4x64xi8>, %w: tensor<64x8xui8>, %z: tensor<4x2xi32>, %s: tensor<4x4xf32>, %t: tensor<2x8xf32>) {
  // expected-error @below {{'graph.block_matmul' op has scales or a start of other rows, columns or blocks than its operands}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x64xi8>, tensor<64x8xui8>, tensor<4x2xi32>, tensor<4x4xf32>, tensor<2x8xf32>
      -> tensor<4x8xf32>
  return
}

// -----

func.func @blockSize(%q: tensor<4x64xi8>, %w: tensor<64x8xui8>, %z: tensor<4x3xi32>, %s: tensor<4x3xf32>, %t: tensor<3x8xf32>) {
  // expected-error @below {{'graph.block_matmul' op divides a depth of 64 into 3 blocks}}
  %0 = graph.block_matmul %q, %w start %z scales %s, %t : tensor<4x64xi8>, tensor<64x8xui8>, tensor<4x3xi32>, tensor<4x3xf32>, tensor<3x8xf32>
      -> tensor<4x8xf32>
  return
}
