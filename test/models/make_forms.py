#!/usr/bin/env python3
#===- test/models/make_forms.py - Norms, activations and softmax guards as each exporter writes them out ---===#
# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.onnx and NAME.full.npz or NAME.half.npz (inputs and onnxruntime's outputs) for every row of FORMS: one op that the
compiler knows as a whole, written out in the ops that an exporter makes of it."""

from dataclasses import dataclass

import activation_forms as activation
import norm_forms as norm
import numpy as np
import softmax_forms as softmax
from onnx import TensorProto, helper
from references import output_folder, reference, write_case
from spelling import FULL, HALF, WIDTH, Spelling


@dataclass(frozen=True)
class Form:
    build: callable
    whole: str                      # the op it is recognised as
    type: type = FULL
    opset: int = 17


FORMS = {f"form_{name}": form for name, form in {
    "ln_written": Form(norm.ln_written, "layer_norm"),
    "ln_written_half": Form(norm.ln_written, "layer_norm", HALF, 14),
    "ln_wide": Form(norm.ln_wide, "layer_norm", HALF),
    "ln_island": Form(norm.ln_island, "layer_norm", HALF),
    "ln_islands": Form(norm.ln_islands, "layer_norm", HALF, 14),
    "ln_wide_tail": Form(norm.ln_wide_tail, "layer_norm", HALF, 18),
    "ln_product": Form(norm.ln_product, "layer_norm"),
    "ln_product_half": Form(norm.ln_product, "layer_norm", HALF),
    "tf_ln": Form(norm.tf_ln, "layer_norm"),
    "tf_ln_half": Form(norm.tf_ln, "layer_norm", HALF),
    "tf_ln_plain": Form(norm.tf_ln_plain, "layer_norm"),
    "tf_ln_difference": Form(norm.tf_ln_difference, "layer_norm"),
    "tf_ln_fused": Form(norm.tf_ln_fused, "layer_norm", FULL, 15),
    "tf_instance_norm": Form(norm.tf_instance_norm, "layer_norm", FULL, 13),
    "fast_variance": Form(norm.fast_variance, "layer_norm"),
    "rms_cast_before": Form(norm.rms_cast_before, "layer_norm", HALF),
    "rms_cast_after": Form(norm.rms_cast_after, "layer_norm", HALF, 18),
    "rms_cast_factor": Form(norm.rms_cast_factor, "layer_norm", HALF),
    "rms_half": Form(norm.rms_half, "layer_norm", HALF),
    "rms_mixed": Form(norm.rms_mixed, "layer_norm", HALF),
    "rms_product": Form(norm.rms_product, "layer_norm"),
    "rms_l2": Form(norm.rms_l2, "layer_norm"),
    "gelu_div": Form(activation.gelu_div, "gelu_erf"),
    "gelu_div_half": Form(activation.gelu_div, "gelu_erf", HALF),
    "gelu_half_sum": Form(activation.gelu_half_sum, "gelu_erf"),
    "gelu_half_first": Form(activation.gelu_half_first, "gelu_erf", HALF),
    "gelu_half_inside": Form(activation.gelu_half_inside, "gelu_erf"),
    "gelu_distributed": Form(activation.gelu_distributed, "gelu_erf"),
    "gelu_erfc": Form(activation.gelu_erfc, "gelu_erf"),
    "gelu_wide": Form(activation.gelu_wide, "gelu_erf", HALF),
    "gelu_tanh_pow": Form(activation.gelu_tanh_pow, "gelu_tanh"),
    "gelu_tanh_pow_half": Form(activation.gelu_tanh_pow, "gelu_tanh", HALF),
    "gelu_tanh_products": Form(activation.gelu_tanh_products, "gelu_tanh"),
    "gelu_tanh_integer_power": Form(activation.gelu_tanh_integer_power, "gelu_tanh"),
    "gelu_tanh_scaled_first": Form(activation.gelu_tanh_scaled_first, "gelu_tanh"),
    "gelu_tanh_expanded": Form(activation.gelu_tanh_expanded, "gelu_tanh"),
    "gelu_sigmoid": Form(activation.gelu_sigmoid, "gelu_tanh"),
    "silu": Form(activation.silu, "silu"),
    "silu_half": Form(activation.silu, "silu", HALF),
    "silu_wide": Form(activation.silu_wide, "silu", HALF),
    "silu_div": Form(activation.silu_div, "silu"),
    "silu_sigmoid_written": Form(activation.silu_sigmoid_written, "silu"),
    "hard_swish_clip": Form(activation.hard_swish_clip, "hard_swish"),
    "hard_swish_clip_half": Form(activation.hard_swish_clip, "hard_swish", HALF),
    "hard_swish_clip_first": Form(activation.hard_swish_clip_first, "hard_swish"),
    "hard_swish_min_max": Form(activation.hard_swish_min_max, "hard_swish"),
    "hard_swish_relu": Form(activation.hard_swish_relu, "hard_swish"),
    "hard_swish_small": Form(activation.hard_swish_small, "hard_swish"),
    "hard_swish_op": Form(activation.hard_swish_op, "hard_swish"),
    "softmax_nan_guard": Form(softmax.softmax_nan_guard, "softmax"),
    "softmax_nan_guard_half": Form(softmax.softmax_nan_guard_half, "softmax", HALF),
    "softmax_all_guard": Form(softmax.softmax_all_guard, "softmax"),
    "softmax_any_guard": Form(softmax.softmax_any_guard, "softmax", FULL, 18),
    "softmax_not_guard": Form(softmax.softmax_not_guard, "softmax", FULL, 20),
    "softmax_bool_mask": Form(softmax.softmax_bool_mask, "softmax", HALF),
    "softmax_written": Form(softmax.softmax_written, "softmax"),
    "softmax_written_product": Form(softmax.softmax_written_product, "softmax", FULL, 18),
    "log_softmax_written": Form(softmax.log_softmax_written, "softmax"),
}.items()}


def main():
    folder = output_folder(__doc__)
    for name, form in FORMS.items():
        n = Spelling(name, form)
        shape = [3, 5, WIDTH]
        type = helper.np_dtype_to_tensor_dtype(np.dtype(form.type))
        n.result("y", form.build(n), shape, type)
        inputs = [("x", type, shape)]
        random = np.random.Generator(np.random.Philox(7))
        feeds = {"x": (2 * random.standard_normal(shape) + 0.5).astype(form.type)}
        if any("mask" in node.input for node in n.nodes):
            inputs.append(("mask", TensorProto.BOOL, shape))
            feeds["mask"] = random.random(shape) < 0.7
            feeds["mask"][1, 2] = False
        path = folder / f"{name}.onnx"
        path.write_bytes(n.model(inputs).SerializeToString())
        write_case(folder / f"{name}.{'half' if form.type is HALF else 'full'}.npz", feeds, reference(path, feeds))
    print(f"{len(FORMS)} forms in {folder}")


if __name__ == "__main__":
    main()
