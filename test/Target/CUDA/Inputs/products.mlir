// A product as large as any. At least 97 %. cuBLAS 98 %.
kernel.func @gemm_4096 gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "4096">
  kernel.foreach (%m, %n) in [4096, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "4096", "4096">
    %6 = kernel.cast %1 : f32 -> f16
    kernel.store %6, %out[4096*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Weights with rows along k. At least 97 %. cuBLAS 94 %.
kernel.func @gemm_nt_2048 gemm grid () in [] scalars []
    (%in0: !kernel.view<bf16, read>, %in1: !kernel.view<bf16, read>, %out: !kernel.view<bf16, write>) {
  %0 = kernel.dot [2048, 2048, 2048] lhs (%m, %k) {
    %1 = kernel.load %in0[2048*%m + %k] : bf16 from !kernel.view<bf16, read>
    kernel.yield %1 : bf16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[2048*%n + %k] : bf16 from !kernel.view<bf16, read>
    kernel.yield %1 : bf16
  } : !kernel.tile<f32, "2048", "2048">
  kernel.foreach (%m, %n) in [2048, 2048] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2048", "2048">
    %6 = kernel.cast %1 : f32 -> bf16
    kernel.store %6, %out[2048*%m + %n] : bf16 to !kernel.view<bf16, write>
  }
}

// -----

// ResNet, 128 images: 3x3. At least 97 %.
kernel.func @conv_3x3_128 conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [100352, 128, 1152] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[100352*floordiv(%m, 784) + 3584*mod(floordiv(%m, 28), 28) + 128*mod(%m, 28) + 3584*floordiv(%k, 384) + 128*mod(floordiv(%k, 128), 3) + mod(%k, 128) - 3712]
      mask [1*mod(floordiv(%m, 28), 28) + floordiv(%k, 384) - 1, -1*mod(floordiv(%m, 28), 28) - floordiv(%k, 384) + 28, 1*mod(%m, 28) + mod(floordiv(%k, 128), 3) - 1, -1*mod(%m, 28) - mod(floordiv(%k, 128), 3) + 28] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "100352", "128">
  kernel.foreach (%m, %n) in [100352, 128] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "100352", "128">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[128*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Columns as wide as half a tile. At least 97 %.
kernel.func @conv_3x3_64 conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [100352, 64, 576] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[200704*floordiv(%m, 3136) + 3584*mod(floordiv(%m, 56), 56) + 64*mod(%m, 56) + 3584*floordiv(%k, 192) + 64*mod(floordiv(%k, 64), 3) + mod(%k, 64) - 3648]
      mask [1*mod(floordiv(%m, 56), 56) + floordiv(%k, 192) - 1, -1*mod(floordiv(%m, 56), 56) - floordiv(%k, 192) + 56, 1*mod(%m, 56) + mod(floordiv(%k, 64), 3) - 1, -1*mod(%m, 56) - mod(floordiv(%k, 64), 3) + 56] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "100352", "64">
  kernel.foreach (%m, %n) in [100352, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "100352", "64">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Between two resolutions. At least 90 %.
kernel.func @conv_3x3_s2_256 conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [6272, 256, 2304] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[200704*floordiv(%m, 196) + 14336*mod(floordiv(%m, 14), 14) + 512*mod(%m, 14) + 7168*floordiv(%k, 768) + 256*mod(floordiv(%k, 256), 3) + mod(%k, 256) - 7424]
      mask [2*mod(floordiv(%m, 14), 14) + floordiv(%k, 768) - 1, -2*mod(floordiv(%m, 14), 14) - floordiv(%k, 768) + 28, 2*mod(%m, 14) + mod(floordiv(%k, 256), 3) - 1, -2*mod(%m, 14) - mod(floordiv(%k, 256), 3) + 28] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[256*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "6272", "256">
  kernel.foreach (%m, %n) in [6272, 256] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "6272", "256">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[256*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// A 1x1 convolution is a product. At least 97 %.
kernel.func @conv_1x1_1024 conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [6272, 1024, 256] lhs (%m, %k) {
    %1 = kernel.load %in0[256*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[1024*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "6272", "1024">
  kernel.foreach (%m, %n) in [6272, 1024] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "6272", "1024">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[1024*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Few places, one image: six blocks share a depth. At least 56 %.
kernel.func @conv_3x3_512_b1 conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [49, 512, 4608] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[25088*floordiv(%m, 49) + 3584*mod(floordiv(%m, 7), 7) + 512*mod(%m, 7) + 3584*floordiv(%k, 1536) + 512*mod(floordiv(%k, 512), 3) + mod(%k, 512) - 4096]
      mask [1*mod(floordiv(%m, 7), 7) + floordiv(%k, 1536) - 1, -1*mod(floordiv(%m, 7), 7) - floordiv(%k, 1536) + 7, 1*mod(%m, 7) + mod(floordiv(%k, 512), 3) - 1, -1*mod(%m, 7) - mod(floordiv(%k, 512), 3) + 7] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[512*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "49", "512">
  kernel.foreach (%m, %n) in [49, 512] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "49", "512">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[512*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// The stem, three channels, by patches of the image. At least 63 %.
kernel.func @conv_7x7_stem conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [401408, 64, 147] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[150528*floordiv(%m, 12544) + 1344*mod(floordiv(%m, 112), 112) + 6*mod(%m, 112) + 672*floordiv(%k, 21) + 3*mod(floordiv(%k, 3), 7) + mod(%k, 3) - 2025]
      mask [2*mod(floordiv(%m, 112), 112) + floordiv(%k, 21) - 3, -2*mod(floordiv(%m, 112), 112) - floordiv(%k, 21) + 226, 2*mod(%m, 112) + mod(floordiv(%k, 3), 7) - 3, -2*mod(%m, 112) - mod(floordiv(%k, 3), 7) + 226] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "401408", "64">
  kernel.foreach (%m, %n) in [401408, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "401408", "64">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// The same of an image of whole channels. At least 58 %.
kernel.func @conv_7x7_stem_nchw conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [1605632, 64, 147] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[150528*floordiv(%m, 12544) + 448*mod(floordiv(%m, 112), 112) + 224*floordiv(%k, 21) + 2*mod(%m, 112) + 50176*mod(%k, 3) + mod(floordiv(%k, 3), 7) - 675]
      mask [2*mod(floordiv(%m, 112), 112) + floordiv(%k, 21) - 3, -2*mod(floordiv(%m, 112), 112) - floordiv(%k, 21) + 226, 2*mod(%m, 112) + mod(floordiv(%k, 3), 7) - 3, -2*mod(%m, 112) - mod(floordiv(%k, 3), 7) + 226] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1605632", "64">
  kernel.foreach (%m, %n) in [1605632, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "1605632", "64">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Where a cast has padded the image. At least 65 %.
kernel.func @conv_7x7_stem_padded conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [1605632, 64, 147] lhs (%m, %k) {
    %1 = kernel.load %in0[158700*floordiv(%m, 12544) + 1380*mod(floordiv(%m, 112), 112) + 690*floordiv(%k, 21) + 6*mod(%m, 112) + mod(%k, 21)] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1605632", "64">
  kernel.foreach (%m, %n) in [1605632, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "1605632", "64">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Its results take four times as long to store. At least 31 %.
kernel.func @conv_3x3_stem conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [1605632, 32, 27] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[150528*floordiv(%m, 12544) + 1344*mod(floordiv(%m, 112), 112) + 6*mod(%m, 112) + 672*floordiv(%k, 9) + mod(%k, 9) - 675]
      mask [2*mod(floordiv(%m, 112), 112) + floordiv(%k, 9) - 1, -2*mod(floordiv(%m, 112), 112) - floordiv(%k, 9) + 224, 2*mod(%m, 112) + mod(floordiv(%k, 3), 3) - 1, -2*mod(%m, 112) - mod(floordiv(%k, 3), 3) + 224] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[32*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1605632", "32">
  kernel.foreach (%m, %n) in [1605632, 32] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "1605632", "32">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[32*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// BERT, one sentence of 128: the small tiles are bound by shared memory, and done earlier than larger ones. At least 42 %.
kernel.func @bert_o gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 768, 768] lhs (%m, %k) {
    %1 = kernel.load %in0[768*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[768*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "768">
  kernel.foreach (%m, %n) in [128, 768] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "768">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %6 = kernel.cast %4 : f32 -> f16
    kernel.store %6, %out[768*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// The layer that leads back to the residual: four blocks share its depth. At least 78 %.
kernel.func @bert_ffn2 gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 768, 3072] lhs (%m, %k) {
    %1 = kernel.load %in0[3072*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[768*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "768">
  kernel.foreach (%m, %n) in [128, 768] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "768">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %6 = kernel.cast %4 : f32 -> f16
    kernel.store %6, %out[768*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Queries, keys, values at once. At least 78 %.
kernel.func @bert_qkv gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 2304, 768] lhs (%m, %k) {
    %1 = kernel.load %in0[768*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[2304*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "2304">
  kernel.foreach (%m, %n) in [128, 2304] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "2304">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %6 = kernel.cast %4 : f32 -> f16
    kernel.store %6, %out[2304*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// The wide layer. At least 78 %.
kernel.func @bert_ffn1 gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 3072, 768] lhs (%m, %k) {
    %1 = kernel.load %in0[768*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[3072*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "128", "3072">
  kernel.foreach (%m, %n) in [128, 3072] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "3072">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[3072*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// The same of 32 sentences. At least 97 %. cuBLAS 98 %.
kernel.func @bert_b32_ffn1 gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) {
  %0 = kernel.dot [4096, 3072, 768] lhs (%m, %k) {
    %1 = kernel.load %in0[768*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[3072*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "4096", "3072">
  kernel.foreach (%m, %n) in [4096, 3072] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "4096", "3072">
    %2 = kernel.load %in2[%n] : f16 from !kernel.view<f16, read>
    %3 = kernel.cast %2 : f16 -> f32
    %4 = kernel.binary add %1, %3 : f32 -> f32
    %5 = kernel.unary relu %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> f16
    kernel.store %6, %out[3072*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// f32 as TF32: a number is rounded as it comes from shared memory. At least 41 %.
kernel.func @tf32_2048 gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.dot [2048, 2048, 2048] tf32 x1 lhs (%m, %k) {
    %1 = kernel.load %in0[2048*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %in1[2048*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2048", "2048">
  kernel.foreach (%m, %n) in [2048, 2048] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2048", "2048">
    kernel.store %1, %out[2048*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// -----

// f32 in three products of TF32. At least 46 %.
kernel.func @tf32x3_2048 gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %0 = kernel.dot [2048, 2048, 2048] tf32 x3 lhs (%m, %k) {
    %1 = kernel.load %in0[2048*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %in1[2048*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2048", "2048">
  kernel.foreach (%m, %n) in [2048, 2048] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2048", "2048">
    kernel.store %1, %out[2048*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// -----

// Bytes. At least 97 %.
kernel.func @bytes_4096 gemm grid () in [] scalars []
    (%in0: !kernel.view<i8, read>, %in1: !kernel.view<i8, read>, %in2: !kernel.view<f32, read>, %out: !kernel.view<i8, write>) {
  %0 = kernel.dot [4096, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %in0[4096*%m + %k] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } rhs (%k, %n) {
    %1 = kernel.load %in1[4096*%n + %k] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } : !kernel.tile<i32, "4096", "4096">
  kernel.foreach (%m, %n) in [4096, 4096] {
    %1 = kernel.extract %0 [%m, %n] : i32 from !kernel.tile<i32, "4096", "4096">
    %2 = kernel.load %in2[%n] : f32 from !kernel.view<f32, read>
    %3 = kernel.cast %1 : i32 -> f32
    %4 = kernel.binary mul %3, %2 : f32 -> f32
    %5 = kernel.cast %4 : f32 -> i8
    kernel.store %5, %out[4096*%m + %n] : i8 to !kernel.view<i8, write>
  }
}

// -----

// Bytes, ResNet, 128 images: 3x3. At least 97 %.
kernel.func @bytes_conv_3x3 conv grid () in [] scalars []
    (%in0: !kernel.view<ui8, read>, %in1: !kernel.view<i8, read>, %in2: !kernel.view<f32, read>, %out: !kernel.view<ui8, write>) {
  %0 = kernel.dot [100352, 128, 1152] lhs (%m, %k) {
    %z = kernel.constant 0 : ui8
    %1 = kernel.load %in0[100352*floordiv(%m, 784) + 3584*mod(floordiv(%m, 28), 28) + 128*mod(%m, 28) + 3584*floordiv(%k, 384) + 128*mod(floordiv(%k, 128), 3) + mod(%k, 128) - 3712]
      mask [1*mod(floordiv(%m, 28), 28) + floordiv(%k, 384) - 1, -1*mod(floordiv(%m, 28), 28) - floordiv(%k, 384) + 28, 1*mod(%m, 28) + mod(floordiv(%k, 128), 3) - 1, -1*mod(%m, 28) - mod(floordiv(%k, 128), 3) + 28] else %z : ui8 : ui8 from !kernel.view<ui8, read>
    kernel.yield %1 : ui8
  } rhs (%k, %n) {
    %1 = kernel.load %in1[1152*%n + %k] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } : !kernel.tile<i32, "100352", "128">
  kernel.foreach (%m, %n) in [100352, 128] {
    %1 = kernel.extract %0 [%m, %n] : i32 from !kernel.tile<i32, "100352", "128">
    %2 = kernel.load %in2[%n] : f32 from !kernel.view<f32, read>
    %3 = kernel.cast %1 : i32 -> f32
    %4 = kernel.binary mul %3, %2 : f32 -> f32
    %5 = kernel.cast %4 : f32 -> ui8
    kernel.store %5, %out[128*%m + %n] : ui8 to !kernel.view<ui8, write>
  }
}

// -----

// Weights of four bits, in blocks of 32. At least 90 %.
kernel.func @packed_2048 gemm grid () in [] scalars []
    (%x: !kernel.view<f16, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f16, read>, %o: !kernel.view<f16, write>) {
  %0 = kernel.dot [2048, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %x[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[2048*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.index 4*mod(floordiv(%k, 16), 2)
    %3 = kernel.cast %2 : i64 -> ui8
    %4 = kernel.binary shift_right %1, %3 : ui8 -> ui8
    %5 = kernel.constant 15 : ui8
    %6 = kernel.binary bitwise_and %4, %5 : ui8 -> ui8
    %7 = kernel.cast %6 : ui8 -> f32
    %8 = kernel.constant -8.0 : f32
    %9 = kernel.binary add %7, %8 : f32 -> f32
    %10 = kernel.load %s[128*%n + floordiv(%k, 32)] : f16 from !kernel.view<f16, read>
    %11 = kernel.cast %10 : f16 -> f32
    %12 = kernel.binary mul %9, %11 : f32 -> f32
    %13 = kernel.cast %12 : f32 -> f16
    kernel.yield %13 : f16
  } : !kernel.tile<f32, "2048", "4096">
  kernel.foreach (%m, %n) in [2048, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "2048", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %o[4096*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// The same for few rows: 128. At least 75 %.
kernel.func @packed_128 gemm grid () in [] scalars []
    (%x: !kernel.view<f16, read>, %b: !kernel.view<ui8, read>, %s: !kernel.view<f16, read>, %o: !kernel.view<f16, write>) {
  %0 = kernel.dot [128, 4096, 4096] lhs (%m, %k) {
    %1 = kernel.load %x[4096*%m + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %b[2048*%n + 16*floordiv(%k, 32) + mod(%k, 16)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.index 4*mod(floordiv(%k, 16), 2)
    %3 = kernel.cast %2 : i64 -> ui8
    %4 = kernel.binary shift_right %1, %3 : ui8 -> ui8
    %5 = kernel.constant 15 : ui8
    %6 = kernel.binary bitwise_and %4, %5 : ui8 -> ui8
    %7 = kernel.cast %6 : ui8 -> f32
    %8 = kernel.constant -8.0 : f32
    %9 = kernel.binary add %7, %8 : f32 -> f32
    %10 = kernel.load %s[128*%n + floordiv(%k, 32)] : f16 from !kernel.view<f16, read>
    %11 = kernel.cast %10 : f16 -> f32
    %12 = kernel.binary mul %9, %11 : f32 -> f32
    %13 = kernel.cast %12 : f32 -> f16
    kernel.yield %13 : f16
  } : !kernel.tile<f32, "128", "4096">
  kernel.foreach (%m, %n) in [128, 4096] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "128", "4096">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %o[4096*%m + %n] : f16 to !kernel.view<f16, write>
  }
}
