//===- test/Dialect/Plan/invalid-launch.mlir - launches that no device takes ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

plan.program @program "cuda" "sm_90" {
  %0 = plan.buffer input 0 "128"
  // expected-error @below {{has a grid of 4 extents, possible are 1 to 3}}
  plan.launch @k(%0) grid ["1", "1", "1", "1"] scalars []
}

// -----

plan.program @program "cuda" "sm_90" {
  %0 = plan.buffer input 0 "128"
  // expected-error @below {{has a tensor map of buffer 1 of 1}}
  plan.launch @k(%0) grid "1" scalars []
      maps [#plan.tensor_map<buffer 1 at "0" f16 extents ["64"] strides [] box [64] swizzle 0>]
}

// -----

// expected-error @below {{has 6 extents, possible are 1 to 5}}
#map = #plan.tensor_map<buffer 0 at "0" f16 extents ["1", "1", "1", "1", "1", "1"] strides [] box [1] swizzle 0>

// -----

// expected-error @below {{of 2 extents has 0 strides and a box of 2}}
#map = #plan.tensor_map<buffer 0 at "0" f16 extents ["8", "8"] strides [] box [8, 8] swizzle 0>

// -----

// expected-error @below {{has a box of other than 1 to 256 elements}}
#map = #plan.tensor_map<buffer 0 at "0" f16 extents ["512"] strides [] box [512] swizzle 0>

// -----

// expected-error @below {{has an unknown swizzle of 48 bytes}}
#map = #plan.tensor_map<buffer 0 at "0" f16 extents ["8"] strides [] box [8] swizzle 48>

// -----

plan.program @program "cpu" "x86-64-v3" {
  %0 = plan.buffer input 0 "128"
  // expected-error @below {{has 1 buffers of a library call, and no call}}
  "plan.launch"(%0, %0) <{kernel = @k, grid = [#graph.expr<"1">], scalars = [], operandSegmentSizes = array<i32: 1, 1>}>
      : (!plan.buffer, !plan.buffer) -> ()
}
