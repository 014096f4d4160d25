//===- test/Target/CPU/Inputs/chased.mlir - four steps along lists of links, by many at once ---===//
// SPDX-License-Identifier: Apache-2.0
kernel.func @chased gather grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%starts: !kernel.view<i32, read>, %links: !kernel.view<i32, read>, %values: !kernel.view<f64, read>,
     %o: !kernel.view<f64, write>) {
  kernel.foreach (%d0) in [n0] {
    %start = kernel.load %starts[%d0] : i32 from !kernel.view<i32, read>
    %0 = kernel.known_index %start below 100 : i32
    %first = kernel.load %links[%0] : i32 from !kernel.view<i32, read>
    %1 = kernel.known_index %first below 100 : i32
    %second = kernel.load %links[%1] : i32 from !kernel.view<i32, read>
    %2 = kernel.known_index %second below 100 : i32
    %third = kernel.load %links[%2] : i32 from !kernel.view<i32, read>
    %one = kernel.constant 1 : i32
    %next = kernel.binary add %third, %one : i32 -> i32
    %3 = kernel.known_index %next below 101 : i32
    %v = kernel.load %values[%3] : f64 from !kernel.view<f64, read>
    kernel.store %v, %o[%d0] : f64 to !kernel.view<f64, write>
  }
}
