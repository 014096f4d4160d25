#!/usr/bin/env python3
#===- test/models/make_forms.py - Norms, activations and softmax guards as each exporter writes them out ---===#
# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.onnx and NAME.full.npz or NAME.half.npz (inputs and onnxruntime's outputs) for every row of FORMS: one op that the
compiler knows as a whole, written out in the ops that an exporter makes of it."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper

from builder import Builder
from references import output_folder, reference, write_case

FULL, HALF = np.float32, np.float16
WIDTH = 24


class Spelling(Builder):
    """Scalars and weights have the element type of the form."""

    def __init__(self, name, form):
        super().__init__(name, form.opset)
        self.type = form.type

    def number(self, value, type=None):
        return self.constant(value, type or self.type)

    def scale(self, type=None, width=WIDTH):
        return self.array(f"scale_{width}", (1 + 0.1 * np.sin(np.arange(width))).astype(type or self.type))

    def bias(self, type=None, width=WIDTH):
        return self.array(f"bias_{width}", (0.1 * np.cos(np.arange(width))).astype(type or self.type))

    def wide(self, x):
        return self.op("Cast", x, to=TensorProto.FLOAT)

    def narrow(self, x):
        return self.op("Cast", x, to=TensorProto.FLOAT16)

    def affine(self, x, type=None):
        return self.op("Add", self.op("Mul", x, self.scale(type)), self.bias(type))

    def centred(self, x, axes=(-1,)):
        return self.op("Sub", x, self.mean(x, *axes))

    def square(self, x):
        return self.op("Pow", x, self.number(2))

    def root(self, variance, epsilon=1e-5, type=None):
        return self.op("Sqrt", self.op("Add", variance, self.number(epsilon, type)))


# Layer norm. Each function makes its form of the input "x" and returns the result.

def ln_written(n):
    """torch below opset 17, in the model's own type."""
    d = n.centred("x")
    return n.affine(n.op("Div", d, n.root(n.mean(n.square(d)))))


def ln_wide(n):
    """torch.autocast: all of it in f32 between two casts."""
    d = n.centred(n.wide("x"))
    normal = n.op("Div", d, n.root(n.mean(n.op("Pow", d, n.number(2, FULL))), type=FULL))
    return n.narrow(n.affine(normal, FULL))


def ln_island(n):
    """A converter to half precision that keeps the variance in f32."""
    d = n.centred("x")
    variance = n.mean(n.op("Pow", n.wide(d), n.number(2, FULL)))
    return n.affine(n.op("Div", d, n.narrow(n.root(variance, type=FULL))))


def ln_islands(n):
    """The same, with a cast before and after each op that stays in f32."""
    d = n.op("Sub", "x", n.narrow(n.mean(n.wide("x"))))
    square = n.narrow(n.op("Pow", n.wide(d), n.number(2, FULL)))
    variance = n.narrow(n.mean(n.wide(square)))
    root = n.narrow(n.op("Sqrt", n.wide(n.op("Add", variance, n.number(1e-5)))))
    return n.affine(n.op("Div", d, root))


def ln_wide_tail(n):
    """Centred in half precision, divided in f32."""
    d = n.wide(n.centred("x"))
    normal = n.op("Div", d, n.root(n.mean(n.op("Mul", d, d)), type=FULL))
    return n.affine(n.narrow(normal))


def ln_product(n):
    """The scale multiplied into the inverse root first."""
    d = n.centred("x")
    inverse = n.op("Reciprocal", n.root(n.mean(n.op("Mul", d, d))))
    return n.op("Add", n.op("Mul", d, n.op("Mul", inverse, n.scale())), n.bias())


def tf_affine(n, mean, inverse):
    """tf.nn.batch_normalization: x * s + (bias - mean * s)."""
    factor = n.op("Mul", inverse, n.scale())
    return n.op("Add", n.op("Mul", "x", factor), n.op("Sub", n.bias(), n.op("Mul", mean, factor)))


def tf_moments(n):
    mean = n.mean("x")
    difference = n.op("Sub", "x", mean)
    return mean, n.mean(n.op("Mul", difference, difference))


def tf_ln(n):
    mean, variance = tf_moments(n)
    return tf_affine(n, mean, n.op("Reciprocal", n.root(variance, 1e-3)))


def tf_ln_plain(n):
    """Without scale and bias."""
    mean, variance = tf_moments(n)
    inverse = n.op("Reciprocal", n.root(variance, 1e-3))
    return n.op("Add", n.op("Mul", "x", inverse), n.op("Neg", n.op("Mul", mean, inverse)))


