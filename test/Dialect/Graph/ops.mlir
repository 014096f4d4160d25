//===- test/Dialect/Graph/ops.mlir - ops on tensors, read and printed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// What is read from the text is what was there before it was printed.
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

!f32 = tensor<4x?xf32, #graph.shape<"4", "s0">>
!i1 = tensor<4x?xi1, #graph.shape<"4", "s0">>
!f64 = tensor<4x?xf64, #graph.shape<"4", "s0">>
!lhs = tensor<2x?x16xf16, #graph.shape<"2", "s0", "16">>

// CHECK: graph.symbol @s0 {divisor = 8 : i64, max = 512 : i64, min = 0 : i64}{{$}}
graph.symbol @s0 {min = 0 : i64, max = 512 : i64, divisor = 8 : i64}
// CHECK: graph.symbol @s1{{$}}
graph.symbol @s1
// CHECK: graph.symbol run @s2 {min = 0 : i64}{{$}}
graph.symbol run @s2 {min = 0 : i64}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: graph.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf16> : tensor<2xf16>{{$}}
  %0 = graph.constant dense<[1.0, -2.5]> : tensor<2xf16> : tensor<2xf16>
  // CHECK: graph.constant dense<true> : tensor<i1> : tensor<i1>{{$}}
  %1 = graph.constant dense<true> : tensor<i1> : tensor<i1>
  // CHECK: graph.constant dense_resource<weight> : tensor<3xui8> : tensor<3xui8>{{$}}
  %2 = graph.constant dense_resource<weight> : tensor<3xui8> : tensor<3xui8>
  // CHECK: graph.dims ["s0", "3*s1 + floordiv(s1, 2) + 1"] : tensor<2xi64>{{$}}
  %3 = graph.dims ["s0", "floordiv(7*s1, 2) + 1"] : tensor<2xi64>
  // CHECK: graph.dims [] : tensor<0xi64>{{$}}
  %4 = graph.dims [] : tensor<0xi64>
  // CHECK: graph.iota 1 : tensor<4x?xi64, #graph.shape<"4", "2*s0">>{{$}}
  %5 = graph.iota 1 : tensor<4x?xi64, #graph.shape<"4", "2*s0">>
  return
}

