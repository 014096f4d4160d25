//===- test/Transforms/recognize-gelu.mlir - written-out GELU, and what only looks like it ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-gelu))" | FileCheck %s

// (x * (1 + erf(x / sqrt 2))) * 0.5
// CHECK-LABEL: @erf_div
// CHECK-NEXT: graph.unary gelu_erf %arg0
// CHECK-NEXT: return
func.func @erf_div(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.constant dense<1.41421354> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary div %x, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary erf %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary add %1, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %3, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// (0.5 * x) * (1 + erf(0.7071 * x)), operands swapped
// CHECK-LABEL: @erf_mul
// CHECK-NEXT: graph.unary gelu_erf %arg0
// CHECK-NEXT: return
func.func @erf_mul(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.constant dense<0.707106769> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %s, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary erf %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary add %one, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %half, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %2, %3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// x * (0.5 + 0.5 * erf(x / sqrt 2))
// CHECK-LABEL: @erf_distributed
// CHECK-NEXT: graph.unary gelu_erf %arg0
func.func @erf_distributed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.constant dense<1.41421354> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary div %x, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary erf %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary mul %1, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary add %2, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %x, %3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: @tanh_pow
// CHECK-NEXT: graph.unary gelu_tanh %arg0
// CHECK-NEXT: return
func.func @tanh_pow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = graph.constant dense<3.0> : tensor<4xf32> : tensor<4xf32>
  %a = graph.constant dense<0.044715> : tensor<4xf32> : tensor<4xf32>
  %b = graph.constant dense<0.797884583> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %half, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary pow %x, %three : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary mul %a, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary add %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %3, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.unary tanh %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary add %5, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary mul %0, %6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// x * x * x * 0.044715 by products, as x * 0.79788 * (1 + 0.044715 * x * x) in the argument
// CHECK-LABEL: @tanh_factored
// CHECK-NEXT: graph.unary gelu_tanh %arg0
// CHECK-NEXT: return
func.func @tanh_factored(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.constant dense<0.044715> : tensor<4xf32> : tensor<4xf32>
  %b = graph.constant dense<0.797884583> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %a, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary mul %0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary add %1, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %b, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %3, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.unary tanh %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary add %one, %5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary mul %x, %6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary mul %half, %7 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %8 : tensor<4xf32>
}

// 0.5 * x + 0.5 * x * erf; 1 - erf(-x / sqrt(2)); the error function in f32.
// CHECK-LABEL: @erf_forms
// CHECK-NEXT: graph.unary gelu_erf %arg0 : tensor<4xf32>
// CHECK-NEXT: graph.unary gelu_erf %arg0 : tensor<4xf32>
// CHECK-NEXT: graph.unary gelu_erf %arg1 : tensor<4xf16>
// CHECK-NEXT: return
func.func @erf_forms(%x: tensor<4xf32>, %y: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) {
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %c = graph.constant dense<0.707106769> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %x, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary mul %x, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.unary erf %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %0, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary add %0, %3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.unary neg %x : tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary mul %5, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.unary erf %6 : tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary sub %one, %7 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = graph.binary mul %0, %8 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %root = graph.constant dense<1.4142> : tensor<4xf16> : tensor<4xf16>
  %one16 = graph.constant dense<1.0> : tensor<4xf16> : tensor<4xf16>
  %half16 = graph.constant dense<0.5> : tensor<4xf16> : tensor<4xf16>
  %10 = graph.binary div %y, %root : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %11 = graph.cast %10 : tensor<4xf16> -> tensor<4xf32>
  %12 = graph.unary erf %11 : tensor<4xf32> -> tensor<4xf32>
  %13 = graph.cast %12 : tensor<4xf32> -> tensor<4xf16>
  %14 = graph.binary add %13, %one16 : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %15 = graph.binary mul %y, %14 : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %16 = graph.binary mul %15, %half16 : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  return %4, %9, %16 : tensor<4xf32>, tensor<4xf32>, tensor<4xf16>
}

// The argument of tanh distributed; x * sigmoid(2 * that argument).
// CHECK-LABEL: @tanh_forms
// CHECK-NEXT: graph.unary gelu_tanh %arg0
// CHECK-NEXT: graph.unary gelu_tanh %arg0
// CHECK-NEXT: return
func.func @tanh_forms(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %a = graph.constant dense<0.797884583> : tensor<4xf32> : tensor<4xf32>
  %b = graph.constant dense<0.0356774069> : tensor<4xf32> : tensor<4xf32>
  %c = graph.constant dense<0.044715> : tensor<4xf32> : tensor<4xf32>
  %d = graph.constant dense<1.59576917> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary mul %0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary mul %1, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary add %3, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.unary tanh %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary add %5, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary mul %x, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary mul %7, %6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = graph.binary mul %1, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %10 = graph.binary add %x, %9 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %11 = graph.binary mul %10, %d : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %12 = graph.unary sigmoid %11 : tensor<4xf32> -> tensor<4xf32>
  %13 = graph.binary mul %x, %12 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %8, %13 : tensor<4xf32>, tensor<4xf32>
}

// 1 - erf(x / sqrt(2)); 0.5 * x + 0.4 * x * erf; x * sigmoid of the argument of tanh itself.
// CHECK-LABEL: @refused_forms
// CHECK-NOT: gelu
// CHECK: return
func.func @refused_forms(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %less = graph.constant dense<0.4> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %s = graph.constant dense<0.707106769> : tensor<4xf32> : tensor<4xf32>
  %a = graph.constant dense<0.797884583> : tensor<4xf32> : tensor<4xf32>
  %c = graph.constant dense<0.044715> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %x, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary erf %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary sub %one, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %3, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.binary mul %x, %less : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary mul %5, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary add %3, %6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary mul %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = graph.binary mul %8, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %10 = graph.binary mul %9, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %11 = graph.binary add %x, %10 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %12 = graph.binary mul %11, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %13 = graph.unary sigmoid %12 : tensor<4xf32> -> tensor<4xf32>
  %14 = graph.binary mul %x, %13 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4, %7, %14 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Another constant (1.5 for sqrt 2), another x in the argument, no 0.5.
// CHECK-LABEL: @refused
// CHECK-NOT: gelu
// CHECK: return
func.func @refused(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = graph.constant dense<1.41421354> : tensor<4xf32> : tensor<4xf32>
  %other = graph.constant dense<1.5> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary div %x, %other : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary erf %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary add %1, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %3, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.binary div %x, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %6 = graph.unary erf %5 : tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary add %6, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary mul %y, %7 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = graph.binary mul %8, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %10 = graph.binary mul %x, %7 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4, %9, %10 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Constants of a model in half precision: 1.4141 and 0.7979, 0.0447.
// CHECK-LABEL: @half
// CHECK-DAG: graph.unary gelu_erf %arg0 : tensor<8xf16>
// CHECK-DAG: graph.unary gelu_tanh %arg0 : tensor<8xf16>
// CHECK-NOT: graph.binary
// CHECK: return
func.func @half(%x: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %root = graph.constant dense<1.4142> : tensor<8xf16> : tensor<8xf16>
  %one = graph.constant dense<1.0> : tensor<8xf16> : tensor<8xf16>
  %half = graph.constant dense<0.5> : tensor<8xf16> : tensor<8xf16>
  %c = graph.constant dense<0.044715> : tensor<8xf16> : tensor<8xf16>
  %s = graph.constant dense<0.79788> : tensor<8xf16> : tensor<8xf16>
  %three = graph.constant dense<3.0> : tensor<8xf16> : tensor<8xf16>
  %0 = graph.binary div %x, %root : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %1 = graph.unary erf %0 : tensor<8xf16> -> tensor<8xf16>
  %2 = graph.binary add %1, %one : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %3 = graph.binary mul %x, %2 : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %4 = graph.binary mul %3, %half : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %5 = graph.binary pow %x, %three : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %6 = graph.binary mul %5, %c : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %7 = graph.binary add %x, %6 : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %8 = graph.binary mul %7, %s : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %9 = graph.unary tanh %8 : tensor<8xf16> -> tensor<8xf16>
  %10 = graph.binary add %9, %one : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %11 = graph.binary mul %x, %half : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  %12 = graph.binary mul %11, %10 : tensor<8xf16>, tensor<8xf16> -> tensor<8xf16>
  return %4, %12 : tensor<8xf16>, tensor<8xf16>
}
