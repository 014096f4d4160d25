// Heads of 128, 2,048 queries and keys. At least 71 %.
kernel.func @attention_128 attention grid (%arg4, %arg5) in [2, 12] scalars [] (%arg0: !kernel.view<f16, read>, %arg1: !kernel.view<f16, read>, %arg2: !kernel.view<f16, read>, %arg3: !kernel.view<f16, write>) {
  %0 = kernel.map (%arg6) in [2048] {
    %5 = kernel.constant 0xFF800000 : f32
    kernel.yield %5 : f32
  } : !kernel.tile<f32, "2048">
  %1 = kernel.map (%arg6) in [2048] {
    %5 = kernel.constant 0.000000e+00 : f32
    kernel.yield %5 : f32
  } : !kernel.tile<f32, "2048">
  %2 = kernel.map (%arg6, %arg7) in [2048, 128] {
    %5 = kernel.constant 0.000000e+00 : f32
    kernel.yield %5 : f32
  } : !kernel.tile<f32, "2048", "128">
  %3:3 = kernel.for (%arg6) below 32 carry (%arg7 = %0, %arg8 = %1, %arg9 = %2) : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048", "128"> {
    %5 = kernel.dot [2048, 64, 128] lhs (%arg10, %arg11) {
      %12 = kernel.load %arg0[3145728*%arg4 + 262144*%arg5 + 128*%arg10 + %arg11] : f16 from <f16, read>
      %13 = kernel.cast %12 : f16 -> f32
      %14 = kernel.constant 8.837890e-02 : f16
      %15 = kernel.cast %14 : f16 -> f32
      %16 = kernel.binary  mul %13, %15 : f32 -> f32
      %17 = kernel.cast %16 : f32 -> f16
      kernel.yield %17 : f16
    } rhs (%arg10, %arg11) {
      %12 = kernel.load %arg1[3145728*%arg4 + 262144*%arg5 + 8192*%arg6 + %arg10 + 128*%arg11] : f16 from <f16, read>
      kernel.yield %12 : f16
    } : <f32, "2048", "64">
    %6 = kernel.map (%arg10, %arg11) in [2048, 64] {
      %12 = kernel.extract %5 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      kernel.yield %12 : f32
    } : !kernel.tile<f32, "2048", "64">
    %7:3 = kernel.map (%arg10) in [2048] {
      %12 = kernel.extract %arg7 [%arg10] : f32 from <f32, "2048">
      %13 = kernel.reduce [#graph<reduce_kind max>] (%arg11) in [64] {
        %21 = kernel.extract %6 [%arg10, %arg11] : f32 from <f32, "2048", "64">
        kernel.yield %21 : f32
      } : f32
      %14 = kernel.binary  max %12, %13 : f32 -> f32
      %15 = kernel.constant 0xFF800000 : f32
      %16 = kernel.binary  equal %14, %15 : f32 -> i1
      %17 = kernel.constant 0.000000e+00 : f32
      %18 = kernel.select %16, %17, %14 : f32
      %19 = kernel.binary  sub %12, %18 : f32 -> f32
      %20 = kernel.unary  exp %19 : f32 -> f32
      kernel.yield %14, %18, %20 : f32, f32, f32
    } : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">
    %8 = kernel.map (%arg10, %arg11) in [2048, 64] {
      %12 = kernel.extract %6 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      %13 = kernel.extract %7#1 [%arg10] : f32 from <f32, "2048">
      %14 = kernel.binary  sub %12, %13 : f32 -> f32
      %15 = kernel.unary  exp coarse %14 : f32 -> f32
      kernel.yield %15 : f32
    } : !kernel.tile<f32, "2048", "64">
    %9 = kernel.map (%arg10) in [2048] {
      %12 = kernel.extract %arg8 [%arg10] : f32 from <f32, "2048">
      %13 = kernel.extract %7#2 [%arg10] : f32 from <f32, "2048">
      %14 = kernel.binary  mul %12, %13 : f32 -> f32
      %15 = kernel.reduce [#graph<reduce_kind sum>] (%arg11) in [64] {
        %17 = kernel.extract %8 [%arg10, %arg11] : f32 from <f32, "2048", "64">
        kernel.yield %17 : f32
      } : f32
      %16 = kernel.binary  add %14, %15 : f32 -> f32
      kernel.yield %16 : f32
    } : !kernel.tile<f32, "2048">
    %10 = kernel.map (%arg10, %arg11) in [2048, 128] {
      %12 = kernel.extract %arg9 [%arg10, %arg11] : f32 from <f32, "2048", "128">
      %13 = kernel.extract %7#2 [%arg10] : f32 from <f32, "2048">
      %14 = kernel.binary  mul %12, %13 : f32 -> f32
      kernel.yield %14 : f32
    } : !kernel.tile<f32, "2048", "128">
    %11 = kernel.dot [2048, 128, 64] init %10 : !kernel.tile<f32, "2048", "128"> lhs (%arg10, %arg11) {
      %12 = kernel.extract %8 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      %13 = kernel.cast %12 : f32 -> f16
      kernel.yield %13 : f16
    } rhs (%arg10, %arg11) {
      %12 = kernel.load %arg2[3145728*%arg4 + 262144*%arg5 + 8192*%arg6 + 128*%arg10 + %arg11] : f16 from <f16, read>
      kernel.yield %12 : f16
    } : <f32, "2048", "128">
    kernel.yield %7#0, %9, %11 : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048", "128">
  } meet (%arg6, %arg7, %arg8) (%arg9, %arg10, %arg11) {
    %5:3 = kernel.map (%arg12) in [2048] {
      %8 = kernel.extract %arg6 [%arg12] : f32 from <f32, "2048">
      %9 = kernel.extract %arg9 [%arg12] : f32 from <f32, "2048">
      %10 = kernel.binary  max %8, %9 : f32 -> f32
      %11 = kernel.constant 0xFF800000 : f32
      %12 = kernel.binary  equal %10, %11 : f32 -> i1
      %13 = kernel.constant 0.000000e+00 : f32
      %14 = kernel.select %12, %13, %10 : f32
      %15 = kernel.binary  sub %8, %14 : f32 -> f32
      %16 = kernel.unary  exp %15 : f32 -> f32
      %17 = kernel.binary  sub %9, %14 : f32 -> f32
      %18 = kernel.unary  exp %17 : f32 -> f32
      kernel.yield %10, %16, %18 : f32, f32, f32
    } : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">
    %6 = kernel.map (%arg12) in [2048] {
      %8 = kernel.extract %arg7 [%arg12] : f32 from <f32, "2048">
      %9 = kernel.extract %5#1 [%arg12] : f32 from <f32, "2048">
      %10 = kernel.binary  mul %8, %9 : f32 -> f32
      %11 = kernel.extract %arg10 [%arg12] : f32 from <f32, "2048">
      %12 = kernel.extract %5#2 [%arg12] : f32 from <f32, "2048">
      %13 = kernel.binary  mul %11, %12 : f32 -> f32
      %14 = kernel.binary  add %10, %13 : f32 -> f32
      kernel.yield %14 : f32
    } : !kernel.tile<f32, "2048">
    %7 = kernel.map (%arg12, %arg13) in [2048, 128] {
      %8 = kernel.extract %arg8 [%arg12, %arg13] : f32 from <f32, "2048", "128">
      %9 = kernel.extract %5#1 [%arg12] : f32 from <f32, "2048">
      %10 = kernel.binary  mul %8, %9 : f32 -> f32
      %11 = kernel.extract %arg11 [%arg12, %arg13] : f32 from <f32, "2048", "128">
      %12 = kernel.extract %5#2 [%arg12] : f32 from <f32, "2048">
      %13 = kernel.binary  mul %11, %12 : f32 -> f32
      %14 = kernel.binary  add %10, %13 : f32 -> f32
      kernel.yield %14 : f32
    } : !kernel.tile<f32, "2048", "128">
    kernel.yield %5#0, %6, %7 : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048", "128">
  }
  %4 = kernel.map (%arg6) in [2048] {
    %5 = kernel.constant 1.000000e+00 : f32
    %6 = kernel.extract %3#1 [%arg6] : f32 from <f32, "2048">
    %7 = kernel.constant 0.000000e+00 : f32
    %8 = kernel.binary  equal %6, %7 : f32 -> i1
    %9 = kernel.select %8, %5, %6 : f32
    %10 = kernel.binary  div %5, %9 : f32 -> f32
    kernel.yield %10 : f32
  } : !kernel.tile<f32, "2048">
  kernel.foreach (%arg6, %arg7) in [2048, 128] {
    %5 = kernel.extract %3#1 [%arg6] : f32 from <f32, "2048">
    %6 = kernel.extract %3#2 [%arg6, %arg7] : f32 from <f32, "2048", "128">
    %7 = kernel.extract %4 [%arg6] : f32 from <f32, "2048">
    %8 = kernel.binary  mul %6, %7 : f32 -> f32
    %9 = kernel.unary  is_nan %5 : f32 -> i1
    %10 = kernel.constant 0.000000e+00 : f32
    %11 = kernel.select %9, %10, %8 : f32
    %12 = kernel.cast %11 : f32 -> f16
    kernel.store %12, %arg3[3145728*%arg4 + 262144*%arg5 + 128*%arg6 + %arg7] : f16 to <f16, write>
  }
}

