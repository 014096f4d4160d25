#!/usr/bin/env python3
#===- test/models/make_convolutional.py - Small networks with convolutions, as exporters write them ---===#
# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.onnx and NAME.SET.npz (inputs and onnxruntime's outputs) for every row of MODELS: one small network of each family, in
the spellings of its usual exporter. The weights are seeded by their names."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper

from builder import Builder
from references import output_folder, reference, write_case


class Network(Builder):
    def conv(self, x, channels, kernel, name, stride=1, group=1, pad=None, dilation=1, bias=True, axes=2):
        """channels: (in, out). Same padding unless given."""
        pad = dilation * (kernel // 2) if pad is None else pad
        rows = channels[0] // group
        weight = self.weight(name + ".weight", channels[1], rows, *[kernel] * axes, fan=rows * kernel ** axes)
        operands = [x, weight] + ([self.weight(name + ".bias", channels[1], fan=100)] if bias else [])
        return self.op("Conv", *operands, kernel_shape=[kernel] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes, group=group,
                       dilations=[dilation] * axes)

    def conv_transposed(self, x, channels, kernel, stride, name, pad=0, axes=2):
        weight = self.weight(name + ".weight", *channels, *[kernel] * axes, fan=channels[0] * (kernel // stride) ** axes)
        bias = self.weight(name + ".bias", channels[1], fan=100)
        return self.op("ConvTranspose", x, weight, bias, kernel_shape=[kernel] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes)

    def batch_norm(self, x, channels, name):
        spread = 1.0 + np.arange(channels, dtype=np.float32) / channels
        parts = [self.weight(f"{name}.{part}", channels, fan=4) for part in ("bias", "mean")]
        return self.op("BatchNormalization", x, self.weight(name + ".scale", channels, mean=1.0), *parts,
                       self.array(name + ".variance", spread), epsilon=1e-5)

    def group_norm(self, x, channels, groups, name):
        """GroupNormalization where it exists, else InstanceNormalization of flattened groups, as torch writes it."""
        scale, bias = self.weight(name + ".scale", channels, mean=1.0), self.weight(name + ".bias", channels, fan=4)
        if self.opset >= 21:
            return self.op("GroupNormalization", x, scale, bias, num_groups=groups, epsilon=1e-5)
        ones, zeros = self.constant(np.ones(groups)), self.constant(np.zeros(groups))
        flat = self.op("InstanceNormalization", self.reshape(x, 0, groups, -1), ones, zeros, epsilon=1e-5)
        whole = self.op("Reshape", flat, self.op("Shape", x))
        return self.op("Add", self.op("Mul", whole, self.unsqueeze(scale, 1, 2)), self.unsqueeze(bias, 1, 2))

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def linear(self, x, rows, columns, name):
        weight = self.weight(name + ".weight", columns, rows, fan=rows)
        return self.op("Gemm", x, weight, self.weight(name + ".bias", columns, fan=100), transB=1)


# Families. Each makes the network on the input "x" and returns its result.

def resnet(n):
    x = n.op("Relu", n.batch_norm(n.conv("x", (3, 8), 7, "stem", stride=2, bias=False), 8, "stem.norm"))
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for i, (channels, out, stride) in enumerate(((8, 16, 1), (16, 24, 2), (24, 24, 1))):
        y = n.op("Relu", n.batch_norm(n.conv(x, (channels, 8), 1, f"b{i}.a", bias=False), 8, f"b{i}.a.norm"))
        y = n.op("Relu", n.batch_norm(n.conv(y, (8, 8), 3, f"b{i}.b", stride=stride, bias=False), 8, f"b{i}.b.norm"))
        y = n.batch_norm(n.conv(y, (8, out), 1, f"b{i}.c", bias=False), out, f"b{i}.c.norm")
        side = x if channels == out else n.conv(x, (channels, out), 1, f"b{i}.side", stride=stride)
        x = n.op("Relu", n.op("Add", y, side))
    return n.linear(n.op("Flatten", n.op("GlobalAveragePool", x), axis=1), 24, 10, "head")


def mobilenet(n):
    x = n.op("HardSwish", n.conv("x", (3, 8), 3, "stem", stride=2))
    for i, (inner, kernel, stride) in enumerate(((16, 3, 1), (24, 5, 2), (40, 5, 1))):
        y = n.op("HardSwish", n.conv(x, (8, inner), 1, f"b{i}.expand"))
        y = n.op("HardSwish", n.conv(y, (inner, inner), kernel, f"b{i}.depthwise", stride=stride, group=inner))
        pooled = n.op("GlobalAveragePool", y) if i % 2 else n.mean(y, 2, 3)
        gate = n.conv(n.op("Relu", n.conv(pooled, (inner, 8), 1, f"b{i}.squeeze")), (8, inner), 1, f"b{i}.excite")
        y = n.conv(n.op("Mul", n.op("HardSigmoid", gate, alpha=1 / 6), y), (inner, 8), 1, f"b{i}.project")
        x = n.op("Add", y, x) if stride == 1 else y
    return n.linear(n.op("Flatten", n.mean(x, 2, 3), axis=1), 8, 10, "head")


def centred_pad(n, x, like):
    """Pads the image to the extents of `like`, by amounts computed in the graph, in the order that torch reverses."""
    amounts = []
    for axis in (3, 2):
        missing = n.op("Sub", n.extent(like, axis), n.extent(x, axis))
        before = n.op("Div", missing, n.int(2))
        amounts += [n.unsqueeze(before, 0), n.unsqueeze(n.op("Sub", missing, before), 0)]
    joint = n.op("Concat", *amounts, axis=0)
    rest = n.op("Sub", n.int(8), n.op("Gather", n.op("Shape", joint), n.int(0), axis=0))
    zeros = n.op("ConstantOfShape", n.unsqueeze(rest, 0), value=helper.make_tensor("zero", TensorProto.INT64, [1], [0]))
    pairs = n.reshape(n.op("Concat", joint, zeros, axis=0), -1, 2)
    turned = n.op("Slice", pairs, n.ints(-1), n.ints(-2 ** 63 + 1), n.ints(0), n.ints(-1))
    return n.op("Pad", x, n.reshape(n.op("Transpose", turned, perm=[1, 0]), -1), mode="constant")


def unet(n, up):
    def double(x, channels, name):
        x = n.op("Relu", n.conv(x, channels, 3, name + ".a"))
        return n.op("LeakyRelu", n.conv(x, (channels[1],) * 2, 3, name + ".b"), alpha=0.1)

    levels = [double("x", (3, 6), "in")]
    for i, channels in enumerate(((6, 12), (12, 20))):
        levels.append(double(n.op("MaxPool", levels[-1], kernel_shape=[2, 2], strides=[2, 2]), channels, f"down{i}"))
    x = levels.pop()
    for i, channels in enumerate(((20, 12), (12, 6))):
        y = centred_pad(n, up(n, x, channels, f"up{i}"), levels[-1])
        x = double(n.op("Concat", levels.pop(), y, axis=1), (2 * channels[1], channels[1]), f"join{i}")
    return n.conv(x, (6, 2), 1, "head")


def up_transposed(n, x, channels, name):
    return n.conv_transposed(x, channels, 2, 2, name)


def up_resized(n, x, channels, name):
    scales = n.constant([1, 1, 2, 2])
    y = n.op("Resize", x, "", scales, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
    return n.conv(y, channels, 1, name)


def vit(n):
    width, heads, size = 24, 3, 8
    patches = n.reshape(n.conv("x", (3, width), 8, "patches", stride=8, pad=0), 0, width, -1)
    batch = n.unsqueeze(n.extent("x", 0), 0)
    token = n.op("Expand", n.weight("token", 1, 1, width, fan=4), n.op("Concat", batch, n.ints(1, width), axis=0))
    x = n.op("Concat", token, n.op("Transpose", patches, perm=[0, 2, 1]), axis=1)
    x = n.op("Add", x, n.weight("positions", 1, 13, width, fan=4))

    def norm(y, name):
        return n.op("LayerNormalization", y, n.weight(name + ".scale", width, mean=1.0), n.weight(name + ".bias", width, fan=4), axis=-1)

    def dense(y, rows, columns, name):
        return n.op("Add", n.op("MatMul", y, n.weight(name, rows, columns)), n.weight(name + ".bias", columns, fan=100))

    for layer in range(2):
        rows = n.op("Transpose", norm(x, f"h{layer}.norm1"), perm=[1, 0, 2])
        joint = n.unsqueeze(n.reshape(dense(rows, width, 3 * width, f"h{layer}.qkv"), 13, -1, 3, width), 0)
        joint = n.squeeze(n.op("Transpose", joint, perm=[3, 1, 2, 0, 4]), -2)
        parts = [n.reshape(n.op("Gather", joint, n.int(i), axis=0), 13, -1, size) for i in range(3)]
        q, k, v = (n.op("Transpose", part, perm=perm) for part, perm in zip(parts, ([1, 0, 2], [1, 2, 0], [1, 0, 2])))
        scores = n.op("MatMul", n.op("Mul", q, n.constant(size ** -0.5)), k)
        mixed = n.op("Transpose", n.op("MatMul", n.op("Softmax", scores, axis=-1), v), perm=[1, 0, 2])
        mixed = n.op("Transpose", dense(n.reshape(mixed, 13, -1, width), width, width, f"h{layer}.out"), perm=[1, 0, 2])
        x = n.op("Add", x, mixed)
        x = n.op("Add", x, dense(n.op("Gelu", dense(norm(x, f"h{layer}.norm2"), width, 48, f"h{layer}.up")), 48, width, f"h{layer}.down"))
    return n.linear(n.op("Gather", norm(x, "norm"), n.int(0), axis=1), width, 10, "head")


def convnext(n):
    x = n.conv("x", (3, 12), 4, "stem", stride=4, pad=0)
    for i in range(2):
        y = n.op("Transpose", n.conv(x, (12, 12), 7, f"b{i}.depthwise", group=12), perm=[0, 2, 3, 1])
        y = n.op("LayerNormalization", y, n.weight(f"b{i}.scale", 12, mean=1.0), n.weight(f"b{i}.bias", 12, fan=4), axis=-1)
        y = n.op("Add", n.op("MatMul", y, n.weight(f"b{i}.up", 12, 48)), n.weight(f"b{i}.up.bias", 48, fan=100))
        inside = n.op("Add", n.op("Erf", n.op("Div", y, n.constant(np.sqrt(2)))), n.constant(1.0))
        y = n.op("Mul", n.op("Mul", y, inside), n.constant(0.5))
        y = n.op("Transpose", n.op("MatMul", y, n.weight(f"b{i}.down", 48, 12)), perm=[0, 3, 1, 2])
        x = n.op("Add", n.op("Mul", n.weight(f"b{i}.gamma", 12, 1, 1, mean=0.5), y), x)
    return n.mean(x, 2, 3, keepdims=0)


def vocoder(n):
    x = n.conv("x", (10, 16), 7, "pre", axes=1)
    for i, (channels, kernel, stride, pad) in enumerate((((16, 8), 16, 8, 4), ((8, 4), 4, 2, 1))):
        x = n.conv_transposed(n.op("LeakyRelu", x, alpha=0.1), channels, kernel, stride, f"up{i}", pad=pad, axes=1)
        for dilation in (1, 3, 5):
            y = n.conv(n.op("LeakyRelu", x, alpha=0.1), (channels[1],) * 2, 3, f"r{i}.{dilation}", dilation=dilation, axes=1)
            x = n.op("Add", x, y)
    return n.op("Tanh", n.conv(n.op("LeakyRelu", x), (4, 1), 7, "post", axes=1))


def diffusion(n):
    x = n.conv("x", (4, 16), 3, "in")
    for i in range(2):
        y = n.conv(n.silu(n.group_norm(x, 16, 4, f"b{i}.norm1")), (16, 16), 3, f"b{i}.conv1")
        time = n.linear(n.silu("time"), 6, 16, f"b{i}.time")
        y = n.op("Add", y, n.unsqueeze(time, 2, 3))
        x = n.op("Add", x, n.conv(n.silu(n.group_norm(y, 16, 8, f"b{i}.norm2")), (16, 16), 3, f"b{i}.conv2"))
        x = n.conv(x, (16, 16), 3, f"b{i}.down", stride=2) if i == 0 else x
    sizes = n.op("Mul", n.op("Slice", n.op("Shape", x), n.ints(2), n.ints(4)), n.ints(2, 2))
    sizes = n.op("Concat", n.op("Slice", n.op("Shape", x), n.ints(0), n.ints(2)), sizes, axis=0)
    x = n.op("Resize", x, "", "", sizes, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    return n.conv(n.silu(n.group_norm(n.conv(x, (16, 16), 3, "up"), 16, 4, "norm")), (16, 4), 3, "out")


def stylist(n):
    """Norms of a few long rows: whole channels before and after a convolution, groups of channels."""
    def instance_norm(x, channels, name):
        return n.op("InstanceNormalization", x, n.weight(name + ".scale", channels, mean=1.0), n.weight(name + ".bias", channels, fan=4))

    x = n.conv(instance_norm("x", 3, "whiten"), (3, 4), 3, "in")
    x = n.op("Relu", instance_norm(x, 4, "style"))
    return n.conv(n.silu(n.group_norm(x, 4, 2, "norm")), (4, 3), 3, "out")


def densenet(n):
    """A growing list of features, each time joined whole."""
    features, width = [n.op("MaxPool", n.conv("x", (3, 10), 3, "stem"), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])], 10
    for i in range(6):
        y = n.op("Concat", *features, axis=1) if i else features[0]
        y = n.op("Relu", n.batch_norm(y, width, f"l{i}.norm"))
        y = n.op("Relu", n.batch_norm(n.conv(y, (width, 12), 1, f"l{i}.squeeze", bias=False), 12, f"l{i}.inner"))
        features.append(n.conv(y, (12, 4), 3, f"l{i}.grow", bias=False))
        width += 4
    y = n.op("Relu", n.batch_norm(n.op("Concat", *features, axis=1), width, "norm"))
    return n.linear(n.op("Flatten", n.op("GlobalAveragePool", y), axis=1), width, 10, "head")


def detector(n):
    x = n.silu(n.conv("x", (3, 16), 3, "stem", stride=2))
    x = n.silu(n.conv(x, (16, 16), 1, "split"))
    halves = [n.slice(x, 1, begin, begin + 8) for begin in (0, 8)]
    y = n.op("Add", halves[1], n.silu(n.conv(halves[1], (8, 8), 3, "bottle")))
    x = n.silu(n.conv(n.op("Concat", *halves, y, axis=1), (24, 12), 1, "join", stride=2))
    pools = [x]
    for _ in range(3):
        pools.append(n.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2]))
    y = n.silu(n.conv(n.op("Concat", *pools, axis=1), (48, 16), 1, "pyramid"))
    up = n.op("Resize", y, "", n.constant([1, 1, 2, 2]), mode="nearest", coordinate_transformation_mode="asymmetric",
              nearest_mode="floor")
    heads = [n.reshape(n.conv(z, (16, 20), 1, f"head{i}"), 0, 20, -1) for i, z in enumerate((up, y))]
    boxes, scores = n.op("Split", n.op("Concat", *heads, axis=2), n.ints(16, 4), outputs=2, axis=1)
    bins = n.op("Transpose", n.reshape(boxes, 0, 4, 4, -1), perm=[0, 2, 1, 3])
    weighed = n.op("Mul", n.op("Softmax", bins, axis=1), n.constant(np.arange(4).reshape(1, 4, 1, 1)))
    return n.op("Concat", n.axes_op("ReduceSum", 13, weighed, [1], keepdims=0), n.op("Sigmoid", scores), axis=1)


@dataclass(frozen=True)
class Form:
    opset: int
    family: object
    input: tuple                    # dimensions of "x"; a text is dynamic
    sets: dict                      # the texts' values, by name of the set
    rank: int = 2                   # of the result
    time: int = 0                   # width of a second input, "time"
    weights_are_inputs: bool = False


BATCHES = {"b1": {"batch": 1}, "b3": {"batch": 3}}
SIZES = {"odd": {"batch": 1, "h": 27, "w": 22}, "even": {"batch": 2, "h": 16, "w": 24}}
MODELS = {
    "conv_resnet": Form(17, resnet, ("batch", 3, 33, 33), BATCHES),
    "conv_resnet_opset8": Form(8, resnet, (1, 3, 32, 32), {"b1": {}}, weights_are_inputs=True),
    "conv_densenet": Form(17, densenet, ("batch", 3, 21, 18), BATCHES),
    "conv_mobilenet": Form(17, mobilenet, ("batch", 3, 30, 30), BATCHES),
    "conv_unet_transposed": Form(11, lambda n: unet(n, up_transposed), ("batch", 3, "h", "w"), SIZES, rank=4),
    "conv_unet_resized": Form(18, lambda n: unet(n, up_resized), (1, 3, 20, 18), {"b1": {}}, rank=4),
    "conv_vit": Form(20, vit, ("batch", 3, 24, 32), BATCHES),
    "conv_convnext": Form(17, convnext, ("batch", 3, 24, 20), BATCHES),
    "conv_vocoder": Form(17, vocoder, ("batch", 10, "frames"), {"b1": {"batch": 1, "frames": 9}, "b2": {"batch": 2, "frames": 5}},
                         rank=3),
    "conv_diffusion": Form(17, diffusion, ("batch", 4, 8, 8), BATCHES, rank=4, time=6),
    "conv_diffusion_opset21": Form(21, diffusion, (2, 4, 8, 12), {"b2": {}}, rank=4, time=6),
    "conv_detector": Form(13, detector, ("batch", 3, 24, 32), BATCHES, rank=3),
    "conv_stylist": Form(17, stylist, (1, 3, 131, 129), {"b1": {}}, rank=4),
}


def build(name, form):
    network = Network(name, form.opset)
    network.result("y", form.family(network), [None] * form.rank)
    inputs = [("x", TensorProto.FLOAT, form.input)]
    if form.time:
        inputs.append(("time", TensorProto.FLOAT, [form.input[0], form.time]))
    return network.model(inputs, form.weights_are_inputs)


def feeds(form, dims, seed):
    random = np.random.Generator(np.random.Philox(key=seed))
    shape = [dims.get(dim, dim) for dim in form.input]
    values = {"x": random.standard_normal(shape).astype(np.float32)}
    if form.time:
        values["time"] = random.standard_normal((shape[0], form.time)).astype(np.float32)
    return values


def main():
    out = output_folder(__doc__)
    for number, (name, form) in enumerate(MODELS.items()):
        path = out / (name + ".onnx")
        path.write_bytes(build(name, form).SerializeToString(deterministic=True))
        for label, dims in form.sets.items():
            inputs = feeds(form, dims, seed=number)
            write_case(out / f"{name}.{label}.npz", inputs, reference(path, inputs))
        print(f"{path}: sets {' '.join(form.sets)}")


if __name__ == "__main__":
    main()
