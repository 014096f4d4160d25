#===- test/models/norm_forms.py - Layer and RMS norm as exporters write them out ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from spelling import FULL, HALF, WIDTH

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
