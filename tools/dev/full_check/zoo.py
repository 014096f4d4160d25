#===- tools/dev/full_check/zoo.py - The models of a folder and what is asked of each ---===#
# SPDX-License-Identifier: Apache-2.0

import hashlib
import math
import pathlib

import numpy as np
import onnx

# The variants that the folder has to hold: NAME.VARIANT.onnx, and NAME.VARIANT.SET.npz for each input set.
VARIANTS = {
    "resnet50": "dyn fp16 static", "mobilenet_v3_large": "dyn static", "convnext_tiny": "dyn static", "vit_b16": "dyn op23 static",
    "unet_convt": "dyn static", "unet_bilinear": "static", "bert_base": "dyn op23 static", "bert4_eager": "fp16",
    "minilm_real": "dyn static", "t5_encoder": "dyn static", "gpt2_prefill": "dyn", "gpt2_decode": "dyn static",
    "llama_prefill": "dyn op23 static", "llama_decode": "dyn op23", "whisper_enc": "dyn static", "vocoder": "dyn static",
    "dlrm": "dyn static", "yolo_raw": "dyn static", "sd_unet": "dyn fp16 static",
}
TOLERANCE = {"resnet50": 2e-4, "resnet50.fp16": 1e-1, "sd_unet.fp16": 5e-3, "bert4_eager.fp16": 1e-2,
             "llama_decode.bf16": 5e-2, "fasterrcnn_mnv3": 2e-3, "ddddocr_int8": 2e-2,
             "minilm_dynq": 2e-2, "minilm_q4": 2e-2, "resnet50_qdq": 3e-1}
DEFAULT_TOLERANCE = 5e-5
# Half precision and few bits are judged by the distance to these, which hold the same weights in single precision.
SINGLE = {"resnet50.fp16": "resnet50.dyn", "sd_unet.fp16": "sd_unet.static", "resnet50_qdq.static": "resnet50.dyn"}
# An output may be at most this many times as far from single precision as onnxruntime's. In a network of few bits with random weights
# one rounding that falls the other way moves the output by up to 10 %.
FARTHER = {"resnet50.fp16": 2.0, "resnet50_qdq.static": 1.2}
# What has to be given, for the model as exported is refused: it branches to results of unequal ranks.
GIVEN = {"silero_vad": ("--set", "sr=16000", "--shape", "input[1]=576")}


def tensors(graph):
    """Every constant of a graph, those in its subgraphs included."""
    yield from graph.initializer
    for attribute in (a for node in graph.node for a in node.attribute):
        if attribute.HasField("t"):
            yield attribute.t
        for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
            yield from tensors(inner)


class Model:
    """A variant: `name` is NAME.VARIANT."""

    def __init__(self, folder, name):
        self.folder, self.name = pathlib.Path(folder), name
        self.path = self.folder / f"{name}.onnx"

    def sets(self):
        cases = self.folder.glob(f"{self.name}.*.npz")
        return sorted((path.name[len(self.name) + 1:-4] for path in cases), key=lambda label: (len(label), label))

    def case(self, label):
        return self.folder / f"{self.name}.{label}.npz"

    def tolerance(self):
        return TOLERANCE.get(self.name, TOLERANCE.get(self.name.split(".")[0], DEFAULT_TOLERANCE))

    def given(self):
        """Flags without which a command refuses the model."""
        return GIVEN.get(self.name, ())

    def graph(self):
        return onnx.load(self.path).graph

    def weight_bytes(self):
        """Of everything constant in the file, equal tensors counted once."""
        distinct = {}
        for tensor in tensors(onnx.load(self.path).graph):
            content = tensor.raw_data or tensor.SerializeToString()
            size = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize * math.prod(tensor.dims)
            distinct[tensor.data_type, hashlib.sha256(content).digest()] = size
        return sum(distinct.values())

    def shapes(self, label):
        """Flags that fix every input's shape to that of a set."""
        with np.load(self.case(label)) as arrays:
            pairs = [(name[3:], arrays[name].shape) for name in arrays if name.startswith("in:")]
        return [flag for name, shape in pairs for flag in ("--shape", f"{name}={'x'.join(map(str, shape))}")]


def models(folder):
    return [Model(folder, f"{name}.{variant}") for name, variants in VARIANTS.items() for variant in variants.split()]
