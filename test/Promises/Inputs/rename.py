#===- test/Promises/Inputs/rename.py - Renames everything in a model that has a name ---===#
# SPDX-License-Identifier: Apache-2.0
"""rename.py IN.onnx OUT.onnx SEED: values, nodes, graphs, functions' values, dimensions, producer, doc_strings and metadata become
random strings, some of them hostile to a C++ compiler, a shell, a path or a format string. What the model computes stays."""

import random
import sys

import onnx

HOSTILE = ["*/ #include \"/etc/passwd\" /*", "\n#error broken\n", "\\\"; system(\"x\"); //", "../../../escape", "$(touch x)",
           "%s%n%d", "'; drop", "??/\n", "a\u202eb", "\U0001f525", "R\"(", ")\"", "k_0123456789abcdef", "in0", "main", " ", "\t"]


class Renamer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values, self.dims = {"": ""}, {"": ""}

    def text(self):
        serial = self.random.getrandbits(64)                       # unique, whatever stands around it
        return f"{self.random.choice(HOSTILE)}{serial:x}{self.random.choice(HOSTILE)}"

    def value(self, name):
        return self.values.setdefault(name, self.text() if name else "")

    def info(self, info):
        info.name, info.doc_string = self.value(info.name), self.text()
        for dim in info.type.tensor_type.shape.dim:
            dim.denotation = ""
            if dim.dim_param:
                dim.dim_param = self.dims.setdefault(dim.dim_param, self.text())

    def node(self, node):
        node.name, node.doc_string = self.text(), self.text()
        node.input[:] = [self.value(name) for name in node.input]
        node.output[:] = [self.value(name) for name in node.output]
        for attribute in node.attribute:
            attribute.doc_string = self.text()
            for graph in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                self.graph(graph)
            for tensor in [attribute.t] * attribute.HasField("t") + list(attribute.tensors):
                tensor.name, tensor.doc_string = self.text(), self.text()

    def graph(self, graph):
        graph.name, graph.doc_string = self.text(), self.text()
        for info in [*graph.input, *graph.output, *graph.value_info]:
            self.info(info)
        for tensor in graph.initializer:
            tensor.name, tensor.doc_string = self.value(tensor.name), self.text()
        for node in graph.node:
            self.node(node)

    def function(self, function):
        function.doc_string = self.text()
        function.input[:] = [self.value(name) for name in function.input]
        function.output[:] = [self.value(name) for name in function.output]
        for node in function.node:
            self.node(node)


def main():
    source, target, seed = sys.argv[1:]
    model, renamer = onnx.load(source), Renamer(int(seed))
    renamer.graph(model.graph)
    for function in model.functions:
        renamer.function(function)
    model.producer_name, model.producer_version, model.domain, model.doc_string = (renamer.text() for _ in range(4))
    del model.metadata_props[:]
    for _ in range(3):
        entry = model.metadata_props.add()
        entry.key, entry.value = renamer.text(), renamer.text()
    onnx.checker.check_model(model)
    onnx.save(model, target)


main()
