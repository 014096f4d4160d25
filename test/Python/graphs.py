#===- test/Python/graphs.py - Small models for the tests of the Python package ---===#
# SPDX-License-Identifier: Apache-2.0

import threading

import cupola
import numpy as np
from onnx import TensorProto, helper, numpy_helper


def model(nodes, inputs, outputs, weights=()):
    """`inputs` and `outputs`: (name, element type, shape)."""
    graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info(*v) for v in inputs],
                              [helper.make_tensor_value_info(*v) for v in outputs],
                              [numpy_helper.from_array(array, name) for name, array in weights])
    domains = {"": 17, **{node.domain: 1 for node in nodes if node.domain}}
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*row) for row in domains.items()], ir_version=9)


def aligned(values):
    """The same where the native interface takes it without a copy."""
    memory = cupola.empty(values.shape, values.dtype)
    memory[...] = values
    return memory


def weights(width=4, depth=8):
    random = np.random.default_rng(7)
    return random.standard_normal((depth, width)).astype(np.float32), random.standard_normal(width).astype(np.float32)


def layer(width=4, depth=8):
    w, b = weights(width, depth)
    return model([helper.make_node("MatMul", ["x", "w"], ["product"], "product"),
                  helper.make_node("Add", ["product", "b"], ["sum"], "sum"),
                  helper.make_node("Relu", ["sum"], ["y"], "relu")],
                 [("x", TensorProto.FLOAT, ["rows", depth])], [("y", TensorProto.FLOAT, ["rows", width])],
                 [("w", w), ("b", b)])


def layer_answer(x, width=4):
    w, b = weights(width, x.shape[1])
    return np.maximum(x @ w + b, 0)


def wrong_in_threads(sizes, times, make_run, rows):
    """The sizes whose thread, one each, got a wrong answer of the layer. `make_run` is called on the thread: a function from x to y."""
    wrong = []

    def work(n):
        run = make_run()
        for _ in range(times):
            if not np.allclose(run(rows(n)), layer_answer(rows(n)), atol=1e-5):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def append():
    """A cache and its new rows: present = concat(past, new); and what is read of it."""
    return model([helper.make_node("Concat", ["past", "new"], ["present"], "append", axis=1),
                  helper.make_node("ReduceSum", ["present", "axis"], ["sum"], "read", keepdims=0)],
                 [("past", TensorProto.FLOAT, [2, "past", 16]), ("new", TensorProto.FLOAT, [2, 1, 16])],
                 [("present", TensorProto.FLOAT, [2, "present", 16]), ("sum", TensorProto.FLOAT, [2, 16])],
                 [("axis", np.array([1], np.int64))])


def grouped(bits=0):
    """com.microsoft.GroupQueryAttention as decoders of onnxruntime-genai have it: how many tokens there are is counted by a mask. `bits`:
    of a number in the cache, 8 or 4; 0: floats."""
    quantised = dict(k_quant_type="PER_CHANNEL", v_quant_type="PER_CHANNEL", kv_cache_bit_width=bits) if bits else {}
    scales = [*[""] * 3, "scales", "scales"] if bits else []
    nodes = [helper.make_node("ReduceSum", ["mask", "axis"], ["tokens"], "tokens", keepdims=0),
             helper.make_node("Sub", ["tokens", "axis"], ["less"], "less"),
             helper.make_node("Cast", ["less"], ["last"], "last", to=TensorProto.INT32),
             helper.make_node("Shape", ["mask"], ["extent"], "extent", start=1),
             helper.make_node("Cast", ["extent"], ["total"], "total", to=TensorProto.INT32),
             helper.make_node("GroupQueryAttention", ["qkv", "", "", "past_key", "past_value", "last", "total", "cosines", "sines", *scales],
                              ["y", "present_key", "present_value"], "attention", domain="com.microsoft", num_heads=4, kv_num_heads=2,
                              do_rotary=1, **quantised)]

    def cache(name, rows):
        kind = {0: TensorProto.FLOAT, 8: TensorProto.INT8, 4: TensorProto.UINT8}[bits]
        return (name, kind, ["batch", 2, rows, 8 if bits == 4 else 16])
    angles = np.arange(64)[:, None] / 10000 ** (np.arange(8) / 8)
    return model(nodes, [("qkv", TensorProto.FLOAT, ["batch", "rows", 128]), ("mask", TensorProto.INT64, ["batch", "all"]),
                         cache("past_key", "past"), cache("past_value", "past")],
                 [("y", TensorProto.FLOAT, ["batch", "rows", 64]), cache("present_key", "all"), cache("present_value", "all")],
                 [("axis", np.array([1], np.int64)), ("cosines", np.cos(angles).astype(np.float32)),
                  ("sines", np.sin(angles).astype(np.float32)), ("scales", np.linspace(1, 2, 32, dtype=np.float32) * 0.4 / max(bits, 1))])


def unary(op, kind, other=None):
    """y = op(x) for an element type."""
    return model([helper.make_node(op, ["x"], ["y"], "node", **({"to": other} if other else {}))],
                 [("x", kind, ["n", 3])], [("y", other or kind, ["n", 3])])


def chain(length=300, width=256):
    """A chain of products, which takes long enough for other threads to be seen."""
    w, _ = weights(width, width)
    nodes = [helper.make_node("MatMul", [f"v{i}", "w"], [f"v{i + 1}"], f"n{i}") for i in range(length)]
    return model(nodes, [("v0", TensorProto.FLOAT, ["rows", width])], [(f"v{length}", TensorProto.FLOAT, ["rows", width])],
                 [("w", w / width)])
