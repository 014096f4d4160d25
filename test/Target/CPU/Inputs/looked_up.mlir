//===- test/Target/CPU/Inputs/looked_up.mlir - each lane reads at a place of its own in the row ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @looked_up gather grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%t: !kernel.view<f32, read>, %near: !kernel.view<i32, read>, %far: !kernel.view<i64, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, n1] {
    %a = kernel.load %near[%d1] : i32 from !kernel.view<i32, read>
    %0 = kernel.known_index %a below n2 : i32
    %v = kernel.load %t[n2*%d0 + %0] : f32 from !kernel.view<f32, read>
    %b = kernel.load %far[%d1] : i64 from !kernel.view<i64, read>
    %1 = kernel.known_index %b below 7 : i64
    %w = kernel.load %t[-3*%1 + %d1 + 18] : f32 from !kernel.view<f32, read>
    %sum = kernel.binary add %v, %w : f32 -> f32
    kernel.store %sum, %o[n1*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}
