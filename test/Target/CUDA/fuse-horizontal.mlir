// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-fuse-horizontal{arch=sm_80})' --split-input-file --verify-diagnostics | FileCheck %s

// The third kernel reads what is there before the first. Its constant comes along; the second one waits for the first.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = graph.constant
// CHECK: %[[P:.*]]:2 = graph.fusion pointwise(%arg0, %arg0, %[[W]]) kernel @twice_sum ["7", "3"]
// CHECK: ^bb0(%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>, %[[C:.*]]: tensor<64xf32>):
// CHECK: %[[T:.*]] = graph.binary add %[[A]], %[[A]]
// CHECK: %[[S:.*]] = graph.binary add %[[B]], %[[C]]
// CHECK: graph.yield %[[T]], %[[S]]
// CHECK: %[[N:.*]] = graph.fusion pointwise(%[[P]]#0) kernel @twice ["5"]
// CHECK: return %[[N]], %[[P]]#1
// CHECK: kernel.func @sum
// CHECK: cuda.horizontal @twice_sum [@twice, @sum] inputs [1, 2]
func.func @main(%a: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = graph.fusion pointwise(%a) kernel @twice ["7"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    %y = graph.binary add %x, %x : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
    graph.yield %y : tensor<64xf32>
  }
  %1 = graph.fusion pointwise(%0) kernel @twice ["5"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    %y = graph.binary add %x, %x : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
    graph.yield %y : tensor<64xf32>
  }
  %w = graph.constant dense<1.0> : tensor<64xf32> : tensor<64xf32>
  %2 = graph.fusion pointwise(%a, %w) kernel @sum ["3"] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>, %z: tensor<64xf32>):
    %y = graph.binary add %x, %z : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
    graph.yield %y : tensor<64xf32>
  }
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}
kernel.func @twice pointwise grid () in [] scalars [#kernel.scalar<1, 8, 1>] schedule #cuda.pointwise<threads 128, vector 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d) in [n0] {
    %0 = kernel.load %in0[%d] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @sum pointwise grid () in [] scalars [#kernel.scalar<1, 8, 1>] schedule #cuda.pointwise<threads 128, vector 1>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d) in [n0] {
    %0 = kernel.load %in0[%d] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d] : f32 to !kernel.view<f32, write>
  }
}

// -----

// Two chains: what follows the second of a launch joins the next one, though it stood behind.
// CHECK-LABEL: func.func @chains
// CHECK: %[[A:.*]]:2 = graph.fusion pointwise(%arg0, %arg0) kernel @k_k []
// CHECK: %[[B:.*]]:2 = graph.fusion pointwise(%[[A]]#0, %[[A]]#1) kernel @k_k []
// CHECK-NOT: graph.fusion
// CHECK: return %[[B]]#0, %[[B]]#1
// CHECK: cuda.horizontal @k_k [@k, @k] inputs [1, 1]
// CHECK-NOT: cuda.horizontal
func.func @chains(%a: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = graph.fusion pointwise(%a) kernel @k [] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %1 = graph.fusion pointwise(%0) kernel @k [] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %2 = graph.fusion pointwise(%a) kernel @k [] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %3 = graph.fusion pointwise(%2) kernel @k [] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  return %1, %3 : tensor<64xf32>, tensor<64xf32>
}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 128, vector 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d) in [64] {
    %0 = kernel.load %in0[%d] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d] : f32 to !kernel.view<f32, write>
  }
}

// -----

// Blocks of other sizes, launches that fill the GPU, extents that are not known, and what a check stands before.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-6: graph.fusion pointwise(%arg0) kernel @{{[a-z]+}} [
// CHECK-NOT: cuda.horizontal
graph.symbol @s0 {min = 0 : i64}
func.func @apart(%a: tensor<64xf32>) {
  %0 = graph.fusion pointwise(%a) kernel @k ["64"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %1 = graph.fusion pointwise(%a) kernel @wider [] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %2 = graph.fusion pointwise(%a) kernel @k ["10000000"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %3 = graph.fusion pointwise(%a) kernel @k ["s0"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  %4 = graph.fusion pointwise(%a) kernel @k ["0"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  graph.assume "s0" equal "4" because "it must"
  %5 = graph.fusion pointwise(%a) kernel @k ["64"] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x: tensor<64xf32>):
    graph.yield %x : tensor<64xf32>
  }
  return
}
kernel.func @k pointwise grid () in [] scalars [#kernel.scalar<0, 100000000, 1>] schedule #cuda.pointwise<threads 128, vector 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d) in [n0] {
    %0 = kernel.load %in0[%d] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d] : f32 to !kernel.view<f32, write>
  }
}
kernel.func @wider pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d) in [64] {
    %0 = kernel.load %in0[%d] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d] : f32 to !kernel.view<f32, write>
  }
}

// -----

// A row is appended to memory of an argument: it lies behind what others read of that.
// CHECK-LABEL: func.func @appended
// CHECK: %[[P:.*]]:2 = graph.fusion pointwise(%arg1, %arg1) kernel @k_k
// CHECK: %[[J:.*]] = graph.join %arg0, %[[P]]#1 axis 0
// CHECK: return %[[J]], %[[P]]#0
// CHECK: cuda.horizontal @k_k [@k, @k] inputs [1, 1]
func.func @appended(%past: tensor<3x4xf32> {graph.storage = [#graph.expr<"4">, #graph.expr<"4">]}, %row: tensor<1x4xf32>)
    -> (tensor<4x4xf32> {graph.storage = [#graph.expr<"4">, #graph.expr<"4">], graph.alias = 0 : i64}, tensor<1x4xf32>) {
  %0 = graph.fusion pointwise(%row) kernel @k [] : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%x: tensor<1x4xf32>):
    graph.yield %x : tensor<1x4xf32>
  }
  %1 = graph.fusion pointwise(%row) kernel @k [] : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%x: tensor<1x4xf32>):
    graph.yield %x : tensor<1x4xf32>
  }
  %2 = graph.join %past, %1 axis 0 : tensor<3x4xf32>, tensor<1x4xf32> -> tensor<4x4xf32>
  return %2, %0 : tensor<4x4xf32>, tensor<1x4xf32>
}
kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 128, vector 1>
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d) in [4] {
    %0 = kernel.load %in0[%d] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d] : f32 to !kernel.view<f32, write>
  }
}
