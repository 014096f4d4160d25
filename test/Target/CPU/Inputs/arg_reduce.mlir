//===- test/Target/CPU/Inputs/arg_reduce.mlir - positions of the largest (first, and last) and of the smallest (last) of each row ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @largest reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<i64, write>) {
  %t = kernel.arg_reduce max last false (%d0) in [n1] {
    %v = kernel.load %a[%g0*n1 + %d0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : i64
  kernel.store %t, %o[%g0] : i64 to !kernel.view<i64, write>
}
kernel.func @last reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<i64, write>) {
  %t = kernel.arg_reduce max last true (%d0) in [n1] {
    %v = kernel.load %a[%g0*n1 + %d0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : i64
  kernel.store %t, %o[%g0] : i64 to !kernel.view<i64, write>
}
kernel.func @smallest reduction grid (%g0) in [n0] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<i64, write>) {
  %t = kernel.arg_reduce min last true (%d0) in [n1] {
    %v = kernel.load %a[%g0*n1 + %d0] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : i64
  kernel.store %t, %o[%g0] : i64 to !kernel.view<i64, write>
}
