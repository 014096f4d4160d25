//===- test/Target/CPU/Inputs/conv.mlir - o = conv(x, w), the border as masks ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @conv conv grid () in [] scalars []
    (%x: !kernel.view<LEFT, read>, %w: !kernel.view<RIGHT, read>, %o: !kernel.view<SUM, write>) {
  %border = kernel.constant BORDER : LEFT
  %t = kernel.dot [ROWS, COLUMNS, DEPTH] lhs (%d0, %d2) {
    %a = kernel.load %x[INPUT] MASK : LEFT from !kernel.view<LEFT, read>
    kernel.yield %a : LEFT
  } rhs (%d2, %d1) {
    %b = kernel.load %w[WEIGHT] : RIGHT from !kernel.view<RIGHT, read>
    kernel.yield %b : RIGHT
  } : !kernel.tile<SUM, "ROWS", "COLUMNS">
  kernel.foreach (%d3, %d4) in [ROWS, COLUMNS] {
    %s = kernel.extract %t [%d3, %d4] : SUM from !kernel.tile<SUM, "ROWS", "COLUMNS">
    kernel.store %s, %o[OUT] : SUM to !kernel.view<SUM, write>
  }
}
