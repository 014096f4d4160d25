//===- test/Dialect/Graph/invalid.mlir - tensors and functions of their elements that are none ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @below {{'graph.unary' op operand #0 must be tensor of floating-point or signless integer or unsigned integer values with a shape, but got 'tensor<*xf32>'}}
  %0 = graph.unary neg %x : tensor<*xf32> -> tensor<*xf32>
  return
}

// -----

func.func @unknown(%x: tensor<4x?xf32>) {
  // expected-error @below {{'graph.cast' op operand #0 must be tensor of floating-point or signless integer or unsigned integer values with a shape, but got 'tensor<4x?xf32>'}}
  %0 = graph.cast %x : tensor<4x?xf32> -> tensor<4x?xf32>
  return
}

// -----

func.func @element(%x: tensor<4xindex>) {
  // expected-error @below {{'graph.cast' op operand #0 must be tensor of floating-point or signless integer or unsigned integer values with a shape, but got 'tensor<4xindex>'}}
  %0 = graph.cast %x : tensor<4xindex> -> tensor<4xi64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

func.func @unknownCount() {
  // expected-error @below {{'graph.dims' op needs a static shape}}
  %0 = graph.dims ["s0"] : tensor<?xi64, #graph.shape<"s0">>
  return
}

// -----

func.func @count() {
  // expected-error @below {{'graph.dims' op expected 3 expressions, found 2}}
  %0 = graph.dims ["s0", "1"] : tensor<3xi64>
  return
}

// -----

func.func @iota() {
  // expected-error @below {{'graph.iota' op axis 2 is out of range for rank 2}}
  %0 = graph.iota 2 : tensor<4x6xi64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

func.func @unaryShape(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.unary' op expected result of type 'tensor<4x6xf32>', found 'tensor<4x1xf32>'}}
  %0 = graph.unary exp %x : tensor<4x6xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @unaryElement(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.unary' op expected result of type 'tensor<4x6xf32>', found 'tensor<4x6xf16>'}}
  %0 = graph.unary exp %x : tensor<4x6xf32> -> tensor<4x6xf16>
  return
}

// -----

func.func @predicate(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.unary' op expected result of type 'tensor<4x6xi1>', found 'tensor<4x6xf32>'}}
  %0 = graph.unary is_inf %x : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @lhs(%x: tensor<4x6xf32>, %y: tensor<1x6xf32>) {
  // expected-error @below {{'graph.binary' op operand of type 'tensor<4x6xf32>' has not the shape of 'tensor<1x6xf32>'}}
  %0 = graph.binary add %y, %x : tensor<1x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @rhs(%x: tensor<?xf32, #graph.shape<"s0">>, %y: tensor<?xf32, #graph.shape<"s1">>) {
  // expected-error @below {{'graph.binary' op operand of type 'tensor<?xf32, #graph.shape<"s1">>' has not the shape of 'tensor<?xf32, #graph.shape<"s0">>'}}
  %0 = graph.binary add %x, %y
      : tensor<?xf32, #graph.shape<"s0">>, tensor<?xf32, #graph.shape<"s1">> -> tensor<?xf32, #graph.shape<"s0">>
  return
}

// -----

func.func @sides(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>) {
  // expected-error @below {{'graph.binary' op element types 'f32' and 'i32' differ}}
  %0 = graph.binary less %x, %y : tensor<4x6xf32>, tensor<4x6xi32> -> tensor<4x6xi1>
  return
}

// -----

func.func @comparison(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.binary' op expected result of type 'tensor<4x6xi1>', found 'tensor<4x6xf32>'}}
  %0 = graph.binary equal %x, %x : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @sum(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.binary' op expected result of type 'tensor<4x6xf32>', found 'tensor<4x6xf64>'}}
  %0 = graph.binary add %x, %x : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf64>
  return
}

// -----

func.func @condition(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.select' op expected elements of type i1, found 'f32'}}
  %0 = graph.select %x, %x, %x : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @conditions(%x: tensor<4x6xf32>, %c: tensor<6xi1>) {
  // expected-error @below {{'graph.select' op operand of type 'tensor<6xi1>' has not the shape of 'tensor<4x6xf32>'}}
  %0 = graph.select %c, %x, %x : tensor<6xi1>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @branch(%x: tensor<4x6xf32>, %c: tensor<4x6xi1>, %y: tensor<f32>) {
  // expected-error @below {{'graph.select' op operand of type 'tensor<f32>' has not the shape of 'tensor<4x6xf32>'}}
  %0 = graph.select %c, %x, %y : tensor<4x6xi1>, tensor<4x6xf32>, tensor<f32> -> tensor<4x6xf32>
  return
}

// -----

func.func @branches(%x: tensor<4x6xf32>, %c: tensor<4x6xi1>, %y: tensor<4x6xf16>) {
  // expected-error @below {{'graph.select' op element types 'f16' and 'f32' differ}}
  %0 = graph.select %c, %x, %y : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf16> -> tensor<4x6xf32>
  return
}

// -----

func.func @selected(%x: tensor<4x6xf32>, %c: tensor<4x6xi1>) {
  // expected-error @below {{'graph.select' op expected result of type 'tensor<4x6xf32>', found 'tensor<4x6xf16>'}}
  %0 = graph.select %c, %x, %x : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf16>
  return
}

// -----

func.func @cast(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.cast' op operand of type 'tensor<4x6xf32>' has not the shape of 'tensor<6x4xi32>'}}
  %0 = graph.cast %x : tensor<4x6xf32> -> tensor<6x4xi32>
  return
}

// -----

func.func @toFloat8(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.cast' op cannot make 'f8E5M2' of 'f32'}}
  %0 = graph.cast %x : tensor<4x6xf32> -> tensor<4x6xf8E5M2>
  return
}

// -----

func.func @ofFloat8(%x: tensor<4x6xf8E4M3FN>) {
  // expected-error @below {{'graph.cast' op cannot make 'i32' of 'f8E4M3FN'}}
  %0 = graph.cast %x : tensor<4x6xf8E4M3FN> -> tensor<4x6xi32>
  return
}

// -----

func.func @bits(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.bitcast' op cannot take the bits of 'f32' as 'i16'}}
  %0 = graph.bitcast %x : tensor<4x6xf32> -> tensor<4x6xi16>
  return
}

// -----

func.func @bitsOfBool(%x: tensor<4x6xi1>) {
  // expected-error @below {{'graph.bitcast' op cannot take the bits of 'i1' as 'i1'}}
  %0 = graph.bitcast %x : tensor<4x6xi1> -> tensor<4x6xi1>
  return
}

// -----

func.func @bitsShape(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.bitcast' op operand of type 'tensor<4x6xf32>' has not the shape of 'tensor<6x4xi32>'}}
  %0 = graph.bitcast %x : tensor<4x6xf32> -> tensor<6x4xi32>
  return
}

// -----

func.func @parameters(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.call' op has 1 inputs, the snippet 2 parameters}}
  %0 = graph.call <["a", "b"] "return a + b;">(%x : tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @called(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.call' op operand of type 'tensor<4x6xf32>' has not the shape of 'tensor<4xf32>'}}
  %0 = graph.call <["a"] "return a;">(%x : tensor<4x6xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @same(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.call' op element types 'f32' and 'i32' differ}}
  %0 = graph.call <["a"] "return a;">(%x : tensor<4x6xf32>) same %x : tensor<4x6xf32> -> tensor<4x6xi32>
  return
}
