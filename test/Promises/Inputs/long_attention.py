#!/usr/bin/env python3
#===- test/Promises/Inputs/long_attention.py - Causal attention in half precision, heads that share keys ---===#
# SPDX-License-Identifier: Apache-2.0
"""long_attention.py STEM: writes STEM.onnx, six heads of 64 that share keys and values by threes, any batch and number of positions, and
STEM.BATCHxPOSITIONS.npz, cases for `cupola verify`, whose answers are computed in f64."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

HEADS, SHARED, SIZE = 6, 2, 64


def heads(x, count):
    """[batch, positions, count * SIZE] as [batch, HEADS, positions, SIZE]."""
    split = x.astype(np.float64).reshape(*x.shape[:2], count, SIZE).transpose(0, 2, 1, 3)
    return np.repeat(split, HEADS // count, axis=1)


def attention(q, k, v):
    positions = q.shape[1]
    scores = heads(q, HEADS) @ heads(k, SHARED).transpose(0, 1, 3, 2) / np.sqrt(SIZE)
    scores[..., np.triu(np.ones((positions, positions), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    y = weights / weights.sum(-1, keepdims=True) @ heads(v, SHARED)
    return y.transpose(0, 2, 1, 3).reshape(q.shape).astype(np.float16)


def main(stem):
    random = np.random.default_rng(20261125)
    sizes = {"q": HEADS * SIZE, "k": SHARED * SIZE, "v": SHARED * SIZE}
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT16, ["batch", "positions", size])
              for name, size in [*sizes.items(), ("y", HEADS * SIZE)]]
    node = helper.make_node("Attention", list(sizes), ["y"], is_causal=1, q_num_heads=HEADS, kv_num_heads=SHARED)
    graph = helper.make_graph([node], "long", values[:3], values[3:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)]), stem + ".onnx")
    for batch, positions in ((2, 150), (1, 1)):
        inputs = {name: random.uniform(-2, 2, (batch, positions, size)).astype(np.float16) for name, size in sizes.items()}
        np.savez(f"{stem}.{batch}x{positions}.npz", **{f"in:{name}": x for name, x in inputs.items()},
                 **{"out:y": attention(**inputs)})


main(sys.argv[1])
