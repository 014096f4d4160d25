//===- test/Target/CPU/Inputs/arg_reduce.mlir - positions of the largest (first) and the smallest (last) of each row ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @largest "reduction" grid ["n0"] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>] {}
    (%a: !kernel.view<f32, read>, %o: !kernel.view<i64, write>) {
  %t = kernel.arg_reduce max ["d0"] ["n1"] last false {
    %v = kernel.load %a["g0*n1 + d0"] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : i64
  kernel.store %t, %o["g0"] : i64 to !kernel.view<i64, write>
}
kernel.func @last "reduction" grid ["n0"] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>] {}
    (%a: !kernel.view<f32, read>, %o: !kernel.view<i64, write>) {
  %t = kernel.arg_reduce max ["d0"] ["n1"] last true {
    %v = kernel.load %a["g0*n1 + d0"] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : i64
  kernel.store %t, %o["g0"] : i64 to !kernel.view<i64, write>
}
