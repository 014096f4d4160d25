// RUN: cupola-opt %s --split-input-file --verify-diagnostics

func.func @tooMany(%x: tensor<1x8x16xf32>) -> tensor<1x7x3x16xf32> {
  // expected-error @below {{7 windows of 3 do not fit into 8}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x7x3x16xf32>
  return %0 : tensor<1x7x3x16xf32>
}

// -----

func.func @dilated(%x: tensor<1x8x16xf32>) -> tensor<1x4x3x16xf32> {
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [2] : tensor<1x8x16xf32> -> tensor<1x4x3x16xf32>
  return %0 : tensor<1x4x3x16xf32>
}

// -----

func.func @rank(%x: tensor<1x8x16xf32>) -> tensor<1x6x16xf32> {
  // expected-error @below {{windows over 1 dimensions from 1 on turn rank 3 into 3}}
  %0 = graph.window %x axis 1 sizes [3] strides [1] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x16xf32>
  return %0 : tensor<1x6x16xf32>
}

// -----

func.func @stride(%x: tensor<1x8x16xf32>) -> tensor<1x6x3x16xf32> {
  // expected-error @below {{strides has an entry below 1}}
  %0 = graph.window %x axis 1 sizes [3] strides [0] dilations [1] : tensor<1x8x16xf32> -> tensor<1x6x3x16xf32>
  return %0 : tensor<1x6x3x16xf32>
}

// -----

func.func @channels(%x: tensor<1x8x8x6xf32>, %w: tensor<3x3x4x10xf32>) -> tensor<1x6x6x10xf32> {
  // expected-error @below {{2 groups of 4 channels contract 6 channels}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 2 : tensor<1x8x8x6xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x6x10xf32>
  return %0 : tensor<1x6x6x10xf32>
}

// -----

func.func @columns(%x: tensor<1x8x8x8xf32>, %w: tensor<3x3x4x9xf32>) -> tensor<1x6x6x9xf32> {
  // expected-error @below {{9 output channels do not divide into 2 groups}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 2 : tensor<1x8x8x8xf32>, tensor<3x3x4x9xf32> -> tensor<1x6x6x9xf32>
  return %0 : tensor<1x6x6x9xf32>
}

// -----

func.func @places(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x10xf32>) -> tensor<1x6x7x10xf32> {
  // expected-error @below {{7 windows of 3 do not fit into 8}}
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x4xf32>, tensor<3x3x4x10xf32> -> tensor<1x6x7x10xf32>
  return %0 : tensor<1x6x7x10xf32>
}