def tf_ln_difference(n):
    """As above, by a subtraction; and the difference the other way round."""
    mean = n.mean("x")
    difference = n.op("Sub", mean, "x")
    inverse = n.op("Div", n.number(1), n.root(n.mean(n.op("Mul", difference, difference)), 1e-3))
    factor = n.op("Mul", n.scale(), inverse)
    return n.op("Add", n.op("Sub", n.op("Mul", factor, "x"), n.op("Mul", factor, mean)), n.bias())


def tf_ln_fused(n):
    """Keras: rows become channels of a batch norm of ones and zeros with moments of its own."""
    rows = n.reshape("x", 1, -1, WIDTH, 1)
    mean = n.mean(rows, 0, 2, 3)
    difference = n.op("Sub", rows, mean)
    variance = n.mean(n.op("Mul", difference, difference), 0, 2, 3)
    ones, zeros = n.array("ones", np.ones(15, n.type)), n.array("zeros", np.zeros(15, n.type))
    normal = n.op("BatchNormalization", rows, ones, zeros, n.squeeze(mean, 0, 2, 3), n.squeeze(variance, 0, 2, 3), epsilon=1e-3)
    return n.affine(n.reshape(normal, 3, 5, WIDTH))


def tf_instance_norm(n):
    """tfa.layers.InstanceNormalization: over the middle dimension, channels last."""
    mean = n.mean("x", 1)
    d = n.op("Sub", "x", mean)
    factor = n.op("Mul", n.op("Reciprocal", n.root(n.mean(n.op("Mul", d, d), 1), 1e-3)), n.scale())
    return n.op("Add", n.op("Mul", "x", factor), n.op("Sub", n.bias(), n.op("Mul", mean, factor)))


def fast_variance(n):
    """Flax: mean(x^2) - mean(x)^2, not below 0."""
    mean = n.mean("x")
    variance = n.op("Sub", n.mean(n.op("Mul", "x", "x")), n.op("Mul", mean, mean))
    variance = n.op("Max", variance, n.number(0))
    factor = n.op("Mul", n.op("Reciprocal", n.root(variance, 1e-6)), n.scale())
    return n.op("Add", n.op("Mul", n.op("Sub", "x", mean), factor), n.bias())


# RMS norm

def rms(n, type, x, power=True):
    square = n.op("Pow", x, n.number(2, type)) if power else n.op("Mul", x, x)
    return n.root(n.mean(square), 1e-5, type)


def rms_cast_before(n):
    """Llama: f32 inside, back before the weight."""
    x = n.wide("x")
    return n.op("Mul", n.scale(), n.narrow(n.op("Mul", x, n.op("Reciprocal", rms(n, FULL, x)))))


def rms_cast_after(n):
    """T5 and Gemma: back after the weight."""
    x = n.wide("x")
    return n.narrow(n.op("Mul", n.op("Div", x, rms(n, FULL, x)), n.scale(FULL)))


def rms_cast_factor(n):
    """Only the factor is computed in f32."""
    inverse = n.narrow(n.op("Div", n.number(1, FULL), rms(n, FULL, n.wide("x"))))
    return n.op("Mul", n.scale(), n.op("Mul", "x", inverse))


def rms_half(n):
    return n.op("Mul", n.op("Mul", "x", n.op("Reciprocal", rms(n, HALF, "x", power=False))), n.scale())


def rms_mixed(n):
    """T5 of half weights: the variance in f32, the product with the input as it is."""
    inverse = n.op("Reciprocal", rms(n, FULL, n.wide("x")))
    return n.op("Mul", n.scale(), n.narrow(n.op("Mul", n.wide("x"), inverse)))


def rms_product(n):
    inverse = n.op("Reciprocal", rms(n, FULL, "x"))
    return n.op("Mul", "x", n.op("Mul", inverse, n.scale()))


def rms_l2(n):
    """x / |x| * sqrt(width): by the norm of a row."""
    square = n.axes_op("ReduceSum", 13, n.op("Mul", "x", "x"), [-1], keepdims=1)
    mean = n.op("Mul", square, n.number(1 / WIDTH))
    return n.op("Mul", "x", n.op("Pow", n.op("Add", mean, n.number(1e-5)), n.number(-0.5)))


# GELU

def erf_of(n, x):
    return n.op("Erf", n.op("Mul", x, n.number(np.sqrt(0.5))))


def gelu_div(n):
    return n.op("Mul", n.op("Mul", "x", n.op("Add", n.op("Erf", n.op("Div", "x", n.number(np.sqrt(2)))), n.number(1))), n.number(0.5))


