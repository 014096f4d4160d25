// Float8, weights along k. At least 95 %.
kernel.func @float8_4096 gemm grid () in [] scalars []
    (%in0: !kernel.view<f8E4M3FN, read>, %in1: !kernel.view<f8E4M3FN, read>, %in2: !kernel.view<f32, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%m + %k] : f8E4M3FN from !kernel.view<f8E4M3FN, read>
    kernel.yield %1 : f8E4M3FN
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%n + %k] : f8E4M3FN from !kernel.view<f8E4M3FN, read>
    kernel.yield %1 : f8E4M3FN
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%m, %n) in [4096, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.load %in2[%n] : f32 from !kernel.view<f32, read>
    %3 = kernel.binary mul %1, %2 : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.store %4, %out[4096*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Both sides e5m2. At least 95 %.
kernel.func @float8_e5m2_4096 gemm grid () in [] scalars []
    (%in0: !kernel.view<f8E5M2, read>, %in1: !kernel.view<f8E5M2, read>, %in2: !kernel.view<f32, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%m + %k] : f8E5M2 from !kernel.view<f8E5M2, read>
    kernel.yield %1 : f8E5M2
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%n + %k] : f8E5M2 from !kernel.view<f8E5M2, read>
    kernel.yield %1 : f8E5M2
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%m, %n) in [4096, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "4096", "4096">
    %2 = kernel.load %in2[%n] : f32 from !kernel.view<f32, read>
    %3 = kernel.binary mul %1, %2 : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.store %4, %out[4096*%m + %n] : f16 to !kernel.view<f16, write>
  }
}
