//===- test/Transforms/form-fusions-rules.mlir - each rule of fusion: where it decides, where it does not ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{prologues=false})" | FileCheck %s --check-prefix=DISABLED
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{epilogues=false})" | FileCheck %s --check-prefix=APART
//
// In the order of the table (lib/Transforms/Fusion/Rules/Rules.cpp), from what makes a value to what reads it. `address`
// is in long-addresses.mlir, `joint` in form-fusions-joint.mlir, `two-stages` in split-norms.mlir, too, `size` in form-fusions-size.test;
// rules.test says which rule decides in none of them.

// A constant and positions are no kernels. Positions that are a result are stored by the one kernel that reads them.
// CHECK-LABEL: graph.verdicts @constant
// CHECK-SAME: <fused constant : loc("two") -> loc("double") because "a constant is no kernel">
// CHECK-SAME: <fused constant : loc("places") -> loc("moved") because "a constant is no kernel">
// CHECK-SAME: <fused kept : loc("result") -> loc("turned") because "the kernel that reads it computes and stores it">
func.func @constant(%x: tensor<4x8xi64>) -> (tensor<4x8xi64>, tensor<4x8xi64>, tensor<4x8xi64>) {
  %0 = graph.constant dense<2> : tensor<4x8xi64> : tensor<4x8xi64> loc("two")
  %1 = graph.binary mul %x, %0 : tensor<4x8xi64>, tensor<4x8xi64> -> tensor<4x8xi64> loc("double")
  %2 = graph.iota 1 : tensor<4x8xi64> loc("places")
  %3 = graph.binary add %1, %2 : tensor<4x8xi64>, tensor<4x8xi64> -> tensor<4x8xi64> loc("moved")
  %4 = graph.iota 0 : tensor<4x8xi64> loc("result")
  %5 = graph.binary sub %x, %4 : tensor<4x8xi64>, tensor<4x8xi64> -> tensor<4x8xi64> loc("turned")
  return %3, %4, %5 : tensor<4x8xi64>, tensor<4x8xi64>, tensor<4x8xi64>
}

// What a branch reads, and what it leaves.
// CHECK-LABEL: graph.verdicts @control
// CHECK-SAME: <apart control : loc("before") -> loc("branch") because "a branch or a loop reads it in memory">
// CHECK-SAME: <apart control : loc("branch") -> loc("after") because "what a branch or a loop leaves lies in memory">
func.func @control(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary exp %x : tensor<4xf32> -> tensor<4xf32> loc("before")
  %1 = graph.if %c captures(%0) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.unary neg %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } loc("branch")
  %3 = graph.unary neg %1 : tensor<4xf32> -> tensor<4xf32> loc("after")
  return %3 : tensor<4xf32>
}

// A part is written where it stands, and read from there; tensors that are only put together compose.
// CHECK-LABEL: graph.verdicts @join
// CHECK-SAME: <fused join : loc("part") -> loc("joined") because "written where it stands in the joined tensor">
// CHECK-SAME: <apart join : loc("joined") -> loc("sum") because "a joined tensor lies in memory">
// CHECK-SAME: <fused view : loc("together") -> loc("whole") because "composes into addresses">
func.func @join(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("part")
  %1 = graph.join %0, %y axis 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32> loc("joined")
  %2 = graph.reduce sum %1 [1] : tensor<8x8xf32> -> tensor<8x1xf32> loc("sum")
  %3 = graph.concat %x, %y axis 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32> loc("together")
  %4 = graph.reduce sum %3 [1] : tensor<8x8xf32> -> tensor<8x1xf32> loc("whole")
  return %2, %4 : tensor<8x1xf32>, tensor<8x1xf32>
}

// A view is a way to read; one after a hero is a way to write. Behind it is an edge of what computes.
// CHECK-LABEL: graph.verdicts @view
// CHECK-SAME: <fused view : loc("exp") -> loc("turned") because "composes into addresses">
// CHECK-SAME: <fused view : loc("turned") -> loc("sum") because "composes into addresses">
// CHECK-SAME: <fused prologue : loc("exp") -> loc("sum") through[loc("turned")] because
// CHECK-SAME: <fused epilogue : loc("product") -> loc("written") because
func.func @view(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<8x1xf32>, tensor<6x4xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("exp")
  %1 = graph.transpose %0 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32> loc("turned")
  %2 = graph.reduce sum %1 [1] : tensor<8x4xf32> -> tensor<8x1xf32> loc("sum")
  %3 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("product")
  %4 = graph.transpose %3 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32> loc("written")
  return %2, %4 : tensor<8x1xf32>, tensor<6x4xf32>
}