def gelu_half_sum(n):
    """x * (0.5 * (1 + erf))."""
    return n.op("Mul", "x", n.op("Mul", n.number(0.5), n.op("Add", n.number(1), erf_of(n, "x"))))


def gelu_half_first(n):
    return n.op("Mul", n.op("Mul", n.number(0.5), "x"), n.op("Add", n.number(1), erf_of(n, "x")))


def gelu_half_inside(n):
    """x * (0.5 + 0.5 * erf)."""
    return n.op("Mul", "x", n.op("Add", n.op("Mul", n.number(0.5), erf_of(n, "x")), n.number(0.5)))


def gelu_distributed(n):
    """0.5 * x + 0.5 * x * erf."""
    half = n.op("Mul", n.number(0.5), "x")
    return n.op("Add", half, n.op("Mul", half, erf_of(n, "x")))


def gelu_erfc(n):
    """0.5 * x * (1 - erf(-x / sqrt(2))): what jax makes of erfc."""
    inside = n.op("Erf", n.op("Mul", n.op("Neg", "x"), n.number(np.sqrt(0.5))))
    return n.op("Mul", n.op("Mul", n.number(0.5), "x"), n.op("Sub", n.number(1), inside))


def gelu_wide(n):
    """Only the error function in f32."""
    inside = n.narrow(n.op("Erf", n.wide(n.op("Div", "x", n.number(np.sqrt(2))))))
    return n.op("Mul", n.op("Mul", "x", n.op("Add", inside, n.number(1))), n.number(0.5))


def tanh_sum(n, cube):
    inside = n.op("Mul", n.number(np.sqrt(2 / np.pi)), n.op("Add", "x", n.op("Mul", n.number(0.044715), cube)))
    return n.op("Mul", n.op("Mul", n.number(0.5), "x"), n.op("Add", n.number(1), n.op("Tanh", inside)))


def gelu_tanh_pow(n):
    return tanh_sum(n, n.op("Pow", "x", n.number(3)))


def gelu_tanh_products(n):
    return tanh_sum(n, n.op("Mul", "x", n.op("Mul", "x", "x")))


def gelu_tanh_integer_power(n):
    """tf.pow(x, 3) with an exponent of its own type."""
    return tanh_sum(n, n.op("Pow", "x", n.constant(3, np.int64)))


def gelu_tanh_scaled_first(n):
    """Keras: sqrt(2 / pi) * x * (1 + 0.044715 * x^2), the half behind the sum."""
    square = n.op("Mul", "x", "x")
    poly = n.op("Add", n.number(1), n.op("Mul", n.number(0.044715), square))
    inside = n.op("Mul", n.op("Mul", n.number(np.sqrt(2 / np.pi)), "x"), poly)
    return n.op("Mul", "x", n.op("Mul", n.number(0.5), n.op("Add", n.number(1), n.op("Tanh", inside))))


def gelu_tanh_expanded(n):
    """The factor distributed: a * x + a * 0.044715 * x^3."""
    a = np.sqrt(2 / np.pi)
    cube = n.op("Mul", n.op("Mul", "x", "x"), "x")
    inside = n.op("Add", n.op("Mul", "x", n.number(a)), n.op("Mul", cube, n.number(a * 0.044715)))
    return n.op("Mul", n.op("Mul", "x", n.number(0.5)), n.op("Add", n.op("Tanh", inside), n.number(1)))


def gelu_sigmoid(n):
    """x * sigmoid(2 * the argument of tanh) is the same function."""
    inside = n.op("Add", "x", n.op("Mul", n.number(0.044715), n.op("Pow", "x", n.number(3))))
    return n.op("Mul", "x", n.op("Sigmoid", n.op("Mul", inside, n.number(2 * np.sqrt(2 / np.pi)))))


# SiLU, hard swish

def silu(n):
    return n.op("Mul", n.op("Sigmoid", "x"), "x")


def silu_wide(n):
    return n.op("Mul", "x", n.narrow(n.op("Sigmoid", n.wide("x"))))


def silu_div(n):
    """x / (1 + exp(-x))."""
    return n.op("Div", "x", n.op("Add", n.number(1), n.op("Exp", n.op("Neg", "x"))))


def silu_sigmoid_written(n):
    return n.op("Mul", "x", n.op("Reciprocal", n.op("Add", n.op("Exp", n.op("Neg", "x")), n.number(1))))


def relu6(n, x):
    return n.op("Clip", x, n.number(0), n.number(6))


def shifted(n):
    return n.op("Add", "x", n.number(3))


def hard_swish_clip(n):
    return n.op("Div", n.op("Mul", "x", relu6(n, shifted(n))), n.number(6))