// CHECK-LABEL: func.func @pointwise
func.func @pointwise(%x: !f32, %y: !f32,
                     %c: !i1, %s: tensor<f32>) {
  // CHECK: graph.unary neg %arg0
  %0 = graph.unary neg %x : !f32 -> !f32
  // CHECK: graph.unary hard_sigmoid %arg3 {alpha = 2.000000e-01 : f64, beta = 5.000000e-01 : f64}
  %1 = graph.unary hard_sigmoid %s {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<f32> -> tensor<f32>
  // CHECK: graph.unary is_nan %arg3 : tensor<f32> -> tensor<i1>{{$}}
  %2 = graph.unary is_nan %s : tensor<f32> -> tensor<i1>
  // CHECK: graph.binary pow %arg0, %arg1
  %3 = graph.binary pow %x, %y : !f32, !f32 -> !f32
  // CHECK: graph.binary less_equal %arg3, %arg3 : tensor<f32>, tensor<f32> -> tensor<i1>{{$}}
  %4 = graph.binary less_equal %s, %s : tensor<f32>, tensor<f32> -> tensor<i1>
  // CHECK: graph.select %arg2, %arg0, %arg1
  %5 = graph.select %c, %x, %y : !i1, !f32, !f32 -> !f32
  // CHECK: graph.cast %arg3 : tensor<f32> -> tensor<ui16>{{$}}
  %6 = graph.cast %s : tensor<f32> -> tensor<ui16>
  // CHECK: %[[T:.*]] = graph.call <["a", "b"]"return a \22+\22 b;">(%arg0, %arg1 : {{.*}}) -> tensor<{{.*}}xi1
  %7 = graph.call <["a", "b"] "return a \22+\22 b;">(%x, %y : !f32, !f32) -> !i1
  // CHECK: graph.call <"return 0;">() same %arg3 : tensor<f32> -> tensor<f32>
  %8 = graph.call <"return 0;">() same %s : tensor<f32> -> tensor<f32>
  // CHECK: graph.cast %arg3 rounded : tensor<f32> -> tensor<bf16>{{$}}
  %rounded = graph.cast %s rounded : tensor<f32> -> tensor<bf16>
  // CHECK: graph.bitcast %arg3 : tensor<f32> -> tensor<ui32>{{$}}
  %9 = graph.bitcast %s : tensor<f32> -> tensor<ui32>
  return
}

// CHECK-LABEL: @float8
func.func @float8(%x: tensor<4x6xui8>, %y: tensor<6x2xf8E5M2>) {
  // CHECK: %[[X:.*]] = graph.bitcast %arg0 : tensor<4x6xui8> -> tensor<4x6xf8E4M3FN>
  %0 = graph.bitcast %x : tensor<4x6xui8> -> tensor<4x6xf8E4M3FN>
  // CHECK: graph.cast %[[X]] : tensor<4x6xf8E4M3FN> -> tensor<4x6xbf16>
  %1 = graph.cast %0 : tensor<4x6xf8E4M3FN> -> tensor<4x6xbf16>
  // CHECK: graph.matmul %[[X]], %arg1 : tensor<4x6xf8E4M3FN>, tensor<6x2xf8E5M2> -> tensor<4x2xf32>
  %2 = graph.matmul %0, %y : tensor<4x6xf8E4M3FN>, tensor<6x2xf8E5M2> -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<4x6x8xbf16>, %d: !f64) {
  // CHECK: graph.reshape %arg0 : tensor<4x6x8xbf16> -> tensor<24x8xbf16>{{$}}
  %0 = graph.reshape %x : tensor<4x6x8xbf16> -> tensor<24x8xbf16>
  // CHECK: graph.transpose %arg0 [2, 0, 1] : tensor<4x6x8xbf16> -> tensor<8x4x6xbf16>{{$}}
  %1 = graph.transpose %x [2, 0, 1] : tensor<4x6x8xbf16> -> tensor<8x4x6xbf16>
  // CHECK: graph.broadcast %arg1
  %2 = graph.broadcast %d : !f64 -> tensor<4x?xf64, #graph.shape<"4", "s0 + s1">>
  // CHECK: graph.slice %arg0 ["1", "0", "s0 - 1"] [1, 2, -1] : tensor<4x6x8xbf16> -> tensor<3x3x8xbf16>{{$}}
  %3 = graph.slice %x ["1", "0", "s0 - 1"] [1, 2, -1] : tensor<4x6x8xbf16> -> tensor<3x3x8xbf16>
  // CHECK: graph.pad %arg1 ["1", "-s1"] constant 5.000000e-01 : f64
  %4 = graph.pad %d ["1", "-s1"] constant 5.000000e-01 : f64 : !f64 -> tensor<6x?xf64, #graph.shape<"6", "s0">>
  // CHECK: graph.pad %arg1 ["0", "0"] edge 0.000000e+00 : f64
  %5 = graph.pad %d ["0", "0"] edge 0.000000e+00 : f64 : !f64 -> tensor<4x8xf64>
  // CHECK: graph.concat %arg0, %arg0, %arg0 axis 1
  %6 = graph.concat %x, %x, %x axis 1
      : tensor<4x6x8xbf16>, tensor<4x6x8xbf16>, tensor<4x6x8xbf16> -> tensor<4x18x8xbf16>
  // CHECK: graph.join %arg1, %arg1 axis 1
  %7 = graph.join %d, %d axis 1 : !f64, !f64 -> tensor<4x?xf64, #graph.shape<"4", "2*s0">>
  // CHECK: graph.window %arg0 axis 1 sizes [3, 2] strides [1, 2] dilations [2, 1]
  %8 = graph.window %x axis 1 sizes [3, 2] strides [1, 2] dilations [2, 1]
      : tensor<4x6x8xbf16> -> tensor<4x2x4x3x2xbf16>
  return
}

// CHECK-LABEL: func.func @gathers
func.func @gathers(%x: tensor<4x6x8xf32>, %i: tensor<4x3xi64>, %e: tensor<4x3x8xi32>, %n: tensor<5x2xi64>, %b: tensor<4x5x1xi64>) {
  // CHECK: graph.gather %arg0, %arg1 axis 2 : tensor<4x6x8xf32>, tensor<4x3xi64> -> tensor<4x6x4x3xf32>{{$}}
  %0 = graph.gather %x, %i axis 2 : tensor<4x6x8xf32>, tensor<4x3xi64> -> tensor<4x6x4x3xf32>
  // CHECK: graph.gather %arg0, %arg1 axis 1 {batch_dims = 1 : i64}
  // CHECK: graph.gather %arg0, %arg1 axis 2 {in_range}
  %1 = graph.gather %x, %i axis 1 {batch_dims = 1 : i64} : tensor<4x6x8xf32>, tensor<4x3xi64> -> tensor<4x3x8xf32>
  %known = graph.gather %x, %i axis 2 {in_range} : tensor<4x6x8xf32>, tensor<4x3xi64> -> tensor<4x6x4x3xf32>
  // CHECK: graph.gather_elements %arg0, %arg2 axis 1 : tensor<4x6x8xf32>, tensor<4x3x8xi32> -> tensor<4x3x8xf32>{{$}}
  %2 = graph.gather_elements %x, %e axis 1 : tensor<4x6x8xf32>, tensor<4x3x8xi32> -> tensor<4x3x8xf32>
  // CHECK: graph.gather_nd %arg0, %arg3 : tensor<4x6x8xf32>, tensor<5x2xi64> -> tensor<5x8xf32>{{$}}
  %3 = graph.gather_nd %x, %n : tensor<4x6x8xf32>, tensor<5x2xi64> -> tensor<5x8xf32>
  // CHECK: graph.gather_nd %arg0, %arg4 {batch_dims = 1 : i64}
  %4 = graph.gather_nd %x, %b {batch_dims = 1 : i64} : tensor<4x6x8xf32>, tensor<4x5x1xi64> -> tensor<4x5x8xf32>
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<4x6x8xf32>, %m: tensor<4x1x8x2xf32>) {
  // CHECK: graph.reduce mean %arg0 [0, 2] : tensor<4x6x8xf32> -> tensor<1x6x1xf32>{{$}}
  %0 = graph.reduce mean %x [0, 2] : tensor<4x6x8xf32> -> tensor<1x6x1xf32>
  // CHECK: graph.arg_reduce max %arg0 axis 1 : tensor<4x6x8xf32> -> tensor<4x1x8xi64>{{$}}
  %1 = graph.arg_reduce max %x axis 1 : tensor<4x6x8xf32> -> tensor<4x1x8xi64>
  // CHECK: graph.arg_reduce min %arg0 axis 2 {last = true} : tensor<4x6x8xf32> -> tensor<4x6x1xi64>{{$}}
  %2 = graph.arg_reduce min %x axis 2 {last = true} : tensor<4x6x8xf32> -> tensor<4x6x1xi64>
  // CHECK: graph.softmax %arg0 axis 2 : tensor<4x6x8xf32> -> tensor<4x6x8xf32>{{$}}
  %3 = graph.softmax %x axis 2 : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  // CHECK: graph.softmax %arg0 axis 0 {guard = #graph<softmax_guard hidden>, log = true}
  %4 = graph.softmax %x axis 0 {guard = #graph<softmax_guard hidden>, log = true}
      : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  // CHECK: graph.layer_norm %arg0 axes [1, 2] {epsilon = 1.000000e-05 : f64} : tensor<4x6x8xf32> -> tensor<4x6x8xf32>{{$}}
  %5 = graph.layer_norm %x axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  // CHECK: graph.layer_norm %arg0 axes [2] {epsilon = 0.000000e+00 : f64, rms = true}
  %6 = graph.layer_norm %x axes [2] {epsilon = 0.0 : f64, rms = true} : tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  // CHECK: graph.moments %arg0 axes [1] : tensor<4x6x8xf32> -> tensor<4x1x8x2xf32>{{$}}
  %7 = graph.moments %x axes [1] : tensor<4x6x8xf32> -> tensor<4x1x8x2xf32>
  // CHECK: graph.normalize %arg0 moments %arg1 axes [1, 2] {epsilon = 1.000000e-05 : f64}
  %8 = graph.normalize %x moments %m axes [1, 2] {epsilon = 1.0e-5 : f64}
      : tensor<4x6x8xf32>, tensor<4x1x8x2xf32> -> tensor<4x6x8xf32>
  // CHECK: graph.statistics %arg1 axes [2] {epsilon = 1.000000e-05 : f64, rms = true}
  // CHECK-SAME: : tensor<4x1x8x2xf32> -> tensor<4x1x1x2xf32>
  %18 = graph.statistics %m axes [2] {epsilon = 1.0e-5 : f64, rms = true} : tensor<4x1x8x2xf32> -> tensor<4x1x1x2xf32>
  // CHECK: graph.normalize %arg0 moments %arg1 axes [1, 2] because "few \22rows\22" {epsilon = 1.000000e-05 : f64}
  %9 = graph.normalize %x moments %m axes [1, 2] because "few \22rows\22" {epsilon = 1.0e-5 : f64}
      : tensor<4x6x8xf32>, tensor<4x1x8x2xf32> -> tensor<4x6x8xf32>
  return
}

// CHECK-LABEL: func.func @contractions
func.func @contractions(%a: !lhs, %b: tensor<2x16x5xf16>,
                        %x: tensor<1x9x9x8xf32>, %w: tensor<3x3x4x10xf32>, %s: tensor<4x4xf32>,
                        %y: tensor<1x8x9x9xf32>, %v: tensor<10x4x3x3xf32>,
                        %q: tensor<?x64xi8, #graph.shape<"s0", "64">>, %k: tensor<64x8xui8>, %z: tensor<?x2xi32, #graph.shape<"s0", "2">>,
                        %r: tensor<?x2xf32, #graph.shape<"s0", "2">>, %t: tensor<2x8xf32>) {
  // CHECK: graph.matmul %arg0, %arg1
  %0 = graph.matmul %a, %b : !lhs, tensor<2x16x5xf16> -> tensor<2x?x5xf16, #graph.shape<"2", "s0", "5">>
  // CHECK: graph.conv %arg2, %arg3 strides [2, 1] dilations [1, 2] groups 2
  %1 = graph.conv %x, %w strides [2, 1] dilations [1, 2] groups 2
      : tensor<1x9x9x8xf32>, tensor<3x3x4x10xf32> -> tensor<1x4x5x10xf32>
  // CHECK: graph.matmul %arg4, %arg4 tf32 x1 : tensor<4x4xf32>
  %2 = graph.matmul %s, %s tf32 x1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: graph.matmul %arg4, %arg4 int8_rows always : tensor<4x4xf32>
  %6 = graph.matmul %s, %s int8_rows always : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: graph.matmul %arg4, %arg4 int8_rows never : tensor<4x4xf32>
  %8 = graph.matmul %s, %s int8_rows never : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: graph.block_matmul %arg7, %arg8 start %arg9 scales %arg10, %arg11 : tensor<?x64xi8, #graph.shape<"s0", "64">>, tensor<64x8xui8>, tensor<?x2xi32, #graph.shape<"s0", "2">>,
  %7 = graph.block_matmul %q, %k start %z scales %r, %t : tensor<?x64xi8, #graph.shape<"s0", "64">>, tensor<64x8xui8>,
      tensor<?x2xi32, #graph.shape<"s0", "2">>, tensor<?x2xf32, #graph.shape<"s0", "2">>, tensor<2x8xf32> -> tensor<?x8xf32, #graph.shape<"s0", "8">>
  // CHECK: graph.conv %arg2, %arg3 strides [2, 1] dilations [1, 2] groups 2 tf32 x3
  %3 = graph.conv %x, %w strides [2, 1] dilations [1, 2] groups 2 tf32 x3
      : tensor<1x9x9x8xf32>, tensor<3x3x4x10xf32> -> tensor<1x4x5x10xf32>
  // CHECK: graph.conv %arg2, %arg3 strides [2, 1] dilations [1, 2] groups 2 :
  %4 = graph.conv %x, %w layout channels_last strides [2, 1] dilations [1, 2] groups 2
      : tensor<1x9x9x8xf32>, tensor<3x3x4x10xf32> -> tensor<1x4x5x10xf32>
  // CHECK: graph.conv %arg5, %arg6 layout channels_first strides [2, 1] dilations [1, 2] groups 2 tf32 x1 :
  %5 = graph.conv %y, %v layout channels_first strides [2, 1] dilations [1, 2] groups 2 tf32 x1
      : tensor<1x8x9x9xf32>, tensor<10x4x3x3xf32> -> tensor<1x10x4x5xf32>
  return
}

// CHECK-LABEL: func.func @fusions
func.func @fusions(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) {
  // CHECK: graph.fusion pointwise(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.fusion pointwise(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    graph.yield %a : tensor<4x8xf32>
  }
  // CHECK: graph.fusion pointwise() : () -> () {
  graph.fusion pointwise() : () -> () {
  }
  // CHECK: graph.fusion pack(%arg0) kernel @fusions ["2*s0", "1"] copies shared refused "no \22library\22"
  %1:2 = graph.fusion pack(%x) kernel @fusions ["2*s0", "1"] copies shared refused "no \22library\22"
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    // CHECK: graph.yield %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
    graph.yield %a, %a : tensor<4x8xf32>, tensor<4x8xf32>
  }
  // CHECK: graph.fusion gemm(%arg0, %arg1) library <product source[4, 8] weights[8, 2] result[4, 2]> inputs [0, 1]
  %2 = graph.fusion gemm(%x, %w) library <product source[4, 8] weights[8, 2] result[4, 2]> inputs [0, 1]
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>):
    // CHECK: graph.matmul %arg2, %arg3 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>{{$}}
    %3 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
    graph.yield %3 : tensor<4x2xf32>
  }
  return
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x04000000010203"
    }
  }
#-}
