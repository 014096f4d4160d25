#===- tools/dev/memory_cases.py - Small models whose kernels memory bounds ---===#
# SPDX-License-Identifier: Apache-2.0
"""Parts of a file of cases, apart by empty lines, are models: a line "NAME: at most SHARE", which may go on with ", read BYTES of INPUT"
where no more of an input is needed and with ", as REASON", and then a graph in ONNX's text form. Values that the graph declares and no
node makes are weights. The least that has to be asked for is each byte of inputs, weights and results once; SHARE is what sector-share
lets a model ask for, over that."""

import re
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser

HEAD = re.compile(r"(?P<name>\w+): at most (?P<most>[\d.]+)(?:, read (?P<bytes>\d+) of (?P<input>\w+))?(?:, as (?P<reason>.*))?")


def shape_of(value):
    return [d.dim_value for d in value.type.tensor_type.shape.dim]


def dtype_of(value):
    return helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)


def bytes_of(value):
    return int(np.prod(shape_of(value))) * dtype_of(value).itemsize


def give_weights(graph):
    """Numbers for what is declared and not made. Returns their declarations."""
    made = {name for node in graph.node for name in node.output}
    weights = [value for value in graph.value_info if value.name not in made]
    for value in weights:
        numbers = (np.arange(np.prod(shape_of(value))) % 13 - 6) / 8
        graph.initializer.append(numpy_helper.from_array(numbers.astype(dtype_of(value)).reshape(shape_of(value)), value.name))
    return weights


class Case:
    def __init__(self, text):
        head, graph = text.strip().split("\n", 1)
        found = HEAD.fullmatch(head)
        if not found:
            sys.exit(f"'{head}' is not 'NAME: at most SHARE'")
        self.name, self.most, self.reason = found["name"], float(found["most"]), found["reason"] or ""
        self.graph = parser.parse_graph(f"{self.name} {graph}")
        moved = [*self.graph.input, *give_weights(self.graph), *self.graph.output]
        sizes = {value.name: bytes_of(value) for value in moved}
        if found["input"]:
            sizes[found["input"]] = int(found["bytes"])
        self.bytes = sum(sizes.values())
        self.sectors = sum(-(-size // 32) for size in sizes.values())

    def save(self, path, graph=None):
        """Also of a graph made of it."""
        graph = graph or self.graph
        opset = 23 if any(node.op_type == "Attention" for node in graph.node) else 17  # whose reductions have attributes
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), path)


def read(path, only):
    """The models of a file whose name has `only` in it."""
    with open(path, encoding="utf-8") as f:
        parts = re.split(r"\n\n+", re.sub(r"^//.*\n", "", f.read(), flags=re.M).strip())
    return [case for case in map(Case, parts) if only in case.name]
