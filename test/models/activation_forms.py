#===- test/models/activation_forms.py - GELU, SiLU and hard swish as exporters write them out ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np

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
