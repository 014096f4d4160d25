#===- test/Import/Onnx/recurrent.test.py - LSTM, GRU and RNN in all forms ---===#
# SPDX-License-Identifier: Apache-2.0
"""recurrent.test.py FOLDER LENGTHxBATCH... OPTION...: `cupola verify` with the options on a model per op with a node for each of FORMS, for
those numbers of steps and sequences, which the model leaves open. The answers are onnxruntime's; it refuses `layout`: those of such
nodes are the answers of the same node without it, transposed."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WIDTH, HIDDEN = 6, 4
OPS = {"RNN": (1, 1), "GRU": (3, 1), "LSTM": (4, 2)}    # gates, states
ALL = ("B", "sequence_lens", "initial")
RANDOM = np.random.default_rng(20261125)

# optional operands, attributes
FORMS = [
    ((), {}),
    (ALL, {}),
    (("B",), {"direction": "reverse"}),
    (ALL, {"direction": "reverse"}),
    (ALL, {"direction": "bidirectional"}),
    (("initial",), {"direction": "bidirectional"}),
    (("B",), {"clip": 0.25}),
    (ALL, {"layout": 1}),
    (ALL, {"layout": 1, "direction": "bidirectional"}),
]
OWN = {
    "RNN": [*[((), {"activations": [name]}) for name in ("Relu", "Softplus", "Sigmoid", "Elu", "LeakyRelu")],
            ((), {"activations": ["LeakyRelu", "ThresholdedRelu"], "activation_alpha": [0.3, 0.1], "direction": "bidirectional"})],
    "GRU": [(("B", "initial"), {"linear_before_reset": 1}), (ALL, {"linear_before_reset": 1, "direction": "bidirectional"}),
            (("B",), {"activations": ["HardSigmoid", "Softsign"]}),
            (("B",), {"activations": ["hardsigmoid", "elu"], "activation_alpha": [0.3, 0.5], "activation_beta": [0.6]})],
    "LSTM": [(("B", "P", "initial"), {}), (("B", "P", "initial"), {"input_forget": 1}), (ALL + ("P",), {"direction": "bidirectional"}),
             (("B", "P", "initial"), {"clip": 0.1}),
             (("B", "initial"), {"activations": ["Sigmoid", "Tanh", "Tanh", "Affine", "Elu", "ScaledTanh"], "direction": "bidirectional",
                                 "activation_alpha": [0.3, 0.5, 0.7], "activation_beta": [0.6, 0.4]})],
}


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def node_of(op, index, present, attributes):
    """The node, its initialisers, and the names of its inputs besides X."""
    gates, states = OPS[op]
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    batch_first, name = attributes.get("layout", 0), f"{op}{index}"
    shapes = {"W": (directions, gates * HIDDEN, WIDTH), "R": (directions, gates * HIDDEN, HIDDEN), "B": (directions, 2 * gates * HIDDEN),
              "P": (directions, 3 * HIDDEN)}
    weights = {key: floats(*shapes[key]) for key in ("W", "R", "B", "P") if key in ("W", "R") or key in present}
    initial = [f"{key}{directions}" + "_batch" * batch_first for key in ("h", "c")[:states]] if "initial" in present else [""] * states
    names = ["X" + "_batch" * batch_first, f"{name}_W", f"{name}_R", f"{name}_B" if "B" in present else "",
             "lengths" if "sequence_lens" in present else "", *initial, *[f"{name}_P"] * ("P" in present)]
    outputs = [f"{name}_{i}" for i in range(1 + states)]
    return helper.make_node(op, names, outputs, name=name, hidden_size=HIDDEN, **attributes), \
        [numpy_helper.from_array(array, f"{name}_{key}") for key, array in weights.items()]


def model_of(nodes, weights, open_dims):
    """The inputs that no node reads are inputs all the same."""
    steps, batch = ("steps", "batch") if open_dims else (None, None)
    dims = {"X": [steps, batch, WIDTH], "X_batch": [batch, steps, WIDTH], "lengths": [batch]}
    for directions in (1, 2):
        for key in ("h", "c"):
            dims[f"{key}{directions}"] = [directions, batch, HIDDEN]
            dims[f"{key}{directions}_batch"] = [batch, directions, HIDDEN]
    value = helper.make_tensor_value_info
    inputs = [value(name, TensorProto.INT32 if name == "lengths" else TensorProto.FLOAT, shape) for name, shape in dims.items()]
    outputs = [value(name, TensorProto.FLOAT, None) for node in nodes for name in node.output]
    graph = helper.make_graph(nodes, "recurrent", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def feeds_of(steps, batch):
    feeds = {"X": floats(steps, batch, WIDTH), "lengths": RANDOM.integers(1, steps + 1, batch).astype(np.int32)}
    for directions in (1, 2):
        feeds.update({f"{key}{directions}": floats(directions, batch, HIDDEN) for key in ("h", "c")})
    return {**feeds, **{f"{name}_batch": array.swapaxes(0, 1) for name, array in feeds.items() if name != "lengths"}}


def without_layout(node):
    plain = onnx.NodeProto()
    plain.CopyFrom(node)
    del plain.attribute[:]
    plain.attribute.extend(a for a in node.attribute if a.name != "layout")
    plain.input[:] = [name.replace("_batch", "") for name in node.input]
    return plain


def answers(nodes, weights, feeds):
    plain = model_of([without_layout(node) for node in nodes], weights, open_dims=True)
    session = onnxruntime.InferenceSession(plain.SerializeToString(), providers=["CPUExecutionProvider"])
    found = dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds)))
    for node in nodes:
        if any(a.name == "layout" for a in node.attribute):
            y, *states = node.output
            found[y] = found[y].transpose(2, 0, 1, 3)
            found.update({name: found[name].swapaxes(0, 1) for name in states})
    return found


def main():
    folder, *options = sys.argv[1:]
    sizes = [tuple(map(int, option.split("x"))) for option in options if re.fullmatch(r"\d+x\d+", option)]
    folder, options = pathlib.Path(folder), options[len(sizes):]
    folder.mkdir(parents=True, exist_ok=True)
    right = 0
    for op in OPS:
        made = [node_of(op, i, *form) for i, form in enumerate(FORMS + OWN[op])]
        nodes, weights = [node for node, _ in made], [tensor for _, tensors in made for tensor in tensors]
        path = folder / f"{op}.onnx"
        onnx.save(model_of(nodes, weights, open_dims=True), path)
        for steps, batch in sizes:
            feeds, case = feeds_of(steps, batch), folder / "case.npz"
            outputs = answers(nodes, weights, feeds)
            np.savez(case, **{f"in:{k}": v for k, v in feeds.items()}, **{f"out:{k}": v for k, v in outputs.items()})
            done = subprocess.run(["cupola", "verify", path, "--case", case, *options], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            right += done.returncode == 0
            if done.returncode:
                print(f"FAIL {op} {steps}x{batch}, exit code {done.returncode}")
                print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("pass")))
    print(f"{right} of {len(OPS) * len(sizes)} right")


main()
