//===- test/Dialect/Plan/ops-launch.mlir - grids and tensor maps of launches ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s | cupola-opt | FileCheck %s
// RUN: cupola-opt %s --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s | cupola-opt --mlir-print-op-generic | diff %t.read -

// A grid of one extent stands alone, one of several is a list.
// CHECK-LABEL: plan.program
// CHECK: plan.launch @k0(%0, %1) grid "floordiv(s0 + 127, 128)" scalars ["s0"]
// CHECK: plan.launch init @k1(%0, %1) grid ["2*s0", "8", "1"] scalars []
// CHECK: plan.launch @k2(%0, %1) grid ["1", "s0"] scalars ["s0"]
// CHECK-SAME: maps [#plan.tensor_map<buffer 0 at "0" f16 extents ["64", "s0"] strides ["128"] box [64, 8] swizzle 128>,
// CHECK-SAME:       #plan.tensor_map<buffer 1 at "16*s0" i8 extents ["s0"] strides [] box [32] swizzle 0>]
plan.program @program "cuda" "sm_90" {
  %0 = plan.buffer input 0 "128*s0"
  %1 = plan.buffer output 0 "128*s0"
  plan.launch @k0(%0, %1) grid "floordiv(s0 + 127, 128)" scalars ["s0"]
  plan.launch init @k1(%0, %1) grid ["2*s0", "8", "1"] scalars []
  plan.launch @k2(%0, %1) grid ["1", "s0"] scalars ["s0"]
      maps [#plan.tensor_map<buffer 0 at "0" f16 extents ["64", "s0"] strides ["128"] box [64, 8] swizzle 128>,
            #plan.tensor_map<buffer 1 at "16*s0" i8 extents ["s0"] strides [] box [32] swizzle 0>]
}