def hard_swish_clip_first(n):
    """Keras: relu6(x + 3) * (1 / 6) * x."""
    return n.op("Mul", n.op("Mul", relu6(n, shifted(n)), n.number(1 / 6)), "x")


def hard_swish_min_max(n):
    """Bounds on the left, the upper one first."""
    gate = n.op("Max", n.number(0), n.op("Min", n.number(6), n.op("Add", n.number(3), "x")))
    return n.op("Mul", "x", n.op("Div", gate, n.number(6)))


def hard_swish_relu(n):
    gate = n.op("Min", n.number(6), n.op("Relu", shifted(n)))
    return n.op("Mul", gate, n.op("Mul", "x", n.number(1 / 6)))


def hard_swish_small(n):
    """clip(x / 6 + 0.5, 0, 1)."""
    gate = n.op("Clip", n.op("Add", n.op("Mul", "x", n.number(1 / 6)), n.number(0.5)), n.number(0), n.number(1))
    return n.op("Mul", gate, "x")


def hard_swish_op(n):
    return n.op("Mul", "x", n.op("HardSigmoid", "x", alpha=1 / 6, beta=0.5))


# Softmax. The input "mask" hides a whole row.

def masked(n):
    return n.op("Where", "mask", "x", n.number(-np.inf))


def guarded(n, softmax):
    return n.op("Where", n.op("IsNaN", softmax), n.number(0), softmax)


def softmax_nan_guard(n):
    return guarded(n, n.op("Softmax", masked(n), axis=-1))


def softmax_nan_guard_half(n):
    """Softmax between casts."""
    return guarded(n, n.narrow(n.op("Softmax", n.wide(masked(n)), axis=-1)))


def softmax_row_guard(n, all_of):
    x = masked(n)
    return n.op("Where", all_of(n.op("Equal", x, n.number(-np.inf))), n.number(0), n.op("Softmax", x, axis=-1))


def softmax_all_guard(n):
    """torch's safe softmax: all(x == -inf) by the least of integers."""
    def all_of(hidden):
        return n.op("Cast", n.axes_op("ReduceMin", 18, n.op("Cast", hidden, to=TensorProto.INT64), [-1], keepdims=1),
                    to=TensorProto.BOOL)
    return softmax_row_guard(n, all_of)


def softmax_any_guard(n):
    """not any(x != -inf), by a sum."""
    def all_of(hidden):
        count = n.axes_op("ReduceSum", 13, n.op("Cast", n.op("Not", hidden), to=TensorProto.INT64), [-1], keepdims=1)
        return n.op("Not", n.op("Cast", count, to=TensorProto.BOOL))
    return softmax_row_guard(n, all_of)


def softmax_not_guard(n):
    """Where(not all, softmax, 0)."""
    x = masked(n)
    least = n.axes_op("ReduceMin", 18, n.op("Cast", n.op("Equal", x, n.number(-np.inf)), to=TensorProto.INT32), [-1], keepdims=1)
    seen = n.op("Not", n.op("Cast", least, to=TensorProto.BOOL))
    return n.op("Where", seen, n.op("Softmax", x, axis=-1), n.number(0))


def softmax_bool_mask(n):
    """A mask of bool as one of numbers, added."""
    added = n.op("Where", "mask", n.number(0), n.number(-np.inf))
    return guarded(n, n.op("Softmax", n.op("Add", "x", added), axis=-1))


def softmax_written(n):
    powers = n.op("Exp", n.op("Sub", "x", n.axes_op("ReduceMax", 18, "x", [-1], keepdims=1)))
    return n.op("Div", powers, n.axes_op("ReduceSum", 13, powers, [-1], keepdims=1))


def softmax_written_product(n):
    powers = n.op("Exp", n.op("Sub", "x", n.axes_op("ReduceMax", 18, "x", [-1], keepdims=1)))
    return n.op("Mul", powers, n.op("Reciprocal", n.axes_op("ReduceSum", 13, powers, [-1], keepdims=1)))


def log_softmax_written(n):
    low = n.op("Sub", "x", n.axes_op("ReduceMax", 18, "x", [-1], keepdims=1))
    return n.op("Sub", low, n.op("Log", n.axes_op("ReduceSum", 13, n.op("Exp", low), [-1], keepdims=1)))


@dataclass(frozen=True)
class Form:
    build: callable
    whole: str                      # the op it is recognised as
    type: type = FULL
    opset: int = 17


