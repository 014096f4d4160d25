#===- tools/dev/fuzzing/generate.py - The model of a seed ---===#
# SPDX-License-Identifier: Apache-2.0

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper

from fuzzing import control, elementwise, moves, peers, products, rows, shapes
from fuzzing.draft import Draft, Unfit

TABLE = {**elementwise.OPS, **moves.OPS, **rows.OPS, **products.OPS, **control.OPS}
NODES = (4, 24)
TRIES = 400


@dataclass
class Sample:
    seed: int
    model: onnx.ModelProto
    feeds: dict
    expected: dict
    tolerances: dict
    wild: bool = False                                 # has numbers that are not finite, which libraries may treat otherwise
    disagreed: list = field(default_factory=list)      # ops of nodes that were left out because the two peers differ
    more: list = field(default_factory=list)           # (feeds, expected, tolerances) at other extents

    def cases(self):
        return [(self.feeds, self.expected, self.tolerances), *self.more]

    def ops(self):
        return sorted({node.op_type for node in self.model.graph.node})

    def tolerance(self):
        return max(self.tolerances.values(), default=0)


def generate(seed, dynamic=False, only=()):
    """`only`: names of ops; without any, all."""
    draft = Draft(seed, dynamic)
    wanted, table = draft.random.randint(*NODES), [(name, *row) for name, row in TABLE.items() if not only or name.strip() in only]
    for _ in range(TRIES):
        if len(draft.nodes) >= wanted:
            break
        _, since, draw = draft.random.choice(table)
        if draft.opset >= since:
            add(draft, draw)
    return finish(draft, seed)


def add(draft, draw):
    """What an op adds; nothing where one of its parts does not fit."""
    lists = draft.nodes, draft.values, draft.constants, draft.inputs
    kept = [len(items) for items in lists]
    try:
        draw(draft)
    except Unfit:
        for items, count in zip(lists, kept):
            del items[count:]


def every_node(nodes):
    """Those in bodies, too."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            yield from every_node(attribute.g.node)


def finish(draft, seed):
    read = {name for node in every_node(draft.nodes) for name in node.input}
    given = {value.name for value in draft.inputs}
    made = [value for value in draft.values if value.name not in given]
    outputs = [value for value in made if value.name not in read or draft.chance(0.12)]
    draft.random.shuffle(outputs)
    inputs = [value for value in draft.inputs if value.name in read]

    def info(value, shape):
        return helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), shape)

    def declared(value):
        return [f"n{extent}" if extent in draft.named else extent for extent in value.shape]

    graph = helper.make_graph(draft.nodes, "fuzz", [info(value, declared(value)) for value in inputs],
                              [info(value, [None] * value.rank) for value in outputs], draft.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", draft.opset)], ir_version=peers.IR_VERSION)
    sample = Sample(seed, model, {value.name: value.array for value in inputs}, {value.name: value.array for value in outputs},
                  {value.name: value.tolerance() for value in outputs}, draft.wild, draft.disagreed)
    if draft.named and (other := shapes.other_case(sample, draft)):
        sample.more.append(other)
    return sample


def save(sample, folder):
    """seedS.onnx and seedS.caseN.npz, as `cupola verify --case` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed{sample.seed}.onnx"
    onnx.save(sample.model, path)
    for i, (feeds, expected, _) in enumerate(sample.cases()):
        arrays = {f"in:{name}": array for name, array in feeds.items()} | {f"out:{name}": array for name, array in expected.items()}
        np.savez(folder / f"seed{sample.seed}.case{i}.npz", **arrays)
    return path
