#===- test/Tools/evil_model.py - A model in which everything that may have a name has a hostile one ---===#
# SPDX-License-Identifier: Apache-2.0
"""evil_model.py EVIL.onnx NUL.onnx: markup, marks of direction, ends of comments and of scripts, 64 KB; and a model with a NUL in a name."""

import sys

import onnx
from onnx import TensorProto, helper

NAMES = ["<script>document.title = 'run'</script>", "</script><img src=x onerror=\"document.title = 'run'\">", "\u202ereversed\u2066",
         "a" * 65536, "<!--<script>", "{{report}} &lt;b&gt; '\" \u2028", "${document.title = 'run'}", "__proto__", "constructor"]


def model(names):
    nodes = [helper.make_node("Exp" if i % 2 else "Softmax", ["x" if i == 0 else names[i - 1]], [name], name) for i, name in enumerate(names)]
    graph = helper.make_graph(nodes, names[0], [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
                              [helper.make_tensor_value_info(names[-1], TensorProto.FLOAT, [2, 3])])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    made.producer_name = made.doc_string = names[0]
    return made


if __name__ == "__main__":
    onnx.save(model(NAMES), sys.argv[1])
    onnx.save(model(["a\0b", "c"]), sys.argv[2])
