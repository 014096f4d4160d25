// RUN: cupola-opt %s --split-input-file --verify-diagnostics

kernel.func @divergent "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<64, "1">} {
  kernel.guard ["-t + 31"] {
    // expected-error @below {{is under '-t + 31', which differs between threads that must meet}}
    kernel.barrier
  }
}

// -----

// A name that depends on the thread is found through its definition.
kernel.func @throughLet "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<64, "1">} {
  kernel.let "lane" = "mod(t, 32)" below "32"
  kernel.guard ["-lane"] {
    %0 = kernel.constant 1.0 : f32
    // expected-error @below {{is under '-lane', which differs between threads that must meet}}
    %1 = kernel.warp_reduce sum %0 : f32 -> f32
  }
}

// -----

// Whole warps may differ where only a warp meets.
kernel.func @warps "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<64, "1">} {
  kernel.guard ["-floordiv(t, 32)"] {
    %0 = kernel.constant 1.0 : f32
    %1 = kernel.warp_reduce sum %0 : f32 -> f32
  }
}

// -----

kernel.func @unknown "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<64, "1">} {
  // expected-error @below {{'i + 1' uses 'i', which is no variable here}}
  kernel.let "j" = "i + 1" below "8"
}

// -----

kernel.func @wide "test" grid [] scalars [] {} (%in: !kernel.view<f64, read>)
    attributes {launch = #kernel.launch<64, "1">} {
  %r = kernel.registers : !kernel.registers<f64, vector 4>
  // expected-error @below {{moves 32 bytes, not 1, 2, 4, 8 or 16}}
  kernel.load_vector %in["4*t"] to %r [] : !kernel.view<f64, read> to !kernel.registers<f64, vector 4>
}

// -----

kernel.func @rank "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<64, "1">} {
  %r = kernel.registers zero : !kernel.registers<2x4xf32>
  // expected-error @below {{has 1 indices, not 2}}
  %0 = kernel.get %r ["1"] : f32 from !kernel.registers<2x4xf32>
}

// -----

kernel.func @scratch "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<64, "1">} {
  %s = kernel.smem at 0 : !kernel.smem<1xf32>
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{needs scratch for one value per warp}}
  %1 = kernel.block_reduce sum %0, %s : f32, !kernel.smem<1xf32> -> f32
}

// -----

kernel.func @mma "test" grid [] scalars [] {} () attributes {launch = #kernel.launch<32, "1">} {
  %acc = kernel.registers zero : !kernel.registers<2x4x4xf32>
  %a = kernel.registers : !kernel.registers<2x4xui32>
  %b = kernel.registers : !kernel.registers<4x1xui32>
  // expected-error @below {{fragments are neither of K 8 nor of K 16}}
  kernel.mma %acc, %a, %b : !kernel.registers<2x4x4xf32>, !kernel.registers<2x4xui32>, !kernel.registers<4x1xui32>
}