// What follows a hero is computed on its result, unless that is given out, too, or also needs what a kernel makes of it.
// CHECK-LABEL: graph.verdicts @epilogue
// CHECK-SAME: <fused epilogue : loc("product") -> loc("exp") because "computed on the hero's result">
// CHECK-SAME: <apart "several-readers" : loc("given out") -> loc("neg") because "its result has readers outside of the kernel">
// CHECK-SAME: <apart hero : loc("averaged") -> loc("mean") because
// CHECK-SAME: <apart "several-readers" : loc("averaged") -> loc("rest") because
// APART-LABEL: graph.verdicts @epilogue
// APART-SAME: <apart "several-readers" : loc("product") -> loc("exp") because "its result has readers outside of the kernel">
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("product")
  %1 = graph.unary exp %0 : tensor<4x6xf32> -> tensor<4x6xf32> loc("exp")
  %2 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("given out")
  %3 = graph.unary neg %2 : tensor<4x6xf32> -> tensor<4x6xf32> loc("neg")
  %4 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("averaged")
  %5 = graph.reduce mean %4 [1] : tensor<4x6xf32> -> tensor<4x1xf32> loc("mean")
  %6 = graph.broadcast %5 : tensor<4x1xf32> -> tensor<4x6xf32> loc("spread")
  %7 = graph.binary sub %4, %6 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32> loc("rest")
  return %1, %2, %3, %7 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Bytes go to memory where one kernel makes floats of them. Not where a product would for each of its tiles, where there are two
