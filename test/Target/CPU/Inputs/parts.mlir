//===- test/Target/CPU/Inputs/parts.mlir - loops whose conditions change a few times ---===//
// SPDX-License-Identifier: Apache-2.0

// Rows of three parts, the first two rows of other elements.
kernel.func @columns pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, n1] {
    %none = kernel.constant -1.0 : f32
    %two = kernel.constant 2.0 : f32
    %a = kernel.load %x[%d1] mask [-%d1 + 4, -%d0 + 1] else %none : f32 : f32 from !kernel.view<f32, read>
    %b = kernel.load %x[n1*%d0 + %d1] mask [%d1 - 5, -%d1 + n1 - 4] else %none : f32 : f32 from !kernel.view<f32, read>
    %c = kernel.binary mul %b, %two : f32 -> f32
    %d = kernel.unary exp %b : f32 -> f32
    %first = kernel.in_range [-%d1 + 4]
    %middle = kernel.in_range [%d1 - 5, -%d1 + 20]
    %e = kernel.select %middle, %c, %d : f32
    %f = kernel.select %first, %a, %e : f32
    kernel.store %f, %o[n1*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// One loop in pieces, which parts cross; what lies in the last part is stored nowhere.
kernel.func @pieces pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %none = kernel.constant 3.0 : f32
    %a = kernel.load %x[%d0 - 5] mask [%d0 - 5] else %none : f32 : f32 from !kernel.view<f32, read>
    %b = kernel.load %x[%d0] mask [%d0 - 5000] else %none : f32 : f32 from !kernel.view<f32, read>
    %c = kernel.binary add %a, %b : f32 -> f32
    kernel.store %c, %o[%d0] mask [-%d0 + 9000] : f32 to !kernel.view<f32, write>
  }
}

// The parts are as long as a scalar says, and nobody knows which of two scalars is larger.
kernel.func @open pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>, #kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0 + n1, n0 + n1] {
    %none = kernel.constant 7.0 : f32
    %a = kernel.load %x[%d0] mask [-%d0 + n0 - 1] else %none : f32 : f32 from !kernel.view<f32, read>
    %b = kernel.load %x[%d1 - n0] mask [%d1 - n0, -%d1 + n0 + n1 - 1] else %a : f32 : f32 from !kernel.view<f32, read>
    %short = kernel.in_range [%d0 - n1]
    %c = kernel.select %short, %a, %b : f32
    kernel.store %c, %o[(n0 + n1)*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// The first part has a length below 0 where the loop is short; reflected at the end, and at both ends.
kernel.func @mirrors pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %none = kernel.constant 3.0 : f32
    %a = kernel.load %x[%d0 + 3] mask [-%d0 + n0 - 4] else %none : f32 : f32 from !kernel.view<f32, read>
    %b = kernel.load %x[min(2*%d0, -2*%d0 + 2*n0 - 2)] : f32 from !kernel.view<f32, read>
    %c = kernel.load %x[min(max(%d0 - 7, -%d0 + 7), n0)] : f32 from !kernel.view<f32, read>
    %d = kernel.binary add %a, %b : f32 -> f32
    %e = kernel.binary add %d, %c : f32 -> f32
    kernel.store %e, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}

// Windows over lines whose ends are reflected, as often as needed; parts along them begin with vectors.
kernel.func @reflected reduction grid (%d0, %d1) in [3, n0] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%k) in [5] {
    %a = kernel.load %x[n0*%d0 + min(2*n0 - mod(%d1 + %k - 2, max(2*n0, 3) - 2), mod(%d1 + %k - 2, max(2*n0, 3) - 2) + 2) - 2]
        : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } : f32
  kernel.store %s, %o[n0*%d0 + %d1] : f32 to !kernel.view<f32, write>
}
