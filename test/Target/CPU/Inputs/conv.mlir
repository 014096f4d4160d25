//===- test/Target/CPU/Inputs/conv.mlir - o = conv(x, w), the border as masks ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @conv conv grid () in [] scalars []
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %t = kernel.dot [ROWS, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %a = kernel.load %x[INPUT] MASK : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } rhs (%d2, %d1) {
    %b = kernel.load %w[WEIGHT] : f32 from !kernel.view<f32, read>
    kernel.yield %b : f32
  } : !kernel.tile<f32, "ROWS", "COLUMNS">
  kernel.foreach (%d3, %d4) in [ROWS, COLUMNS] {
    %s = kernel.extract %t [%d3, %d4] : f32 from !kernel.tile<f32, "ROWS", "COLUMNS">
    kernel.store %s, %o[OUT] : f32 to !kernel.view<f32, write>
  }
}