// kernels, where a tensor has a part in it, where that is no wider.
// CHECK-LABEL: graph.verdicts @narrow
// CHECK-SAME: <apart narrow : loc("bytes") -> loc("float") because "what its only reader makes of it is wider">
// CHECK-SAME: <fused prologue : loc("float") -> loc("scaled") because
// CHECK-SAME: <fused prologue : loc("scaled") -> loc("mean") because
// CHECK-SAME: <fused epilogue : loc("tile") -> loc("tile float") because
// CHECK-SAME: <fused epilogue : loc("twice") -> loc("twice float") because
// CHECK-SAME: <fused epilogue : loc("part") -> loc("part float") because
// CHECK-SAME: <fused epilogue : loc("same") -> loc("same float") because
// DISABLED-LABEL: graph.verdicts @narrow
// DISABLED-SAME: <fused epilogue : loc("bytes") -> loc("float") because
func.func @narrow(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %v: tensor<6x6xf32>, %x0: tensor<4x6xf32>)
    -> (tensor<4x1xf32>, tensor<4x6xf32>, tensor<4x1xf32>, tensor<1x6xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %s = graph.constant dense<5.0e-1> : tensor<4x6xf32> : tensor<4x6xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("product")
  %1 = graph.cast %0 : tensor<4x6xf32> -> tensor<4x6xui8> loc("bytes")
  %2 = graph.cast %1 : tensor<4x6xui8> -> tensor<4x6xf32> loc("float")
  %3 = graph.binary mul %2, %s : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32> loc("scaled")
  %4 = graph.reduce mean %3 [1] : tensor<4x6xf32> -> tensor<4x1xf32> loc("mean")
  %5 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("second")
  %6 = graph.cast %5 : tensor<4x6xf32> -> tensor<4x6xui8> loc("tile")
  %7 = graph.cast %6 : tensor<4x6xui8> -> tensor<4x6xf32> loc("tile float")
  %8 = graph.matmul %7, %v : tensor<4x6xf32>, tensor<6x6xf32> -> tensor<4x6xf32> loc("next")
  %9 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("third")
  %10 = graph.cast %9 : tensor<4x6xf32> -> tensor<4x6xui8> loc("twice")
  %11 = graph.cast %10 : tensor<4x6xui8> -> tensor<4x6xf32> loc("twice float")
  %12 = graph.reduce mean %11 [1] : tensor<4x6xf32> -> tensor<4x1xf32> loc("first reader")
  %13 = graph.reduce max %11 [0] : tensor<4x6xf32> -> tensor<1x6xf32> loc("second reader")
  %14 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("fourth")
  %15 = graph.cast %14 : tensor<4x6xf32> -> tensor<4x6xui8> loc("part")
  %16 = graph.cast %15 : tensor<4x6xui8> -> tensor<4x6xf32> loc("part float")
  %17 = graph.binary mul %16, %x0 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32> loc("with a tensor")
  %18 = graph.reduce mean %17 [1] : tensor<4x6xf32> -> tensor<4x1xf32> loc("mean of both")
  %19 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("fifth")
  %20 = graph.unary neg %19 : tensor<4x6xf32> -> tensor<4x6xf32> loc("same")
  %21 = graph.unary abs %20 : tensor<4x6xf32> -> tensor<4x6xf32> loc("same float")
  %22 = graph.reduce mean %21 [1] : tensor<4x6xf32> -> tensor<4x1xf32> loc("last mean")
  return %4, %8, %12, %13, %18, %22 : tensor<4x1xf32>, tensor<4x6xf32>, tensor<4x1xf32>, tensor<1x6xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// What is read by nothing but the end lies in memory: only an op that is dead, and so no kernel, can show it. A view
// that is a result gets a kernel that computes what it moves.
// CHECK-LABEL: graph.verdicts @result
// CHECK-SAME: <apart result : loc("exp") -> loc("dead") because "it is a result of the model, or a part of a joined tensor">
// CHECK-SAME: <fused prologue : loc("neg") -> loc("turned") because
func.func @result(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("exp")
  %1 = graph.unary sin %0 : tensor<4x8xf32> -> tensor<4x8xf32> loc("dead")
  %2 = graph.unary neg %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("neg")
  %3 = graph.transpose %2 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32> loc("turned")
  return %0, %3 : tensor<4x8xf32>, tensor<8x4xf32>
}

// Arithmetic is computed where it is read, if allowed.
// CHECK-LABEL: graph.verdicts @prologue
// CHECK-SAME: <fused prologue : loc("exp") -> loc("sum") because "computed where its only reader is">
// CHECK-SAME: <fused prologue : loc("cast") -> loc("rows") because "computed in both kernels that read it">
// CHECK-SAME: <fused prologue : loc("cast") -> loc("columns") because "computed in both kernels that read it">
// DISABLED-LABEL: graph.verdicts @prologue
// DISABLED-SAME: <apart disabled : loc("exp") -> loc("sum") because "prologues are switched off">
// DISABLED-SAME: <apart "several-readers" : loc("cast") -> loc("rows") because "more than one kernel reads it">
func.func @prologue(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x8xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("exp")
  %1 = graph.reduce sum %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("sum")
  %2 = graph.cast %i : tensor<4x8xi64> -> tensor<4x8xf32> loc("cast")
  %3 = graph.reduce sum %2 [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("rows")
  %4 = graph.reduce sum %2 [0] : tensor<4x8xf32> -> tensor<1x8xf32> loc("columns")
  return %1, %3, %4 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x8xf32>
}

// A norm that was split says why; other moments are a hero like any.
// CHECK-LABEL: graph.verdicts @two_stages
// CHECK-SAME: <apart "two-stages" : loc("parts") -> loc("split") because "few rows">
// CHECK-SAME: <apart hero : loc("parts") -> loc("whole") because
func.func @two_stages(%x: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %0 = graph.moments %x axes [2] : tensor<2x4x8xf32> -> tensor<2x4x1x2xf32> loc("parts")
  %1 = graph.normalize %x moments %0 axes [1, 2] because "few rows" {epsilon = 1.0e-5 : f64} : tensor<2x4x8xf32>, tensor<2x4x1x2xf32> -> tensor<2x4x8xf32> loc("split")
  %2 = graph.normalize %x moments %0 axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<2x4x8xf32>, tensor<2x4x1x2xf32> -> tensor<2x4x8xf32> loc("whole")
  return %1, %2 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// A contraction reads its operands from memory: what makes them, and what makes a gate's factors. A gate it computes.
// CHECK-LABEL: graph.verdicts @contraction_operand
// CHECK-SAME: <apart "contraction-operand" : loc("exp") -> loc("product") because "an operand of a contraction would be computed again for every tile">
// CHECK-SAME: <apart "contraction-operand" : loc("neg") -> loc("gate") because
// CHECK-SAME: <fused prologue : loc("gate") -> loc("gated") because "computed where its only reader is">
func.func @contraction_operand(%x: tensor<4x8xf32>, %g: tensor<1x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("exp")
  %1 = graph.matmul %0, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("product")
  %2 = graph.unary neg %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("neg")
  %3 = graph.broadcast %g : tensor<1x8xf32> -> tensor<4x8xf32> loc("spread")
  %4 = graph.binary mul %2, %3 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32> loc("gate")
  %5 = graph.matmul %4, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("gated")
  return %1, %5 : tensor<4x6xf32>, tensor<4x6xf32>
}

// A costly op is not computed again for every element of a broadcast, nor is a cheap one that begins a chain of nine.
// CHECK-LABEL: graph.verdicts @broadcast
// CHECK-SAME: <apart broadcast : loc("exp") -> loc("scaled") through[loc("columns")] because "it would be computed again for every element of a broadcast, or every window">
// CHECK-SAME: <fused prologue : loc("neg") -> loc("shifted") through[loc("rows")] because
func.func @broadcast(%x: tensor<4x1xf32>, %v: tensor<1x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.unary exp %x : tensor<4x1xf32> -> tensor<4x1xf32> loc("exp")
  %1 = graph.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32> loc("columns")
  %2 = graph.binary mul %1, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32> loc("scaled")
  %3 = graph.unary neg %v : tensor<1x8xf32> -> tensor<1x8xf32> loc("neg")
  %4 = graph.broadcast %3 : tensor<1x8xf32> -> tensor<4x8xf32> loc("rows")
  %5 = graph.binary add %4, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32> loc("shifted")
  return %2, %5 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Windows that overlap have every element several times, those beside each other once.
// CHECK-LABEL: graph.verdicts @windows
// CHECK-SAME: <apart broadcast : loc("exp") -> loc("sums") through[loc("overlapping")] because
// CHECK-SAME: <fused prologue : loc("neg") -> loc("negative sums") through[loc("overlapping again")] because
// CHECK-SAME: <fused prologue : loc("sine") -> loc("tile sums") through[loc("tiles")] because
func.func @windows(%x: tensor<1x9x9xf32>) -> (tensor<1x7x1x9xf32>, tensor<1x7x1x9xf32>, tensor<1x3x1x9xf32>) {
  %0 = graph.unary exp %x : tensor<1x9x9xf32> -> tensor<1x9x9xf32> loc("exp")
  %1 = graph.window %0 axis 1 sizes [3] strides [1] dilations [1] : tensor<1x9x9xf32> -> tensor<1x7x3x9xf32> loc("overlapping")
  %2 = graph.reduce sum %1 [2] : tensor<1x7x3x9xf32> -> tensor<1x7x1x9xf32> loc("sums")
  %3 = graph.unary neg %x : tensor<1x9x9xf32> -> tensor<1x9x9xf32> loc("neg")
  %4 = graph.window %3 axis 1 sizes [3] strides [1] dilations [1] : tensor<1x9x9xf32> -> tensor<1x7x3x9xf32> loc("overlapping again")
  %5 = graph.reduce sum %4 [2] : tensor<1x7x3x9xf32> -> tensor<1x7x1x9xf32> loc("negative sums")
  %6 = graph.unary sin %x : tensor<1x9x9xf32> -> tensor<1x9x9xf32> loc("sine")
  %7 = graph.window %6 axis 1 sizes [3] strides [3] dilations [1] : tensor<1x9x9xf32> -> tensor<1x3x3x9xf32> loc("tiles")
  %8 = graph.reduce sum %7 [2] : tensor<1x3x3x9xf32> -> tensor<1x3x1x9xf32> loc("tile sums")
  return %2, %5, %8 : tensor<1x7x1x9xf32>, tensor<1x7x1x9xf32>, tensor<1x3x1x9xf32>
}

// CHECK-LABEL: graph.verdicts @broadcast_of_chain
// CHECK-SAME: <apart broadcast : loc("c9") -> loc("c8") because
// CHECK-SAME: <fused prologue : loc("c8") -> loc("c7") because
func.func @broadcast_of_chain(%v: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %c9 = graph.unary neg %v : tensor<1x8xf32> -> tensor<1x8xf32> loc("c9")
  %c8 = graph.unary abs %c9 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c8")
  %c7 = graph.unary neg %c8 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c7")
  %c6 = graph.unary abs %c7 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c6")
  %c5 = graph.unary neg %c6 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c5")
  %c4 = graph.unary abs %c5 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c4")
  %c3 = graph.unary neg %c4 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c3")
  %c2 = graph.unary abs %c3 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c2")
  %c1 = graph.unary neg %c2 : tensor<1x8xf32> -> tensor<1x8xf32> loc("c1")
  %0 = graph.broadcast %c1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = graph.broadcast %c9 : tensor<1x8xf32> -> tensor<4x8xf32>
  %2 = graph.broadcast %c8 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = graph.binary add %0, %1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = graph.binary add %3, %2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// Two heroes are two kernels, also where arithmetic stands between them: it follows the first. What no hero makes is
// computed inside.
// CHECK-LABEL: graph.verdicts @hero
// CHECK-SAME: <apart hero : loc("product") -> loc("softmax") because "a kernel has one hero">
// CHECK-SAME: <fused epilogue : loc("other") -> loc("double") because
// CHECK-SAME: <apart hero : loc("double") -> loc("rows") because "a kernel has one hero">
// CHECK-SAME: <fused prologue : loc("exp") -> loc("sum") because
func.func @hero(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x1xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("product")
  %1 = graph.softmax %0 axis 1 : tensor<4x6xf32> -> tensor<4x6xf32> loc("softmax")
  %2 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("other")
  %3 = graph.binary add %2, %2 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32> loc("double")
  %4 = graph.softmax %3 axis 1 : tensor<4x6xf32> -> tensor<4x6xf32> loc("rows")
  %5 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("exp")
  %6 = graph.reduce sum %5 [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("sum")
  return %1, %4, %6 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x1xf32>
}

// Stored once for two readers: what is costly, and what one of them refuses by itself. Two readers inside one kernel
// are one.
// CHECK-LABEL: graph.verdicts @several_readers
// CHECK-SAME: <apart "several-readers" : loc("exp") -> loc("rows") because "more than one kernel reads it">
// CHECK-SAME: <apart "several-readers" : loc("cast") -> loc("product") because "more than one kernel reads it">
// CHECK-SAME: <fused prologue : loc("shared") -> loc("double") because "computed where its only reader is">
func.func @several_readers(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>, %w: tensor<8x6xf32>)
    -> (tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x6xf32>, tensor<4x1xf32>, tensor<4x8xf32>) {
  %0 = graph.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("exp")
  %1 = graph.reduce sum %0 [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("rows")
  %2 = graph.reduce sum %0 [0] : tensor<4x8xf32> -> tensor<1x8xf32> loc("columns")
  %3 = graph.cast %i : tensor<4x8xi64> -> tensor<4x8xf32> loc("cast")
  %4 = graph.matmul %3, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("product")
  %5 = graph.reduce sum %3 [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("sum")
  %6 = graph.unary sin %x : tensor<4x8xf32> -> tensor<4x8xf32> loc("shared")
  %7 = graph.binary add %6, %6 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32> loc("double")
  return %1, %2, %4, %5, %7 : tensor<4x1xf32>, tensor<1x8xf32>, tensor<4x6xf32>, tensor<4x1xf32>, tensor<4x8xf32>
}

// What shuffles parts is written before its parts are parts of others: a reader would choose among those of all units.
// CHECK-LABEL: graph.verdicts @shuffled
// CHECK-LABEL: func.func @shuffled
// CHECK: graph.fusion pointwise{{.*}}-> tensor<4x8xf32>
// CHECK: graph.concat
// CHECK: graph.concat
// CHECK: graph.fusion gemm
// CHECK-NOT: graph.concat
// CHECK: return
func.func @shuffled(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.concat %x, %y axis 1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x8xf32>
  %1 = graph.reshape %0 : tensor<4x8xf32> -> tensor<4x2x4xf32>
  %2 = graph.transpose %1 [0, 2, 1] : tensor<4x2x4xf32> -> tensor<4x4x2xf32>
  %3 = graph.reshape %2 : tensor<4x4x2xf32> -> tensor<4x8xf32>
  %4 = graph.slice %3 ["0", "4"] [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
  %5 = graph.concat %4, %y axis 1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x8xf32>
  %6 = graph.matmul %5, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}
