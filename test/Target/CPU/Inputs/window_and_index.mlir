// The sum of a window of three, and an element of a table where another image says.
kernel.func @window_and_index reduction grid (%i, %j, %k) in [2, 9, 40] scalars []
    (%x: !kernel.view<f32, read>, %ids: !kernel.view<i64, read>, %table: !kernel.view<f32, read>,
     %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d) in [3] {
    %v = kernel.load %x[440*%i + 40*%j + %k + 40*%d] : f32 from !kernel.view<f32, read>
    kernel.yield %v : f32
  } : f32
  %id = kernel.load %ids[40*%j + %k] : i64 from !kernel.view<i64, read>
  %at = kernel.checked_index %id below 7 : i64
  %t = kernel.load %table[%at] : f32 from !kernel.view<f32, read>
  %r = kernel.binary add %s, %t : f32 -> f32
  kernel.store %r, %o[360*%i + 40*%j + %k] : f32 to !kernel.view<f32, write>
}