// -----

// Heads of 64. At least 63 %.
kernel.func @attention_64 attention grid (%arg4, %arg5) in [2, 12] scalars [] (%arg0: !kernel.view<f16, read>, %arg1: !kernel.view<f16, read>, %arg2: !kernel.view<f16, read>, %arg3: !kernel.view<f16, write>) {
  %0 = kernel.map (%arg6) in [2048] {
    %5 = kernel.constant 0xFF800000 : f32
    kernel.yield %5 : f32
  } : !kernel.tile<f32, "2048">
  %1 = kernel.map (%arg6) in [2048] {
    %5 = kernel.constant 0.000000e+00 : f32
    kernel.yield %5 : f32
  } : !kernel.tile<f32, "2048">
  %2 = kernel.map (%arg6, %arg7) in [2048, 64] {
    %5 = kernel.constant 0.000000e+00 : f32
    kernel.yield %5 : f32
  } : !kernel.tile<f32, "2048", "64">
  %3:3 = kernel.for (%arg6) below 32 carry (%arg7 = %0, %arg8 = %1, %arg9 = %2) : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048", "64"> {
    %5 = kernel.dot [2048, 64, 64] lhs (%arg10, %arg11) {
      %12 = kernel.load %arg0[1572864*%arg4 + 131072*%arg5 + 64*%arg10 + %arg11] : f16 from <f16, read>
      kernel.yield %12 : f16
    } rhs (%arg10, %arg11) {
      %12 = kernel.load %arg1[1572864*%arg4 + 131072*%arg5 + 4096*%arg6 + %arg10 + 64*%arg11] : f16 from <f16, read>
      kernel.yield %12 : f16
    } : <f32, "2048", "64">
    %6 = kernel.map (%arg10, %arg11) in [2048, 64] {
      %12 = kernel.extract %5 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      %13 = kernel.constant 1.250000e-01 : f16
      %14 = kernel.cast %13 : f16 -> f32
      %15 = kernel.binary  mul %12, %14 : f32 -> f32
      kernel.yield %15 : f32
    } : !kernel.tile<f32, "2048", "64">
    %7:3 = kernel.map (%arg10) in [2048] {
      %12 = kernel.extract %arg7 [%arg10] : f32 from <f32, "2048">
      %13 = kernel.reduce [#graph<reduce_kind max>] (%arg11) in [64] {
        %21 = kernel.extract %6 [%arg10, %arg11] : f32 from <f32, "2048", "64">
        kernel.yield %21 : f32
      } : f32
      %14 = kernel.binary  max %12, %13 : f32 -> f32
      %15 = kernel.constant 0xFF800000 : f32
      %16 = kernel.binary  equal %14, %15 : f32 -> i1
      %17 = kernel.constant 0.000000e+00 : f32
      %18 = kernel.select %16, %17, %14 : f32
      %19 = kernel.binary  sub %12, %18 : f32 -> f32
      %20 = kernel.unary  exp %19 : f32 -> f32
      kernel.yield %14, %18, %20 : f32, f32, f32
    } : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">
    %8 = kernel.map (%arg10, %arg11) in [2048, 64] {
      %12 = kernel.extract %6 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      %13 = kernel.extract %7#1 [%arg10] : f32 from <f32, "2048">
      %14 = kernel.binary  sub %12, %13 : f32 -> f32
      %15 = kernel.unary  exp coarse %14 : f32 -> f32
      kernel.yield %15 : f32
    } : !kernel.tile<f32, "2048", "64">
    %9 = kernel.map (%arg10) in [2048] {
      %12 = kernel.extract %arg8 [%arg10] : f32 from <f32, "2048">
      %13 = kernel.extract %7#2 [%arg10] : f32 from <f32, "2048">
      %14 = kernel.binary  mul %12, %13 : f32 -> f32
      %15 = kernel.reduce [#graph<reduce_kind sum>] (%arg11) in [64] {
        %17 = kernel.extract %8 [%arg10, %arg11] : f32 from <f32, "2048", "64">
        kernel.yield %17 : f32
      } : f32
      %16 = kernel.binary  add %14, %15 : f32 -> f32
      kernel.yield %16 : f32
    } : !kernel.tile<f32, "2048">
    %10 = kernel.map (%arg10, %arg11) in [2048, 64] {
      %12 = kernel.extract %arg9 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      %13 = kernel.extract %7#2 [%arg10] : f32 from <f32, "2048">
      %14 = kernel.binary  mul %12, %13 : f32 -> f32
      kernel.yield %14 : f32
    } : !kernel.tile<f32, "2048", "64">
    %11 = kernel.dot [2048, 64, 64] init %10 : !kernel.tile<f32, "2048", "64"> lhs (%arg10, %arg11) {
      %12 = kernel.extract %8 [%arg10, %arg11] : f32 from <f32, "2048", "64">
      %13 = kernel.cast %12 : f32 -> f16
      kernel.yield %13 : f16
    } rhs (%arg10, %arg11) {
      %12 = kernel.load %arg2[1572864*%arg4 + 131072*%arg5 + 4096*%arg6 + 64*%arg10 + %arg11] : f16 from <f16, read>
      kernel.yield %12 : f16
    } : <f32, "2048", "64">
    kernel.yield %7#0, %9, %11 : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048", "64">
  } meet (%arg6, %arg7, %arg8) (%arg9, %arg10, %arg11) {
    %5:3 = kernel.map (%arg12) in [2048] {
      %8 = kernel.extract %arg6 [%arg12] : f32 from <f32, "2048">
      %9 = kernel.extract %arg9 [%arg12] : f32 from <f32, "2048">
      %10 = kernel.binary  max %8, %9 : f32 -> f32
      %11 = kernel.constant 0xFF800000 : f32
      %12 = kernel.binary  equal %10, %11 : f32 -> i1
      %13 = kernel.constant 0.000000e+00 : f32
      %14 = kernel.select %12, %13, %10 : f32
      %15 = kernel.binary  sub %8, %14 : f32 -> f32
      %16 = kernel.unary  exp %15 : f32 -> f32
      %17 = kernel.binary  sub %9, %14 : f32 -> f32
      %18 = kernel.unary  exp %17 : f32 -> f32
      kernel.yield %10, %16, %18 : f32, f32, f32
    } : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">
    %6 = kernel.map (%arg12) in [2048] {
      %8 = kernel.extract %arg7 [%arg12] : f32 from <f32, "2048">
      %9 = kernel.extract %5#1 [%arg12] : f32 from <f32, "2048">
      %10 = kernel.binary  mul %8, %9 : f32 -> f32
      %11 = kernel.extract %arg10 [%arg12] : f32 from <f32, "2048">
      %12 = kernel.extract %5#2 [%arg12] : f32 from <f32, "2048">
      %13 = kernel.binary  mul %11, %12 : f32 -> f32
      %14 = kernel.binary  add %10, %13 : f32 -> f32
      kernel.yield %14 : f32
    } : !kernel.tile<f32, "2048">
    %7 = kernel.map (%arg12, %arg13) in [2048, 64] {
      %8 = kernel.extract %arg8 [%arg12, %arg13] : f32 from <f32, "2048", "64">
      %9 = kernel.extract %5#1 [%arg12] : f32 from <f32, "2048">
      %10 = kernel.binary  mul %8, %9 : f32 -> f32
      %11 = kernel.extract %arg11 [%arg12, %arg13] : f32 from <f32, "2048", "64">
      %12 = kernel.extract %5#2 [%arg12] : f32 from <f32, "2048">
      %13 = kernel.binary  mul %11, %12 : f32 -> f32
      %14 = kernel.binary  add %10, %13 : f32 -> f32
      kernel.yield %14 : f32
    } : !kernel.tile<f32, "2048", "64">
    kernel.yield %5#0, %6, %7 : !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048">, !kernel.tile<f32, "2048", "64">
  }
  %4 = kernel.map (%arg6) in [2048] {
    %5 = kernel.constant 1.000000e+00 : f32
    %6 = kernel.extract %3#1 [%arg6] : f32 from <f32, "2048">
    %7 = kernel.constant 0.000000e+00 : f32
    %8 = kernel.binary  equal %6, %7 : f32 -> i1
    %9 = kernel.select %8, %5, %6 : f32
    %10 = kernel.binary  div %5, %9 : f32 -> f32
    kernel.yield %10 : f32
  } : !kernel.tile<f32, "2048">
  kernel.foreach (%arg6, %arg7) in [2048, 64] {
    %5 = kernel.extract %3#1 [%arg6] : f32 from <f32, "2048">
    %6 = kernel.extract %3#2 [%arg6, %arg7] : f32 from <f32, "2048", "64">
    %7 = kernel.extract %4 [%arg6] : f32 from <f32, "2048">
    %8 = kernel.binary  mul %6, %7 : f32 -> f32
    %9 = kernel.unary  is_nan %5 : f32 -> i1
    %10 = kernel.constant 0.000000e+00 : f32
    %11 = kernel.select %9, %10, %8 : f32
    %12 = kernel.cast %11 : f32 -> f16
    kernel.store %12, %arg3[1572864*%arg4 + 131072*%arg5 + 64*%arg6 + %arg7] : f16 to <f16, write>
  }
}
