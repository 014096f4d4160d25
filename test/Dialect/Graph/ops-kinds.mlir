//===- test/Dialect/Graph/ops-kinds.mlir - every word of the dialect's closed lists ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --mlir-print-op-generic > %t.read
// RUN: cupola-opt %s --mlir-print-local-scope | cupola-opt --mlir-print-local-scope --mlir-print-op-generic | diff %t.read -

func.func private @kinds() attributes {
  binary_kind = [#graph<binary_kind add>, #graph<binary_kind sub>, #graph<binary_kind mul>, #graph<binary_kind div>,
      #graph<binary_kind mod>, #graph<binary_kind fmod>, #graph<binary_kind pow>, #graph<binary_kind max>,
      #graph<binary_kind min>, #graph<binary_kind prelu>, #graph<binary_kind and>, #graph<binary_kind or>,
      #graph<binary_kind xor>, #graph<binary_kind bitwise_and>, #graph<binary_kind bitwise_or>,
      #graph<binary_kind bitwise_xor>, #graph<binary_kind shift_left>, #graph<binary_kind shift_right>,
      #graph<binary_kind equal>, #graph<binary_kind less>, #graph<binary_kind less_equal>, #graph<binary_kind greater>,
      #graph<binary_kind greater_equal>],
  copy_reason = [#graph<copy_reason joined>, #graph<copy_reason part>, #graph<copy_reason shared>,
      #graph<copy_reason uncomputed>],
  kernel_kind = [#graph<kernel_kind pointwise>, #graph<kernel_kind gather>, #graph<kernel_kind row_reduction>,
      #graph<kernel_kind reduction>, #graph<kernel_kind gemm>, #graph<kernel_kind conv>, #graph<kernel_kind pack>,
      #graph<kernel_kind attention>,
      #graph<kernel_kind recurrence>],
  pad_mode = [#graph<pad_mode constant>, #graph<pad_mode edge>, #graph<pad_mode reflect>, #graph<pad_mode wrap>],
  reduce_kind = [#graph<reduce_kind sum>, #graph<reduce_kind mean>, #graph<reduce_kind prod>, #graph<reduce_kind max>,
      #graph<reduce_kind min>],
  relation = [#graph<relation equal>, #graph<relation less_equal>, #graph<relation broadcast>],
  softmax_guard = [#graph<softmax_guard none>, #graph<softmax_guard nan>, #graph<softmax_guard hidden>],
  tf32 = [#graph<tf32 x1>, #graph<tf32 x3>],
  int8_rows = [#graph<int8_rows always>, #graph<int8_rows never>],
  unary_kind = [#graph<unary_kind neg>, #graph<unary_kind abs>, #graph<unary_kind exp>, #graph<unary_kind log>,
      #graph<unary_kind sqrt>, #graph<unary_kind rsqrt>, #graph<unary_kind reciprocal>, #graph<unary_kind floor>,
      #graph<unary_kind ceil>, #graph<unary_kind round>, #graph<unary_kind sign>, #graph<unary_kind erf>,
      #graph<unary_kind tanh>, #graph<unary_kind sigmoid>, #graph<unary_kind relu>, #graph<unary_kind leaky_relu>,
      #graph<unary_kind elu>, #graph<unary_kind selu>, #graph<unary_kind celu>, #graph<unary_kind softplus>,
      #graph<unary_kind softsign>, #graph<unary_kind hard_sigmoid>, #graph<unary_kind hard_swish>,
      #graph<unary_kind mish>, #graph<unary_kind thresholded_relu>, #graph<unary_kind shrink>,
      #graph<unary_kind gelu_erf>, #graph<unary_kind gelu_tanh>, #graph<unary_kind silu>, #graph<unary_kind sin>,
      #graph<unary_kind cos>, #graph<unary_kind tan>, #graph<unary_kind asin>, #graph<unary_kind acos>,
      #graph<unary_kind atan>, #graph<unary_kind sinh>, #graph<unary_kind cosh>, #graph<unary_kind asinh>,
      #graph<unary_kind acosh>, #graph<unary_kind atanh>, #graph<unary_kind not>, #graph<unary_kind bitwise_not>,
      #graph<unary_kind is_nan>, #graph<unary_kind is_inf>]
}
