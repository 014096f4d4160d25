#!/usr/bin/env python3
#===- tools/dev/full_check/light.py - The onnx package's light CNNs, as they are and with random weights ---===#
# SPDX-License-Identifier: Apache-2.0
"""light.py OUT: writes OUT/NAME.asis.onnx and OUT/NAME.random.onnx, each with a case NAME.VARIANT.b1.npz, for the nine CNNs in the onnx
package. They make their weights by ConstantOfShape, so that the package's expected outputs are one number repeated; in the random
variant every weight is an initialiser of seeded values that keep the activations' size, and onnxruntime gives the answer."""

import pathlib
import sys
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "models"))
from references import reference, write_case     # noqa: E402

# What an operand of an op is: (op, position) -> role. Others (shapes) stay as they are.
ROLES = {("Conv", 1): "kernel", ("Gemm", 1): "matrix", ("Conv", 2): "bias", ("Gemm", 2): "bias",
         ("BatchNormalization", 1): "scale", ("BatchNormalization", 2): "bias", ("BatchNormalization", 3): "bias",
         ("BatchNormalization", 4): "scale", ("Mul", 1): "scale", ("Add", 1): "bias"}


def folder():
    return pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def names():
    return sorted(path.stem for path in folder().glob("light_*.onnx"))


def roles(graph):
    """The role of each value that is a weight, through the Unsqueeze that some stand behind."""
    behind = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Unsqueeze"}
    found = {}
    for node in graph.node:
        for position, name in enumerate(node.input):
            if (node.op_type, position) in ROLES:
                found[behind.get(name, name)] = ROLES[node.op_type, position], node
    return found


def values(role, node, shape, seed):
    random = np.random.Generator(np.random.Philox(key=seed))
    if role == "scale":
        return random.uniform(0.5, 1.5, shape)
    if role == "bias":
        return random.normal(0, 0.1, shape)
    transposed = any(a.name == "transB" and a.i for a in node.attribute)
    summed = np.prod(shape[1:]) if role == "kernel" or transposed else shape[0]
    return random.normal(0, np.sqrt(2 / summed), shape)


def randomize(model, name):
    """Replaces every weight, whether it is an initialiser or made by ConstantOfShape."""
    graph = model.graph
    shapes = {t.name: tuple(map(int, numpy_helper.to_array(t))) for t in graph.initializer if len(t.dims) == 1 and t.data_type == 7}
    made = {node.output[0]: (node, shapes[node.input[0]]) for node in graph.node if node.op_type == "ConstantOfShape"}
    held = {t.name: t for t in graph.initializer}
    for weight, (role, node) in roles(graph).items():
        if weight in made:
            shape = made[weight][1]
            graph.node.remove(made[weight][0])
        elif weight in held:
            shape = tuple(held[weight].dims)
            graph.initializer.remove(held[weight])
        else:
            continue
        array = values(role, node, shape, zlib.crc32(f"{name}/{weight}".encode())).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(array, weight))
        if weight not in held:
            graph.input.append(helper.make_tensor_value_info(weight, 1, shape))
    return model


def temper(model, path, feeds):
    """Scales the last matrix so that the classes' scores deviate by 2: a softmax of large ones would tell one class from the others and
    nothing else."""
    last = model.graph.node[-1]
    scores = next(node for node in model.graph.node if node.output[0] == (last.input or [""])[0])
    if last.op_type != "Softmax" or scores.op_type != "Gemm":
        return
    result = onnx.ValueInfoProto()
    result.CopyFrom(model.graph.output[0])
    model.graph.output[0].name = scores.output[0]
    onnx.save(model, path)
    factor = np.float32(2 / reference(path, feeds)[scores.output[0]].std())
    model.graph.output[0].CopyFrom(result)
    for tensor in model.graph.initializer:
        if tensor.name in scores.input[1:]:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * factor, tensor.name))


def image(graph):
    held = {t.name for t in graph.initializer}
    (info,) = [info for info in graph.input if info.name not in held]
    return info.name, [d.dim_value for d in info.type.tensor_type.shape.dim]


def write(name, out):
    """Both variants of one CNN; returns the stems of what was written."""
    out.mkdir(parents=True, exist_ok=True)
    model = onnx.load(folder() / f"{name}.onnx")
    expected = onnx.load_tensor(folder() / f"{name}_output_0.pb")
    data, shape = image(model.graph)
    ramp = (np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)).astype(np.float32)      # what the package's tests feed
    onnx.save(model, out / f"{name}.asis.onnx")
    write_case(out / f"{name}.asis.b1.npz", {data: ramp}, {model.graph.output[0].name: numpy_helper.to_array(expected)})
    random = out / f"{name}.random.onnx"
    feeds = {data: np.random.Generator(np.random.Philox(key=1)).standard_normal(shape).astype(np.float32)}
    temper(randomize(model, name), random, feeds)
    onnx.save(model, random)
    write_case(out / f"{name}.random.b1.npz", feeds, reference(random, feeds))
    return [f"{name}.asis", f"{name}.random"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for cnn in names():
        print(*write(cnn, pathlib.Path(sys.argv[1])))