FORMS = {f"form_{name}": form for name, form in {
    "ln_written": Form(ln_written, "layer_norm"),
    "ln_written_half": Form(ln_written, "layer_norm", HALF, 14),
    "ln_wide": Form(ln_wide, "layer_norm", HALF),
    "ln_island": Form(ln_island, "layer_norm", HALF),
    "ln_islands": Form(ln_islands, "layer_norm", HALF, 14),
    "ln_wide_tail": Form(ln_wide_tail, "layer_norm", HALF, 18),
    "ln_product": Form(ln_product, "layer_norm"),
    "ln_product_half": Form(ln_product, "layer_norm", HALF),
    "tf_ln": Form(tf_ln, "layer_norm"),
    "tf_ln_half": Form(tf_ln, "layer_norm", HALF),
    "tf_ln_plain": Form(tf_ln_plain, "layer_norm"),
    "tf_ln_difference": Form(tf_ln_difference, "layer_norm"),
    "tf_ln_fused": Form(tf_ln_fused, "layer_norm", FULL, 15),
    "tf_instance_norm": Form(tf_instance_norm, "layer_norm", FULL, 13),
    "fast_variance": Form(fast_variance, "layer_norm"),
    "rms_cast_before": Form(rms_cast_before, "layer_norm", HALF),
    "rms_cast_after": Form(rms_cast_after, "layer_norm", HALF, 18),
    "rms_cast_factor": Form(rms_cast_factor, "layer_norm", HALF),
    "rms_half": Form(rms_half, "layer_norm", HALF),
    "rms_mixed": Form(rms_mixed, "layer_norm", HALF),
    "rms_product": Form(rms_product, "layer_norm"),
    "rms_l2": Form(rms_l2, "layer_norm"),
    "gelu_div": Form(gelu_div, "gelu_erf"),
    "gelu_div_half": Form(gelu_div, "gelu_erf", HALF),
    "gelu_half_sum": Form(gelu_half_sum, "gelu_erf"),
    "gelu_half_first": Form(gelu_half_first, "gelu_erf", HALF),
    "gelu_half_inside": Form(gelu_half_inside, "gelu_erf"),
    "gelu_distributed": Form(gelu_distributed, "gelu_erf"),
    "gelu_erfc": Form(gelu_erfc, "gelu_erf"),
    "gelu_wide": Form(gelu_wide, "gelu_erf", HALF),
    "gelu_tanh_pow": Form(gelu_tanh_pow, "gelu_tanh"),
    "gelu_tanh_pow_half": Form(gelu_tanh_pow, "gelu_tanh", HALF),
    "gelu_tanh_products": Form(gelu_tanh_products, "gelu_tanh"),
    "gelu_tanh_integer_power": Form(gelu_tanh_integer_power, "gelu_tanh"),
    "gelu_tanh_scaled_first": Form(gelu_tanh_scaled_first, "gelu_tanh"),
    "gelu_tanh_expanded": Form(gelu_tanh_expanded, "gelu_tanh"),
    "gelu_sigmoid": Form(gelu_sigmoid, "gelu_tanh"),
    "silu": Form(silu, "silu"),
    "silu_half": Form(silu, "silu", HALF),
    "silu_wide": Form(silu_wide, "silu", HALF),
    "silu_div": Form(silu_div, "silu"),
    "silu_sigmoid_written": Form(silu_sigmoid_written, "silu"),
    "hard_swish_clip": Form(hard_swish_clip, "hard_swish"),
    "hard_swish_clip_half": Form(hard_swish_clip, "hard_swish", HALF),
    "hard_swish_clip_first": Form(hard_swish_clip_first, "hard_swish"),
    "hard_swish_min_max": Form(hard_swish_min_max, "hard_swish"),
    "hard_swish_relu": Form(hard_swish_relu, "hard_swish"),
    "hard_swish_small": Form(hard_swish_small, "hard_swish"),
    "hard_swish_op": Form(hard_swish_op, "hard_swish"),
    "softmax_nan_guard": Form(softmax_nan_guard, "softmax"),
    "softmax_nan_guard_half": Form(softmax_nan_guard_half, "softmax", HALF),
    "softmax_all_guard": Form(softmax_all_guard, "softmax"),
    "softmax_any_guard": Form(softmax_any_guard, "softmax", FULL, 18),
    "softmax_not_guard": Form(softmax_not_guard, "softmax", FULL, 20),
    "softmax_bool_mask": Form(softmax_bool_mask, "softmax", HALF),
    "softmax_written": Form(softmax_written, "softmax"),
    "softmax_written_product": Form(softmax_written_product, "softmax", FULL, 18),
    "log_softmax_written": Form(log_softmax_written, "softmax"),
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
